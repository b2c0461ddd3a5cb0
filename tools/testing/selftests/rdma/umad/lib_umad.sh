# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# Devices of kt_umad.ko with their nodes:
#
#	mem0  port 1  ----------  port 1  mem1
#	      port 2

umad_param=/sys/module/kt_umad/parameters

make_umad_devices() {
	echo 'mem0 ca 2' > $umad_param/add && echo 'mem1 ca 1' > $umad_param/add &&
		echo 'mem0 1 mem1 1' > $umad_param/link
}

umad_nodes_are_there() {
	[[ -c /dev/infiniband/umad0 && -c /dev/infiniband/umad1 && -c /dev/infiniband/umad2 && -c /dev/infiniband/issm2 ]]
}

# start_umad [PARAMETER...]: loads the modules, ib_core with these parameters, and makes the devices.
start_umad() {
	type -P python3 > /dev/null || ktap_skip_all 'no python3'
	modinfo kt_umad > /dev/null 2>&1 || ktap_skip_all 'no kt_umad.ko'
	(($# == 0)) || modprobe ib_core "$@"
	check 'modules load' load_krdma ib_core ib_umad kt_umad
	check 'devices' make_umad_devices
	check 'nodes' wait_for 10 umad_nodes_are_there
}
