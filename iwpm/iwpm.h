/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of iw_portmap.ko share: its state in a network namespace, requests to the daemon,
 * mappings, and peers that the daemon has announced.
 */
#ifndef _KRDMA_IWPM_IWPM_H_
#define _KRDMA_IWPM_IWPM_H_

#include <linux/completion.h>
#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/iw_portmap.h>
#include <rdma/krdma_addr.h>
#include <rdma/rdma_netlink.h>

/* The name by which daemon and kernel know each other. */
#define IWPM_ULIB_NAME	"iWarpPortMapperUser"

/**
 * struct iwpm_daemon - the daemon of a namespace
 * @portid: its netlink port, 0: none
 * @version: of the protocol, IWPM_UABI_VERSION_MIN to IWPM_UABI_VERSION
 * @registered: it has answered a registration
 * @unresponsive: one did not answer: none is looked for before @silent_until
 * @silent_until: in jiffies
 */
struct iwpm_daemon {
	u32 portid;
	u16 version;
	bool registered;
	bool unresponsive;
	unsigned long silent_until;
};

/* What was logged once since the last daemon began. */
enum iwpm_noticed {
	IWPM_NOTICED_NO_DAEMON,
	IWPM_NOTICED_NO_PEER,
	IWPM_NOTICED_NOT_TAKEN,
};

/**
 * struct iwpm_net - the port mapper in a network namespace
 * @ref: one of the namespace, until it goes, and one of each mapping
 * @entry: in the list of all
 * @net: to be used between iwpm_net_enter() and iwpm_net_leave(), or while the caller keeps it
 * @noticed: bits of enum iwpm_noticed
 * @quiet: woken when @users becomes 0
 * @resolved: woken when a mapping is no longer pending
 * @lock: guards what follows, requests and mappings included; process context, innermost
 * @dead: the namespace goes
 * @users: threads between enter and leave
 * @daemon: who answers
 * @next_seq: number of the next request
 * @next_port: where the search for a free port begins
 * @requests: those without an answer
 * @maps: mappings by local port
 * @remotes: announced peers by mapped address
 * @remotes_by_age: the same, oldest first
 * @num_remotes: how many
 */
struct iwpm_net {
	struct kref ref;
	struct list_head entry;
	struct net *net;
	unsigned long noticed;
	wait_queue_head_t quiet;
	wait_queue_head_t resolved;

	spinlock_t lock; /* guards what follows */
	bool dead;
	unsigned int users;
	struct iwpm_daemon daemon;
	u32 next_seq;
	u16 next_port;
	struct list_head requests;
	DECLARE_HASHTABLE(maps, 8);
	DECLARE_HASHTABLE(remotes, 8);
	struct list_head remotes_by_age;
	unsigned int num_remotes;
};

/* net.c */
int iwpm_net_init(void);
void iwpm_net_exit(void);
/* NULL: the namespace is going. The first is for callers that keep the namespace. */
struct iwpm_net *iwpm_net_of(const struct net *net);
struct iwpm_net *iwpm_net_get(const struct net *net);
void iwpm_net_put(struct iwpm_net *ns);
/* Between the two @net stays; false: it is going. */
bool iwpm_net_enter(struct iwpm_net *ns);
void iwpm_net_leave(struct iwpm_net *ns);
/* What an nl_client has left behind, in all namespaces. */
void iwpm_net_clear_all(void);

