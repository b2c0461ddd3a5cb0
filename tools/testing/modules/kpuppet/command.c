// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kpuppet: the table of commands.
 */
#include <linux/string.h>

#include "tools/testing/modules/kpuppet/kpuppet.h"

static int cmd_destroy(struct kp_session *s, struct kp_args *args)
{
	struct kp_obj *obj;
	int ret;

	if (kp_args_end(args))
		return -EINVAL;
	obj = kp_obj_find(s, args->name);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = kp_obj_destroy(obj);
	kp_obj_unfind(obj);
	return ret;
}

static int cmd_sleep(struct kp_session *s, struct kp_args *args)
{
	u64 ms = kp_needs_number(args, "ms");

	if (kp_args_end(args) || args->name)
		return -EINVAL;
	kp_session_sleep(s, ms);
	return 0;
}

/* Those that need a device, and run inside the session. */
static const struct {
	const char *word;
	int (*run)(struct kp_session *s, struct kp_args *args);
} commands[] = {
	{ "accept", kp_cmd_accept },
	{ "arm", kp_cmd_arm },
	{ "cas", kp_cmd_cas },
	{ "check", kp_cmd_check },
	{ "connect", kp_cmd_connect },
	{ "cq", kp_cmd_cq },
	{ "destroy", cmd_destroy },
	{ "disconnect", kp_cmd_disconnect },
	{ "drain", kp_cmd_drain },
	{ "faa", kp_cmd_faa },
	{ "fill", kp_cmd_fill },
	{ "id", kp_cmd_id },
	{ "linv", kp_cmd_linv },
	{ "listen", kp_cmd_listen },
	{ "modify", kp_cmd_modify },
	{ "mr", kp_cmd_mr },
	{ "peek", kp_cmd_peek },
	{ "poke", kp_cmd_poke },
	{ "poll", kp_cmd_poll },
	{ "qp", kp_cmd_qp },
	{ "query", kp_cmd_query },
	{ "raccept", kp_cmd_rid_call },
	{ "rbind", kp_cmd_rid_call },
	{ "rconnect", kp_cmd_rid_call },
	{ "rdisconnect", kp_cmd_rid_call },
	{ "read", kp_cmd_read },
	{ "readinv", kp_cmd_read },
	{ "recv", kp_cmd_recv },
	{ "reg", kp_cmd_reg },
	{ "reject", kp_cmd_reject },
	{ "rid", kp_cmd_rid },
	{ "rlisten", kp_cmd_rid_call },
	{ "rqp", kp_cmd_rid_call },
	{ "rquery", kp_cmd_rid_call },
	{ "rreject", kp_cmd_rid_call },
	{ "rresolve", kp_cmd_rid_call },
	{ "rroute", kp_cmd_rid_call },
	{ "rset", kp_cmd_rid_call },
	{ "send", kp_cmd_send },
	{ "sendinv", kp_cmd_send },
	{ "sleep", cmd_sleep },
	{ "srq", kp_cmd_srq },
	{ "srqrecv", kp_cmd_srqrecv },
	{ "write", kp_cmd_write },
};

static int run_inside(struct kp_session *s, struct kp_args *args)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].word, args->word))
			break;
	if (i == ARRAY_SIZE(commands))
		return -EINVAL;
	ret = kp_session_enter(s);
	if (ret)
		return ret;
	ret = commands[i].run(s, args);
	kp_session_leave(s);
	return ret;
}

/* They wait until nobody is inside, so nobody inside may call them. */
static int cmd_dev(struct kp_session *s, struct kp_args *args)
{
	const char *rkey = kp_arg(args, "rkey");

	if (args->in_handler)
		return -EDEADLK;
	if (kp_args_end(args) || !args->name || (rkey && strcmp(rkey, "global")))
		return -EINVAL;
	return kp_attach_by_name(s, args->name, rkey ? IB_PD_UNSAFE_GLOBAL_RKEY : 0);
}

static int cmd_reset(struct kp_session *s, struct kp_args *args)
{
	if (args->in_handler)
		return -EDEADLK;
	if (kp_args_end(args) || args->name)
		return -EINVAL;
	mutex_lock(&s->life);
	kp_session_reset(s);
	mutex_unlock(&s->life);
	return 0;
}

/* Those whose words are not arguments. */
static int run_line(struct kp_session *s, char *line, bool *done)
{
	*done = true;
	if (!strncmp(line, "on ", 3))
		return kp_rule_on(s, line + 3);
	if (!strncmp(line, "off ", 4))
		return kp_rule_off(s, line + 4);
	if (!strncmp(line, "say ", 4)) {
		kp_report(s, "said %s", line + 4);
		return 0;
	}
	*done = false;
	return 0;
}

int kp_command(struct kp_session *s, char *line, bool in_handler)
{
	struct kp_args args = { .in_handler = in_handler };
	bool done;
	int ret;

	ret = run_line(s, line, &done);
	if (done)
		return ret;
	ret = kp_args_split(&args, line);
	if (ret)
		return ret;
	if (!strcmp(args.word, "dev"))
		return cmd_dev(s, &args);
	if (!strcmp(args.word, "reset"))
		return cmd_reset(s, &args);
	return run_inside(s, &args);
}
