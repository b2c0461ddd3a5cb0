#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs the kernel's own soft-RoCE, unmodified, as a provider of krdma's core: programs transfer data over connected and
# unconnected QPs of one device, and compare it. It was compiled against krdma by `make intree-run`, which starts this
# test. Its sockets are in the initial namespace, so both ends are there. There is no rdma_cm: it would need the CM of
# InfiniBand. In the end the device is deleted and rxe unloaded while a process has a QP, a CQ and an SRQ of it mapped.
#
# timeout: 150

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"

added=${KRDMA:-/krdma}/add
on_server=()
on_client=()
devices=(rxe0)

load_rxe() {
	local path
	load_krdma ib_core ib_uverbs && modprobe libcrc32c || return
	for path in "$added"/{udp_tunnel,ip6_udp_tunnel,crc32_generic,rdma_rxe}.ko; do
		[[ ! -e $path ]] || insmod "$path" || return
	done
}

gid_is_there() {
	[[ $(< /sys/class/infiniband/rxe0/ports/1/gids/1) == *:ffff:0a4d:0301 ]]
}

add_rxe() {
	ip link add d0 type dummy && ip address add 10.77.3.1/24 dev d0 && ip link set d0 up &&
		rdma link add rxe0 type rxe netdev d0 && make_output_dir && wait_for 10 gid_is_there &&
		wait_for 10 test -c /dev/infiniband/uverbs0
}

# pingpong PROGRAM OPTION...: both ends compare every byte.
pingpong() {
	local command=("$1" -d rxe0 -g 1 -n 200 -c "${@:2}")
	pair 18515 "${command[@]}" -- "${command[@]}" localhost && client_printed 1 '200 iters in'
}

# measured PROGRAM SIZE OPTION...
measured() {
	local command=("$1" -d rxe0 -x 1 -F -n 100 -s "$2" "${@:3}")
	pair 18515 "${command[@]}" -- "${command[@]}" localhost && has_result client "$2" 100
}

test_data() {
	check 'ibv_rc_pingpong' pingpong ibv_rc_pingpong -s 70001
	check 'ibv_rc_pingpong, events' pingpong ibv_rc_pingpong -s 4097 -e
	check 'ibv_uc_pingpong' pingpong ibv_uc_pingpong -s 4097
	check 'ibv_ud_pingpong' pingpong ibv_ud_pingpong -s 1000
	check 'ibv_srq_pingpong' pingpong ibv_srq_pingpong -s 4097
}

test_perftest() {
	check 'ib_send_bw, RC' measured ib_send_bw 77777
	check 'ib_send_bw, UC' measured ib_send_bw 77777 -c UC
	check 'ib_send_bw, UD' measured ib_send_bw 1000 -c UD
	check 'ib_write_bw, RC' measured ib_write_bw 77777
	check 'ib_write_bw, UC' measured ib_write_bw 77777 -c UC
	check 'ib_read_bw, RC' measured ib_read_bw 77777
}

nothing_is_used() {
	[[ $(rdma resource show rxe0) == *' pd 0 cq 0 qp 0 cm_id 0 mr 0 ctx 0 srq 0'* ]]
}

# A program has mapped its queues before it listens.
process_stays() {
	serve stays 18516 ibv_srq_pingpong -d rxe0 -g 1 -p 18516 -q 2 && has_areas "${server_pids[stays]}"
}

# has_areas PID: succeeds if the process has mapped memory of the device.
has_areas() {
	grep -q '/dev/infiniband/uverbs0' "/proc/$1/maps"
}

process_ends() {
	has_areas "${server_pids[stays]}" && end_server stays
}

unload() {
	ip link del d0 && unload_krdma
}

ktap_start
[[ -e $added/rdma_rxe.ko ]] || ktap_skip_all "no rxe of the kernel's source was compiled for krdma"
need ibv_rc_pingpong ib_send_bw
check "the core and the kernel's rxe are loaded" load_rxe
check 'a device with a GID' add_rxe
test_data
test_perftest
check 'nothing is left' wait_for 10 nothing_is_used
check 'a process has queues mapped' process_stays
check 'the device is deleted' rdma link delete rxe0
check 'rxe unloads' rmmod rdma_rxe
check 'the process ends' process_ends
check 'everything unloads' unload
ktap_end
