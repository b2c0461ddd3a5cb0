// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Buffers of the test ULP: memory, SGE lists, the data pattern, files.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "tools/testing/modules/kulp/kulp.h"

static u32 chunk_len(const struct kulp_buf *buf, int i)
{
	return min(KULP_CHUNK, buf->size - i * KULP_CHUNK);
}

static void free_exact(void *chunk, u32 len)
{
	if (len < PAGE_SIZE)
		kfree(chunk);
	else
		free_pages_exact(chunk, PAGE_ALIGN(len));
}

void kulp_buf_free(struct kulp_buf *buf)
{
	int i;

	for (i = 0; i < buf->num_chunks; i++) {
		u32 len = chunk_len(buf, i);

		if (!buf->dev) {
			put_page(virt_to_page(buf->chunk[i]));
			continue;
		}
		ib_dma_unmap_single(buf->dev, buf->dma[i], len, DMA_BIDIRECTIONAL);
		free_exact(buf->chunk[i], len);
	}
	buf->num_chunks = 0;
}

/*
 * Adds a chunk. For TCP the chunk is a compound page: a reference of TCP to any part of it keeps
 * all of it allocated, and TCP needs one fragment for it instead of one for each small page. For
 * RDMA the chunk is a part of a page if less than one is needed.
 */
static int add_chunk(struct kulp_buf *buf)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN;
	int i = buf->num_chunks;
	u32 len = chunk_len(buf, i);
	void *chunk;

	if (!buf->dev)
		chunk = (void *)__get_free_pages(gfp | __GFP_COMP, get_order(len));
	else if (len < PAGE_SIZE)
		chunk = kmalloc(len, gfp);
	else
		chunk = alloc_pages_exact(PAGE_ALIGN(len), gfp);
	if (!chunk)
		return -ENOMEM;
	if (buf->dev) {
		buf->dma[i] = ib_dma_map_single(buf->dev, chunk, len, DMA_BIDIRECTIONAL);
		if (ib_dma_mapping_error(buf->dev, buf->dma[i])) {
			free_exact(chunk, len);
			return -ENOMEM;
		}
	}
	buf->chunk[i] = chunk;
	buf->num_chunks++;
	return 0;
}

int kulp_buf_alloc(struct kulp_buf *buf, struct ib_device *dev, u32 size)
{
	int ret = 0;

	if (size > KULP_MAX_CHUNKS * KULP_CHUNK)
		return -EINVAL;
	*buf = (struct kulp_buf) { .dev = dev, .size = max(size, 1u) };
	while (!ret && buf->num_chunks * KULP_CHUNK < buf->size)
		ret = add_chunk(buf);
	if (ret)
		kulp_buf_free(buf);
	return ret;
}

int kulp_buf_sges(const struct kulp_buf *buf, u32 offset, u32 len, u32 lkey, struct ib_sge *sges)
{
	int n = 0;

	while (len) {
		u32 in_chunk = offset % KULP_CHUNK;
		u32 piece = min(len, KULP_CHUNK - in_chunk);

		sges[n++] = (struct ib_sge) {
			.addr = buf->dma[offset / KULP_CHUNK] + in_chunk,
			.length = piece,
			.lkey = lkey,
		};
		offset += piece;
		len -= piece;
	}
	return n;
}

int kulp_buf_map(const struct kulp_buf *buf, struct ib_mr *mr, u32 pages)
{
	struct scatterlist sg[KULP_MAX_CHUNKS];
	u32 left = pages << PAGE_SHIFT;
	int num = 0, n;

	sg_init_table(sg, KULP_MAX_CHUNKS);
	while (left && num < buf->num_chunks) {
		u32 len = min_t(u32, left, PAGE_ALIGN(chunk_len(buf, num)));

		sg_set_buf(&sg[num], buf->chunk[num], len);
		left -= len;
		num++;
	}
	n = ib_dma_map_sg(buf->dev, sg, num, DMA_BIDIRECTIONAL);
	if (n != num)
		return -EIO;
	/*
	 * Unmapping at once is safe: a mapping for virtual DMA holds no resource, and for real
	 * devices the chunks have a mapping of their own.
	 */
	n = ib_map_mr_sg(mr, sg, num, NULL, PAGE_SIZE);
	ib_dma_unmap_sg(buf->dev, sg, num, DMA_BIDIRECTIONAL);
	return n == num ? 0 : n < 0 ? n : -EINVAL;
}

