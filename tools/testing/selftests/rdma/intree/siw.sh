#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs the kernel's own soft-iWARP, unmodified, as a provider of krdma's core: programs and the test ULP transfer data
# between its devices. It was compiled against krdma by `make intree-run`, which starts this test. The test ULP is in the
# initial namespace, because that siw makes sockets in the namespace of the thread that connects.
#
# That siw resets about 3 connections of 100, on the kernel's own core as well: a request that is posted while the
# connection's state changes fails. Each step is therefore run ten times, and may fail up to five times, but never
# with wrong data.
#
#	namespace a              namespace b             initial namespace
#	   va 10.77.1.1  -------  vb 10.77.1.2             lo 127.0.0.1
#	   siwa: clients          siwb: servers            siw0: the test ULP
#
# timeout: 300

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_clients.sh"

kulp=${KRDMA:-/krdma}/bin/kulp
provider=${KRDMA:-/krdma}/add/siw.ko

load_core() {
	load_krdma ib_core ib_uverbs iw_cm rdma_cm && modprobe -a rdma_ucm kulp libcrc32c
}

hosts_with_devices() {
	two_hosts && add_device a && add_device b && make_output_dir && wait_for 10 nodes_are_there
}

# mostly COMMAND...: succeeds if 5 of 10 runs do, and none reports wrong data.
mostly() {
	local run failed=0 log=$output_dir/run
	for run in {1..10}; do
		"$@" > "$log" 2>&1 && continue
		failed=$((failed + 1))
		echo "run $run:"
		cat "$log"
		! grep -qi 'bad message\|data mismatch' "$log" || return 1
	done
	((failed <= 5))
}

# A client of perftest that is reset while it connects tries again with an identifier that it has freed, and may die of
# it. Such a run counts as failed, as any other; only the kernel's line about the dead process is switched off.
ignore_dead_programs() {
	echo 0 > /proc/sys/debug/exception-trace
}

pings() {
	pair 7174 rping -s -a "$server_v4" -C 10 -V -- rping -c -a "$server_v4" -C 10 -v -V
}

# measured PROGRAM SIZE: runs perftest over rdma_cm.
measured() {
	pair 18515 "$1" -R -F --use_old_post_send -s "$2" -n 100 -- "$1" -R -F --use_old_post_send -s "$2" -n 100 \
		"$server_v4" && has_result client "$2" 100
}

ulp_transfers() {
	timeout $((60 * slow)) "$kulp" run --dev siw0 --addr 127.0.0.1 --port 7000 --op "$1" --size "$2" --count 20 --verify
}

test_programs() {
	check 'dead programs are not reported' ignore_dead_programs
	check 'rping' mostly pings
	check 'ib_send_bw' mostly measured ib_send_bw 4097
	check 'ib_write_bw' mostly measured ib_write_bw 77777
	check 'ib_read_bw' mostly measured ib_read_bw 77777
}

# Sizes around the pages and FPDUs.
test_ulp() {
	local op size
	check 'a device on lo' rdma link add siw0 type siw netdev lo
	on_server=()
	check 'the test ULP listens' serve kulp 7000 "$kulp" serve --dev siw0 --addr 127.0.0.1 --port 7000
	for op in ping send write read; do
		for size in 64 4097 70001; do
			check "the test ULP: $op, $size bytes" mostly ulp_transfers "$op" "$size"
		done
	done
	check 'the test ULP ends' stop_server kulp
}

ktap_start
[[ -e $provider ]] || ktap_skip_all "no siw of the kernel's source was compiled for krdma"
need rping ib_send_bw
check 'the core is loaded' load_core
check "the kernel's siw is loaded" insmod "$provider"
check 'two hosts with devices' hosts_with_devices
test_programs
test_ulp
check 'everything unloads' unload_krdma
ktap_end
