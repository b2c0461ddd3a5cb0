# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# What siw-links and sib-links share. Who includes it sets $config, the file of lines, and $lock, and defines check LINE
# WORD..., which complains of a line that cannot be right, and may remember names in the arrays names and taken. $status is
# 1 after a complaint.
# shellcheck disable=SC2034 # which are used there

: "${config:?}" "${lock:?}"
status=0
# Set while what complain() would say was said before.
said=''
# Set after all lines were checked once.
checked=''

complain() {
	[[ $said ]] || echo "$config: $*" >&2
	status=1
}

# Waits until no other instance makes or renames devices. Ends the script if that is not to be.
take_turns() {
	exec 9> "$lock" && flock -w 60 9 && return
	complain "nothing was done: $lock cannot be locked"
	exit 1
}

# run LINE COMMAND...: runs the command; if it fails, complains with its message.
run() {
	local line=$1 message
	shift
	message=$("$@" 2>&1) && return
	message=${message//$'\n'/; }
	complain "line $line: $*: ${message:-failed}"
	return 1
}

# load LINE MODULE: loads the module, because the message of modprobe says more than that of rdma.
load() {
	[[ ! -d /sys/module/$2 ]] || return 0
	modprobe -q "$2" && return
	complain "line $1: $2 cannot be loaded; krdma-check says why"
	return 1
}

# is_device_name TEXT
is_device_name() {
	[[ $1 =~ ^[A-Za-z0-9_.-]{1,63}$ && $1 != .* ]]
}

# each COMMAND...: runs the command with the number and the words of each line that is right. What is wrong with the others is
# said once in a run of the script. The command's input is that of the script.
each() {
	local text words number=0 right
	declare -A names taken
	[[ -r $config ]] || return 0
	while read -r -u 8 text || [[ -n $text ]]; do
		number=$((number + 1))
		read -r -a words <<< "${text%%#*}"
		((${#words[@]})) || continue
		said=$checked right=''
		check "$number" "${words[@]}" && right=1
		said=''
		[[ $right ]] || continue
		"$@" "$number" "${words[@]}" || status=1
	done 8< "$config"
	checked=1
}
