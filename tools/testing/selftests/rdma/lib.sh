# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shellcheck shell=bash
#
# This library of the selftests prints KTAP results, loads modules, sets up two hosts, waits, and
# checks the kernel log.
#
#	. "$(dirname "$0")/../lib.sh"
#	ktap_start
#	load_krdma
#	two_hosts
#	check 'a reaches b' in_a ping -c 1 10.77.1.2
#	expect_status 'an unknown type is refused' 1 rdma link add x0 type nope netdev va
#	expect_output 'one link' 1 count_links
#	ktap_end
#
# A test needs root, changes only what it has made itself, and can be run alone, in the VM or on a
# real machine. A test passes its own cleanup commands to at_exit; load_krdma and two_hosts register
# theirs themselves.

lib_dir=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# ktap.py is here, and the programs that use it beside their tests.
export PYTHONPATH=$lib_dir${PYTHONPATH:+:$PYTHONPATH}
kernel_reports=$lib_dir/../../vm/kernel-reports
modules_dir=${KRDMA:-/krdma}/modules
# The modules that count which of their code has run. Only user-mode kernels have them.
coverage_dir=${KRDMA:-/krdma}/coverage

ktap_count=0 ktap_failed=0 ktap_skipped=0 ktap_output='' klog_file='' exit_commands=()
# The kind of the devices that load_krdma and add_device are for, unless they are told another one: a link type, and the
# module of that name.
device_kind=siw
krdma_modules=(ib_core ib_uverbs iw_portmap iw_cm rdma_cm "$device_kind")
# The modules in the order of unloading: each one comes before the modules that it uses. rdma_ucm
# and ib_cm are loaded by some tests, or by a peer's own stack, and krdma_cov by load_covered.
unload_order=(rdma_ucm "$device_kind" sib rdma_cm ib_cm ib_umad ib_mad iw_cm iw_portmap ib_uverbs ib_core krdma_cov)

# --- the kernel log ---

# Starts klog (tools/testing/klog), which remembers the position in the kernel log, so that no other
# program has to be started to find that nothing was logged.
start_klog() {
	type -P klog > /dev/null || PATH+=:$lib_dir/../../../../build/$(uname -r)/bin
	klog_file=$(mktemp)
	coproc klog { exec klog "$klog_file"; }
	# klog is removed from the shell's jobs, so that `wait` does not wait for it. The
	# descriptors are copied because bash closes a coprocess's own descriptors in subshells, for
	# example in the parts of a pipe.
	# shellcheck disable=SC2154 # coproc sets it
	disown "$klog_PID"
	exec {klog_request}>&"${klog[1]}" {klog_reply}<&"${klog[0]}"
}

# ask_klog REQUEST: sends "mark" or "since" to klog; $klog_length gets the number of bytes that it found.
ask_klog() {
	[[ -n ${klog_request:-} ]] || start_klog
	echo "$1" >&"$klog_request"
	read -r -u "$klog_reply" klog_length
}

# Remembers the current end of the kernel log. Lines that are logged later belong to the next
# result.
mark_dmesg() {
	ask_klog mark
}

# Prints the kernel log since mark_dmesg.
dmesg_since() {
	ask_klog since || return
	((!klog_length)) || cat "$klog_file"
}

# Prints $klog_file without the lines that the test expects ("# expects: REGEX").
unexpected() {
	if [[ -n ${expected_reports:-} ]]; then
		grep -vE -- "$expected_reports" "$klog_file"
	else
		cat "$klog_file"
	fi
}

# Prints the reports in the kernel log since mark_dmesg, except expected ones; fails if there are any.
check_dmesg() {
	local found
	ask_klog since || { echo 'klog has ended: the kernel log cannot be checked'; return 1; }
	((klog_length)) || return 0
	found=$(unexpected | grep -E -B 3 -A 40 -m 3 -f "$kernel_reports")
	[[ -n $found ]] || return 0
	echo "$found"
	return 1
}