int kulp_buf_map_part(const struct kulp_buf *buf, struct ib_mr *mr, u32 offset, u32 len)
{
	struct scatterlist sg;
	int n;

	sg_init_one(&sg, (u8 *)buf->chunk[offset / KULP_CHUNK] + offset % KULP_CHUNK, len);
	if (ib_dma_map_sg(buf->dev, &sg, 1, DMA_BIDIRECTIONAL) != 1)
		return -EIO;
	n = ib_map_mr_sg(mr, &sg, 1, NULL, PAGE_SIZE);
	ib_dma_unmap_sg(buf->dev, &sg, 1, DMA_BIDIRECTIONAL);
	return n == 1 ? 0 : n < 0 ? n : -EINVAL;
}

u8 kulp_pattern(u32 i, u64 seed)
{
	u64 mixed = (seed + 1) * 0x9e3779b97f4a7c15ULL;

	return (i * 131) ^ (i >> 8) ^ (i >> 16) ^ (mixed >> (8 * (i & 7)));
}

static u8 *byte_at(const struct kulp_buf *buf, u32 offset)
{
	return (u8 *)buf->chunk[offset / KULP_CHUNK] + offset % KULP_CHUNK;
}

#define BLOCK	256

/*
 * The pattern in blocks of BLOCK bytes: each block is the first one, XORed with one byte that all
 * bytes of a block have in common. See kulp_pattern().
 */
struct pattern {
	u64 first[BLOCK / sizeof(u64)];
	u64 block[BLOCK / sizeof(u64)];
};

static void pattern_init(struct pattern *pattern, u64 seed)
{
	u8 *first = (u8 *)pattern->first;
	u32 i;

	for (i = 0; i < BLOCK; i++)
		first[i] = kulp_pattern(i, seed);
}

/*
 * Makes the block that byte @i of the pattern is in. Returns the address of this byte in the block,
 * and stores in *@len how many bytes of it, at most *@len, are in one chunk from @offset on.
 */
static const u8 *pattern_piece(struct pattern *pattern, u32 i, u32 offset, u32 *len)
{
	u64 common = (u8)((i >> 8) ^ (i >> 16)) * 0x0101010101010101ULL;
	u32 w;

	for (w = 0; w < ARRAY_SIZE(pattern->block); w++)
		pattern->block[w] = pattern->first[w] ^ common;
	*len = min3(*len, BLOCK - i % BLOCK, KULP_CHUNK - offset % KULP_CHUNK);
	return (u8 *)pattern->block + i % BLOCK;
}

void kulp_buf_fill(struct kulp_buf *buf, u32 offset, u32 len, u64 seed)
{
	struct pattern pattern;
	const u8 *piece;
	u32 i, n;

	pattern_init(&pattern, seed);
	for (i = 0; i < len; i += n) {
		n = len - i;
		piece = pattern_piece(&pattern, i, offset + i, &n);
		memcpy(byte_at(buf, offset + i), piece, n);
	}
}

s64 kulp_buf_check(const struct kulp_buf *buf, u32 offset, u32 len, u64 seed)
{
	struct pattern pattern;
	const u8 *piece, *have;
	u32 i, n, equal = 0;

	pattern_init(&pattern, seed);
	for (i = 0; i < len; i += n) {
		n = len - i;
		piece = pattern_piece(&pattern, i, offset + i, &n);
		have = byte_at(buf, offset + i);
		if (!memcmp(have, piece, n))
			continue;
		while (equal < n - 1 && have[equal] == piece[equal])
			equal++;
		return i + equal;
	}
	return -1;
}

ssize_t kulp_buf_file(struct kulp_buf *buf, u32 offset, u32 len, struct file *file, loff_t pos,
		      bool write)
{
	ssize_t total = 0;

	while (len) {
		u32 piece = min(len, KULP_CHUNK - offset % KULP_CHUNK);
		u8 *at = byte_at(buf, offset);
		ssize_t n = write ? kernel_write(file, at, piece, &pos) :
				    kernel_read(file, at, piece, &pos);

		if (n < 0)
			return n;
		total += n;
		if (n < piece)
			break;
		offset += piece;
		len -= piece;
	}
	return total;
}
