#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Debian's unmodified OpenSM brings up topologies of several shapes, and CAs at different switches reach
# each other; a cable is pulled meanwhile, and packets go another way.
#
#	line   h1 --- s1 --- s2 --- s3 --- h2
#	ring   h3, h4 and c at three switches, each of which is linked to the two others; two links between
#	       two of them; h4 has two ports, at two switches
#	tree   2 spines; 4 leaves, each linked to both; 4 CAs at each leaf, 2 of which are devices
#
# timeout: 400

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=lib_sib.sh
. "$(dirname "$0")/lib_sib.sh"
# shellcheck source=../lib_ibping.sh
. "$(dirname "$0")/../lib_ibping.sh"

# connect_all FABRIC END END...: links pairs of ports.
connect_all() {
	local fabric=$1
	shift
	while (($#)); do
		connect "$fabric" "$1" "$2" || return
		shift 2
	done
}

# bring_up FABRIC NAME: OpenSM, at port 1 of this device, brings the fabric up.
bring_up() {
	check "$1: nodes" wait_for 10 has_mad_nodes "$2"
	check "$1: OpenSM starts" start_opensm "$2"
	check "$1: OpenSM says SUBNET UP" wait_for 30 subnet_is_up
	check "$1: all ports are active" wait_for 10 all_active "$1"
	check "$1: OpenSM logs no error" no_errors
}

take_down() {
	check "$1: OpenSM ends" end_opensm
	check "$1: the fabric goes" drop_fabric "$1"
	expect_output "$1: no device is left" '' ls /sys/class/infiniband
}

# reaches NAME NAME: a server at the second device answers the first one.
reaches() {
	check "$1 reaches $2: a server" start_server "$2"
	check "$1 reaches $2: the server answers" wait_for 20 pings "$1" "$(lid_of "$2")"
	check "$1 reaches $2: a hundred times" prints '100 packets transmitted, 100 received, 0% packet loss' \
		ibping -C "$1" -P 1 -c 100 -f -t $((1000 * slow)) "$(lid_of "$2")"
}

# goes_by FROM TO SWITCH: the way from one device to the other one leads through the switch.
goes_by() {
	prints "\"$3\"" ibtracert -C "$1" -P 1 "$(lid_of "$1")" "$(lid_of "$2")"
}

is_unreachable() {
	! pings "$1" "$(lid_of "$2")"
}

number_of() {
	grep -c "$1" <<< "$2"
}

# --- a line ---

make_line() {
	local node
	make_fabric line && make_node line h1 && make_node line h2 || return
	for node in s1 s2 s3; do
		make_node line "$node" switch 4 || return
	done
	connect_all line h1:1 s1:1 s1:2 s2:1 s2:2 s3:1 s3:2 h2:1 && make_device line h1 && make_device line h2
}

test_line() {
	check 'a line' make_line
	bring_up line h1
	reaches h1 h2
	expect_output 'the LID is that of the device' "$(lid_of h2)" lid_at line h2:1
	check 'the way is three switches long' eval 'goes_by h1 h2 s1 && goes_by h1 h2 s2 && goes_by h1 h2 s3'
	check 'a switch by its LID' prints 'Node Description:\.+s3' smpquery -C h1 -P 1 nodedesc "$(lid_at line s3:1)"
	check 'counters of a switch in the middle' prints 'PortXmitPkts:\.+[1-9][0-9]{2}' \
		perfquery -C h1 -P 1 "$(lid_at line s2:1)" 2
	check 'the description of a switch changes' configure line/s2/node_desc middle
	check 'OpenSM hears of it by a trap' wait_for 5 has_heard 144
	check 'the cable between two switches is pulled' plug line s2:2 down
	expect_output 'both ends are down' down cat "$sib_config/line/s3/port1/state"
	check 'OpenSM hears of it by a trap' wait_for 5 has_heard 128
	check 'h2 is not reached any more' wait_for 10 is_unreachable h1 h2
	check 'the counter says so' prints 'LinkDownedCounter:\.+1$' perfquery -C h1 -P 1 "$(lid_at line s2:1)" 2
	check 'it is plugged in again' plug line s3:1 up
	check 'the ports are active again' wait_for 10 all_active line
	check 'h2 is reached again' wait_for 10 pings h1 "$(lid_of h2)"
	end_server
	take_down line
}

# --- a ring ---

make_ring() {
	local node
	make_fabric ring && make_node ring h3 && make_node ring h4 ca 2 && make_node ring c || return
	for node in r1 r2 r3; do
		make_node ring "$node" switch 6 || return
	done
	connect_all ring h3:1 r1:1 h4:1 r2:1 c:1 r3:1 h4:2 r3:2 r1:3 r2:3 r1:4 r2:4 r2:5 r3:5 r3:6 r1:6 &&
		make_device ring h3 && make_device ring h4
}

# have_lids END END: the ports have different LIDs.
have_lids() {
	local first second
	first=$(lid_at ring "$1") second=$(lid_at ring "$2")
	((first && second && first != second))
}

test_ring() {
	check 'a ring' make_ring
	bring_up ring h3
	check 'both ports of a CA have LIDs' have_lids h4:1 h4:2
	reaches h3 h4
	check 'the CA that is no device answers' prints 'Node Description:\.+c' smpquery -C h3 -P 1 nodedesc "$(lid_at ring c:1)"
	check 'by port 2 as well' prints 'Node Description:\.+c' smpquery -C h4 -P 2 nodedesc "$(lid_at ring c:1)"
	check 'one of two links is pulled' plug ring r1:3 down
	check 'the server is reached by the other one' wait_for 10 pings h3 "$(lid_of h4)"
	check 'the way is two switches long' eval '! goes_by h3 h4 r3'
	check 'the other one is pulled' plug ring r1:4 down
	check 'the server is reached the other way round' wait_for 10 pings h3 "$(lid_of h4)"
	check 'the way is three switches long' goes_by h3 h4 r3
	check 'OpenSM has heard of it by a trap' has_heard 128
	check 'a link is taken away' disconnect ring h4:2
	check 'the server is reached by the first port' wait_for 10 pings h3 "$(lid_of h4)"
	end_server
	take_down ring
}

# --- a fat tree ---

make_tree() {
	local leaf ca
	make_fabric tree && make_node tree spine1 switch 8 && make_node tree spine2 switch 8 || return
	for leaf in 1 2 3 4; do
		make_node tree "leaf$leaf" switch 8 &&
			connect_all tree "leaf$leaf:7" "spine1:$leaf" "leaf$leaf:8" "spine2:$leaf" || return
		for ca in 1 2 3 4; do
			make_node tree "ca$leaf$ca" && connect tree "ca$leaf$ca:1" "leaf$leaf:$ca" || return
		done
	done
	make_device tree ca11 h5 && make_device tree ca44 h6
}

number_of_lids() {
	cat "$sib_config"/tree/ca*/port1/lid | grep -v '^0$' | sort -u | wc -l
}

test_tree() {
	local map
	check 'a fat tree' make_tree
	expect_output 'statistics' $'nodes 22\nswitches 6\ncas 16\nlinks 24' cat "$sib_config/tree/stats"
	bring_up tree h5
	map=$(ibnetdiscover -C h5 -P 1)
	expect_output 'ibnetdiscover: switches' 6 number_of '^Switch' "$map"
	expect_output 'ibnetdiscover: CAs' 16 number_of '^Ca' "$map"
	expect_output 'every CA has a LID of its own' 16 number_of_lids
	reaches h5 h6
	check 'a CA at another leaf' prints 'Node Description:\.+ca23' smpquery -C h6 -P 1 nodedesc "$(lid_at tree ca23:1)"
	check 'a spine is removed' drop_node tree spine1
	check 'h6 is reached through the other one' wait_for 10 pings h5 "$(lid_of h6)"
	check 'the way' goes_by h5 h6 spine2
	end_server
	take_down tree
}

ktap_start
type -P opensm > /dev/null || ktap_skip_all 'no OpenSM'
check 'modules load' load_krdma ib_core ib_mad ib_umad sib
check 'configfs is mounted' mount_config
test_line
test_ring
test_tree
check 'everything unloads' unload_krdma
ktap_end
