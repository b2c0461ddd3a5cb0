# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# CAs of sib on the default fabric of a network namespace, and OpenSM, which manages the fabric.

# add_ca NAME: adds a CA to the fabric.
add_ca() {
	rdma link add "$1" type sib netdev lo
}

port_file() {
	cat "/sys/class/infiniband/$1/ports/1/$2"
}

lid_of() {
	printf '%d' "$(port_file "$1" lid)"
}

port_guid() {
	port_file "$1" gids/0 | awk -F: '{ print "0x" $5 $6 $7 $8 }'
}

# is_active NAME...: succeeds if the ports of all these CAs are active.
is_active() {
	local name
	for name in "$@"; do
		[[ $(port_file "$name" state) == '4: ACTIVE' ]] || return 1
	done
}

# start_opensm NAME [OPTION...]: starts OpenSM at the port of a CA; its log is in $opensm_log, each line at once.
start_opensm() {
	opensm_log=$(mktemp)
	opensm_out=$(mktemp)
	OSM_CACHE_DIR=$(mktemp -d) OSM_TMP_DIR=/tmp opensm -g "$(port_guid "$1")" -f "$opensm_log" -d 2 "${@:2}" \
		> "$opensm_out" 2>&1 &
	opensm_pid=$!
	at_exit end_opensm
}

end_opensm() {
	has_ended "$opensm_pid" || kill "$opensm_pid"
	wait_for 20 has_ended "$opensm_pid"
}

subnet_is_up() {
	grep -q 'SUBNET UP' "$opensm_log"
}

# no_errors: OpenSM has logged no error.
no_errors() {
	! grep ' ERR ' "$opensm_log"
}
