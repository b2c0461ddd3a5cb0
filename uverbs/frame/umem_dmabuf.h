/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How calls wait for DMA-BUFs. The functions for providers are declared in <rdma/ib_umem.h>.
 */
#ifndef _KRDMA_UVERBS_FRAME_UMEM_DMABUF_H_
#define _KRDMA_UVERBS_FRAME_UMEM_DMABUF_H_

struct uverbs_pin;

#ifdef CONFIG_DMA_SHARED_BUFFER

/**
 * uverbs_dmabuf_wait - wait for the DMA-BUF that a call needs
 * @pin: state of the call, with a DMA-BUF, which the function releases
 *
 * Waits until nobody holds the reservation lock, and then until the exporter has moved the memory.
 * The wait for the move ends after 0.1 s, because the next run of the call has to find out whether
 * the device was removed meanwhile. Called in the context of the process, without the device's SRCU
 * held, because others may hold the lock for any time.
 *
 * Return: 0: run the call again; -ERESTARTSYS: a signal is pending; or the errno with which the
 * wait for a fence has failed.
 */
int uverbs_dmabuf_wait(struct uverbs_pin *pin);

/**
 * uverbs_dmabuf_put - release the DMA-BUF that the call was to wait for, if it has one
 * @pin: state of the call, with or without a DMA-BUF
 */
void uverbs_dmabuf_put(struct uverbs_pin *pin);

#else

static inline int uverbs_dmabuf_wait(struct uverbs_pin *pin)
{
	return 0;
}

static inline void uverbs_dmabuf_put(struct uverbs_pin *pin)
{
}

#endif

#endif /* _KRDMA_UVERBS_FRAME_UMEM_DMABUF_H_ */
