#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs kt_siw_rates.ko, which notes how many regions are registered, windows bound, fast memory regions mapped and
# address handles made in a second. Checks that each operation succeeds, and no rate.
#
#   siw/rates.sh [COUNT]    number of lists of 8 registrations, and of other operations, in a case
#
# timeout: 60

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_kulp.sh"

report=/sys/kernel/debug/krdma/kt_siw_rates

ktap_start
check 'two hosts with siw' siw_hosts
check 'kt_siw_link loads' modprobe kt_siw_link
check 'kt_siw_rates runs' modprobe kt_siw_rates count="${1:-50}"
ktap_copy "$report"
grep ' a second$' "$report"
check 'kt_siw_rates unloads' rmmod kt_siw_rates
check 'everything unloads' unload_krdma
ktap_end
