#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes the allocations of connections and their data fail one after another, on both sides. Expects
# each time that the client succeeds or prints an error that lack of memory explains, that no object
# is left, and that the next attempt works.
#
# timeout: 1200

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"
. "$(dirname "$0")/../lib_failures.sh"

# Opens a connection by the connection manager $way for the operation $operation, which times out
# after 5 s (longer on slow kernels).
one_connection() {
	client --over "$way" --op "${operation[@]}" --timeout $((5000 * slow)) --pdata 100
}

resources() {
	rdma -j resource show | jq -c 'map({ifname, pd, cq, qp, cm_id, mr})'
}

resources_are() {
	[[ $(resources) == "$1" ]]
}

# The function UNDO of sweeps of connections: waits until the server has destroyed its side.
only_the_server_is_left() {
	wait_for 20 resources_are "$at_rest" && return
	echo "resources are $(resources), not $at_rest"
	return 1
}

# sweep_connections WAY OPERATION...: sweeps connections by iw_cm (iw) or rdma_cm (rdma).
sweep_connections() {
	local at_rest operation every=4 way=$1
	shift
	local also_says='Connection (reset|refused|timed out)|timed out|Input/output error'
	also_says+='|Software caused connection abort|No such device or address'
	check "$way: a server" serve main --over "$way"
	at_rest=$(resources)
	operation=(connect)
	sweep "$way: connect" one_connection only_the_server_is_left
	skip_last_sweep
	for operation; do
		read -r -a operation <<< "$operation"
		sweep "$way: ${operation[0]}" one_connection only_the_server_is_left
	done
	first=()
	stop_server main
}

start_listening() {
	serve other --over "$way" --port 7001
}

stop_listening() {
	stop_server other > /dev/null
	resources_are "$at_rest" || { resources; return 1; }
}

# Listens on a device that is new, because its resource table allocates little once it has had an object.
sweep_listen() {
	local at_rest way
	for way in iw rdma; do
		check "$way: a new device" eval 'in_b rdma link delete siwb && add_device b'
		at_rest=$(resources)
		sweep "$way: listen" start_listening stop_listening
	done
}

ktap_start
failures_start
check 'two hosts with siw' siw_hosts
sweep_listen
# The handshake timeout is short, because a message that is lost for want of memory ends the
# handshake only by this timeout.
check 'handshakes are short' eval 'setting siwa handshake_ms 3000 && setting siwb handshake_ms 3000'
sweep_connections iw 'ping --size 5000 --count 3 --verify' 'write --size 70000 --verify' \
	'read --size 70000 --verify' 'send-inv --count 2' 'read-inv' 'atomic --count 3 --verify'
sweep_connections rdma 'ping --count 2 --verify'
check 'everything unloads' unload_krdma
check 'no memory leaks' eval 'check_leaks'
ktap_end
