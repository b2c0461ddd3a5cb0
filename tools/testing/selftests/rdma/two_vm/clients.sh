#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs clients/utils.sh between two machines on a wire.
#
#	machine a                        machine b
#	   eth0 10.77.0.1, fd77::1  ------  eth0 10.77.0.2, fd77::2
#	   siwa: clients                    siwb: servers
#
# timeout: 200

. "$(dirname "$0")/../clients/utils.sh"
