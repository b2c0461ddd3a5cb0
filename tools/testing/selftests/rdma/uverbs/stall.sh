#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests calls of processes that stop at a page which is not there yet. Runs the groups "stall" and
# "stall_netns" of tools/testing/verbs_test: while a call is stopped, the device is removed, or the
# device's namespace ends. Expects that no object is left.
#
#	namespace a                        namespace b                     namespace c
#	   va 10.77.1.1, fd77:1::1  ----  vb 10.77.1.2, fd77:1::2
#	   siwa                             siwb: verbs_test
#	                                    vcpeer  -----------------------  vc
#	                                                                     siwc: verbs_test of b
#
# timeout: 120
# needs: the distribution's kernel

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"
. "$(dirname "$0")/lib_verbs_test.sh"

add_third_host() {
	ip netns add c && ip link add vc netns c type veth peer name vcpeer netns b && ip -n c link set vc up &&
		add_device c
}

has_stopped() {
	grep -q '^# stall: stopped' "$output_dir/report"
}

# Deletes namespace c while a call of a process in namespace b uses the device of namespace c.
end_namespace() {
	local pid
	verbs_test_runs stall_netns "$server_v4" &
	pid=$!
	wait_for 10 has_stopped && ip netns delete c
	wait "$pid"
}

come_and_go() {
	ip netns add c && ip netns delete c
}

ktap_start
need_verbs_test
check 'two hosts with siw' client_hosts
# Some kernels have no FUSE. verbs_test then leaves out the two tests that need it.
modprobe fuse 2> /dev/null
group stall

check 'a third host with siw' add_third_host
check 'the third host is deleted during a call' end_namespace
ktap_copy "$output_dir/report" 'stall_netns: '
check 'stall_netns: nothing is left' wait_for 10 nothing_is_left
check 'a namespace comes and goes' come_and_go
check 'everything unloads' unload_krdma
ktap_end
