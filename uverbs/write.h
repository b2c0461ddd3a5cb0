/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The commands of write().
 */
#ifndef _KRDMA_UVERBS_WRITE_H_
#define _KRDMA_UVERBS_WRITE_H_

#include "uverbs/uverbs.h"

/**
 * struct uverbs_command - a command
 * @run: does it; NULL: there is none
 * @req: bytes of its structure, at the least
 * @resp: bytes of its answer, at the least
 * @may_respond: it has memory for an answer in its structure, though none is due
 * @without_context: it needs no context
 */
struct uverbs_command {
	int			(*run)(struct uverbs_attr_bundle *call);
	u16			req;
	u16			resp;
	bool			may_respond;
	bool			without_context;
};

/**
 * struct uverbs_commands - all of a form
 * @list: by number
 * @num: how many
 */
struct uverbs_commands {
	const struct uverbs_command *list;
	unsigned int		num;
};

/* write_cmds.c */
extern const struct uverbs_commands uverbs_commands, uverbs_ex_commands;

/* write_qp.c */
int uverbs_write_create_qp(struct uverbs_attr_bundle *call);
int uverbs_write_create_qp_ex(struct uverbs_attr_bundle *call);
int uverbs_write_modify_qp(struct uverbs_attr_bundle *call);
int uverbs_write_modify_qp_ex(struct uverbs_attr_bundle *call);
int uverbs_write_query_qp(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_qp(struct uverbs_attr_bundle *call);
int uverbs_write_post_send(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_WRITE_H_ */
