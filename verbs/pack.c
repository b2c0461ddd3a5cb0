// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packs and unpacks the fields of headers on the wire, by tables that describe the fields.
 */
#include <rdma/ib_pack.h>

#include <linux/bug.h>
#include <linux/export.h>
#include <linux/string.h>

/*
 * Returns the mask of bit @bit of a header within the byte that contains the bit. Bits are numbered
 * from the most significant bit of byte 0.
 */
static u8 bit_mask(unsigned int bit)
{
	return 0x80 >> bit % 8;
}

static void put_bits(u8 *buf, unsigned int first, unsigned int num, u64 value)
{
	unsigned int bit;

	for (bit = first + num; bit-- > first; value >>= 1) {
		if (value & 1)
			buf[bit / 8] |= bit_mask(bit);
		else
			buf[bit / 8] &= ~bit_mask(bit);
	}
}

static u64 get_bits(const u8 *buf, unsigned int first, unsigned int num)
{
	u64 value = 0;
	unsigned int bit;

	for (bit = first; bit < first + num; bit++)
		value = value << 1 | (buf[bit / 8] & bit_mask(bit) ? 1 : 0);
	return value;
}

static unsigned int first_bit(const struct ib_field *field)
{
	return field->offset_words * 32 + field->offset_bits;
}

/* Returns the first byte of a field that is longer than 64 bits. */
static u8 *long_field(const struct ib_field *field, void *buf)
{
	WARN_ONCE(field->offset_bits % 8 || field->size_bits % 8,
		  "%s does not consist of whole bytes\n", field->field_name);
	return (u8 *)buf + first_bit(field) / 8;
}

void ib_pack(const struct ib_field *desc, int desc_len, void *structure, void *buf)
{
	const struct ib_field *field;
	const u8 *member;

	for (field = desc; field < desc + desc_len; field++) {
		member = (u8 *)structure + field->struct_offset_bytes;
		if (field->size_bits <= 64)
			put_bits(buf, first_bit(field), field->size_bits,
				 get_bits(member, 0, field->struct_size_bytes * 8));
		else if (field->struct_size_bytes)
			memcpy(long_field(field, buf), member, field->size_bits / 8);
		else
			memset(long_field(field, buf), 0, field->size_bits / 8);
	}
}
EXPORT_SYMBOL(ib_pack);

void ib_unpack(const struct ib_field *desc, int desc_len, void *buf, void *structure)
{
	const struct ib_field *field;
	u8 *member;

	for (field = desc; field < desc + desc_len; field++) {
		member = (u8 *)structure + field->struct_offset_bytes;
		if (!field->struct_size_bytes)
			continue;
		if (field->size_bits <= 64)
			put_bits(member, 0, field->struct_size_bytes * 8,
				 get_bits(buf, first_bit(field), field->size_bits));
		else
			memcpy(member, long_field(field, buf), field->size_bits / 8);
	}
}
EXPORT_SYMBOL(ib_unpack);
