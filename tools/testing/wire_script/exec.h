/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Executes the lines of a script and of the macros it uses. */
#ifndef PEER_EXEC_H
#define PEER_EXEC_H

#include "run.h"

/* Executes @path, then ends what it left open and looks at the host. */
void exec_script(struct run *run, const char *path);

#endif /* PEER_EXEC_H */