# --- leaks, where the kernel has kmemleak ---

kmemleak=/sys/kernel/debug/kmemleak

# Makes kmemleak ignore the objects that look leaked at this moment.
clear_leaks() {
	[[ ! -w $kmemleak ]] || echo clear > "$kmemleak"
}

# Prints the unreferenced objects that code of modules allocated; fails if there is one. All modules
# of the debug kernel are ours, so an object counts if its stack trace names a module, or has a bare
# address, which is how kmemleak prints functions of unloaded modules. Objects with
# __class_register() in their stack trace are skipped: Linux 6.1 leaks the name of a class that
# fails to register.
check_leaks() {
	local leaks
	echo scan > "$kmemleak"
	# kmemleak reports only objects that are at least 5 seconds old. The second scan drops
	# objects whose pointer was moved during the first scan.
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

# test_name PATH: prints the name of a test: its path in this folder without ".sh", or only its file's name if it is elsewhere.
test_name() {
	local name
	name=$(readlink -f "$1")
	[[ $name == "$lib_dir"/* ]] && name=${name#"$lib_dir"/} || name=${name##*/}
	echo "${name%.sh}"
}

# ktap_start [NUMBER]: NUMBER is the planned number of results; without it, ktap_end prints the plan.
ktap_start() {
	echo 'KTAP version 1'
	ktap_planned=${1:-}
	[[ -z $ktap_planned ]] || echo "1..$ktap_planned"
	ktap_output=$(mktemp)
	trap run_exit_commands EXIT
	trap 'exit 143' TERM INT
	echo "<6>test $(test_name "$0")" > /dev/kmsg
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

# ktap_fail NAME [LINE...]: prints a failed result, after each LINE and the kernel log as comments.
# The lines say what was done, expected and seen.
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

# Prints plan and totals, and ends the script with status 0, 1 if a test failed, or 4 if all were skipped.
ktap_end() {
	[[ -n $ktap_planned ]] || echo "1..$ktap_count"
	printf '# Totals: pass:%d fail:%d xfail:0 xpass:0 skip:%d error:0\n' \
		$((ktap_count - ktap_failed - ktap_skipped)) "$ktap_failed" "$ktap_skipped"
	((!ktap_failed)) || exit 1
	((ktap_count > ktap_skipped)) || exit 4
	exit 0
}

# ktap_copy FILE [PREFIX]: prints each KTAP result in FILE, which a module or program wrote, as a
# result of this test, with PREFIX before its name.
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

# run_ktap FILE COMMAND...: runs a program that prints KTAP into FILE, for ktap_copy; fails if the program does not come to its
# plan. Status 1 of the program means that one of its results is bad.
run_ktap() {
	local file=$1 status=0
	shift
	"$@" > "$file" || status=$?
	cat "$file"
	((status <= 1)) && grep -q '^1\.\.[1-9]' "$file"
}

# ktap_skip_all REASON: ends the test as skipped, because something that it needs is missing.
ktap_skip_all() {
	ktap_skip "$(test_name "$0")" "$1"
	ktap_end
}

# report NAME GOOD EXPECTED SEEN COMMAND...: prints a passed result if GOOD is 1, else a failed
# result with the details.
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

# check NAME COMMAND...: passes if the command succeeds and the kernel log has no report.
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

# expect_failure NAME COMMAND...: passes with any status but 0.
expect_failure() {
	local name=$1 status=0
	shift
	"$@" > "$ktap_output" 2>&1 || status=$?
	report "$name" $((status != 0)) 'a status that is not 0' "status $status" "$@"
}

# expect_output NAME TEXT COMMAND...: passes if TEXT is the whole of stdout, without the last newline.
expect_output() {
	local name=$1 want=$2 seen good=0
	shift 2
	seen=$("$@" 2> "$ktap_output")
	[[ $seen != "$want" ]] || good=1
	report "$name" $good "$want" "$seen" "$@"
}

# has_line FILE REGEX: succeeds if a line of FILE matches REGEX, an extended regular expression.
# Starts no process, unlike grep.
has_line() {
	local lines line
	mapfile -t lines < "$1"
	for line in "${lines[@]}"; do
		[[ ! $line =~ $2 ]] || return 0
	done
	return 1
}

# expect_match NAME REGEX COMMAND...: passes if a line of the command's output matches REGEX,
# whatever the command's status is.
expect_match() {
	local name=$1 regex=$2 good=0
	shift 2
	"$@" > "$ktap_output" 2>&1
	! has_line "$ktap_output" "$regex" || good=1
	report "$name" $good "a line that matches $regex" 'none' "$@"
}

# prints REGEX COMMAND...: succeeds if the command does, and a line of its output matches.
prints() {
	local regex=$1 output
	shift
	output=$("$@" 2>&1) || { echo "status $?: $output"; return 1; }
	echo "$output"
	grep -qE -- "$regex" <<< "$output"
}

# fails_with TEXT COMMAND...: succeeds if the command fails and its output contains the text.
fails_with() {
	local text=$1 output
	shift
	! output=$("$@" 2>&1) || { echo "succeeded: $output"; return 1; }
	echo "$output"
	[[ $output == *"$text"* ]]
}

# The command that runs another one without any right.
nobody=(setpriv --reuid 65534 --clear-groups --bounding-set=-all --inh-caps=-all)

as_nobody() {
	"${nobody[@]}" "$@"
}

# --- undoing ---

# at_exit COMMAND...: registers a command that is run when the script ends. The command that was
# registered last is run first. It is run once if it is registered again and again.
at_exit() {
	local command
	printf -v command '%q ' "$@"
	((${#exit_commands[@]})) && [[ ${exit_commands[-1]} == "$command" ]] || exit_commands+=("$command")
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

# All time limits are multiplied by this factor, because kernels with debug checks are slower.
slow=${KRDMA_SLOW:-1}

# fewer NUMBER: prints NUMBER divided by $slow, but at least 1.
fewer() {
	echo $(($1 < slow ? 1 : $1 / slow))
}

# pause SECONDS: sleeps without starting a process, which is slow on some machines: reads with a
# time limit from a pipe to which nothing is ever written.
pause() {
	[[ -n ${pause_fd:-} ]] || exec {pause_fd}<> <(:)
	read -r -t "$1" -u "$pause_fd"
	return 0
}

interval=0.1

# wait_for SECONDS COMMAND...: runs the command every $interval seconds until it succeeds; fails after SECONDS * $slow, and
# at once if there is no such command.
wait_for() {
	local end=$((${EPOCHREALTIME/./} + $1 * slow * 1000000))
	shift
	type "$1" > /dev/null || return
	until "$@" > /dev/null 2>&1; do
		((${EPOCHREALTIME/./} < end)) || return 1
		pause "$interval"
	done
}

# has_ended PID: succeeds if this child process of the shell has ended. It has also ended if the shell has not asked yet
# how; it is a zombie then.
has_ended() {
	local state
	read -r _ _ state _ 2> /dev/null < "/proc/$1/stat" || return 0
	[[ $state == Z ]]
}

# barrier NAME [SECONDS]: with `run --hosts 2`, waits until both machines have called barrier with
# this NAME; fails after SECONDS (60 by default).
barrier() {
	# shellcheck disable=SC2153 # from the VM's init
	: > "/out/barrier.$1.$HOST"
	wait_for "${2:-60}" test -e "/out/barrier.$1.a" -a -e "/out/barrier.$1.b"
}

# --- counters of devices ---

# counter DEVICE NAME: prints the hardware counter of port 1.
counter() {
	local value
	value=$(< "/sys/class/infiniband/$1/ports/1/hw_counters/$2") && echo "$value"
}

# --- uevents ---

# udev_in NAMESPACE COMMAND...: prints the uevents of RDMA devices in the namespace while the
# command runs, for example "add siw0". A netdev is created after the command: when the netdev's
# uevent has arrived, all uevents of the command have arrived.
udev_in() {
	local netns=$1 monitor output
	output=$(mktemp)
	shift
	ip netns exec "$netns" udevadm monitor --kernel --subsystem-match=infiniband --subsystem-match=net > "$output" &
	monitor=$!
	# udevadm prints its header only after it has begun to listen.
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

# load_krdma [MODULE...]: loads all krdma modules that were built, or the named ones and their dependencies.
load_krdma() {
	local module built=()
	(($#)) || set -- "${krdma_modules[@]}"
	at_exit unload_krdma
	for module in "$@"; do
		[[ -d $modules_dir && ! -e $modules_dir/$module.ko ]] || built+=("$module")
	done
	((!${#built[@]})) || modprobe -a "${built[@]}"
}

# load_covered MODULE...: loads these modules, in this order, from $coverage_dir, where modprobe does not find them, and
# libcrc32c and crc-t10dif, which siw uses.
load_covered() {
	local module
	at_exit unload_krdma
	modprobe -q crc-t10dif || : # a kernel may have it built in
	modprobe libcrc32c && insmod "$coverage_dir/krdma_cov.ko" || return
	for module in "$@"; do
		insmod "$coverage_dir/$module.ko" || return
	done
}

# unload_krdma: unloads all krdma modules, the test modules first; fails if a module is in use.
unload_krdma() {
	local module loaded=()
	for module in $(loaded_test_modules) "${unload_order[@]}"; do
		[[ ! -d /sys/module/$module ]] || loaded+=("$module")
	done
	((!${#loaded[@]})) || rmmod "${loaded[@]}"
}

# Prints the loaded test modules, except kt_crc32c, to which libcrc32c holds a reference.
loaded_test_modules() {
	local path module
	for path in "$modules_dir"/*.ko; do
		module=${path##*/}
		module=${module%.ko}
		[[ ! -d /sys/module/$module || " ${unload_order[*]} kt_crc32c " == *" $module "* ]] || echo "$module"
	done
}

# verbs_node DEVICE: prints the node of a device that processes can open, such as /dev/infiniband/uverbs0.
verbs_node() {
	local dir
	for dir in /sys/class/infiniband_verbs/uverbs*; do
		[[ $(cat "$dir/ibdev") != "$1" ]] || echo "/dev/infiniband/${dir##*/}"
	done
}

has_verbs_node() {
	[[ -c $(verbs_node "$1") ]]
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

# Switches duplicate address detection off, because while it runs for the link-local address, the kernel sends no
# neighbour solicitation that no packet has asked for, and no IPv6 address is resolved.
set_up_host() {
	local host=$1 dev=$2 number=$3
	ip netns exec "$host" sysctl -q "net.ipv6.conf.$dev.accept_dad=0" &&
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

# link_local HOST NETDEV: prints the link-local address of NETDEV on HOST; fails while duplicate
# address detection runs.
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

# netem OPTION...: configures both ends of the wire, so that the fault hits data and acknowledgments.
netem() {
	in_a tc qdisc replace dev va root netem "$@" && in_b tc qdisc replace dev vb root netem "$@"
}

no_netem() {
	in_a tc qdisc del dev va root && in_b tc qdisc del dev vb root
}

# add_device HOST [KIND]: adds a device of this kind on host a's va or host b's vb, for example siwa or siwb, with longer
# timeouts of handshakes on slow kernels.
add_device() {
	local device=${2:-$device_kind}$1
	ip netns exec "$1" rdma link add "$device" type "${2:-$device_kind}" netdev "v$1" || return 1
	((slow == 1)) || [[ ! -d /sys/class/infiniband/$device/siw ]] ||
		echo $((10000 * slow)) > "/sys/class/infiniband/$device/siw/handshake_ms"
}
