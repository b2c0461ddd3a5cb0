#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs hostile processes (tools/testing/uverbs_fuzz) on both hosts at once. Expects that the kernel
# logs no report, that no object of these processes is left, and that well-behaved processes still
# work.
#
#   uverbs/fuzz.sh [SECONDS [SEED]]     default: 25 s (more on slow kernels); $SEED, or a random seed
#
#	namespace a                        namespace b
#	   va 10.77.1.1, fd77:1::1  ----  vb 10.77.1.2, fd77:1::2
#	   siwa: hostile processes         siwb: hostile processes
#
# The processes also open the devices of kt_user.ko and kt_memuser.ko, which have what siw does not
# have.
#
# timeout: 180
# needs: several processors

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"

uverbs_fuzz=${KRDMA:-/krdma}/bin/uverbs_fuzz
seconds=${1:-$((25 * slow))}
seed=${2:-${SEED:-$((RANDOM * 32768 + RANDOM))}}
processes=2

# fuzz_on HOST SEED ADDRESS...: runs hostile processes on HOST. Fails only if they write no report,
# because the results are taken from the report.
fuzz_on() {
	local host=$1
	shift
	ip netns exec "$host" timeout --kill-after=5 $((3 * seconds + 60 * slow)) "$uverbs_fuzz" --seconds "$seconds" \
		--processes "$processes" --seed "$@" > "$output_dir/report.$host"
	grep -q '^1\.\.[1-9]' "$output_dir/report.$host"
}

# The processes of each host connect to those of their own and of the other host.
fuzz() {
	local pid status=0
	echo "uverbs_fuzz: seed $seed, $seconds s" > /dev/kmsg
	fuzz_on a "$seed" 10.77.1.1 10.77.1.2 fd77:1::1 &
	pid=$!
	fuzz_on b $((seed + 1)) 10.77.1.2 10.77.1.1 fd77:1::2 || status=1
	wait "$pid" || status=1
	return "$status"
}

# The modules with these devices, as far as they were built.
more_modules=()
for module in kt_user kt_memuser; do
	! modinfo "$module" > /dev/null 2>&1 || more_modules+=("$module")
done

more_devices() {
	((!${#more_modules[@]})) || modprobe -a "${more_modules[@]}"
}

fewer_devices() {
	((!${#more_modules[@]})) || rmmod "${more_modules[@]}" kt_support
}

# Prints the statistics of each command, and copies the results.
show_reports() {
	local host
	for host in a b; do
		echo "# host $host:"
		grep '^#' "$output_dir/report.$host"
		ktap_copy "$output_dir/report.$host" "$host: "
	done
}

ktap_start
[[ -x $uverbs_fuzz ]] || ktap_skip_all 'uverbs_fuzz was not built'
check 'two hosts with siw' client_hosts
echo "# seed $seed"
check 'devices of other providers' more_devices
check 'hostile processes run' fuzz
show_reports
check 'nothing is left' wait_for 20 nothing_is_left
check 'rping works' pair 7174 rping -s -a 10.77.1.2 -C 3 -- rping -c -a 10.77.1.2 -C 3 -v
check 'rping got its three pings' client_printed 3 '^ping data'
check 'rping: nothing is left' wait_for 10 nothing_is_left
check 'the devices of other providers go' fewer_devices
check 'everything unloads' unload_krdma
ktap_end
