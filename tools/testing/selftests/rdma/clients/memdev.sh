#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs Debian's unmodified libraries and programs over memdev, which has what siw lacks: unreliable
# connections, datagrams, address handles, multicast, atomic operations, GRH and RoCE. kt_memuser.ko
# has the devices; libhfi1verbs takes them for a device of its own driver, with the first version of
# its ABI, which posts and polls by commands, so that each request goes through ib_uverbs.
#
#	mem0, mem1       two InfiniBand devices; the servers run on mem0
#	roce0, roce1     two RoCE devices, on the interfaces dm0 10.77.9.1 and dm1 10.77.9.2
#
# timeout: 250

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_clients.sh
. "$(dirname "$0")/../lib_clients.sh"
# shellcheck source=lib_pyverbs.sh
. "$(dirname "$0")/lib_pyverbs.sh"

on_server=() on_client=()
devices=(mem0 mem1 roce0 roce1)

add_netdev() {
	at_exit ip link delete "dm$1"
	ip link add "dm$1" type dummy && ip address add "10.77.9.$(($1 + 1))/24" dev "dm$1" && ip link set "dm$1" up
}

memdev_nodes() {
	[[ $(ibv_devices | grep -cE '^ +(mem|roce)[01] ') == 4 ]]
}

# start_devices [PARAMETER...]
start_devices() {
	modprobe kt_memuser netdevs=dm0,dm1 "$@" && wait_for 10 memdev_nodes
}

stop_devices() {
	rmmod kt_memuser
}

# Prints the index of the device's GID that is an IPv4 address.
ipv4_gid() {
	local path
	for path in "/sys/class/infiniband/$1/ports/1/gids/"*; do
		[[ $(< "$path") != 0000:0000:0000:0000:0000:ffff:* ]] || echo "${path##*/}"
	done
}

# shows DEVICE REGEX...: each regular expression matches a line that ibv_devinfo prints.
shows() {
	local dev=$1 regex
	shift
	ibv_devinfo -v -d "$dev" > "$output_dir/client" || return
	for regex; do
		grep -qE "$regex" "$output_dir/client" || { echo "no line matches $regex"; cat "$output_dir/client"; return 1; }
	done
}

# over DEVICES PROGRAM [OPTION...]: runs a server on DEVICES0, and a client on DEVICES1.
over() {
	local kind=$1 program=$2
	shift 2
	pair 18515 "$program" -d "${kind}0" -p 18515 "$@" -- "$program" -d "${kind}1" -p 18515 "$@" localhost
}

# pingpong DEVICES PROGRAM NUMBER [OPTION...]: each side compares the contents of what it gets.
pingpong() {
	local kind=$1 program=$2 number=$3
	shift 3
	over "$kind" "$program" -n "$number" -c "$@" &&
		client_printed 1 "^$number iters in" && server_printed 1 "^$number iters in" &&
		client_printed 0 'invalid data' && server_printed 0 'invalid data'
}

# The programs poll all the time, and on one processor they let others run only when their time is
# over, except those that wait for events.
test_pingpongs() {
	local gid=$1
	check 'pingpong over RC' pingpong mem ibv_rc_pingpong 50
	check 'pingpong over RC, with events' pingpong mem ibv_rc_pingpong 500 -e
	check 'pingpong over RC, 1 MB' pingpong mem ibv_rc_pingpong 50 -e -s 1000001 -m 4096
	check 'pingpong over RC, with GRH' pingpong mem ibv_rc_pingpong 500 -e -g 1
	check 'pingpong over UC' pingpong mem ibv_uc_pingpong 500 -e
	check 'pingpong over UC, with GRH' pingpong mem ibv_uc_pingpong 500 -e -g 2
	check 'pingpong over UD' pingpong mem ibv_ud_pingpong 500 -e
	check 'pingpong over UD, with GRH' pingpong mem ibv_ud_pingpong 500 -e -g 1
	check 'pingpong over a shared receive queue' pingpong mem ibv_srq_pingpong 500 -e
	check 'pingpong over RC, on RoCE' pingpong roce ibv_rc_pingpong 500 -e -g "$gid"
	check 'pingpong over UC, on RoCE' pingpong roce ibv_uc_pingpong 500 -e -g "$gid"
	check 'pingpong over UD, on RoCE' pingpong roce ibv_ud_pingpong 500 -e -g "$gid"
	check 'pingpong over a shared receive queue, on RoCE' pingpong roce ibv_srq_pingpong 500 -e -g "$gid"
}

