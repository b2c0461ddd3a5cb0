// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * This module computes CRC32c with the processor's instruction in user-mode kernels. User-mode
 * kernels run on an x86-64 processor, but the x86 module for CRC32c is not built for them, and with
 * the generic code a CRC would cost several times what it costs in a real machine. Load this module
 * before libcrc32c, because libcrc32c keeps the first implementation that it finds. Nothing loads
 * this module automatically.
 */
#include <crypto/internal/hash.h>
#include <linux/crc32.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#define SSE4_2		BIT(20)	/* in ecx of cpuid's leaf 1 */

/*
 * The processor can start three CRC instructions in the time in which one yields its result. So
 * three streams are interleaved, and their CRCs are combined. Long streams are combined more
 * seldom; short ones leave few bytes over, as the x86 module does with the bytes of an FPDU.
 */
#define LONG_STREAM	256
#define SHORT_STREAM	64

/*
 * A table for appending the zero bytes of a stream to a CRC. Entry [i][v] is the new CRC if byte i
 * of the old CRC is v and the other bytes of the old CRC are 0. For any old CRC, the new CRC is the
 * XOR of four entries, one of each row.
 */
typedef u32 shift_table[4][256];

static shift_table shifted_by_long __ro_after_init;
static shift_table shifted_by_short __ro_after_init;

static u32 add_word(u32 crc, const u8 *data)
{
	u64 wide = crc;

	asm("crc32q %1, %0" : "+r" (wide) : "rm" (get_unaligned((const u64 *)data)));
	return wide;
}

static u32 add_words(u32 crc, const u8 *data, size_t len)
{
	for (; len >= sizeof(u64); len -= sizeof(u64), data += sizeof(u64))
		crc = add_word(crc, data);
	for (; len; len--, data++)
		asm("crc32b %1, %0" : "+r" (crc) : "rm" (*data));
	return crc;
}

static u32 shift_by_stream(shift_table table, u32 crc)
{
	return table[0][crc & 0xff] ^ table[1][crc >> 8 & 0xff] ^ table[2][crc >> 16 & 0xff] ^
	       table[3][crc >> 24];
}

/* Adds three streams of @stream bytes each. */
static __always_inline u32 add_streams(u32 crc, const u8 *data, size_t stream, shift_table table)
{
	u32 second = 0, third = 0;
	size_t i;

	for (i = 0; i < stream; i += sizeof(u64)) {
		crc = add_word(crc, data + i);
		second = add_word(second, data + stream + i);
		third = add_word(third, data + 2 * stream + i);
	}
	return shift_by_stream(table, shift_by_stream(table, crc) ^ second) ^ third;
}

static u32 add_bytes(u32 crc, const u8 *data, size_t len)
{
	for (; len >= 3 * LONG_STREAM; len -= 3 * LONG_STREAM, data += 3 * LONG_STREAM)
		crc = add_streams(crc, data, LONG_STREAM, shifted_by_long);
	for (; len >= 3 * SHORT_STREAM; len -= 3 * SHORT_STREAM, data += 3 * SHORT_STREAM)
		crc = add_streams(crc, data, SHORT_STREAM, shifted_by_short);
	return add_words(crc, data, len);
}

static void __init make_table(shift_table table, size_t stream)
{
	static const u8 zeros[LONG_STREAM] __initconst;
	int byte, value;

	for (byte = 0; byte < 4; byte++)
		for (value = 0; value < 256; value++)
			table[byte][value] = add_words((u32)value << 8 * byte, zeros, stream);
}

static int crc_init_tfm(struct crypto_tfm *tfm)
{
	*(u32 *)crypto_tfm_ctx(tfm) = ~0;
	return 0;
}

static int crc_setkey(struct crypto_shash *tfm, const u8 *key, unsigned int len)
{
	u32 *seed = crypto_shash_ctx(tfm);

	if (len != sizeof(*seed))
		return -EINVAL;
	*seed = get_unaligned_le32(key);
	return 0;
}

