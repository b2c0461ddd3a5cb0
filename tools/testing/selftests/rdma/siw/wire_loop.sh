#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Plays long connections that are composed from recorded messages, and then mutated, against siw, on both sides, with
# CRC and without. Both ends are in the kernel (tools/testing/modules/kfuzz), so that siw receives some ten thousand
# FPDUs a second. Inputs that make siw run new code are changed further. The kernel must not report anything,
# forbidden FPDUs must lead to a Terminate, correct connections must work, and nothing may be left.
#
#   siw/wire_loop.sh [FPDUS [SEED [CORPUS]]]    default: 45 seconds, 1, none; inputs in CORPUS are played first, and
#                                               inputs that are kept are added to CORPUS
#   siw/wire_loop.sh 1 1 '' INPUT               plays only INPUT, which a failure has printed
#
#	namespace a, siwa                   namespace b, siwb
#	   kulp run -------> 7001 wire_fuzz record > kulp serve, port 7000
#	                                       kfuzz, ports 7100 to 7103 <--> kfuzz
#
# timeout: 120

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"
. "$(dirname "$0")/lib_wire_fuzz.sh"

rounds=3
seconds=15
fpdus=${1:-}
seed=${2:-1}
corpus=${3:-$streams/corpus}
input=${4:-}
journal=()
# /out is a folder of the host, where the journal can be read after a crash of the virtual machine.
[[ ! -d /out ]] || journal=(--journal /out/wire_loop.journal)

hosts_with_coverage() {
	load_krdma ib_core ib_uverbs iw_portmap iw_cm rdma_cm && load_covered siw && modprobe -a kulp kfuzz &&
		two_hosts && add_device a && add_device b
}

# Collects the recordings without and with CRC. With the setting crc=0, the client chooses. Turns off
# the probes of siwb, because the other end of kfuzz's service connection, which is silent, would
# receive them, and they would count as FPDUs of the connection that is played at that moment.
collect() {
	local crc file
	mkdir "$streams/all"
	for crc in 0 1; do
		for file in "$streams/$crc"/*; do
			cp "$file" "$streams/all/$crc-${file##*/}"
		done
	done
	set_crc 0 && setting siwb probe 0
}

# play OPTION...: plays, and checks that nothing is left. Leaves out the lines about the progress, because the output of
# a failed check is cut.
play() {
	local status=0
	in_b "$wire_fuzz" loop --dev siwb --addr "$server_addr" --port 7100 --dir "$streams/all" --slow "$slow" \
		--corpus "$corpus" "${journal[@]}" "$@" > "$streams/loop" || status=1
	grep -vE '^[0-9]+ s: ' "$streams/loop"
	((!status)) && good_state
}

play_rounds() {
	local round limit=(--seconds "$seconds") replay=()
	[[ -z $fpdus ]] || { rounds=10 limit=(--fpdus $(((fpdus + 9) / 10))); }
	[[ ! -s $corpus ]] || replay=(--replay)
	for ((round = 0; round < rounds; round++)); do
		check "round $((round + 1)) of $rounds, seed $((seed + round))" \
			play --seed $((seed + round)) "${limit[@]}" "${replay[@]}"
		tail -n 2 "$streams/loop" | sed 's/^/# /'
		replay=()
	done
}

# Inputs that reach new code are found all the time, at first. If not, connections fail early.
explores() {
	local kept
	kept=$(wc -l < "$corpus")
	echo "$kept inputs are kept"
	((kept >= 50))
}

ktap_start
[[ -e $coverage_dir/siw.ko ]] || ktap_skip_all 'siw was not built for coverage, which only user-mode kernels have'
check 'two hosts with siw' hosts_with_coverage
check 'counters without caching, MTU and ports' prepare b
check 'a server listens' serve main
baseline=$(left)
check 'each kind of connection is recorded, CRC off' record 0
check 'each kind of connection is recorded, CRC on' record 1
check 'the recordings are collected' collect
if [[ -n $input ]]; then
	check "input $input" play --input "$input"
	sed 's/^/# /' "$streams/loop"
else
	play_rounds
	check 'new code is reached' explores
fi
stop_server main > /dev/null
check 'everything unloads' unload_krdma
ktap_end
