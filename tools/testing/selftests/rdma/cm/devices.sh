#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Several siw devices on one host, and one wildcard server for all of them: a connection has to be that of the
# device whose netdev has the address it came to, or, if the address is on a netdev without a device, that of the
# device whose netdev it came by. The device of a client that is chosen by the route likewise.
#
#	host a                                          host b
#	   va    10.77.1.1  siwa     --------  vb    10.77.1.2  siwb
#	   va.5  10.99.1.1  siwav    --------  vb.5  10.99.1.2  siwbv
#	   wa    10.88.1.1  siwaa    --------  wb    10.88.1.2  siwbb
#	   xa    10.66.1.1  siwax    --------  xb               siwbx, below br0 10.66.1.2, later bond0
#	   lo    10.9.8.1                      lo    10.9.9.9, fd99::9
#
# timeout: 200

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"

servers=(siwb siwbv siwbb siwbx)

# wire NAME-A NAME-B NUMBER: adds a wire between the hosts, with the networks 10.NUMBER.1 and fdNUMBER:1.
wire() {
	ip link add "$1" netns a type veth peer name "$2" netns b && number_wire "$@"
}

number_wire() {
	ip -n a address add "10.$3.1.1/24" dev "$1" && ip -n a address add "fd$3:1::1/64" dev "$1" nodad &&
		ip -n b address add "10.$3.1.2/24" dev "$2" && ip -n b address add "fd$3:1::2/64" dev "$2" nodad &&
		ip -n a link set "$1" up && ip -n b link set "$2" up
}

vlan_wire() {
	ip -n a link add link va name va.5 type vlan id 5 && ip -n b link add link vb name vb.5 type vlan id 5 &&
		number_wire va.5 vb.5 99
}

# under_master KIND: moves the addresses of xb to a new master of this kind.
under_master() {
	ip -n b link set xb down && ip -n b address flush dev xb && ip -n b link add "$1"0 type "$1" &&
		ip -n b link set xb master "$1"0 && ip -n b address add 10.66.1.2/24 dev "$1"0 &&
		ip -n b link set xb up && ip -n b link set "$1"0 up
}

# The client's neighbour entry is that of the old master.
leave_bridge() {
	ip -n b link del bridge0 && ip -n a neigh flush dev xa
}

more_devices() {
	devices+=(siwav siwaa siwax siwbv siwbb siwbx)
	wire wa wb 88 && wire xa xb 66 && vlan_wire || return 1
	in_a rdma link add siwav type siw netdev va.5 && in_a rdma link add siwaa type siw netdev wa &&
		in_a rdma link add siwax type siw netdev xa && in_b rdma link add siwbv type siw netdev vb.5 &&
		in_b rdma link add siwbb type siw netdev wb && in_b rdma link add siwbx type siw netdev xb || return 1
	ip -n b address add 10.9.9.9/32 dev lo && ip -n b address add fd99::9/128 dev lo nodad &&
		ip -n a address add 10.9.8.1/32 dev lo && ip -n b route add 10.9.8.1 via 10.88.1.1 || return 1
	count_at_once && lengthen_handshakes && wait_for 10 nodes_are_there
}

accepts() {
	local dev
	for dev in "${servers[@]}"; do
		[[ ! -d /sys/class/infiniband/$dev ]] || echo "$dev $(counter "$dev" accepts)"
	done
}

# lands DEVICE ADDRESS [OPTION...]: connects to ADDRESS; succeeds if DEVICE accepts, and no other device does.
lands() {
	local dev=$1 before after
	before=$(accepts)
	client rping -c -C 1 -p 7174 -a "${@:2}" || return
	after=$(accepts)
	# shellcheck disable=SC2001 # the line's end is replaced, too
	diff <(sed "s/^$dev .*/$dev $(($(counter "$dev" accepts) - 1))/" <<< "$after") <(echo "$before")
}

# by_way GATEWAY ADDRESS [OPTION...]: sets the client's route to ADDRESS.
by_way() {
	in_a ip route replace "$2" via "$1" "${@:3}"
}

# lands_by GATEWAY DEVICE ADDRESS
lands_by() {
	by_way "$1" "$3" && lands "$2" "$3"
}

begin() {
	serve w 7174 rping -s -P -S 1000 -p 7174 -a "$1"
}

link_locals() {
	wait_for 10 link_local b vb && wait_for 10 link_local b wb || return
	lands siwb "$(link_local b vb)%va" && lands siwbb "$(link_local b wb)%wa"
}

# The last one goes to an address on lo, so only the client's address belongs to a device.
same_host() {
	local on_client=(ip netns exec b)
	lands siwbb 10.88.1.2 && lands siwbv 10.99.1.2 && lands siwbb 10.88.1.2 -I 10.77.1.2 &&
		lands siwb 10.9.9.9 -I 10.77.1.2
}

# The address is on vb and wb.
anycast() {
	ip -n b address add 10.9.9.10/32 dev vb && ip -n b address add 10.9.9.10/32 dev wb &&
		lands_by 10.77.1.2 siwb 10.9.9.10 && lands_by 10.88.1.2 siwbb 10.9.9.10
}

address_moves() {
	ip -n b address add 10.9.9.11/32 dev wb && lands_by 10.77.1.2 siwbb 10.9.9.11 &&
		ip -n b address del 10.9.9.11/32 dev wb && ip -n b address add 10.9.9.11/32 dev vb &&
		lands_by 10.88.1.2 siwb 10.9.9.11
}

