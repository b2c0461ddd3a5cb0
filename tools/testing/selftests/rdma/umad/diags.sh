#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs Debian's unmodified programs of infiniband-diags, through libibumad, over devices of kt_umad.ko,
# which answer for themselves as adapters do.
#
#	mem0  port 1  ----------  port 1  mem1
#	      port 2
#
# timeout: 120

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_umad.sh
. "$(dirname "$0")/lib_umad.sh"
# shellcheck source=../lib_ibping.sh
. "$(dirname "$0")/../lib_ibping.sh"

lid_of() {
	printf '%d' "$(< "/sys/class/infiniband/$1/ports/$2/lid")"
}

remove_server_device() {
	echo mem1 > "$umad_param/remove" && wait_for 10 has_ended "$server"
}

ktap_start
for program in ibstat smpquery ibping; do
	type -P $program > /dev/null || ktap_skip_all "no $program"
done
start_umad
check 'ibstat shows two ports' prints 'Number of ports: 2' ibstat mem0
check 'ibstat shows the LID' prints "Base lid: $(lid_of mem1 1)\$" ibstat mem1 1
check 'smpquery: node of a LID' prints 'NumPorts:\.+1$' smpquery -C mem0 -P 1 nodeinfo "$(lid_of mem1 1)"
check 'smpquery: node of the own LID' prints 'NumPorts:\.+2$' smpquery -C mem0 -P 1 nodeinfo "$(lid_of mem0 1)"
check 'smpquery: the own node by a route' prints 'NumPorts:\.+2$' smpquery -C mem0 -P 1 -D nodeinfo 0
check 'smpquery: a node one hop away' prints 'NumPorts:\.+1$' smpquery -C mem0 -P 1 -D nodeinfo 0,1
check 'smpquery: port' prints 'LinkState:\.+Active$' smpquery -C mem0 -P 1 portinfo "$(lid_of mem1 1)" 1
check 'smpquery: P_Keys' prints '0xffff' smpquery -C mem0 -P 1 pkeys "$(lid_of mem1 1)"
check 'smpquery: no such route' fails_with 'failed' smpquery -C mem0 -P 1 -t 100 -D nodeinfo 0,9
check 'ibping: a server' start_server mem1
check 'ibping: the server answers' wait_for 20 pings mem0 "$(lid_of mem1 1)"
check 'ibping: ten times' prints '10 packets transmitted, 10 received, 0% packet loss' \
	ibping -C mem0 -P 1 -c 10 -f -t $((1000 * slow)) "$(lid_of mem1 1)"
check 'ibping: the server ends when its device is removed' remove_server_device
check 'the module unloads' rmmod kt_umad
check 'everything unloads' unload_krdma
ktap_end
