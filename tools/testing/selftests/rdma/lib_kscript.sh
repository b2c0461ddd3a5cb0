# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library scripts each call of a ULP, in sessions of /dev/kscript.
# tools/testing/modules/kscript/COMMANDS describes the commands and reports.
#
#	. "$(dirname "$0")/lib.sh"
#	. "$(dirname "$0")/lib_kscript.sh"
#	kscript_hosts                        # devices siwa and siwb, a session on each: a and b
#	kscript b listen L port=7000
#	kscript_fails 'Invalid argument' b listen L2 port=banana
#	kscript a connect C qp=Q addr=10.77.1.2 port=7000
#	await b 'event L CONNECT_REQUEST *'  # waits for this report; the line is in $matched_report
#	field new                            # prints R1
#	no_report b 'event *' 200            # fails if there is one within 200 ms

declare -A session_fds=() unread_reports=() partial_reports=()
matched_report='' report_line=''

# kscript_hosts [MTU]: sets up two hosts with a siw device each, and opens a session for each
# device.
kscript_hosts() {
	load_krdma && two_hosts "${1:-1500}" && add_device a && add_device b &&
		modprobe kscript && open_session a siwa && open_session b siwb
}

# open_session NAME DEVICE
open_session() {
	local fd
	((${#session_fds[@]})) || at_exit close_sessions
	exec {fd}<> /dev/kscript || return 1
	session_fds[$1]=$fd
	discard_reports "$1"
	kscript "$1" dev "$2"
}

# close_session NAME
close_session() {
	local fd=${session_fds[$1]}
	unset "session_fds[$1]"
	exec {fd}>&-
}

close_sessions() {
	local name
	for name in "${!session_fds[@]}"; do
		close_session "$name"
	done
}

# kscript NAME COMMAND...: runs a command in that session; prints the command if it fails.
kscript() {
	local name=$1
	shift
	printf '%s\n' "$*" >&"${session_fds[$name]}" || { echo "$name: $*"; return 1; }
}

# kscript_fails ERROR NAME COMMAND...: succeeds if the command fails with the errno whose message is
# ERROR.
kscript_fails() {
	local want=$1 name=$2 error
	shift 2
	if error=$({ printf '%s\n' "$*" >&"${session_fds[$name]}"; } 2>&1); then
		echo "$name: $*: succeeded, expected: $want"
		return 1
	fi
	[[ $error == *"$want" ]] && return
	echo "$name: $*: ${error##*: }, expected: $want"
	return 1
}

# kscript_reset NAME...: destroys all objects of the sessions, and discards their reports.
kscript_reset() {
	local name
	for name; do
		kscript "$name" reset || return 1
		discard_reports "$name"
	done
}

discard_reports() {
	unread_reports[$1]='' partial_reports[$1]=''
}

# read_report NAME SECONDS: reads the session's next report into $report_line; fails if no complete
# line comes within SECONDS.
read_report() {
	local part status=0
	IFS= read -r -t "$2" part <&"${session_fds[$1]}" || status=$?
	# After a timeout, $part is the beginning of a line whose rest the next call reads.
	partial_reports[$1]+=$part
	((!status)) || return 1
	report_line=${partial_reports[$1]}
	partial_reports[$1]=''
}

# find_unread NAME PATTERN: searches the reports that were read while waiting for others. Moves the
# first one that matches into $matched_report; fails if none matches.
find_unread() {
	local name=$1 pattern=$2 line rest='' found=1
	while IFS= read -r line; do
		# shellcheck disable=SC2053 # a pattern
		if ((found)) && [[ $line == $pattern ]]; then
			matched_report=$line found=0
		elif [[ $line ]]; then
			rest+=$line$'\n'
		fi
	done <<< "${unread_reports[$name]}"
	unread_reports[$name]=$rest
	return "$found"
}

# await NAME PATTERN [SECONDS]: waits for a report that matches, by default at most 10 s (longer on
# slow kernels); keeps other reports for later calls.
await() {
	local name=$1 pattern=$2 end
	find_unread "$name" "$pattern" && return
	end=$((${EPOCHREALTIME/./} + ${3:-$((10 * slow))} * 1000000))
	while ((${EPOCHREALTIME/./} < end)); do
		read_report "$name" 0.5 || continue
		# shellcheck disable=SC2053 # a pattern
		[[ $report_line == $pattern ]] && { matched_report=$report_line; return; }
		unread_reports[$name]+=$report_line$'\n'
	done
	echo "$name: no report $pattern, but:"
	echo "${unread_reports[$name]}"
	return 1
}

# no_report NAME PATTERN MILLISECONDS: fails if a report that matches is unread, or comes within
# that time.
no_report() {
	local name=$1 pattern=$2 end
	end=$((${EPOCHREALTIME/./} + $3 * 1000))
	while :; do
		if find_unread "$name" "$pattern"; then
			echo "$name: unexpected: $matched_report"
			return 1
		fi
		((${EPOCHREALTIME/./} < end)) || return 0
		read_report "$name" 0.05 && unread_reports[$name]+=$report_line$'\n'
	done
}

# field KEY: prints the value of KEY in $matched_report.
field() {
	local pair
	for pair in $matched_report; do
		[[ $pair != "$1="* ]] || { echo "${pair#*=}"; return; }
	done
	return 1
}
