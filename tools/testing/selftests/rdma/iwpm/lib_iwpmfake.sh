# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library starts iwpmfake, a faulty daemon of the port mapper, one at a time.
#
#	. "$(dirname "$0")/../lib.sh"
#	. "$(dirname "$0")/lib_iwpmfake.sh"
#	begin_fakes
#	check 'a daemon' start_fake b silent add
#	check 'no mapping is left' wait_for 5 mapped_are 0
#	stop_fake

fake=${KRDMA:-/krdma}/bin/iwpmfake
fake_pid='' fake_log=''

# Makes the log of the daemons, and has the last daemon end with the test.
begin_fakes() {
	fake_log=$(mktemp)
	at_exit rm -f "$fake_log"
	at_exit stop_fake
}

# start_fake HOST FAULT [OP [TIMES]]: starts a daemon with this fault. HOST is a, b, or '' for the initial namespace.
start_fake() {
	local in=(ip netns exec "$1")
	[[ -n $1 ]] || in=()
	shift
	: > "$fake_log"
	"${in[@]}" "$fake" "$@" > "$fake_log" 2>&1 &
	fake_pid=$!
	wait_for 10 has_line "$fake_log" ready
}

stop_fake() {
	[[ -n $fake_pid ]] || return 0
	kill "$fake_pid" 2> /dev/null
	wait "$fake_pid" 2> /dev/null
	fake_pid=''
}

# mapped_are NUMBER: succeeds if the daemon has that number of mapped addresses.
mapped_are() {
	[[ $(sed -n 's/^mapped //p' "$fake_log" | tail -n 1) == "$1" ]]
}
