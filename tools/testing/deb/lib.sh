# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# What `run` and `guest` share. Who includes it defines result TEXT STATUS, which prints a result, and $log, the path of a
# file for the output of the last command.

: "${log:?}"

# check TEXT COMMAND...: the command succeeds; its output is shown if not. The command runs in this shell, and may set
# variables.
check() {
	local status
	"${@:2}" > "$log" 2>&1
	status=$?
	((!status)) || tail -n 20 "$log" | sed 's/^/#   /'
	result "$1" "$status"
}

# fails COMMAND...
fails() {
	! "$@"
}

# says TEXT REGEX COMMAND...: the command's output has a line with it.
says() {
	local status
	"${@:3}" > "$log" 2>&1
	grep -qE -- "$2" "$log"
	status=$?
	((!status)) || { echo "# no '$2' in:"; tail -n 20 "$log" | sed 's/^/#   /'; }
	result "$1" "$status"
}

# files_in ROOT: prints the files that krdma's packages or DKMS have put there, and those of ULPs that DKMS has built.
files_in() {
	(cd "$1" && find etc/krdma etc/rdma/sib.conf etc/rdma/siw.conf usr/lib/krdma usr/share/krdma usr/src/krdma* var/lib/dkms/krdma \
		usr/sbin/krdma* usr/lib/udev/rules.d/*krdma* usr/lib/systemd/system/*krdma* usr/lib/modprobe.d/krdma* \
		usr/lib/systemd/system/rdma-load-modules@.service.d usr/share/doc/krdma* \
		usr/share/dkms/modules_to_force_install/krdma etc/kernel/header_postinst.d/krdma lib/modules/*/updates 2> /dev/null)
}
