#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The iWARP connection manager: the in-kernel tests of kt_iwcm.ko, one result each. That iw_cm can
# be unloaded afterwards shows that no identifier is left, for it waits for them.
#
# timeout: 120

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

report=/sys/kernel/debug/krdma/kt_iwcm

copy_results() {
	local line why=()
	while read -r line; do
		case $line in
		'ok '*) ktap_ok "${line#ok * }"; why=() ;;
		'not ok '*) ktap_fail "${line#not ok * }" "${why[@]}"; why=() ;;
		'# '*) why+=("${line#\# }") ;;
		esac
	done < $report
}

ktap_start
check 'modules load' load_krdma ib_core iw_cm
check 'in-kernel tests run' modprobe kt_iwcm
[[ ! -e $report ]] || copy_results
check 'nothing is left behind' timeout 30 rmmod kt_iwcm kt_support iw_cm ib_core
ktap_end
