# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# For the tests that say each call of a ULP: sessions of /dev/kscript. Its language is described in
# tools/testing/modules/kscript/COMMANDS.
#
#	. "$(dirname "$0")/lib.sh"
#	. "$(dirname "$0")/lib_kscript.sh"
#	puppet_hosts                        # devices siwa and siwb, a session on each: a and b
#	puppet b listen L port=7000
#	puppet_fails 'Invalid argument' b listen L2 port=banana
#	puppet a connect C qp=Q addr=10.77.1.2 port=7000
#	told b 'event L CONNECT_REQUEST *'  # waits; the line is in $told
#	word new                            # prints R1
#	silent b 'event *' 200              # nothing of this kind for 200 ms

declare -A puppet_fds=() puppet_unread=() puppet_partial=()
told='' report_line=''

# puppet_hosts [MTU]: two hosts with a siw device each, and a session on either.
puppet_hosts() {
	load_krdma && two_hosts "${1:-1500}" && add_siw a && add_siw b &&
		modprobe kscript && open_puppet a siwa && open_puppet b siwb
}

# open_puppet NAME DEVICE
open_puppet() {
	local fd
	((${#puppet_fds[@]})) || at_exit close_puppets
	exec {fd}<> /dev/kscript || return 1
	puppet_fds[$1]=$fd
	forget_unread "$1"
	puppet "$1" dev "$2"
}

# close_puppet NAME
close_puppet() {
	local fd=${puppet_fds[$1]}
	unset "puppet_fds[$1]"
	exec {fd}>&-
}

close_puppets() {
	local name
	for name in "${!puppet_fds[@]}"; do
		close_puppet "$name"
	done
}

# puppet NAME COMMAND...: fails, and says so, if the command does.
puppet() {
	local name=$1
	shift
	printf '%s\n' "$*" >&"${puppet_fds[$name]}" || { echo "$name: $*"; return 1; }
}

# puppet_fails ERROR NAME COMMAND...: it must, with this text of the errno.
puppet_fails() {
	local want=$1 name=$2 error
	shift 2
	if error=$({ printf '%s\n' "$*" >&"${puppet_fds[$name]}"; } 2>&1); then
		echo "$name: $*: succeeded, expected: $want"
		return 1
	fi
	[[ $error == *"$want" ]] && return
	echo "$name: $*: ${error##*: }, expected: $want"
	return 1
}

# puppet_reset NAME...: destroys all objects, and forgets reports.
puppet_reset() {
	local name
	for name; do
		puppet "$name" reset || return 1
		forget_unread "$name"
	done
}

forget_unread() {
	puppet_unread[$1]='' puppet_partial[$1]=''
}

# read_report NAME SECONDS: the next line, in $report_line; fails if it does not come in time.
read_report() {
	local part status=0
	IFS= read -r -t "$2" part <&"${puppet_fds[$1]}" || status=$?
	# What a time-out cuts off is the beginning of the next.
	puppet_partial[$1]+=$part
	((!status)) || return 1
	report_line=${puppet_partial[$1]}
	puppet_partial[$1]=''
}

# Among the reports that were read while another was waited for.
find_unread() {
	local name=$1 pattern=$2 line rest='' found=1
	while IFS= read -r line; do
		# shellcheck disable=SC2053 # a pattern
		if ((found)) && [[ $line == $pattern ]]; then
			told=$line found=0
		elif [[ $line ]]; then
			rest+=$line$'\n'
		fi
	done <<< "${puppet_unread[$name]}"
	puppet_unread[$name]=$rest
	return "$found"
}

# told NAME PATTERN [SECONDS]: waits at most 10 s for a report; others wait for their turn.
told() {
	local name=$1 pattern=$2 end
	find_unread "$name" "$pattern" && return
	end=$((${EPOCHREALTIME/./} + ${3:-10} * 1000000))
	while ((${EPOCHREALTIME/./} < end)); do
		read_report "$name" 0.5 || continue
		# shellcheck disable=SC2053 # a pattern
		[[ $report_line == $pattern ]] && { told=$report_line; return; }
		puppet_unread[$name]+=$report_line$'\n'
	done
	echo "$name: no report $pattern, but:"
	echo "${puppet_unread[$name]}"
	return 1
}

# silent NAME PATTERN MILLISECONDS: no such report, neither unread nor in that time.
silent() {
	local name=$1 pattern=$2 end
	end=$((${EPOCHREALTIME/./} + $3 * 1000))
	while :; do
		if find_unread "$name" "$pattern"; then
			echo "$name: unexpected: $told"
			return 1
		fi
		((${EPOCHREALTIME/./} < end)) || return 0
		read_report "$name" 0.05 && puppet_unread[$name]+=$report_line$'\n'
	done
}

# word KEY: its value in the last report.
word() {
	local pair
	for pair in $told; do
		[[ $pair != "$1="* ]] || { echo "${pair#*=}"; return; }
	done
	return 1
}
