/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sessions of a test ULP: the open files of its device node. A session has at most one RDMA device,
 * and loses the device when the device is removed.
 *
 * The ULP compiles sessions.c into itself, because a ULP that is built against another RDMA stack
 * cannot use kt_support.ko.
 */
#ifndef _KRDMA_TESTING_SESSIONS_H_
#define _KRDMA_TESTING_SESSIONS_H_

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <rdma/ib_verbs.h>

/**
 * struct session - an open file
 * @entry: entry in the list of sessions
 * @dev: RDMA device, or NULL; written by session_attach() and session_detach()
 */
struct session {
	struct list_head entry;
	struct ib_device *dev;
};

/**
 * struct session_ops - a ULP
 * @name: name of the device node and of the client of RDMA devices
 * @fops: operations of the device node
 * @mode: permissions of the device node, or 0 if only root may open it
 * @stop: ends what the session does, and calls session_detach(). Its second argument is the device
 *	that is removed; it is NULL if the file is closed
 */
struct session_ops {
	const char *name;
	const struct file_operations *fops;
	umode_t mode;
	void (*stop)(struct session *session, struct ib_device *removed);
};

/* Defines a device node that only root can open. */
#define TEST_NODE(_node, _name, _fops)			\
	static struct miscdevice _node = {		\
		.minor = MISC_DYNAMIC_MINOR,		\
		.name = _name,				\
		.fops = _fops,				\
		.mode = 0600,				\
	}

/* Registers the client and the device node. Returns 0 or an errno. */
int sessions_init(const struct session_ops *ops);
void sessions_exit(void);
/* Adds an initialised session without a device to the list. */
void session_open(struct session *session);
/* Stops the session, and takes it out of the list. */
void session_close(struct session *session);
/*
 * Gives the session a device, which stays until session_detach(). Returns -EBUSY if the session has
 * one, -ENODEV if there is no such device or if the device is being removed.
 */
int session_attach(struct session *session, const char *name);
void session_detach(struct session *session);

#endif /* _KRDMA_TESTING_SESSIONS_H_ */
