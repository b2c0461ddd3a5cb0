/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * DMA mapping on behalf of a device. A device without a DMA engine of its own (software providers)
 * has no dma_device; its DMA addresses are kernel virtual addresses.
 */
#ifndef _RDMA_VERBS_DMA_H_
#define _RDMA_VERBS_DMA_H_

#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>
#include <rdma/verbs/device.h>

/**
 * ib_uses_virt_dma - are this device's DMA addresses kernel virtual addresses?
 * @dev: the device
 *
 * Any context.
 *
 * Return: true if the device was registered without a DMA device.
 */
static inline bool ib_uses_virt_dma(struct ib_device *dev)
{
	return !dev->dma_device;
}

/**
 * ib_dma_pci_p2p_dma_supported - can the device reach memory on another PCI device?
 * @dev: the device
 *
 * Any context.
 *
 * Return: true if it can; always false for a device without a DMA engine.
 */
static inline bool ib_dma_pci_p2p_dma_supported(struct ib_device *dev)
{
	return !ib_uses_virt_dma(dev) && dma_pci_p2pdma_supported(dev->dma_device);
}

/**
 * ib_dma_mapping_error - did a mapping fail?
 * @dev: the device
 * @dma_addr: result of ib_dma_map_single() or ib_dma_map_page()
 *
 * Any context. Callers check the result of every mapping.
 *
 * Return: non-zero if the mapping failed.
 */
static inline int ib_dma_mapping_error(struct ib_device *dev, u64 dma_addr)
{
	return ib_uses_virt_dma(dev) ? !dma_addr : dma_mapping_error(dev->dma_device, dma_addr);
}

/**
 * ib_dma_map_single - map kernel memory for the device
 * @dev: the device
 * @cpu_addr: kernel virtual address of the memory, in the linear mapping
 * @size: number of bytes
 * @direction: direction of the transfer
 *
 * Any context. ib_dma_unmap_single() undoes the mapping.
 *
 * Return: the DMA address, to be checked with ib_dma_mapping_error().
 */
static inline u64 ib_dma_map_single(struct ib_device *dev, void *cpu_addr, size_t size,
				    enum dma_data_direction direction)
{
	if (!ib_uses_virt_dma(dev))
		return dma_map_single(dev->dma_device, cpu_addr, size, direction);
	return (uintptr_t)cpu_addr;
}

/**
 * ib_dma_unmap_single - undo ib_dma_map_single()
 * @dev: the device
 * @addr: the DMA address
 * @size: bytes, as mapped
 * @direction: as mapped
 *
 * Any context.
 */
static inline void ib_dma_unmap_single(struct ib_device *dev, u64 addr, size_t size,
				       enum dma_data_direction direction)
{
	if (ib_uses_virt_dma(dev))
		return;
	dma_unmap_single(dev->dma_device, addr, size, direction);
}

/**
 * ib_dma_map_page - map a piece of a page for the device
 * @dev: the device
 * @page: the page
 * @offset: offset of the piece in the page, in bytes
 * @size: length of the piece in bytes
 * @direction: direction of the transfer
 *
 * Any context. ib_dma_unmap_page() undoes the mapping.
 *
 * Return: the DMA address, to be checked with ib_dma_mapping_error().
 */
static inline u64 ib_dma_map_page(struct ib_device *dev, struct page *page, unsigned long offset,
				  size_t size, enum dma_data_direction direction)
{
	void *base;

	if (!ib_uses_virt_dma(dev))
		return dma_map_page(dev->dma_device, page, offset, size, direction);

	/* A page of high memory has no permanent kernel address. */
	base = page_address(page);
	return base ? (uintptr_t)base + offset : 0;
}

/**
 * ib_dma_unmap_page - undo ib_dma_map_page()
 * @dev: the device
 * @addr: the DMA address
 * @size: bytes, as mapped
 * @direction: as mapped
 *
 * Any context.
 */