/* addr.c */
bool iwpm_addr_equal(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
/* Copies what counts, and nothing else that a message may have had. */
void iwpm_addr_copy(struct sockaddr_storage *to, const struct sockaddr_storage *from);

/**
 * struct iwpm_request - a request to the daemon
 * @ref: of each thread that waits for it
 * @entry: in iwpm_net.requests until it is over; under iwpm_net.lock
 * @seq: its number, which the answer has, too
 * @op: RDMA_NL_IWPM_*
 * @portid: whom it was sent to last, 0: all that listen
 * @over: it is
 * @result: 0 or negative errno; once it is over
 * @dev: registration: who asks
 * @sa: others: what is asked for, and the answer
 */
struct iwpm_request {
	struct kref ref;
	struct list_head entry;
	u32 seq;
	u16 op;
	u32 portid;
	struct completion over;
	int result;
	struct iwpm_dev_data dev;
	struct iwpm_sa_data sa;
};

/* request.c */
struct iwpm_request *iwpm_request_new(u16 op);
void iwpm_request_put(struct iwpm_request *req);
void iwpm_request_enter(struct iwpm_net *ns, struct iwpm_request *req);
/* Sends it, once more if it seems lost, and waits for the answer. Returns its result. */
int iwpm_request_run(struct iwpm_net *ns, struct iwpm_request *req);
/* Those that follow are called with the namespace's lock held. */
struct iwpm_request *iwpm_request_find(struct iwpm_net *ns, u32 seq);
struct iwpm_request *iwpm_request_find_op(struct iwpm_net *ns, u16 op);
void iwpm_request_end(struct iwpm_net *ns, struct iwpm_request *req, int result);
void iwpm_request_end_all(struct iwpm_net *ns, int result);

/* message.c: NULL: no memory */
struct sk_buff *iwpm_msg_request(const struct iwpm_request *req, u16 version);
struct sk_buff *iwpm_msg_remove(u32 seq, const struct sockaddr_storage *local);
struct sk_buff *iwpm_msg_hello(u16 version);
struct sk_buff *iwpm_msg_mapinfo(const struct iwpm_sa_data *sa, u16 version);
struct sk_buff *iwpm_msg_mapinfo_num(u32 seq, u32 num);
/* Consumes the message; portid 0: to all that listen. Does not wait. */
int iwpm_msg_send(struct iwpm_net *ns, struct sk_buff *skb, u32 portid);

/* daemon.c */
/* A daemon has shown itself; a new one knows nothing yet. */
void iwpm_daemon_set(struct iwpm_net *ns, u32 portid, u16 version, bool registered);
/* It is gone, or is taken for so because it is silent. */
void iwpm_daemon_forget(struct iwpm_net *ns, u32 portid, bool unresponsive);
/* -EPROTO: we have no version in common. */
int iwpm_daemon_version(u16 theirs, u16 *common);
int iwpm_daemon_init(void);
void iwpm_daemon_exit(void);

/* query.c */
int iwpm_query_register(struct iwpm_net *ns, const struct iwpm_dev_data *dev);
/* RDMA_NL_IWPM_ADD_MAPPING or _QUERY_MAPPING. 1: done without the daemon. */
int iwpm_query(struct iwpm_net *ns, u16 op, struct iwpm_sa_data *sa);
int iwpm_query_remove(struct iwpm_net *ns, const struct sockaddr_storage *local);

/**
 * struct iwpm_map - a mapping
 * @ns: its namespace, with a reference
 * @local: real address
 * @flags: as in struct iwpm_sa_data
 *
 * Under iwpm_net.lock:
 * @entry: in iwpm_net.maps
 * @users: who has mapped the address; the last one frees it
 * @daemon_refs: how many times the daemon has been asked for it; at most @users
 * @pending: the daemon is being asked for the first time
 * @error: it refused
 * @by_client: of iwpm_create_mapinfo()
 * @mapped: address on the wire
 */
struct iwpm_map {
	struct iwpm_net *ns;
	struct sockaddr_storage local;
	u32 flags;

	struct hlist_node entry;
	unsigned int users;
	unsigned int daemon_refs;
	bool pending;
	int error;
	bool by_client;
	struct sockaddr_storage mapped;
};

/* mapinfo.c */
struct iwpm_map *iwpm_mapinfo_new(struct iwpm_net *ns, const struct sockaddr_storage *local,
				  u32 flags);
void iwpm_mapinfo_free(struct iwpm_map *map);
/* Sends all mappings to a daemon that has started. Returns what the sending gave. */
int iwpm_mapinfo_replay(struct iwpm_net *ns, u32 portid, u16 version);
void iwpm_mapinfo_clear(struct iwpm_net *ns);
/* Those that follow are called with the namespace's lock held. */
struct iwpm_map *iwpm_mapinfo_find(struct iwpm_net *ns, const struct sockaddr_storage *local);
int iwpm_mapinfo_enter(struct iwpm_net *ns, struct iwpm_map *map);
void iwpm_mapinfo_reset(struct iwpm_net *ns);

/* remote.c */
int iwpm_remote_add(struct iwpm_net *ns, const struct iwpm_sa_data *sa);
int iwpm_remote_take(struct iwpm_net *ns, const struct sockaddr_storage *mapped_loc,
		     const struct sockaddr_storage *mapped_rem, struct sockaddr_storage *real);
void iwpm_remote_clear(struct iwpm_net *ns);

/* nl_callbacks.c */
extern const struct rdma_nl_cbs iwpm_nl_cbs[];

#endif /* _KRDMA_IWPM_IWPM_H_ */
