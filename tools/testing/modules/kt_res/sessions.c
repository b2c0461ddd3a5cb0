// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The sessions, compiled into this module. */
#include "tools/testing/modules/support/sessions.c"
