# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# What the demonstrations share: they print what they do, and end when a step fails.

# say TEXT...: prints the title of what follows; with two machines, one of them does.
say() {
	[[ ${HOST:-a} != a ]] || printf '\n--- %s\n' "$*"
}

die() {
	echo "demo: $*" >&2
	exit 1
}

# show COMMAND...: prints the command, and runs it.
show() {
	printf '# %s\n' "$*"
	"$@" || die "failed: $*"
}
