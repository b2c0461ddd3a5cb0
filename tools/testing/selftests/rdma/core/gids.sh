#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Tests the GID and P_Key tables of ports in sysfs, and the programs that read them. kt_gid.ko has a
# RoCE device, ktg0, with GIDs of version 1 and 2, on the netdev ktd; a siw device has one GID. GIDs
# are compared with `ip address` while addresses, VLANs and netdevs are added and removed; files are
# read while the device is removed; ibstat, ibstatus and Prometheus's node exporter read the files
# that they know.
#
# timeout: 240
#
# expects: a reference to GID [0-9]+ of port 1 leaked

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_kulp.sh
. "$(dirname "$0")/../lib_kulp.sh"

class=/sys/class/infiniband
port=$class/ktg0/ports/1
exporter_port=19100
default=fe80:0000:0000:0000:0000:00ff:fe00:0005

# expand ADDRESS: prints the address in the format of a GID.
expand() {
	local head tail i
	if [[ $1 == *.* ]]; then
		IFS=. read -r -a head <<< "$1"
		printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' "${head[@]}"
		return
	fi
	IFS=: read -r -a head <<< "${1%%::*}"
	tail=()
	[[ $1 != *::* ]] || IFS=: read -r -a tail <<< "${1#*::}"
	for ((i = ${#head[@]} + ${#tail[@]}; i < 8; i++)); do
		head+=(0)
	done
	printf '%04x:' "${head[@]/#/0x}" "${tail[@]/#/0x}" | sed 's/:$/\n/'
}

# Prints the expected GIDs, each with its netdev: the default GID, and one for each address.
expected_gids() {
	local netdev address
	echo "$default ktd"
	for netdev in ktd ktd.5 ktm; do
		for address in $(ip -j address show dev "$netdev" 2> /dev/null | jq -r '.[].addr_info[].local'); do
			echo "$(expand "$address") $netdev"
		done
	done
}

# gids TYPE: prints the GIDs of ktg0 that are of this type, each with its netdev.
gids() {
	local file i
	for file in "$port"/gid_attrs/types/*; do
		i=${file##*/}
		[[ $(< "$file") != "$1" ]] 2> /dev/null ||
			echo "$(< "$port/gids/$i") $(< "$port/gid_attrs/ndevs/$i")"
	done | sort
}

gids_match_addresses() {
	local type
	for type in 'IB/RoCE v1' 'RoCE v2'; do
		diff <(expected_gids | sort -u) <(gids "$type") || return 1
	done
}

gids_follow() {
	"$@" && { wait_for 10 gids_match_addresses || gids_match_addresses; }
}

make_ktd() {
	ip link add ktd address 02:00:00:00:00:05 type dummy && ip link set ktd up
}

remove_ktd() {
	! ip link show ktd > /dev/null 2>&1 || ip link del ktd
}

modes() {
	stat -c %a "$@" | sort -u | xargs
}

test_files() {
	expect_output 'all files are read-only, and readable for all' 444 \
		modes $port/{gids,pkeys,gid_attrs/types,gid_attrs/ndevs}/*
	expect_match 'writing is refused' 'Permission denied' eval "echo 1 > $port/gids/0"
	expect_output 'a file for each entry' '8 8 8 4' eval "cd $port; echo \$(ls gids | wc -l) \
		\$(ls gid_attrs/types | wc -l) \$(ls gid_attrs/ndevs | wc -l) \$(ls pkeys | wc -l)"
	expect_output 'P_Keys' '0xffff 0x0001 0x8001 0x0002' eval "cat $port/pkeys/* | xargs"
	expect_output 'an empty entry: zeroes' '0000:0000:0000:0000:0000:0000:0000:0000' cat $port/gids/7
	expect_match 'an empty entry: no type' 'Invalid argument' cat $port/gid_attrs/types/7
	expect_match 'an empty entry: no netdev' 'Invalid argument' cat $port/gid_attrs/ndevs/7
	expect_output 'the default GID' $default cat $port/gids/1
	expect_output 'the default GID of version 2' 'RoCE v2' cat $port/gid_attrs/types/1
	expect_output 'the default GID of version 1' 'IB/RoCE v1' cat $port/gid_attrs/types/0
	expect_output 'the netdev of the default GID' ktd cat $port/gid_attrs/ndevs/0
}

test_addresses() {
	check 'GIDs are the addresses' wait_for 10 gids_match_addresses
	check 'an IPv4 address' gids_follow ip address add 10.78.0.1/24 dev ktd
	check 'an IPv6 address' gids_follow ip address add fd78::1/64 dev ktd nodad
	check 'an address is removed' gids_follow ip address del 10.78.0.1/24 dev ktd
	check 'a VLAN' gids_follow ip link add link ktd name ktd.5 type vlan id 5
	check 'an address of the VLAN' gids_follow ip address add 10.78.5.1/24 dev ktd.5
	check 'the netdev goes down' gids_follow ip link set ktd down
	check 'the netdev goes up' gids_follow ip link set ktd up
	check 'the VLAN is deleted' gids_follow ip link del ktd.5
	check 'a macvlan with an address' gids_follow eval \
		'ip link add link ktd name ktm type macvlan && ip address add 10.78.6.1/24 dev ktm'
	check 'the macvlan moves to another namespace' eval 'ip netns add ktn && ip link set ktm netns ktn &&
		ip -n ktn address add 10.78.6.2/24 dev ktm'
	check 'the macvlan there has GIDs' wait_for 10 grep -q 0a4e:0602 $port/gids/{2,3,4,5,6,7}
	expect_match 'their netdev cannot be read here' 'Invalid argument' eval \
		"cat \$(grep -l 0a4e:0602 $port/gids/* | head -n 1 | sed s,gids,gid_attrs/ndevs,)"
	expect_output 'their netdev can be read there' ktm eval "ip netns exec ktn cat \
		\$(grep -l 0a4e:0602 $port/gids/* | head -n 1 | sed s,gids,gid_attrs/ndevs,)"
	check 'the namespace is deleted' gids_follow ip netns del ktn
}

read_all_the_time() {
	while :; do
		cat "$port"/{gids,pkeys,gid_attrs/types,gid_attrs/ndevs}/*
	done > /dev/null 2>&1
}

change_all_the_time() {
	while :; do
		ip address add 10.78.9.1/24 dev ktd
		ip address del 10.78.9.1/24 dev ktd
	done > /dev/null 2>&1
}

# Unloads and loads kt_gid repeatedly while the files of its device are read and the addresses
# change.
reload_device() {
	local i status=0 pids=()
	read_all_the_time &
	pids+=($!)
	change_all_the_time &
	pids+=($!)
	for ((i = 0; i < 5 && !status; i++)); do
		rmmod kt_gid && modprobe kt_gid netdev=ktd || status=1
	done
	kill "${pids[@]}"
	wait "${pids[@]}" 2> /dev/null
	ip address flush dev ktd scope global
	return "$status"
}

# Provokes the warning about a leaked GID, and keeps it off the console, where `vm/run` looks for
# reports.
leak() {
	dmesg -n 1
	rmmod kt_gid
	modprobe kt_gid netdev=ktd leak=1
	rmmod kt_gid
	modprobe kt_gid netdev=ktd
	dmesg -n 8
	dmesg_since
}

netdev_goes() {
	timeout 20 ip link del ktd
}

no_gids() {
	! cat "$port"/gid_attrs/types/*
}

# mac_gid HOST NETDEV: prints the GID of a siw device on this netdev: the netdev's MAC address, and
# zeroes.
mac_gid() {
	local mac
	mac=$(ip -n "$1" -j link show "$2" | jq -r '.[].address')
	mac=${mac//:/}
	echo "${mac:0:4}:${mac:4:4}:${mac:8:4}:0000:0000:0000:0000:0000"
}

siw_gid_follows() {
	[[ $(< "$class/siwa/ports/1/gids/0") == "$(mac_gid a va)" ]]
}

test_siw() {
	local siw=$class/siwa/ports/1
	expect_output 'siw: one GID' 0 ls $siw/gids
	check 'siw: the GID has the MAC address' siw_gid_follows
	expect_output 'siw: type of the GID' 'IB/RoCE v1' cat $siw/gid_attrs/types/0
	expect_output 'siw: netdev of the GID' va in_a cat $siw/gid_attrs/ndevs/0
	expect_failure 'siw: no P_Keys' test -e $siw/pkeys
	check 'siw: the MAC address changes' ip -n a link set va address 02:00:00:00:07:07
	check 'siw: the GID changes' wait_for 10 siw_gid_follows
	check 'siw: a device on lo' in_a rdma link add siwlo type siw netdev lo
	expect_output 'siw: the GID on lo is the GUID' "$(< $class/siwlo/node_guid):0000:0000:0000:0000" \
		cat $class/siwlo/ports/1/gids/0
	check 'siw: the device on lo is deleted' rdma link delete siwlo
}

# standard NAME: prints a counter of siwa from the folder "counters", where it has the name that
# monitoring programs read.
standard() {
	cat "$class/siwa/ports/1/counters/$1"
}

# has_sent FROM TO: succeeds if siwa has sent at least FROM and less than TO bytes.
has_sent() {
	local bytes=$(($(standard port_xmit_data) * 4))
	echo "$bytes"
	((bytes >= $1 && bytes < $2))
}

counters_agree() {
	local d=$class/siwa/ports/1/hw_counters
	(($(standard port_xmit_data) == $(< "$d/tx_bytes") / 4)) &&
		(($(standard port_rcv_data) == $(< "$d/rx_bytes") / 4)) &&
		(($(standard port_xmit_packets) == $(< "$d/tx_packets"))) &&
		(($(standard unicast_xmit_packets) == $(< "$d/tx_packets"))) &&
		(($(standard port_rcv_packets) == $(< "$d/rx_packets"))) &&
		(($(standard unicast_rcv_packets) == $(< "$d/rx_packets"))) &&
		(($(standard port_rcv_errors) == $(< "$d/rx_crc_errors") + $(< "$d/rx_protocol_errors")))
}

test_counters() {
	check 'data moves' eval 'serve gids && client --op write --size 100k --count 5 && stop_server gids'
	check 'counters: 500 kB and not much more' has_sent 500000 560000
	# The values in hw_counters may be some milliseconds old.
	check 'counters agree with those of siw' wait_for 5 counters_agree
}

test_ibstat() {
	type -P ibstat > /dev/null || { ktap_skip 'ibstat' 'no ibstat'; return; }
	expect_output 'ibstat lists ktg0' ktg0 ibstat -l
	expect_match 'ibstat: type' 'CA type: ktg$' ibstat ktg0
	expect_match 'ibstat: link layer' 'Link layer: Ethernet$' ibstat ktg0
	expect_match 'ibstat: port GUID, of the first GID' 'Port GUID: 0x000000fffe000005$' ibstat ktg0
	expect_match 'ibstatus: the first GID of siw' "default gid:.*$(< $class/siwa/ports/1/gids/0)" ibstatus siwa
	expect_match 'ibstatus: state of siw' 'state:.* 4: ACTIVE' ibstatus siwa
}

scrape() {
	wget -q -O - "http://127.0.0.1:$exporter_port/metrics"
}

# metric NAME DEVICE: prints the exporter's value for port 1.
metric() {
	scrape | sed -n "s/^node_infiniband_$1{device=\"$2\",port=\"1\"} //p"
}

start_exporter() {
	prometheus-node-exporter --collector.disable-defaults --collector.infiniband \
		--web.listen-address="127.0.0.1:$exporter_port" --log.level=debug > "$ktap_output.exporter" 2>&1 &
	at_exit stop_exporter $!
	wait_for 30 scrape
}

stop_exporter() {
	kill "$1"
	rm -f "$ktap_output.exporter"
}

test_exporter() {
	type -P prometheus-node-exporter > /dev/null || { ktap_skip 'node exporter' 'not there'; return; }
	ip link set lo up
	check 'the node exporter starts' start_exporter
	expect_match 'node exporter: the collector succeeds' \
		'^node_scrape_collector_success\{collector="infiniband"\} 1$' scrape
	expect_failure 'node exporter: no error is logged' grep -E 'level=error|skipping' "$ktap_output.exporter"
	expect_output 'node exporter: bytes' "$(($(standard port_xmit_data) * 4))" eval \
		"printf '%.0f\n' \"\$(metric port_data_transmitted_bytes_total siwa)\""
	expect_output 'node exporter: packets' "$(standard port_rcv_packets)" eval \
		"printf '%.0f\n' \"\$(metric port_packets_received_total siwa)\""
	expect_output 'node exporter: errors' "$(standard port_rcv_errors)" metric port_errors_received_total siwa
	expect_output 'node exporter: state' 4 metric state_id siwb
	expect_output 'node exporter: rate' 1.25e+09 metric rate_bytes_per_second ktg0
	expect_match 'node exporter: board and type' \
		'infiniband_info\{board_id="siw",device="siwa",.*hca_type="siw"\} 1$' scrape
}

ktap_start
load_krdma ib_core || ktap_skip_all 'no ib_core.ko'
at_exit remove_ktd
check 'a netdev' make_ktd
modprobe kt_gid netdev=ktd || ktap_skip_all 'no kt_gid.ko'
test_files
test_addresses
check 'the device is removed and added while files are read and addresses change' reload_device
check 'GIDs are the addresses, as before' wait_for 10 gids_match_addresses
expect_match 'a leaked reference is reported' 'ktg0: a reference to GID 0 of port 1 leaked' leak
check 'two hosts with siw' siw_hosts
test_siw
test_counters
test_ibstat
test_exporter
check 'the netdev is deleted although it has GIDs' netdev_goes
check 'its GIDs are removed' wait_for 10 no_gids
check 'everything unloads' unload_krdma
ktap_end
