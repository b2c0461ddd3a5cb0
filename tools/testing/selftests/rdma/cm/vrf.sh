#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# siw devices on netdevs that are in a VRF: bind, listen, resolve and connect, as server and as client.
#
#	host a                                     host b
#	   va  10.77.1.1  siwa    --------  vb  10.77.1.2  siwb    in VRF red, whose master has 10.9.9.9
#	   wa  10.88.1.1  siwaa   --------  wb  10.88.1.2  siwbb   in no VRF, later in VRF blue
#
# timeout: 200

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"

second_wire() {
	devices+=(siwaa siwbb)
	ip link add wa netns a type veth peer name wb netns b && ip -n a address add 10.88.1.1/24 dev wa &&
		ip -n b address add 10.88.1.2/24 dev wb && ip -n a link set wa up && ip -n b link set wb up &&
		in_a rdma link add siwaa type siw netdev wa && in_b rdma link add siwbb type siw netdev wb &&
		count_at_once && lengthen_handshakes && wait_for 10 nodes_are_there
}

# into_vrf NAME TABLE NETDEV: moves a netdev of b into a new VRF; the kernel removes its IPv6 addresses.
into_vrf() {
	ip -n b link add "$1" type vrf table "$2" && ip -n b link set "$1" up && ip -n b link set "$3" master "$1"
}

# The empty VRF green is added first, but has a greater index than the others, which are searched in the order of their indexes.
red() {
	ip -n b link add green index 900 type vrf table 30 && into_vrf red 10 vb && ip -n b address replace fd77:1::2/64 dev vb nodad &&
		ip -n b address add 10.9.9.9/32 dev red && ip -n a route add 10.9.9.9 via 10.77.1.2
}

begin() {
	serve w 7174 rping -s -P -p 7174 -a "$1"
}

end() {
	stop_server w > /dev/null
}

# lands DEVICE ADDRESS [OPTION...]: connects to ADDRESS; succeeds if DEVICE accepts.
lands() {
	counts "$1" accepts 1 client rping -c -C 1 -p 7174 -a "${@:2}"
}

lands_link_local() {
	wait_for 10 link_local b vb && lands siwb "$(link_local b vb)%va"
}

# lands_from_global DEVICE NETDEV_A NETDEV_B: connects to the link-local address of NETDEV_B, after NETDEV_A has lost its own,
# so that the connection comes from a global address. The first connection makes the neighbour known, because an interface
# without a link-local address does not ask for neighbours.
lands_from_global() {
	local own theirs
	wait_for 10 link_local a "$2" && wait_for 10 link_local b "$3" && own=$(link_local a "$2") && theirs=$(link_local b "$3") &&
		lands "$1" "$theirs%$2" && ip -n a -6 address del "$own/64" dev "$2" && ip -n a -6 route replace fe80::/64 dev "$2" &&
		lands "$1" "$theirs%$2"
}

# Global IPv6 addresses of the second wire.
second_wire_v6() {
	ip -n a address add fd88:1::1/64 dev wa nodad && ip -n b address add fd88:1::2/64 dev wb nodad
}

# from_vrf ADDRESS [OPTION...]: a client on b connects to a server on a.
from_vrf() {
	local on_server=(ip netns exec a) on_client=(ip netns exec b)
	begin 0.0.0.0 && counts siwb connects 1 client rping -c -C 1 -p 7174 -a "$@" && end
}

# A client on b connects from the second VRF to the other address of a.
from_second_vrf() {
	local on_server=(ip netns exec a) on_client=(ip netns exec b)
	begin 0.0.0.0 && counts siwbb connects 1 client rping -c -C 1 -p 7174 -a 10.88.1.1 && end
}

from_vrf_v6() {
	local on_server=(ip netns exec a) on_client=(ip netns exec b)
	begin :: && counts siwb connects 1 client rping -c -C 1 -p 7174 -a "$@" && end
}

# Expects that a client on b finds its server in a VRF although the routing table outside of all VRFs says that the server is
# unreachable, and before the server's link address is known.
unreachable_outside() {
	local status
	ip -n b route add unreachable 10.77.1.0/24 && ip -n b neigh flush dev vb && from_vrf 10.77.1.1
	status=$?
	ip -n b route del unreachable 10.77.1.0/24
	return "$status"
}

# A client on b connects to its own host.
same_host() {
	local on_client=(ip netns exec b)
	lands "$@"
}

ktap_start
need rping
ip link add krdmavrf type vrf table 99 2> /dev/null || ktap_skip_all 'no VRF'
ip link del krdmavrf
check 'hosts' client_hosts
check 'a second wire' second_wire
check 'a VRF' red

check 'server on a wildcard' begin 0.0.0.0
check 'to the VRF' lands siwb 10.77.1.2
check 'to the device in no VRF' lands siwbb 10.88.1.2
check "to the address of the VRF's master" lands siwb 10.9.9.9
check 'inside the VRF, on the same host' same_host siwb 10.77.1.2
check 'in no VRF, on the same host' same_host siwbb 10.88.1.2
end
check 'server on the IPv6 wildcard' begin ::
check 'to the VRF, IPv6' lands siwb fd77:1::2
check 'to the VRF, IPv4 of an IPv6 socket' lands siwb 10.77.1.2
check 'to the VRF, link-local' lands_link_local
check 'to the VRF, link-local, from a global address' lands_from_global siwb va vb
check 'IPv6 of the second wire' second_wire_v6
check 'to no VRF, link-local, from a global address' lands_from_global siwbb wa wb
end
check 'server on an address in the VRF' begin 10.77.1.2
check 'to that address' lands siwb 10.77.1.2
end
check 'server on an IPv6 address in the VRF' begin fd77:1::2
check 'to that IPv6 address' lands siwb fd77:1::2
end

check 'client in a VRF' from_vrf 10.77.1.1
check 'client in a VRF with a source address' from_vrf 10.77.1.1 -I 10.77.1.2
check 'client in a VRF, IPv6' from_vrf_v6 fd77:1::1
check 'client in a VRF with a source address, IPv6' from_vrf_v6 fd77:1::1 -I fd77:1::2
check 'client in a VRF beside an unreachable route' unreachable_outside

check 'wildcard of a VRF and of none' begin 0.0.0.0
check 'the second netdev enters another VRF' into_vrf blue 20 wb
check 'to the first VRF' lands siwb 10.77.1.2
check 'to the second VRF, which the listener has followed' lands siwbb 10.88.1.2
check 'the second netdev leaves its VRF' ip -n b link set wb nomaster
check 'to the device in no VRF again' lands siwbb 10.88.1.2
check 'the second netdev enters the VRF again' ip -n b link set wb master blue
end
check 'client in the second VRF' from_second_vrf
check 'tcp_l3mdev_accept' in_b sysctl -q net.ipv4.tcp_l3mdev_accept=1
check 'wildcard of all VRFs' begin 0.0.0.0
expect_output 'listening sockets' 1 eval "ip netns exec b ss -Hltn 'sport = :7174' | wc -l"
check 'to the first VRF, by the common socket' lands siwb 10.77.1.2
check 'to the second VRF, by the common socket' lands siwbb 10.88.1.2
end
check 'server on an address beside it' begin 10.77.1.2
check 'to that address, with tcp_l3mdev_accept' lands siwb 10.77.1.2
end

check 'no protocol errors' no_protocol_errors
remove_two_hosts
check 'unload' unload_krdma
ktap_end
