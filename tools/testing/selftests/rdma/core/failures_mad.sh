#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Makes allocations fail one after another in ib_mad: while it is loaded with a device, and while devices come, agents are
# registered, a port asks itself, a message of one MAD or of 100 KiB is sent and received, and all goes. Each failure is ENOMEM,
# or is made up for by another try.
#
# timeout: 1200

# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../lib_failures.sh
. "$(dirname "$0")/../lib_failures.sh"

param=/sys/module/kt_maduser/parameters/exchange
module=ib_mad

exchange() {
	echo "$length" > "$param"
}

# The XArray with the numbers of agents tries an allocation twice.
no_number() {
	fail_all_in mad_table_add && fails_with 'Cannot allocate memory' exchange
}

made_nothing() {
	[[ $(rdma -j resource show | jq 'map(.pd + .cq + .qp + .mr + .srq) | add // 0') == 0 ]]
}

ktap_start
modinfo kt_maduser > /dev/null 2>&1 || ktap_skip_all 'no kt_maduser.ko'
failures_start
check 'modules load' load_krdma ib_core ib_uverbs
check 'a device' modprobe kt_memuser devices=1
every=3
sweep 'loading ib_mad with a device' load_module unload_module
check 'the device goes' rmmod kt_memuser
check 'a consumer' modprobe kt_maduser
length=10
check 'a short message' exchange
every=5
sweep 'a short message' exchange made_nothing
every=1
check 'only in ib_mad' fail_only_in ib_mad
sweep 'a short message, of ib_mad alone' exchange made_nothing
check 'no number for an agent' no_number
fail_none
length=102400
check 'a message of 100 KiB' exchange
every=29 max_failures=6000
sweep 'a message of 100 KiB' exchange made_nothing
check 'everything unloads' unload_krdma
check 'no memory leaks' check_leaks
ktap_end
