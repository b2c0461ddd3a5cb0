// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The private data of a connect request: made by the client, checked byte by byte by the server.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kulp/kulp.h"

/* The bytes that follow the parameters. */
#define FILLER(i)	((u8)(0xa5 ^ (i)))

struct kulp_hello *kulp_hello_make(const struct kulp_args *args, u16 *len)
{
	struct kulp_hello *hello;
	u32 i, filler = 0;

	if (args->pdata_len > sizeof(*hello))
		filler = args->pdata_len - sizeof(*hello);
	hello = kzalloc(sizeof(*hello) + filler, GFP_KERNEL);
	if (!hello)
		return NULL;
	hello->magic = cpu_to_be32(KULP_MAGIC);
	hello->op = cpu_to_be32(args->op);
	hello->flags = cpu_to_be32(args->flags);
	hello->size = cpu_to_be32(args->size);
	hello->depth = cpu_to_be32(args->depth);
	hello->offset = cpu_to_be32(args->offset);
	hello->seed = cpu_to_be64(kulp_spoil(args, args->seed));
	for (i = 0; i < filler; i++)
		hello->filler[i] = FILLER(i);
	*len = sizeof(*hello) + filler;
	return hello;
}

int kulp_hello_parse(const void *data, u32 len, struct kulp_args *args)
{
	const struct kulp_hello *hello = data;
	u32 i;

	if (len < sizeof(*hello) || hello->magic != cpu_to_be32(KULP_MAGIC))
		return -EPROTO;
	for (i = 0; i < len - sizeof(*hello); i++)
		if (hello->filler[i] != FILLER(i))
			return -EBADMSG;

	args->op = be32_to_cpu(hello->op);
	args->flags = be32_to_cpu(hello->flags);
	args->size = be32_to_cpu(hello->size);
	args->depth = be32_to_cpu(hello->depth);
	args->offset = be32_to_cpu(hello->offset);
	args->seed = be64_to_cpu(hello->seed);
	if (args->op >= KULP_OP_COUNT || args->size > KULP_MAX_SIZE || args->offset > PAGE_SIZE ||
	    !args->depth || args->depth > KULP_MAX_DEPTH)
		return -EINVAL;
	return 0;
}
