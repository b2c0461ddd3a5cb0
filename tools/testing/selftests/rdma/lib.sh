# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# For the tests beside it: KTAP results, modules, two hosts, waiting, the kernel log.
#
#	. "$(dirname "$0")/lib.sh"
#	ktap_start
#	load_krdma
#	two_hosts
#	check 'a reaches b' in_a ping -c 1 10.77.1.2
#	expect_status 'an unknown type is refused' 1 rdma link add x0 type nope netdev va
#	expect_output 'one link' 1 count_links
#	ktap_end
#
# A test needs root, changes only what it made itself, and can be run alone, in the VM or on a real
# machine. What it must undo is given to at_exit; modules and hosts are undone without asking.

lib_dir=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
kernel_reports=$lib_dir/../../vm/kernel-reports
modules_dir=${KRDMA:-/krdma}/modules

ktap_count=0 ktap_failed=0 ktap_skipped=0 ktap_output='' klog_file='' exit_commands=()
krdma_modules=(ib_core ib_uverbs iw_portmap iw_cm rdma_cm siw)
# Each before those that it uses; a peer's own stack has more of them.
unload_order=(rdma_ucm siw rdma_cm ib_cm iw_cm iw_portmap ib_uverbs ib_core)

# --- the kernel log ---

# klog (tools/testing/klog) keeps the place: where nothing was logged no program has to be started.
start_klog() {
	type -P klog > /dev/null || PATH+=:$lib_dir/../../../../build/$(uname -r)/bin
	klog_file=$(mktemp)
	coproc klog { exec klog "$klog_file"; }
	# Nobody waits for it, and parts of a pipe can ask it, too.
	# shellcheck disable=SC2154 # coproc sets it
	disown "$klog_PID"
	exec {klog_request}>&"${klog[1]}" {klog_reply}<&"${klog[0]}"
}

# ask_klog REQUEST: $klog_length is how much there is.
ask_klog() {
	[[ -n ${klog_request:-} ]] || start_klog
	echo "$1" >&"$klog_request"
	read -r -u "$klog_reply" klog_length
}

# Remembers where in the kernel log the present test begins.
mark_dmesg() {
	ask_klog mark
}

# The kernel log since mark_dmesg.
dmesg_since() {
	ask_klog since || return
	((!klog_length)) || cat "$klog_file"
}

# The same without what the test expects.
unexpected() {
	if [[ -n ${expected_reports:-} ]]; then
		grep -vE -- "$expected_reports" "$klog_file"
	else
		cat "$klog_file"
	fi
}

# Prints what the kernel complained about since mark_dmesg; fails if there is any.
check_dmesg() {
	local found
	ask_klog since || { echo 'no klog'; return 1; }
	((klog_length)) || return 0
	found=$(unexpected | grep -E -B 3 -A 40 -m 3 -f "$kernel_reports")
	[[ -n $found ]] || return 0
	echo "$found"
	return 1
}

# --- leaks, where the kernel has kmemleak ---

kmemleak=/sys/kernel/debug/kmemleak

# Forgets what looks leaked so far.
clear_leaks() {
	[[ ! -w $kmemleak ]] || echo clear > "$kmemleak"
}

# Prints the objects that nothing points to and that modules' code allocated; fails if there are any. The
# only modules of the debug kernel are ours; when they are gone, their functions are mere addresses. A class
# that cannot be registered loses its name: that is Linux 6.1's own.
check_leaks() {
	local leaks
	echo scan > "$kmemleak"
	# An object has to be 5 seconds old, and a second look gets rid of what was on its way.
	sleep 6
	echo scan > "$kmemleak"
	leaks=$(awk 'function flush() { if (ours) printf "%s", text; text = ""; ours = theirs = 0 }
		/^unreferenced object/ { flush() }
		{ text = text $0 "\n" }
		/\] .*\[[a-z_]+\]$/ || /\] 0xffffffff[a-f]/ { ours = !theirs }
		/\] __class_register\+/ { theirs = 1 }
		END { flush() }' "$kmemleak")
	[[ -n $leaks ]] || return 0
	printf '%s\n' "$leaks"
	return 1
}

# --- results ---

# ktap_start [NUMBER]: without a number, the plan follows in the end.
ktap_start() {
	echo 'KTAP version 1'
	ktap_planned=${1:-}
	[[ -z $ktap_planned ]] || echo "1..$ktap_planned"
	ktap_output=$(mktemp)
	trap run_exit_commands EXIT
	trap 'exit 143' TERM INT
	echo "<6>test ${0##*/}" > /dev/kmsg
	mark_dmesg
}

# ktap_ok NAME
ktap_ok() {
	echo "ok $((++ktap_count)) $1"
	mark_dmesg
}

# ktap_skip NAME REASON
ktap_skip() {
	echo "ok $((++ktap_count)) $1 # SKIP $2"
	ktap_skipped=$((ktap_skipped + 1))
}

