#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The verbs objects: the in-kernel tests of kt_verbs.ko over a provider without a wire, one result each.
#
# timeout: 120

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

ktap_start
modinfo kt_verbs > /dev/null 2>&1 || ktap_skip_all 'kt_verbs.ko was not built'
check 'modules load' load_krdma ib_core kt_support
check 'in-kernel tests run' modprobe kt_verbs
ktap_copy /sys/kernel/debug/krdma/kt_verbs
check 'nothing is left behind' rmmod kt_verbs kt_support ib_core
ktap_end
