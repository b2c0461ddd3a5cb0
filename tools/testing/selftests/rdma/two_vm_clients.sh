#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Two machines on a wire, and programs as they are installed between them: rping, with its data compared, over
# IPv4 and IPv6, a bandwidth test, a file.
#
#	machine a                        machine b
#	   eth0 10.77.0.1, fd77::1  ------  eth0 10.77.0.2, fd77::2
#	   clients                          servers
#
# timeout: 200

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_clients.sh"

pings() {
	client rping -c -a "$1" -C 10 -S 5001 -v -V && client_said 10 '^ping data: rdma-ping-[0-9]: '
}

was_pinged() {
	server_ends rping && said rping 10 '^server ping data: rdma-ping-[0-9]: '
}

write_bw=(ib_write_bw -R -F --use_old_post_send -s 77777 -n 100)

# On both sides: until the client was not too early for its server.
writes() {
	local try status
	for try in 1 2 3; do
		barrier "perftest$try"
		client "${write_bw[@]}" 10.77.0.2
		status=$?
		cp "$output_dir/client" /out/perftest
		barrier "perftest$try.done"
		was_refused /out/perftest || break
	done
	((status == 0)) && has_result client 77777 100
}

serve_writes() {
	local try rejects
	for try in 1 2 3; do
		rejects=$(counter siwb rejects_sent)
		serve perftest 18515 "${write_bw[@]}"
		barrier "perftest$try"
		barrier "perftest$try.done"
		was_early /out/perftest "$rejects" || break
		stop_server perftest
	done
	server_ends perftest
}

# rping's server is not written to.
each_write_came() {
	[[ $(counter siwb rx_writes) -ge 100 ]]
}

copies() {
	head -c 2000003 /dev/urandom > /tmp/source && sha256sum < /tmp/source > /out/source.sha256 &&
		client rcopy /tmp/source 10.77.0.2:/tmp/copy && client_said 1 '2000003 bytes in'
}

same_file() {
	[[ $(sha256sum < /tmp/copy) == "$(cat /out/source.sha256)" ]]
}

act_as_server() {
	check 'rping' serve rping 7174 rping -s -a 10.77.0.2 -S 5001 -v
	barrier rping
	check 'it was pinged' was_pinged
	check 'rping, IPv6' serve rping 7174 rping -s -a fd77::2 -S 5001 -v
	barrier rping6
	check 'it was pinged' was_pinged
	check 'ib_write_bw' serve_writes
	check 'each write came' each_write_came
	check 'rcopy' serve rcopy 7427 rcopy
	barrier rcopy
	barrier rcopy_done
	check 'it is stopped' stop_server rcopy
	check 'the file is the same' same_file
}

act_as_client() {
	barrier rping
	check 'rping' pings 10.77.0.2
	barrier rping6
	check 'rping, IPv6' pings fd77::2
	check 'ib_write_bw' writes
	barrier rcopy
	check 'rcopy' copies
	barrier rcopy_done
}

ktap_start
check 'krdma, a siw device, and the way of processes to it' client_machine
perftest_may_crash
if [[ $HOST == a ]]; then
	act_as_client
else
	act_as_server
fi
check 'nothing is left' wait_for 10 nothing_is_left
check 'everything unloads' unload_krdma
ktap_end