static int crc_init(struct shash_desc *desc)
{
	*(u32 *)shash_desc_ctx(desc) = *(u32 *)crypto_shash_ctx(desc->tfm);
	return 0;
}

static int crc_update(struct shash_desc *desc, const u8 *data, unsigned int len)
{
	u32 *crc = shash_desc_ctx(desc);

	*crc = add_bytes(*crc, data, len);
	return 0;
}

static int crc_final(struct shash_desc *desc, u8 *out)
{
	put_unaligned_le32(~*(u32 *)shash_desc_ctx(desc), out);
	return 0;
}

static int crc_finup(struct shash_desc *desc, const u8 *data, unsigned int len, u8 *out)
{
	put_unaligned_le32(~add_bytes(*(u32 *)shash_desc_ctx(desc), data, len), out);
	return 0;
}

static int crc_digest(struct shash_desc *desc, const u8 *data, unsigned int len, u8 *out)
{
	put_unaligned_le32(~add_bytes(*(u32 *)crypto_shash_ctx(desc->tfm), data, len), out);
	return 0;
}

static struct shash_alg crc_alg = {
	.setkey = crc_setkey,
	.init = crc_init,
	.update = crc_update,
	.final = crc_final,
	.finup = crc_finup,
	.digest = crc_digest,
	.descsize = sizeof(u32),
	.digestsize = sizeof(u32),
	.base = {
		.cra_name = "crc32c",
		.cra_driver_name = "crc32c-crc32q",
		.cra_priority = 200,
		.cra_flags = CRYPTO_ALG_OPTIONAL_KEY,
		.cra_blocksize = 1,
		.cra_ctxsize = sizeof(u32),
		.cra_init = crc_init_tfm,
		.cra_module = THIS_MODULE,
	},
};

/* Executes cpuid, because a user-mode kernel does not know all features of the processor. */
static bool __init has_instruction(void)
{
	u32 eax = 1, ebx, ecx = 0, edx;

	asm("cpuid" : "+a" (eax), "=b" (ebx), "+c" (ecx), "=d" (edx));
	return ecx & SSE4_2;
}

/*
 * Returns whether add_bytes() computes the same CRCs as the generic code, for lengths around the
 * boundary of each loop, and at each alignment. Also returns false if there is no memory.
 */
static bool __init matches_generic(void)
{
	static const u16 lens[] __initconst = {
		0, 1, 7, 8, 9, 63, 191, 192, 193, 255, 767, 768, 769, 960, 1460, 1536, 3000, 4000,
	};
	u8 *data = kmalloc(PAGE_SIZE, GFP_KERNEL);
	bool same = data;
	int i, offset;

	for (i = 0; data && i < PAGE_SIZE; i++)
		data[i] = i * 7 ^ i >> 8 ^ 0x5a;
	for (i = 0; i < ARRAY_SIZE(lens); i++)
		for (offset = 0; same && offset < sizeof(u64); offset++)
			same = add_bytes(~i, data + offset, lens[i]) ==
				__crc32c_le(~i, data + offset, lens[i]);
	kfree(data);
	return same;
}

static int __init kt_crc32c_init(void)
{
	if (!has_instruction()) {
		pr_info("kt_crc32c: the processor has no CRC32c instruction\n");
		return -ENODEV;
	}
	make_table(shifted_by_long, LONG_STREAM);
	make_table(shifted_by_short, SHORT_STREAM);
	if (!matches_generic()) {
		pr_err("kt_crc32c: results differ from the generic code's\n");
		return -EINVAL;
	}
	return crypto_register_shash(&crc_alg);
}

static void __exit kt_crc32c_exit(void)
{
	crypto_unregister_shash(&crc_alg);
}

module_init(kt_crc32c_init);
module_exit(kt_crc32c_exit);

MODULE_DESCRIPTION("CRC32c by the processor's instruction, for user-mode kernels");
MODULE_LICENSE("Dual BSD/GPL");
