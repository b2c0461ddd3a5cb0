#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the kernel's NVMe over RDMA, unmodified, with a target that has two siw devices and listens on the wildcards of IPv4
# and IPv6, then on the address of each device: a connection has to be that of the device whose netdev has the address it
# came to, and stays when the other device goes.
#
#	machine a                                      machine b
#	   path1 10.77.1.1, fd77:1::1, siw1  --------  path1 10.77.1.2, fd77:1::2, siw1
#	   path2 10.77.2.1, fd77:2::1, siw2  --------  path2 10.77.2.2, fd77:2::2, siw2
#	   nvme_rdma                                   nvmet_rdma: two disks of null_blk
#
# timeout: 200

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ulp/lib_ulp.sh"
. "$(dirname "$0")/../lib_clients.sh"
. "$(dirname "$0")/../ulp/lib_nvme.sh"

# The subsystems, each with a disk of its own.
one=nqn.2026-01.krdma:one
two=nqn.2026-01.krdma:two

add_ipv6() {
	local number end=1
	# shellcheck disable=SC2153 # from the VM's init
	[[ $HOST == a ]] || end=2
	for number in 1 2; do
		ip address add "fd77:$number::$end/64" dev "path$number" nodad || return
	done
}

make_subsystems() {
	make_disk 1 16 && make_disk 2 16 && make_subsystem "$one" /dev/nullb1 && make_subsystem "$two" /dev/nullb2
}

# nvmet_rdma restricts a listener of IPv6 to IPv6.
listen_on_wildcards() {
	make_port 1 0.0.0.0 "$one" "$two" && make_port 2 :: "$one" "$two"
}

listen_on_addresses() {
	remove_target && make_subsystems && make_port 1 10.77.1.2 "$one" "$two" && make_port 2 10.77.2.2 "$one" "$two"
}

connect() {
	nvme_connect "$1" "$2" keep_alive_tmo=5 && wait_for 10 nvme_disk "$1" 1
}

write_and_read() {
	nvme_data "$(nvme_disk "$1" 1)" --rw=randwrite --bs=16k --size=2m
}

# are_used DEVICE...: succeeds if these devices of the host have QPs, and no others have.
are_used() {
	local used
	used=$(rdma -j resource show | jq -r '.[] | select(.qp > 0) | .ifname' | sort | xargs)
	echo "devices with QPs: $used"
	[[ $used == "$*" ]]
}

controller_is() {
	nvme_is "$(nvme_controllers "$1")" "$2"
}

begin_io() {
	start_io "$(nvme_disk "$1" 1)" --rw=randrw --bsrange=4k-64k --iodepth=8 --size=2m --verify_backlog=16
}

note_accepts() {
	counter "$1" accepts > "$output_dir/accepts"
}

accepts_unchanged() {
	[[ $(counter "$1" accepts) == "$(< "$output_dir/accepts")" ]]
}

# lands WHERE ADDRESS1 ADDRESS2: connects to the second device first, so that the first one cannot have the connection by
# its age.
lands() {
	step a "$1: a connection to the address of device 2" connect "$two" "$3"
	step b "$1: it is that of device 2" are_used siw2
	step a "$1: a connection to the address of device 1" connect "$one" "$2"
	step b "$1: it is that of device 1" are_used siw1 siw2
	step a "$1: so it is at the other end" are_used siw1 siw2
	step a "$1: data by device 1" write_and_read "$one"
	step a "$1: data by device 2" write_and_read "$two"
	same_content "$one" 1 /dev/nullb1
	same_content "$two" 1 /dev/nullb2
}

# goes DEVICE NAME OTHER-DEVICE OTHER-NAME: the target's DEVICE is deleted, which the connection to NAME uses; that of the
# other subsystem goes on, and was not made again.
goes() {
	step a "transfers by $3" begin_io "$4"
	step b "accepted so far" note_accepts "$3"
	step b "$1 goes" rdma link delete "$1"
	step a "its connection ends" wait_for 40 controller_is "$2" connecting
	step a "the transfers by $3 go on" io_moves
	step a "they end, and no byte was wrong" stop_io
	step b "by the same connection" accepts_unchanged "$3"
	step b "no other device is used" are_used "$3"
}

end_connections() {
	step a 'the connections end' nvme_disconnect_all
	both 'no device is used' wait_for 10 are_used
}

ktap_start
check 'krdma, NVMe, two siw devices' nvme_hosts 1 2
both 'IPv6 addresses' add_ipv6
step b 'two subsystems' make_subsystems
step b 'a target on the wildcards' listen_on_wildcards
lands 'wildcard of IPv4' 10.77.1.2 10.77.2.2
goes siw1 "$one" siw2 "$two"
step b 'siw1 comes back' rdma link add siw1 type siw netdev path1
step a 'its connection, too' wait_for 40 controller_is "$one" live
step b 'by siw1' are_used siw1 siw2
step a 'data by siw1' write_and_read "$one"
end_connections
lands 'wildcard of IPv6' fd77:1::2 fd77:2::2
end_connections
step b 'a target on each address' listen_on_addresses
lands 'addresses' 10.77.1.2 10.77.2.2
goes siw2 "$two" siw1 "$one"
end_connections
step b 'the target ends' remove_target
both 'nothing is left' wait_for 10 nothing_left
both 'the drivers unload' unload_nvme
both 'everything unloads' unload_krdma
for ulp in nvme nvmet; do
	ulp_ran "$ulp" 'a target on a wildcard, with two devices'
done
ktap_end
