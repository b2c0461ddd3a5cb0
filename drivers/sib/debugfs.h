/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The files of fabrics in debugfs. */
#ifndef SIB_DEBUGFS_H
#define SIB_DEBUGFS_H

struct sib_fabric;

/* Called when the module is loaded and unloaded. */
void sib_debugfs_init(void);
void sib_debugfs_exit(void);

/**
 * sib_debugfs_add() - make the files of a fabric
 * @fabric: the fabric, which has a name
 *
 * Process context. A fabric works without the files, so that a failure is only logged by debugfs.
 */
void sib_debugfs_add(struct sib_fabric *fabric);

/**
 * sib_debugfs_remove() - remove the files of a fabric
 * @fabric: the fabric
 *
 * Process context, with no lock of the fabric held. Waits for those who use the files; a reader of
 * "capture" does not use the fabric. Does nothing if there are no files.
 */
void sib_debugfs_remove(struct sib_fabric *fabric);

#endif /* SIB_DEBUGFS_H */