static inline void ib_dma_unmap_page(struct ib_device *dev, u64 addr, size_t size,
				     enum dma_data_direction direction)
{
	if (ib_uses_virt_dma(dev))
		return;
	dma_unmap_page(dev->dma_device, addr, size, direction);
}

/**
 * ib_dma_virt_map_sg - ib_dma_map_sg() for devices whose DMA addresses are kernel virtual addresses
 * @dev: the device
 * @sg: the list
 * @nents: number of its elements
 *
 * Any context.
 *
 * Return: @nents; 0 if a page has no kernel address.
 */
int ib_dma_virt_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents);

/**
 * ib_dma_map_sg_attrs - ib_dma_map_sg() with DMA attributes
 * @dev: the device
 * @sg: the list
 * @nents: number of its elements
 * @direction: direction of the transfer
 * @dma_attrs: DMA_ATTR_*
 *
 * Any context. ib_dma_unmap_sg_attrs() undoes the mapping.
 *
 * Return: as ib_dma_map_sg().
 */
static inline int ib_dma_map_sg_attrs(struct ib_device *dev, struct scatterlist *sg, int nents,
				      enum dma_data_direction direction, unsigned long dma_attrs)
{
	if (!ib_uses_virt_dma(dev))
		return dma_map_sg_attrs(dev->dma_device, sg, nents, direction, dma_attrs);
	return ib_dma_virt_map_sg(dev, sg, nents);
}

/**
 * ib_dma_unmap_sg_attrs - undo ib_dma_map_sg_attrs()
 * @dev: the device
 * @sg: the list
 * @nents: number of elements as given to ib_dma_map_sg_attrs(), not as returned by it
 * @direction: as mapped
 * @dma_attrs: as mapped
 *
 * Any context.
 */
static inline void ib_dma_unmap_sg_attrs(struct ib_device *dev, struct scatterlist *sg, int nents,
					 enum dma_data_direction direction, unsigned long dma_attrs)
{
	if (ib_uses_virt_dma(dev))
		return;
	dma_unmap_sg_attrs(dev->dma_device, sg, nents, direction, dma_attrs);
}

/**
 * ib_dma_map_sg - map a scatter/gather list for the device
 * @dev: the device
 * @sg: the list
 * @nents: number of its elements
 * @direction: direction of the transfer
 *
 * Any context. ib_dma_unmap_sg() undoes the mapping.
 *
 * Return: the number of mapped elements, which may be less than @nents; 0 on failure.
 */
static inline int ib_dma_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents,
				enum dma_data_direction direction)
{
	return ib_dma_map_sg_attrs(dev, sg, nents, direction, 0);
}

/**
 * ib_dma_unmap_sg - undo ib_dma_map_sg()
 * @dev: the device
 * @sg: the list
 * @nents: number of elements as given to ib_dma_map_sg(), not as returned by it
 * @direction: as mapped
 *
 * Any context.
 */
static inline void ib_dma_unmap_sg(struct ib_device *dev, struct scatterlist *sg, int nents,
				   enum dma_data_direction direction)
{
	ib_dma_unmap_sg_attrs(dev, sg, nents, direction, 0);
}

/**
 * ib_dma_map_sgtable_attrs - map a scatter/gather table for the device
 * @dev: the device
 * @sgt: the table; its nents becomes the number of mapped elements
 * @direction: direction of the transfer
 * @dma_attrs: DMA_ATTR_*
 *
 * Any context. ib_dma_unmap_sgtable_attrs() undoes the mapping.
 *
 * Return: 0; -EIO if a page has no kernel address; or the error of dma_map_sgtable().
 */
static inline int ib_dma_map_sgtable_attrs(struct ib_device *dev, struct sg_table *sgt,
					   enum dma_data_direction direction,
					   unsigned long dma_attrs)
{
	int mapped;

	if (!ib_uses_virt_dma(dev))
		return dma_map_sgtable(dev->dma_device, sgt, direction, dma_attrs);

	mapped = ib_dma_virt_map_sg(dev, sgt->sgl, sgt->orig_nents);
	if (mapped)
		sgt->nents = mapped;
	return mapped ? 0 : -EIO;
}

