#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Adds siw devices on kinds of netdevs: loopback, dummy, VLAN, bridge; sends data over all but the
# bridge. Sends data over IPsec, which has no segmentation offload and less room in a packet, on
# netdevs with scatter-gather and without; without scatter-gather, TCP copies the data.
#
# timeout: 300

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

# loop_data DEVICE ADDRESS: runs server and client on one device of host a.
loop_data() {
	local pid status
	ip netns exec a "$kulp" serve --dev "$1" --addr "$2" --port 7100 > "$ktap_output.loop" 2>&1 &
	pid=$!
	wait_for 10 grep -q listening "$ktap_output.loop" &&
		in_a timeout 60 "$kulp" run --dev "$1" --addr "$2" --port 7100 --op read --size 100k --count 5 --verify
	status=$?
	kill "$pid"
	wait "$pid" || status=1
	cat "$ktap_output.loop"
	rm -f "$ktap_output.loop"
	return "$status"
}

vlan_pair() {
	ip -n a link add link va name va.5 type vlan id 5 && ip -n a address add 10.77.5.1/24 dev va.5 &&
		ip -n a link set va.5 up &&
		ip -n b link add link vb name vb.5 type vlan id 5 &&
		ip -n b address add 10.77.5.2/24 dev vb.5 && ip -n b link set vb.5 up
}

vlan_data() {
	in_a rdma link add siwva type siw netdev va.5 && in_b rdma link add siwvb type siw netdev vb.5 || return 1
	ip netns exec b "$kulp" serve --dev siwvb --addr 10.77.5.2 --port 7200 > "$ktap_output.vlan" 2>&1 &
	local pid=$! status
	wait_for 10 grep -q listening "$ktap_output.vlan" &&
		in_a timeout 60 "$kulp" run --dev siwva --addr 10.77.5.2 --port 7200 --op write --size 100k --count 5 --verify
	status=$?
	kill "$pid"
	wait "$pid" || status=1
	rm -f "$ktap_output.vlan"
	return "$status"
}

# The VLAN has the MAC address of its lower netdev. ULPs take devices of the same GUID for one.
different_guids() {
	local guids
	guids=$(in_a rdma -j dev show | jq -r '.[].node_guid' | sort)
	echo "$guids"
	(($(wc -l <<< "$guids") >= 2)) && [[ -z $(uniq -d <<< "$guids") ]]
}

# ipsec HOST LOCAL REMOTE SPI-OUT SPI-IN: makes TCP between LOCAL and REMOTE use ESP, with
# authentication and without encryption.
ipsec() {
	local host=$1
	local keys=(auth 'hmac(sha1)' 0x6b72646d616b72646d616b72646d616b72646d61 enc 'ecb(cipher_null)' '')
	ip -n "$host" xfrm state add src "$2" dst "$3" proto esp spi "$4" mode transport "${keys[@]}" &&
		ip -n "$host" xfrm state add src "$3" dst "$2" proto esp spi "$5" mode transport "${keys[@]}" &&
		ip -n "$host" xfrm policy add src "$2" dst "$3" proto tcp dir out tmpl proto esp &&
		ip -n "$host" xfrm policy add src "$3" dst "$2" proto tcp dir in tmpl proto esp
}

ipsec_pair() {
	ipsec a 10.77.1.1 10.77.1.2 0x100 0x200 && ipsec b 10.77.1.2 10.77.1.1 0x200 0x100
}

# Prints the number of bytes that host a has sent in ESP.
in_esp() {
	in_a ip -s xfrm state get src 10.77.1.1 dst 10.77.1.2 proto esp spi 0x100 |
		sed -nE 's/^\s+([0-9]+)\(bytes\).*/\1/p' | tail -n 1
}

ipsec_data() {
	local op before
	before=$(in_esp)
	for op in ping send write read; do
		client --op "$op" --size 300001 --offset 3 --count 5 --verify || return
	done
	(($(in_esp) > before + 3 * 5 * 300001))
}

disable_scatter_gather() {
	in_a ethtool -K va sg off && in_b ethtool -K vb sg off
}

ktap_start
check 'two hosts with siw' siw_hosts
check 'a device on lo' in_a rdma link add siwlo type siw netdev lo
check 'data over 127.0.0.1' loop_data siwlo 127.0.0.1
check 'data over ::1' loop_data siwlo ::1
check 'a dummy netdev' ip -n a link add du type dummy
check 'the dummy gets an address' ip -n a address add 10.77.9.1/24 dev du
check 'the dummy is up' ip -n a link set du up
check 'a device on the dummy' in_a rdma link add siwdu type siw netdev du
check 'data over the address of the dummy' loop_data siwdu 10.77.9.1
check 'a VLAN' vlan_pair
check 'data over the VLAN' vlan_data
check 'the devices on host a have different GUIDs' different_guids
check 'a bridge' ip -n a link add name br0 type bridge
check 'a device on the bridge' in_a rdma link add siwbr type siw netdev br0
expect_failure 'no second device on one netdev' in_a rdma link add siwxx type siw netdev va
check 'IPsec' ipsec_pair
check 'a server' serve ipsec
check 'data over IPsec' ipsec_data
check 'the IPsec server saw no error' stop_server ipsec
check 'scatter-gather off' disable_scatter_gather
check 'a server without scatter-gather' serve copies
check 'data over IPsec without scatter-gather' ipsec_data
check 'the server without scatter-gather saw no error' stop_server copies
check 'everything unloads' unload_krdma
ktap_end