# ktap_fail NAME [LINE...]: the lines say what was done, expected and seen.
ktap_fail() {
	local name=$1
	shift
	((!$#)) || printf '%s\n' "$@" | sed 's/^/# /'
	echo '# kernel log since the test began:'
	dmesg_since | tail -n 100 | sed 's/^/#   /'
	echo "not ok $((++ktap_count)) $name"
	ktap_failed=$((ktap_failed + 1))
	mark_dmesg
}

# Prints plan and totals, and ends the script: 0, 1 if a test failed, 4 if all were skipped.
ktap_end() {
	[[ -n $ktap_planned ]] || echo "1..$ktap_count"
	printf '# Totals: pass:%d fail:%d xfail:0 xpass:0 skip:%d error:0\n' \
		$((ktap_count - ktap_failed - ktap_skipped)) "$ktap_failed" "$ktap_skipped"
	((!ktap_failed)) || exit 1
	((ktap_count > ktap_skipped)) || exit 4
	exit 0
}

# ktap_copy FILE [PREFIX]: the results of an in-kernel test, as ones of this test.
ktap_copy() {
	local line name why=()
	while IFS= read -r line; do
		name=${line#*ok }
		name=${2:-}${name#* }
		case $line in
		'ok '*' # SKIP '*) ktap_skip "${name%% # SKIP *}" "${name#* # SKIP }"; why=() ;;
		'ok '*) ktap_ok "$name"; why=() ;;
		'not ok '*) ktap_fail "$name" "${why[@]}"; why=() ;;
		'# '*) why+=("${line#\# }") ;;
		esac
	done < "$1"
}

# ktap_skip_all REASON: for what a test cannot do without.
ktap_skip_all() {
	ktap_skip "$(basename "$0" .sh)" "$1"
	ktap_end
}

report() {
	local name=$1 good=$2 expected=$3 seen=$4
	shift 4
	if ((good)); then
		ktap_ok "$name"
	else
		ktap_fail "$name" "command:  $*" "expected: $expected" "seen:     $seen" \
			"output:   $(head -c 4000 "$ktap_output")"
	fi
}

# check NAME COMMAND...: passes if the command succeeds and the kernel has no complaint.
check() {
	local name=$1 status=0 good=0
	shift
	"$@" > "$ktap_output" 2>&1 || status=$?
	check_dmesg >> "$ktap_output" || status="$status, and a report in the kernel log"
	[[ $status != 0 ]] || good=1
	report "$name" $good 'status 0' "status $status" "$@"
}

# expect_status NAME STATUS COMMAND...
expect_status() {
	local name=$1 want=$2 status=0
	shift 2
	"$@" > "$ktap_output" 2>&1 || status=$?
	report "$name" $((status == want)) "status $want" "status $status" "$@"
}

# expect_failure NAME COMMAND...: any status but 0.
expect_failure() {
	local name=$1 status=0
	shift
	"$@" > "$ktap_output" 2>&1 || status=$?
	report "$name" $((status != 0)) 'a status that is not 0' "status $status" "$@"
}

# expect_output NAME TEXT COMMAND...: the whole output, without the last newline.
expect_output() {
	local name=$1 want=$2 seen good=0
	shift 2
	seen=$("$@" 2> "$ktap_output")
	[[ $seen != "$want" ]] || good=1
	report "$name" $good "$want" "$seen" "$@"
}

# has_line FILE REGEX: an extended one, which a line matches. Without a process.
has_line() {
	local lines line
	mapfile -t lines < "$1"
	for line in "${lines[@]}"; do
		[[ ! $line =~ $2 ]] || return 0
	done
	return 1
}

# expect_match NAME REGEX COMMAND...: the output has a line that matches.
expect_match() {
	local name=$1 regex=$2 good=0
	shift 2
	"$@" > "$ktap_output" 2>&1
	! has_line "$ktap_output" "$regex" || good=1
	report "$name" $good "a line that matches $regex" 'none' "$@"
}

# fails_with TEXT COMMAND...: the command fails and its output has the text.
fails_with() {
	local text=$1 output
	shift
	! output=$("$@" 2>&1) || { echo "succeeded: $output"; return 1; }
	echo "$output"
	[[ $output == *"$text"* ]]
}

as_nobody() {
	setpriv --reuid 65534 --clear-groups --bounding-set=-all --inh-caps=-all "$@"
}

# --- undoing ---

# at_exit COMMAND...: run when the script ends, last one first.
at_exit() {
	exit_commands+=("$(printf '%q ' "$@")")
}

