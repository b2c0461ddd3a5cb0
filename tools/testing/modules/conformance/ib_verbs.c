// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The names of the verbs.
 */
#include <linux/netdevice.h>
#include <linux/scatterlist.h>
#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>

#include "conformance.h"

#include "rows_types.h"
static void __maybe_unused check_ib_verbs_types(void)
{
	void (*event_handler)(struct ib_event *event, void *context);
	const union rdma_network_hdr *hdr;
	enum ib_cq_notify_flags notify_flags;
	enum ib_srq_attr_mask srq_attr_mask;
	enum ib_qp_attr_mask qp_attr_mask;
	struct ib_srq_init_attr *srq_init_attr;
	const struct ib_cq_init_attr *cq_attr;
	struct ib_qp_init_attr *qp_init_attr;
	struct ib_qp_open_attr *qp_open_attr;
	struct ib_recv_wr *recv_wr, **bad_recv_wr;
	struct ib_send_wr *send_wr, **bad_send_wr;
	enum rdma_network_type net_type;
	enum rdma_link_layer __maybe_unused link_layer;
	struct ib_mr_status *mr_status;
	const struct ib_device_ops *ops;
	enum dma_data_direction dir;
	struct ib_srq_attr *srq_attr;
	struct ib_fmr_attr *fmr_attr;
	ib_comp_handler comp_handler;
	struct rdma_ah_attr *ah_attr;
	const char * const *names;
	struct ib_qp_attr *qp_attr;
	enum ib_qp_state qp_state;
	enum ib_qp_type qp_type;
	const struct ib_grh *grh;
	struct scatterlist *sg;
	dma_addr_t *dma_handle;
	struct list_head *list;
	struct ib_device *dev;
	struct ib_xrcd *xrcd;
	unsigned int uint_arg;
	unsigned int *uint_ptr;
	unsigned long ulong_arg;
	struct ib_fmr *fmr;
	struct ib_srq *srq;
	dma_addr_t dma_addr;
	union ib_gid *gid;
	struct page *page;
	enum ib_rate rate;
	struct ib_mr *mr;
	struct ib_ah *ah;
	struct ib_qp *qp;
	struct ib_cq *cq;
	struct ib_pd *pd;
	struct ib_wc *wc;
	u64 *page_list;
	size_t size;
	u64 u64_arg;
	u32 u32_arg;
	u16 u16_arg;
	u8 u8_arg;
	void *ptr;
	gfp_t gfp;
	int n;

#include "ib_verbs_rows.h"
}

/* What has another form in Linux 6.1. */
static void __maybe_unused check_newer_types(void)
{
	const struct ib_recv_wr *recv_wr, **bad_recv_wr;
	const struct ib_send_wr *send_wr, **bad_send_wr;
	enum ib_qp_attr_mask qp_attr_mask;
	const struct rdma_stat_desc *descs;
	struct rdma_ah_attr *ah_attr;
	enum ib_qp_state qp_state;
	enum ib_qp_type qp_type;
	const struct ib_grh *grh;
	const struct ib_wc *wc;
	struct ib_device *dev;
	struct ib_udata *udata;
	struct ib_xrcd *xrcd;
	struct inode *inode;
	unsigned long ulong_arg;
	struct ib_srq *srq;
	struct ib_ah *ah;
	struct ib_qp *qp;
	struct ib_cq *cq;
	struct ib_pd *pd;
	u32 u32_arg;
	u16 u16_arg;
	int n;

	RETURNS(int, ib_post_send(qp, send_wr, bad_send_wr));
	RETURNS(int, ib_post_send(qp, send_wr, NULL));
	RETURNS(int, ib_post_recv(qp, recv_wr, bad_recv_wr));
	RETURNS(int, ib_post_recv(qp, recv_wr, NULL));
	RETURNS(int, ib_post_srq_recv(srq, recv_wr, bad_recv_wr));
	RETURNS(int, ib_post_srq_recv(srq, recv_wr, NULL));
	RETURNS(bool, ib_modify_qp_is_ok(qp_state, qp_state, qp_type, qp_attr_mask));
	RETURNS(struct ib_ah *, rdma_create_ah(pd, ah_attr, u32_arg));
	RETURNS(struct ib_ah *, ib_create_ah_from_wc(pd, wc, grh, u32_arg));
	RETURNS(int, rdma_destroy_ah(ah, u32_arg));
	RETURNS(int, ib_init_ah_attr_from_wc(dev, u32_arg, wc, grh, ah_attr));
	RETURNS(int, rdma_set_cq_moderation(cq, u16_arg, u16_arg));
	RETURNS(struct ib_xrcd *, ib_alloc_xrcd_user(dev, inode, udata));
	RETURNS(int, ib_dealloc_xrcd_user(xrcd, udata));
	RETURNS(struct rdma_hw_stats *, rdma_alloc_hw_stats_struct(descs, n, ulong_arg));
}

#include "rows_cases.h"
static const struct ktap_case ib_verbs_cases[] = {
#include "ib_verbs_rows.h"
};

KTAP_SUITE(kt_ib_verbs_rows, "ib_verbs", ib_verbs_cases);
