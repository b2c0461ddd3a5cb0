#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# A port mapper daemon in namespace a does not answer, so that a wildcard of a waits while it begins
# to listen on siwa. Expects that nothing else waits for that daemon: wildcards of namespace b begin
# and end to listen, devices are added and removed.
#
#	namespace a: siwa, siwc, iwpmfake             namespace b: siwb
#	   va 10.77.1.1/24, c0 (a dummy)  --------  vb 10.77.1.2/24
#
# timeout: 150

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kscript.sh"

fake=${KRDMA:-/krdma}/bin/iwpmfake
ucma_test=${KRDMA:-/krdma}/bin/ucma_test
fake_pid='' listen_pid=''

stop_fake() {
	[[ $fake_pid ]] || return 0
	kill "$fake_pid"
	wait "$fake_pid" 2> /dev/null
	fake_pid=''
}

# Starts a daemon that does not answer.
start_fake() {
	: > "$fake_log"
	ip netns exec a "$fake" silent add 3 > "$fake_log" 2>&1 &
	fake_pid=$!
	wait_for 10 has_line "$fake_log" ready
}

# begin_listening COMMAND...: runs this command, which lets a wildcard of namespace a listen, in the
# background. Waits until the daemon is asked for siwa.
begin_listening() {
	start_fake || return 1
	"$@" &
	listen_pid=$!
	wait_for 10 has_line "$fake_log" '^add'
}

wildcard_of_a() {
	kscript_reset a b && kscript a rid L && kscript a rbind L addr=0.0.0.0,7000 && kscript a rlisten L
}

# while_asking COMMAND...: succeeds if the command succeeds, and the wildcard of a still waits for
# the daemon when the command has ended.
while_asking() {
	"$@" || return 1
	! has_ended "$listen_pid" || { echo 'the wildcard has begun to listen'; return 1; }
}

# end_asking: ends the daemon, which ends the request; expects that the wildcard listens.
end_asking() {
	stop_fake
	wait "$listen_pid"
}

listens_and_closes() {
	kscript b rid M && kscript b rbind M addr=0.0.0.0,7000 && kscript b rlisten M && kscript b destroy M
}

listens_on() {
	in_a rdma -j resource show cm_id |
		jq -e --arg dev "$1" '[.[] | select(.ifname == $dev and .state == "LISTEN")] | length == 1'
}

add_siwc() {
	in_a rdma link add siwc type siw netdev c0
}

delete_siwc() {
	in_a rdma link delete siwc
}

# The kernel asks for at most 6 s, so each step begins anew.
test_waiting() {
	check 'a wildcard asks a daemon that does not answer' begin_listening wildcard_of_a
	check 'a wildcard of another namespace listens and closes' while_asking listens_and_closes
	check 'the wildcard listens when the daemon has ended' end_asking
	check 'the wildcard listens on its device' listens_on siwa

	check 'a wildcard asks again' begin_listening wildcard_of_a
	check 'a device is added' while_asking add_siwc
	check 'the wildcard listens on the new device' while_asking listens_on siwc
	check 'the wildcard listens' end_asking

	check 'a wildcard asks once more' begin_listening wildcard_of_a
	check 'a device whose listener has not begun is removed' while_asking delete_siwc
	check 'the wildcard listens on what is left' end_asking
}

has_no_id() {
	kscript_fails 'No such file or directory' a rquery "$1"
}

# A handler lets another identifier listen, which is destroyed meanwhile.
listens_in_handler() {
	kscript_reset a && kscript a rid C && kscript a rid L && kscript a rbind L addr=0.0.0.0,7000 &&
		kscript a on C ADDR_RESOLVED rlisten L && kscript a rresolve C addr=10.77.1.2,7000 &&
		await a 'did C ADDR_RESOLVED rlisten ret=0'
}

test_handler() {
	local destruction
	check "an identifier begins to listen in another one's handler" begin_listening listens_in_handler
	kscript a destroy L &
	destruction=$!
	check 'the identifier is being destroyed' wait_for 10 has_no_id L
	check 'its destruction waits for the handler' kill -0 "$destruction"
	check 'the handler returns' end_asking
	check 'the identifier is destroyed' wait "$destruction"
}

test_killed() {
	check 'a daemon that does not answer' start_fake
	check 'a process that waits for the wildcard can be killed' in_a "$ucma_test" --waiting "$fake_log"
	stop_fake
}

# Removes the device that the daemon is asked for. kscript would keep the device until its command
# returns, so a process listens.
test_removal() {
	local deletion
	check "the wildcard of a process asks" begin_listening ip netns exec a rping -s -p 7000
	in_a rdma link delete siwa &
	deletion=$!
	check 'the device is being removed' await a 'removed siwa'
	check 'a wildcard of another namespace listens and closes' while_asking listens_and_closes
	check 'the device is not removed yet' kill -0 "$deletion"
	stop_fake
	check 'the device is removed when its listener has ended' wait "$deletion"
	expect_failure 'no listener is left' listens_on siwa
	kill "$listen_pid"
	check 'the process ends' wait_for 10 has_ended "$listen_pid"
}

ktap_start
fake_log=$(mktemp)
at_exit rm -f "$fake_log"
at_exit stop_fake
check 'two hosts with siw' kscript_hosts
check 'a netdev for another device' eval 'ip -n a link add c0 type dummy && ip -n a link set c0 up'
check 'the port mapper is on for siwa' eval 'echo 1 > /sys/class/infiniband/siwa/siw/port_mapper'
test_waiting
test_handler
check 'rdma_ucm loads' modprobe rdma_ucm
test_killed
test_removal
check 'everything unloads' eval 'close_sessions && rmmod rdma_ucm && unload_krdma'
ktap_end