# measured DEVICES PROGRAM SIZE NUMBER [OPTION...]
measured() {
	local kind=$1 program=$2 size=$3 number=$4
	shift 4
	# ib_atomic_bw has no choice of sizes.
	[[ $program == ib_atomic_bw ]] || set -- -s "$size" "$@"
	over "$kind" "$program" -F --use_old_post_send -n "$number" "$@" && has_result client "$size" "$number"
}

test_perftest() {
	local gid=$1
	check 'sends over RC' measured mem ib_send_bw 4097 200 -c RC
	check 'sends over UC' measured mem ib_send_bw 4097 200 -c UC
	check 'sends over UD' measured mem ib_send_bw 1500 200 -c UD
	check 'sends over RC, with events' measured mem ib_send_bw 4097 200 -c RC -e
	check 'sends to a shared receive queue' measured mem ib_send_bw 4097 200 -c RC --use-srq
	check 'writes over RC' measured mem ib_write_bw 77777 200 -c RC
	check 'writes over UC' measured mem ib_write_bw 77777 200 -c UC
	check 'reads' measured mem ib_read_bw 77777 200
	check 'reads on 4 QPs' over mem ib_read_bw -F --use_old_post_send -n 50 -s 1001 -q 4
	check 'fetch and add' measured mem ib_atomic_bw 8 200 -A FETCH_AND_ADD
	check 'compare and swap' measured mem ib_atomic_bw 8 200 -A CMP_AND_SWAP
	check 'latency of sends over UD' measured mem ib_send_lat 64 50 -c UD
	check 'sends over RC, on RoCE' measured roce ib_send_bw 4097 200 -c RC -x "$gid"
	check 'sends over UD, on RoCE' measured roce ib_send_bw 1500 200 -c UD -x "$gid"
	# The group's GID is an IPv6 address, and perftest wants one of the same kind of the device.
	check 'sends to a multicast group, on RoCE' measured roce ib_send_bw 1500 200 -c UD -x 0 -g
	check 'atomic operations, on RoCE' measured roce ib_atomic_bw 8 200 -x "$gid"
}

test_devices() {
	check 'ibv_devinfo shows an InfiniBand device' shows mem0 'link_layer:[[:space:]]+InfiniBand' \
		'max_qp:[[:space:]]+1024' 'ATOMIC_HCA' 'GID\[  2\]:' 'state:[[:space:]]+PORT_ACTIVE'
	check 'ibv_devinfo shows a RoCE device' shows roce0 'link_layer:[[:space:]]+Ethernet' \
		'GID\[ +[0-9]+\]:[[:space:]]+::ffff:10\.77\.9\.1, RoCE v2'
}

# The same with the other library that has such an ABI.
test_qib() {
	check 'the devices go' stop_devices
	check 'the devices come, for libipathverbs' start_devices driver=qib
	check 'libipathverbs: pingpong over RC' pingpong mem ibv_rc_pingpong 500 -e
	check 'libipathverbs: pingpong over UD' pingpong mem ibv_ud_pingpong 500 -e
	check 'libipathverbs: pingpong over a shared receive queue' pingpong mem ibv_srq_pingpong 500 -e
}

# The server has its QP and waits for a client when the devices are removed.
removed_in_use() {
	serve idle 18515 ibv_rc_pingpong -d mem0 -p 18515 && stop_devices && stop_server idle
}

ktap_start
need ibv_rc_pingpong ib_send_bw
check 'modules load' load_krdma ib_core ib_uverbs
make_output_dir
check 'interface dm0' add_netdev 0
check 'interface dm1' add_netdev 1
check 'four devices' start_devices
gid=$(ipv4_gid roce0)
test_devices
test_pingpongs "$gid"
test_perftest "$gid"
test_suite mem0 0
test_suite roce0 "$gid"
test_qib
check 'nothing is left' wait_for 10 nothing_is_left
check 'the devices are removed while a process uses one' removed_in_use
check 'everything unloads' unload_krdma
ktap_end
