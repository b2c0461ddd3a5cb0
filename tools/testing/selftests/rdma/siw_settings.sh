#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# siw's settings: their values, and what connections make of them.
#
# timeout: 400

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_kulp.sh"

value() {
	cat "/sys/class/infiniband/$1/siw/$2"
}

# setting_refused DEVICE NAME VALUE
setting_refused() {
	! echo "$3" 2> /dev/null > "/sys/class/infiniband/$1/siw/$2"
}

# Each setting, documented in Documentation/siw.rst with this default.
defaults() {
	local file
	for file in /sys/class/infiniband/siwa/siw/*; do
		echo "$(basename "$file") $(cat "$file")"
	done
}

# siw_hosts gives handshakes more time where everything is slow.
expected_defaults="crc 1
crc_required 0
half_open 8192
handshake_ms $((10000 * slow))
markers 0
mpa_fallback 1
mpa_revision 2
peer_to_peer 1
port_mapper 0
rtr write send read"

as_root_elsewhere() {
	setpriv --reuid 65534 --clear-groups unshare -Ur "$@"
}

# only_root AS: whom all can be read by, and none be changed, not even to what it is.
# shellcheck disable=SC2016 # for the shell within
only_root() {
	local file
	for file in /sys/class/infiniband/siwa/siw/*; do
		"$1" cat "$file" > /dev/null || return 1
		! "$1" bash -c 'value=$(< "$1"); echo "$value" > "$1"' - "$file" 2> /dev/null ||
			{ echo "$file can be written"; return 1; }
	done
}

# pings [OPTION...]: all goes well between a server and a client.
pings() {
	serve ping || return 1
	client --op ping --size 1000 --count 5 --verify "$@"
	local status=$?
	stop_server ping && return "$status"
}

# Revision 1 has no ready-to-receive message: the client has to speak first.
pings_client_first() {
	pings --client-first
}

ktap_start
check 'two hosts with siw' siw_hosts
expect_output 'settings and their defaults' "$expected_defaults" defaults
check 'they are not for others than root to change' only_root as_nobody
check 'nor for root of a user namespace' only_root as_root_elsewhere
for name in crc crc_required markers mpa_fallback peer_to_peer; do
	for bad in 2 -1 x ''; do
		check "$name cannot be '$bad'" setting_refused siwa "$name" "$bad"
	done
done
for bad in 0 3 x; do
	check "mpa_revision cannot be '$bad'" setting_refused siwa mpa_revision "$bad"
done
for bad in '' x 'write,send' 'write none'; do
	check "rtr cannot be '$bad'" setting_refused siwa rtr "$bad"
done
expect_output 'all kinds of ready-to-receive message' 'write send read' value siwa rtr
check 'two of them' setting siwa rtr 'read write'
expect_output 'in the order of preference' 'write read' value siwa rtr
check 'all again' setting siwa rtr 'send write read'
for bad in 0 65537 x; do
	check "half_open cannot be '$bad'" setting_refused siwa half_open "$bad"
done
for bad in 2 -1 x; do
	check "port_mapper cannot be '$bad'" setting_refused siwa port_mapper "$bad"
done
for bad in 99 600001; do
	check "handshake_ms cannot be '$bad'" setting_refused siwa handshake_ms "$bad"
done
check 'revision 1 requests' setting siwa mpa_revision 1
check 'connect, and the client speaks first' pings_client_first
check 'revision 2 again' setting siwa mpa_revision 2
check 'no peer-to-peer mode' setting siwa peer_to_peer 0
check 'the client speaks first' pings_client_first
check 'peer-to-peer mode again' setting siwa peer_to_peer 1
check 'the server may speak first' pings
check 'CRC off on one side' setting siwa crc 0
check 'is on for both' pings
check 'CRC on again' setting siwa crc 1
check 'everything unloads' unload_krdma
ktap_end
