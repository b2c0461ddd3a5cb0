#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Transfers data between two machines on a wire: every operation with verified content, and a file
# in each direction.
#
#	machine a                        machine b
#	   eth0 10.77.0.1, fd77::1  ------  eth0 10.77.0.2, fd77::2
#	   client                           server
#
# timeout: 300

. "$(dirname "$0")/../lib.sh"

kulp=${KRDMA:-/krdma}/bin/kulp
server_pid=''

# serve LOG OPTION...: starts a server, whose output goes to LOG.
serve() {
	local log=$1
	shift
	"$kulp" serve --dev siw0 --port 7000 "$@" > "$log" 2>&1 &
	server_pid=$!
	wait_for 10 grep -q listening "$log"
}

stop_server() {
	kill "$server_pid"
	wait "$server_pid"
}

client() {
	timeout $((120 * slow)) "$kulp" run --dev siw0 --port 7000 --timeout $((30000 * slow)) "$@"
}

make_file() {
	head -c 20000003 /dev/urandom > /tmp/file && sha256sum < /tmp/file > /out/file.sha256
}

same_file() {
	[[ $(sha256sum < "$1") == "$(cat /out/file.sha256)" ]]
}

act_as_server() {
	check 'a server on IPv4' serve /tmp/v4 --addr 10.77.0.2
	barrier v4
	barrier v4_done
	check 'the IPv4 server saw no error' stop_server
	check 'a server on IPv6' serve /tmp/v6 --addr fd77::2
	barrier v6
	barrier v6_done
	check 'the IPv6 server saw no error' stop_server
	check 'a file to send' make_file
	check 'a server that sends a file' serve /tmp/file.log --addr 10.77.0.2 --file /tmp/file
	barrier file
	barrier file_done
	check 'the server that sends a file saw no error' stop_server
	check 'a server that receives a file' serve /tmp/put.log --addr 10.77.0.2 --file /tmp/put
	barrier put
	barrier put_done
	check 'the server that receives a file saw no error' stop_server
	check 'the file arrived' same_file /tmp/put
}

act_as_client() {
	local op
	barrier v4
	for op in ping send write read read-inv; do
		check "$op, IPv4" client --addr 10.77.0.2 --op "$op" --size 100001 --count 5 --offset 1 --verify
	done
	check '8 QPs' client --addr 10.77.0.2 --op write --size 4096 --count 20 --qps 8 --verify
	barrier v4_done
	barrier v6
	check 'read, IPv6' client --addr fd77::2 --op read --size 1m --count 3 --verify
	barrier v6_done
	barrier file
	check 'a file is read' client --addr 10.77.0.2 --op get --file /tmp/get
	check 'the file that was read is the same' same_file /tmp/get
	barrier file_done
	barrier put
	check 'a file is written' client --addr 10.77.0.2 --op put --file /tmp/get
	barrier put_done
}

ktap_start
check 'krdma' load_krdma
check 'the test ULP' modprobe kulp
check 'a siw device' rdma link add siw0 type siw netdev eth0
if [[ $HOST == a ]]; then
	act_as_client
else
	act_as_server
fi
check 'everything unloads' unload_krdma
ktap_end