run_exit_commands() {
	local status=$? i
	for ((i = ${#exit_commands[@]} - 1; i >= 0; i--)); do
		eval "${exit_commands[i]}"
	done
	exit_commands=()
	rm -f "$ktap_output" "$klog_file"
	return "$status"
}

# --- waiting ---

# How many times longer things may take: the debug kernel's checks cost time.
slow=${KRDMA_SLOW:-1}

# fewer NUMBER: as many repetitions as there is time for.
fewer() {
	echo $(($1 < slow ? 1 : $1 / slow))
}

# pause SECONDS: without a process, of which some machines take long to make one. Nothing is ever written to the pipe.
pause() {
	[[ -n ${pause_fd:-} ]] || exec {pause_fd}<> <(:)
	read -r -t "$1" -u "$pause_fd"
	return 0
}

interval=0.1

# wait_for SECONDS COMMAND...: tries every $interval seconds until the command succeeds; fails when the time is over.
wait_for() {
	local end=$((${EPOCHREALTIME/./} + $1 * slow * 1000000))
	shift
	until "$@" > /dev/null 2>&1; do
		((${EPOCHREALTIME/./} < end)) || return 1
		pause "$interval"
	done
}

# has_ended PID: of a process that this shell has started.
has_ended() {
	! kill -0 "$1" 2> /dev/null
}

# barrier NAME [SECONDS]: with `run --hosts 2`, waits until both machines have come here.
barrier() {
	# shellcheck disable=SC2153 # from the VM's init
	: > "/out/barrier.$1.$HOST"
	wait_for "${2:-60}" test -e "/out/barrier.$1.a" -a -e "/out/barrier.$1.b"
}

# --- what devices count ---

# counter DEVICE NAME
counter() {
	local value
	value=$(< "/sys/class/infiniband/$1/ports/1/hw_counters/$2") && echo "$value"
}

# --- what udev is told ---

# udev_in NAMESPACE COMMAND...: the events of RDMA devices there while the command runs, "add siw0". A netdev is made
# behind it: when its event is there, all are.
udev_in() {
	local netns=$1 monitor output
	output=$(mktemp)
	shift
	ip netns exec "$netns" udevadm monitor --kernel --subsystem-match=infiniband --subsystem-match=net > "$output" &
	monitor=$!
	# What it says that it listens to, it listens to.
	wait_for 10 grep -q KERNEL "$output"
	"$@"
	ip -n "$netns" link add udevend type dummy
	wait_for 10 grep -q '/udevend ' "$output"
	kill $monitor
	wait $monitor
	ip -n "$netns" link delete udevend
	sed -n 's/^KERNEL\[[0-9.]*\] \([a-z]*\) .*\/\([a-z0-9]*\) *(infiniband)$/\1 \2/p' "$output" | xargs
	rm "$output"
}

# --- modules ---

# load_krdma [MODULE...]: all those that were built, or the named ones with what they need.
load_krdma() {
	local module built=()
	(($#)) || set -- "${krdma_modules[@]}"
	at_exit unload_krdma
	for module in "$@"; do
		[[ -d $modules_dir && ! -e $modules_dir/$module.ko ]] || built+=("$module")
	done
	((!${#built[@]})) || modprobe -a "${built[@]}"
}

# unload_krdma: tests' modules first; fails if one is in use.
unload_krdma() {
	local module loaded=()
	for module in $(loaded_test_modules) "${unload_order[@]}"; do
		[[ ! -d /sys/module/$module ]] || loaded+=("$module")
	done
	((!${#loaded[@]})) || rmmod "${loaded[@]}"
}

# Not kt_crc32c, which libcrc32c keeps.
loaded_test_modules() {
	local path module
	for path in "$modules_dir"/*.ko; do
		module=${path##*/}
		module=${module%.ko}
		[[ ! -d /sys/module/$module || " ${unload_order[*]} kt_crc32c " == *" $module "* ]] || echo "$module"
	done
}

# --- two hosts in one machine ---

# two_hosts [MTU]
#
#	namespace a                       namespace b
#	   va 10.77.1.1/24  -----------  vb 10.77.1.2/24
#	      fd77:1::1/64                  fd77:1::2/64
two_hosts() {
	local mtu=${1:-1500}
	at_exit remove_two_hosts
	ip netns add a && ip netns add b &&
		ip link add va mtu "$mtu" netns a type veth peer name vb mtu "$mtu" netns b &&
		set_up_host a va 1 && set_up_host b vb 2
}

set_up_host() {
	local host=$1 dev=$2 number=$3
	ip -n "$host" link set lo up &&
		ip -n "$host" address add "10.77.1.$number/24" dev "$dev" &&
		ip -n "$host" address add "fd77:1::$number/64" dev "$dev" nodad &&
		ip -n "$host" link set "$dev" up
}

remove_two_hosts() {
	local host
	for host in a b; do
		ip netns list | grep -qw "^$host" && ip netns del "$host"
	done
}

# link_local HOST NETDEV: its link-local address; fails as long as another may have that, too.
link_local() {
	[[ -z $(ip -n "$1" -6 address show dev "$2" tentative) ]] && ip -n "$1" -j address show dev "$2" |
		jq -er '[.[] | .addr_info[]? | select(.family == "inet6" and .scope == "link") | .local][0] // empty'
}

in_a() {
	ip netns exec a "$@"
}

in_b() {
	ip netns exec b "$@"
}

# add_siw HOST: siwa on host a's va, siwb on host b's vb. Handshakes may take longer where all does.
add_siw() {
	ip netns exec "$1" rdma link add "siw$1" type siw netdev "v$1" || return 1
	((slow == 1)) || echo $((10000 * slow)) > "/sys/class/infiniband/siw$1/siw/handshake_ms"
}
