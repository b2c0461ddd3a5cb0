/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Ports, open files and agents, which most parts of ib_umad.ko use.
 */
#ifndef _KRDMA_UMAD_UMAD_H_
#define _KRDMA_UMAD_UMAD_H_

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>

#include "umad/node.h"
#include "umad/queue.h"

/* The number of agents that a file may have. */
#define UMAD_MAX_AGENTS		32

/**
 * struct umad_port - a port with a node umadN
 * @node: the node; its lock protects @files, too
 * @files: open files, by umad_file.entry
 * @users: references: one until the device is removed, and one for each agent
 * @unused: completed when @users drops to zero. The removal of the device waits for it, because
 *	agents use the device
 * @dropped: number of received MADs that no reader has got, because there was no room, no memory,
 *	or no address of the sender
 */
struct umad_port {
	struct umad_node node;
	struct list_head files;
	refcount_t users;
	struct completion unused;
	atomic_long_t dropped;
};

static inline void umad_port_unuse(struct umad_port *port)
{
	if (refcount_dec_and_test(&port->users))
		complete(&port->unused);
}

/**
 * struct umad_file - an open file
 * @ref: references: one until the file is closed, and one of a thread that ends the file because
 *	the device is removed
 * @port: the port, with a reference to its node
 * @entry: entry in umad_port.files; empty: the file was ended
 * @queue: MADs
 * @agents_lock: protects the members below. Held for reading while an agent is used, and for
 *	writing while one is registered. Not held when an agent is unregistered, and not taken by
 *	handlers of ib_mad, for which unregistration waits
 * @ibdev: the device; NULL: the file was ended, because it is being closed or the device is
 *	removed
 * @agents: agents by their ids
 * @last_serial: number of agents that were ever registered
 * @is_used: an agent was registered
 * @has_pkey: headers have the index of the P_Key. Also read without the lock
 */
struct umad_file {
	struct kref ref;
	struct umad_port *port;
	struct list_head entry;
	struct umad_queue queue;

	struct rw_semaphore agents_lock;	/* protects the members below */
	struct ib_device *ibdev;
	struct umad_agent *agents[UMAD_MAX_AGENTS];
	u64 last_serial;
	bool is_used;
	bool has_pkey;
};

/* Returns the length of the header in front of each MAD. */
static inline size_t umad_header_size(const struct umad_file *file)
{
	return READ_ONCE(file->has_pkey) ? sizeof(struct ib_user_mad_hdr) :
					   sizeof(struct ib_user_mad_hdr_old);
}

/**
 * struct umad_agent - an agent of a file
 * @file: the file, which lives longer
 * @base: the agent
 * @id: number by which the process names the agent; another agent may have it later
 * @serial: number that no other agent of the file ever has
 */
struct umad_agent {
	struct umad_file *file;
	struct ib_mad_agent *base;
	u32 id;
	u64 serial;
};

#endif /* _KRDMA_UMAD_UMAD_H_ */
