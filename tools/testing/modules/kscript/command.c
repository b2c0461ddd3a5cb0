// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: the table of commands.
 */
#include <linux/string.h>

#include "tools/testing/modules/kscript/kscript.h"

static int cmd_destroy(struct ks_session *s, struct ks_args *args)
{
	struct ks_obj *obj;
	int ret;

	if (ks_args_end(args))
		return -EINVAL;
	obj = ks_obj_find(s, args->name);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = ks_obj_destroy(obj);
	ks_obj_unref(obj);
	return ret;
}

/*
 * The commands that need a device. The command "reset" and the end of the session wait until all
 * commands of this table have returned.
 */
static const struct {
	const char *word;
	int (*run)(struct ks_session *s, struct ks_args *args);
} commands[] = {
	{ "accept", ks_cmd_cm_call },
	{ "arm", ks_cmd_arm },
	{ "bind", ks_cmd_bind },
	{ "cas", ks_cmd_atomic },
	{ "check", ks_cmd_check },
	{ "connect", ks_cmd_connect },
	{ "cq", ks_cmd_cq },
	{ "destroy", cmd_destroy },
	{ "disconnect", ks_cmd_cm_call },
	{ "drain", ks_cmd_drain },
	{ "faa", ks_cmd_atomic },
	{ "fill", ks_cmd_fill },
	{ "fmap", ks_cmd_fmap },
	{ "fmr", ks_cmd_fmr },
	{ "funmap", ks_cmd_funmap },
	{ "id", ks_cmd_id },
	{ "linv", ks_cmd_linv },
	{ "listen", ks_cmd_listen },
	{ "map", ks_cmd_map },
	{ "modify", ks_cmd_modify },
	{ "mr", ks_cmd_mr },
	{ "mw", ks_cmd_mw },
	{ "peek", ks_cmd_peek },
	{ "poke", ks_cmd_poke },
	{ "poll", ks_cmd_poll },
	{ "qp", ks_cmd_qp },
	{ "query", ks_cmd_query },
	{ "raccept", ks_cmd_rid_call },
	{ "rbind", ks_cmd_rid_call },
	{ "rconnect", ks_cmd_rid_call },
	{ "rdisconnect", ks_cmd_rid_call },
	{ "read", ks_cmd_rdma },
	{ "readinv", ks_cmd_rdma },
	{ "recv", ks_cmd_recv },
	{ "reg", ks_cmd_reg },
	{ "reject", ks_cmd_cm_call },
	{ "rid", ks_cmd_rid },
	{ "rlisten", ks_cmd_rid_call },
	{ "rqp", ks_cmd_rid_call },
	{ "rquery", ks_cmd_rid_call },
	{ "rreject", ks_cmd_rid_call },
	{ "rresolve", ks_cmd_rid_call },
	{ "rroute", ks_cmd_rid_call },
	{ "rset", ks_cmd_rid_call },
	{ "send", ks_cmd_send },
	{ "sendinv", ks_cmd_send },
	{ "sleep", ks_cmd_sleep },
	{ "srq", ks_cmd_srq },
	{ "srqrecv", ks_cmd_srqrecv },
	{ "write", ks_cmd_rdma },
};

static int run_inside(struct ks_session *s, struct ks_args *args)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].word, args->word))
			break;
	if (i == ARRAY_SIZE(commands))
		return -EINVAL;
	ret = ks_session_enter(s);
	if (ret)
		return ret;
	ret = commands[i].run(s, args);
	ks_session_leave(s);
	return ret;
}

/*
 * Runs "dev" and "reset". Handlers must not run them: both take ks_session.life, and the thread
 * that holds this mutex may be waiting for the handler to return.
 */
static int run_outside(struct ks_session *s, struct ks_args *args)
{
	const char *rkey;

	if (args->in_handler)
		return -EDEADLK;
	if (!strcmp(args->word, "dev")) {
		rkey = ks_arg(args, "rkey");
		if (ks_args_end(args) || !args->name || (rkey && strcmp(rkey, "global")))
			return -EINVAL;
		return ks_session_attach(s, args->name, rkey ? IB_PD_UNSAFE_GLOBAL_RKEY : 0);
	}
	if (ks_args_end(args) || args->name)
		return -EINVAL;
	ks_session_reset(s);
	return 0;
}

int ks_command(struct ks_session *s, char *line, bool in_handler)
{
	struct ks_args args = { .in_handler = in_handler };
	int ret;

	/* These take the rest of the line, which is not split into words. */
	if (!strncmp(line, "on ", 3))
		return ks_rule_on(s, line + 3);
	if (!strncmp(line, "off ", 4))
		return ks_rule_off(s, line + 4);
	if (!strncmp(line, "say ", 4)) {
		ks_report(s, "said %s", line + 4);
		return 0;
	}
	ret = ks_args_split(&args, line);
	if (ret)
		return ret;
	if (!strcmp(args.word, "dev") || !strcmp(args.word, "reset"))
		return run_outside(s, &args);
	return run_inside(s, &args);
}
