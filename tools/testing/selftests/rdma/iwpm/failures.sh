#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes the allocations of iw_portmap fail one after another: while a daemon starts, while a server listens, and while a
# client connects. Expects each time that the operation succeeds or fails for lack of memory, that the daemon has no
# mapping afterwards, and that the next attempt works.
#
# timeout: 400
#
#	namespace a: siwa, iwpmfake       namespace b: siwb, iwpmfake
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_kulp.sh
. "$(dirname "$0")/../lib_kulp.sh"
# shellcheck source=../lib_failures.sh
. "$(dirname "$0")/../lib_failures.sh"
# shellcheck source=lib_iwpmfake.sh
. "$(dirname "$0")/lib_iwpmfake.sh"

# A daemon that was never sent a mapping has printed no number.
nothing_mapped() {
	mapped_are 0 || mapped_are ''
}

is_unmapped() {
	wait_for 5 nothing_mapped && return
	cat "$fake_log"
	return 1
}

mapped_server() {
	start_fake b good && serve main && mapped_are 1 && stop_fake
}

# The kernel tells the daemon of an error, and iwpmfake is ready nevertheless.
daemon_starts() {
	start_fake b good
}

daemon_ends() {
	stop_fake
}

# A new daemon, with which siwb has to be registered first.
server_listens() {
	stop_failing && start_fake b good && start_failing && serve other --port 7001
}

server_ends() {
	stop_server other > /dev/null
	is_unmapped && stop_fake
}

# The daemon's peer has not mapped the port of the server.
client_connects() {
	stop_failing && start_fake a rejected query 100 && start_failing && client --op ping
}

client_ended() {
	is_unmapped && stop_fake
}

ktap_start
failures_start
begin_fakes
check 'two hosts with siw' siw_hosts
check 'the port mapper is on for siwa' setting siwa port_mapper 1
check 'the port mapper is on for siwb' setting siwb port_mapper 1
check 'only allocations of iw_portmap fail' fail_only_in iw_portmap
check 'a server that the next daemons are told of' mapped_server
sweep 'a daemon starts' daemon_starts daemon_ends
check 'the server ends' stop_server main
sweep 'a server listens' server_listens server_ends
check 'siwb has no port mapper' setting siwb port_mapper 0
check 'a server that is not mapped' serve main
sweep 'a client connects' client_connects client_ended
check 'that server ends' stop_server main
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
