/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Executes the lines of a script and of the macros that the script uses. */
#ifndef WIRE_SCRIPT_EXEC_H
#define WIRE_SCRIPT_EXEC_H

#include "run.h"

/* Executes the script @path, ends the connections left open, and checks the state of the host. */
void exec_script(struct run *run, const char *path);

#endif /* WIRE_SCRIPT_EXEC_H */
