# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library runs Debian's ibping between port 1 of two devices.
#
#	. "$(dirname "$0")/../lib.sh"
#	. "$(dirname "$0")/../lib_ibping.sh"
#	check 'a server' start_server sib1
#	check 'it answers' wait_for 20 pings sib0 2

# start_server DEVICE: starts a server, whose process is $server.
start_server() {
	ibping -S -C "$1" -P 1 &
	server=$!
	at_exit end_server
}

end_server() {
	has_ended "$server" || kill "$server"
}

# pings DEVICE LID: succeeds if the server at the LID answers. A client that comes before the server's agent is registered is
# refused by ib_mad.
pings() {
	# shellcheck disable=SC2154 # from lib.sh
	ibping -C "$1" -P 1 -c 1 -t $((1000 * slow)) "$2" | grep -q '1 received'
}
