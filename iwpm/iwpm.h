/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state of the port mapper in a network namespace. Each .c file has a header of its own for its
 * functions.
 */
#ifndef _KRDMA_IWPM_IWPM_H_
#define _KRDMA_IWPM_IWPM_H_

#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/iw_portmap.h>

/* The name by which daemon and kernel identify each other. */
#define IWPM_ULIB_NAME	"iWarpPortMapperUser"

/**
 * struct iwpm_daemon - the port mapper's daemon in a namespace
 * @portid: its netlink port; 0 if no daemon is known
 * @version: protocol version, IWPM_UABI_VERSION_MIN to IWPM_UABI_VERSION
 * @registered: the daemon has answered a registration and all later requests
 * @unresponsive: the daemon did not answer: no registration is sent before @retry_at. The daemon
 *	still gets removals, because it still has the mappings
 * @retry_at: time, in jiffies, from which registrations are sent again
 */
struct iwpm_daemon {
	u32 portid;
	u16 version;
	bool registered;
	bool unresponsive;
	unsigned long retry_at;
};

/* Log messages. Each is logged once, and again only after iwpm_daemon_set() has set a daemon. */
enum iwpm_noticed {
	IWPM_NOTICED_NO_DAEMON,
	IWPM_NOTICED_NO_PEER,
	IWPM_NOTICED_NOT_TAKEN,
};

/**
 * struct iwpm_net - the port mapper in a network namespace
 * @ref: references: the namespace holds one until it goes away; each mapping holds one;
 *	iwpm_net_get() takes others
 * @entry: entry in the list of all states, in pernet.c
 * @net: the namespace; valid between iwpm_net_tryget() and iwpm_net_put_active(), and while the
 *	caller ensures that the namespace exists
 * @noticed: mask of the messages that were logged, one bit for each enum iwpm_noticed; set
 *	atomically
 * @idle: woken when @active becomes 0
 * @outbox_work: sends the messages of @outbox
 * @outbox_wq: runs @outbox_work. Each namespace has its own workqueue, because @outbox_work waits
 *	as long as the daemon does not read
 * @lock: protects all fields below, and the requests, mappings and announced peers in them; taken
 *	in process context. Of this module's locks, only iwpm_result.queue.lock is taken inside it
 * @dead: the namespace is going away: nothing is sent or added any more
 * @active: number of callers between iwpm_net_tryget() and iwpm_net_put_active()
 * @daemon: the daemon that answers requests
 * @next_seq: number of the next request
 * @next_port: port at which the next search for a free port begins
 * @requests: requests that have not ended
 * @outbox: messages to @daemon that have not been sent, oldest first
 * @outbox_cleared: number of calls of iwpm_outbox_clear()
 * @maps: hash table of mappings, by local port
 * @remotes: hash table of the peers that the daemon has announced (see remote.h), by mapped port
 * @remotes_by_age: announced peers, oldest first
 * @num_remotes: number of announced peers
 * @silent_peers: peers without a port mapper (see peer.h), oldest first
 * @num_silent_peers: number of @silent_peers
 */
struct iwpm_net {
	struct kref ref;
	struct list_head entry;
	struct net *net;
	unsigned long noticed;
	wait_queue_head_t idle;
	struct work_struct outbox_work;
	struct workqueue_struct *outbox_wq;

	spinlock_t lock; /* protects the fields below */
	bool dead;
	unsigned int active;
	struct iwpm_daemon daemon;
	u32 next_seq;
	u16 next_port;
	struct list_head requests;
	struct sk_buff_head outbox;
	unsigned int outbox_cleared;
	DECLARE_HASHTABLE(maps, 8);
	DECLARE_HASHTABLE(remotes, 8);
	struct list_head remotes_by_age;
	unsigned int num_remotes;
	struct list_head silent_peers;
	unsigned int num_silent_peers;
};

#endif /* _KRDMA_IWPM_IWPM_H_ */