/**
 * ib_dma_unmap_sgtable_attrs - undo ib_dma_map_sgtable_attrs()
 * @dev: the device
 * @sgt: the table
 * @direction: as mapped
 * @dma_attrs: as mapped
 *
 * Any context.
 */
static inline void ib_dma_unmap_sgtable_attrs(struct ib_device *dev, struct sg_table *sgt,
					      enum dma_data_direction direction,
					      unsigned long dma_attrs)
{
	if (ib_uses_virt_dma(dev))
		return;
	dma_unmap_sgtable(dev->dma_device, sgt, direction, dma_attrs);
}

/**
 * ib_sg_dma_address - DMA address of a mapped element; newer callers use sg_dma_address()
 * @dev: the device
 * @sg: the element
 *
 * Return: the address.
 */
static inline u64 ib_sg_dma_address(struct ib_device *dev, struct scatterlist *sg)
{
	return sg_dma_address(sg);
}

/**
 * ib_sg_dma_len - length of a mapped element; newer callers use sg_dma_len()
 * @dev: the device
 * @sg: the element
 *
 * Return: bytes.
 */
static inline unsigned int ib_sg_dma_len(struct ib_device *dev, struct scatterlist *sg)
{
	return sg_dma_len(sg);
}

/**
 * ib_dma_max_seg_size - length of the longest element that the device supports
 * @dev: the device
 *
 * Any context.
 *
 * Return: the number of bytes; UINT_MAX if there is no limit.
 */
static inline unsigned int ib_dma_max_seg_size(struct ib_device *dev)
{
	return ib_uses_virt_dma(dev) ? UINT_MAX : dma_get_max_seg_size(dev->dma_device);
}

/**
 * ib_dma_sync_single_for_cpu - let the CPU access mapped memory; the mapping stays
 * @dev: the device
 * @addr: the DMA address
 * @size: bytes
 * @dir: as mapped
 *
 * Any context.
 */
static inline void ib_dma_sync_single_for_cpu(struct ib_device *dev, u64 addr, size_t size,
					      enum dma_data_direction dir)
{
	if (ib_uses_virt_dma(dev))
		return;
	dma_sync_single_for_cpu(dev->dma_device, addr, size, dir);
}

/**
 * ib_dma_sync_single_for_device - let the device access mapped memory again
 * @dev: the device
 * @addr: the DMA address
 * @size: bytes
 * @dir: as mapped
 *
 * Any context.
 */
static inline void ib_dma_sync_single_for_device(struct ib_device *dev, u64 addr, size_t size,
						 enum dma_data_direction dir)
{
	if (ib_uses_virt_dma(dev))
		return;
	dma_sync_single_for_device(dev->dma_device, addr, size, dir);
}

/**
 * ib_dma_alloc_coherent - allocate memory that CPU and device share
 * @dev: the device
 * @size: number of bytes
 * @dma_handle: out: DMA address of the memory
 * @flag: GFP_*
 *
 * Any context that @flag allows. ib_dma_free_coherent() frees the memory.
 *
 * Return: zeroed, page-aligned memory; NULL if there is none or @size is 0.
 */
void *ib_dma_alloc_coherent(struct ib_device *dev, size_t size, dma_addr_t *dma_handle,
			    gfp_t flag);

/**
 * ib_dma_free_coherent - free what ib_dma_alloc_coherent() allocated
 * @dev: the device
 * @size: bytes, as allocated
 * @cpu_addr: the memory
 * @dma_handle: its DMA address
 *
 * Process or softirq context with interrupts on.
 */
void ib_dma_free_coherent(struct ib_device *dev, size_t size, void *cpu_addr,
			  dma_addr_t dma_handle);

#endif /* _RDMA_VERBS_DMA_H_ */