# The client's source address is on lo, so that the route's netdev decides on the client's device, too.
unnumbered() {
	local before
	before=$(counter siwaa connects)
	by_way 10.88.1.2 10.9.9.9 src 10.9.8.1 && lands siwbb 10.9.9.9 &&
		(($(counter siwaa connects) == before + 1))
}

by_source() {
	by_way 10.77.1.2 10.9.9.9 && in_a ip rule add from 10.88.1.1 table 100 &&
		by_way 10.88.1.2 10.9.9.9 table 100 && lands siwb 10.9.9.9 && lands siwbb 10.9.9.9 -I 10.88.1.1
}

# Kernel sockets have no mark, and rdma_cm has none either: a rule for a mark applies to neither.
by_mark() {
	in_a ip rule add fwmark 7 table 101 && in_a ip route add unreachable 10.9.9.9 table 101 && lands siwb 10.9.9.9
}

begin_long() {
	ip netns exec a rping -c -p 7174 -a 10.88.1.2 -C 10000000 -S 1000 > "$output_dir/long" 2>&1 &
	long_pid=$!
	wait_for 20 more_than siwbb "$(counter siwbb rx_packets)"
}

more_than() {
	(($(counter "$1" rx_packets) > $2))
}

first_device_goes() {
	rdma link delete siwb || return
	wait_for 10 more_than siwbb "$(counter siwbb rx_packets)"
}

# others_are_faultless DEVICE: no device but this one has seen a protocol error.
others_are_faultless() {
	local dev others=()
	for dev in "${devices[@]}"; do
		[[ $dev == "$1" ]] || others+=("$dev")
	done
	no_protocol_errors "${others[@]}"
}

# siwb is gone.
end_long() {
	! has_ended "$long_pid" || { cat "$output_dir/long" "$output_dir/w"; return 1; }
	others_are_faultless siwb || return
	kill -KILL "$long_pid"
	wait "$long_pid" 2> /dev/null
	killed=$(counter siwaa rx_protocol_errors)
}

# The memory of the client that was killed went before its QP: the server may have asked for it meanwhile.
no_more_errors() {
	echo "siwaa had $killed"
	others_are_faultless siwaa && [[ $(counter siwaa rx_protocol_errors) == "$killed" ]]
}

# nobody_owns ADDRESS: the server listens on other devices, so TCP accepts, and siw has to reset.
nobody_owns() {
	mark_dmesg
	refused rping -c -C 1 -p 7174 -a "$1" && dmesg_since | grep "to $1:7174 reset: no listening device"
}

# The link of zb has no device, and another link has one whose netdev has the same link-local address.
link_local_elsewhere() {
	ip link add za netns a type veth peer name zb netns b && ip -n a link set za up && ip -n b link set zb up &&
		ip -n b address add fe80::77/64 dev zb nodad && ip -n b address add fe80::77/64 dev vb nodad &&
		in_a rdma link add siwaz type siw netdev za && wait_for 10 link_local a za || return
	lands siwb fe80::77%va || return
	mark_dmesg
	refused rping -c -C 1 -p 7174 -a fe80::77%za && dmesg_since | grep 'reset: no listening device' &&
		in_a rdma link delete siwaz && ip -n a link delete za
}

ktap_start
need rping
check 'hosts' client_hosts
check 'six more devices' more_devices

check 'server on 0.0.0.0' begin 0.0.0.0
check 'first device' lands siwb 10.77.1.2
check 'second device' lands siwbb 10.88.1.2
check 'device of a VLAN' lands siwbv 10.99.1.2
check 'address of one netdev, packets by another' lands_by 10.88.1.2 siwb 10.77.1.2
in_a ip route del 10.77.1.2 via 10.88.1.2
check 'clients on the same host' same_host
check 'address on lo, by the first netdev' lands_by 10.77.1.2 siwb 10.9.9.9
check 'address on lo, by the second netdev' lands_by 10.88.1.2 siwbb 10.9.9.9
check 'address on two netdevs' anycast
check 'address that moves' address_moves
check 'unnumbered interfaces' unnumbered
check 'rule by source' by_source
check 'rule by mark' by_mark
check 'address on a bridge' under_master bridge
check 'device below the bridge' lands siwbx 10.66.1.2
check 'bridge goes' leave_bridge
if modprobe bonding 2> /dev/null; then
	check 'address on a bond' under_master bond
	check 'device below the bond' wait_for 10 lands siwbx 10.66.1.2
else
	ktap_skip 'device below the bond' 'no bonding'
fi
check 'a long connection to the second device' begin_long
check 'it survives the end of the first device' first_device_goes
check 'and goes on' end_long
check 'an address whose netdev has lost its device' nobody_owns 10.77.1.2
stop_server w > /dev/null
check 'the first device again' add_device b
check 'settings' count_at_once

check 'server on ::' begin ::
check 'second device, IPv6' lands siwbb fd88:1::2
check 'first device, which is the last now, IPv6' lands siwb fd77:1::2
check 'second device, IPv4' lands siwbb 10.88.1.2
check 'link-local addresses' link_locals
check 'a link-local address of another link' link_local_elsewhere
check 'address on lo, IPv6' lands_by fd88:1::2 siwbb fd99::9
stop_server w > /dev/null
check 'no protocol errors' no_more_errors
remove_two_hosts
check 'unload' unload_krdma
ktap_end
