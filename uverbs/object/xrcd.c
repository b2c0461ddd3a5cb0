// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * XRC domains of processes. Processes that name the same file when they open a domain share the
 * domain: each process has a handle, and the close of the last handle destroys the domain.
 *
 * A shared domain has an O_PATH file, which holds the inode of the named file and keeps the file
 * system mounted. A reference to the process's open file would not do: if that file were one of
 * ib_uverbs, the reference would keep the file open, and so the domain would never be destroyed.
 * fput() defers the release of the O_PATH file, so that neither a call nor the removal of a device
 * waits for the file system.
 */
#include "uverbs/object/xrcd.h"

#include <linux/cred.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "uverbs/frame/uverbs.h"

/**
 * struct xrc_domain - an XRC domain, and the file by which processes find it
 * @entry: in uverbs_device.xrc_domains; in no list if @file is NULL
 * @file: an O_PATH file of the inode; NULL: the domain is not shared
 * @xrcd: the domain
 * @handles: number of handles; protected by uverbs_device.xrc_lock
 */
struct xrc_domain {
	struct list_head	entry;
	struct file		*file;
	struct ib_xrcd		*xrcd;
	unsigned int		handles;
};

/**
 * struct uverbs_xrcd - handle of an XRC domain
 * @uobj: the handle
 * @domain: the domain
 * @users: number of QPs and SRQs that were made with this handle
 */
struct uverbs_xrcd {
	struct ib_uobject	uobj;
	struct xrc_domain	*domain;
	atomic_t		users;
};

static struct uverbs_xrcd *to_uxrcd(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_xrcd, uobj);
}

static void free_domain(struct xrc_domain *domain)
{
	if (domain->file)
		fput(domain->file);
	kfree(domain);
}

/* Drops a handle of the domain. If it is the last handle, destroys the domain. */
static int put_domain(struct xrc_domain *domain, struct uverbs_device *udev, struct ib_udata *udata)
{
	bool last;
	int ret = 0;

	mutex_lock(&udev->xrc_lock);
	last = domain->handles == 1;
	if (last)
		ret = ib_dealloc_xrcd_user(domain->xrcd, udata);
	if (!ret) {
		domain->handles--;
		if (last)
			list_del(&domain->entry);
	}
	mutex_unlock(&udev->xrc_lock);
	if (last && !ret)
		free_domain(domain);
	return ret;
}

static int xrcd_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	struct uverbs_xrcd *uxrcd = to_uxrcd(uobj);

	if (atomic_read(&uxrcd->users))
		return -EBUSY;
	return put_domain(uxrcd->domain, uobj->ufile->device, udata);
}

const struct uverbs_object_type uverbs_xrcd_type = {
	.id = UVERBS_OBJECT_XRCD,
	.size = sizeof(struct uverbs_xrcd),
	.destroy = xrcd_destroy,
};

static struct xrc_domain *find_domain(struct uverbs_device *udev, const struct inode *inode)
{
	struct xrc_domain *domain;

	lockdep_assert_held(&udev->xrc_lock);
	list_for_each_entry(domain, &udev->xrc_domains, entry)
		if (file_inode(domain->file) == inode)
			return domain;
	return NULL;
}

/*
 * Makes a domain with one handle. @file: the file by which processes share the domain; NULL: the
 * domain is not shared.
 */
static struct xrc_domain *new_domain(struct uverbs_attr_bundle *call, struct file *file)
{
	struct xrc_domain *domain;
	int ret;

	domain = kzalloc(sizeof(*domain), GFP_KERNEL_ACCOUNT);
	if (!domain)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&domain->entry);
	if (file) {
		domain->file = dentry_open(&file->f_path, O_PATH, current_cred());
		if (IS_ERR(domain->file)) {
			ret = PTR_ERR(domain->file);
			domain->file = NULL;
			goto free;
		}
	}
	domain->xrcd = ib_alloc_xrcd_user(call->ibdev, file ? file_inode(file) : NULL,
					  &call->driver_udata);
	if (IS_ERR(domain->xrcd)) {
		ret = PTR_ERR(domain->xrcd);
		goto free;
	}
	domain->handles = 1;
	return domain;

free:
	free_domain(domain);
	return ERR_PTR(ret);
}

/* Returns the domain of the file, with one more handle counted, or makes a domain for the file. */
static struct xrc_domain *share_domain(struct uverbs_attr_bundle *call, struct file *file,
				       int oflags)
{
	struct uverbs_device *udev = call->ufile->device;
	struct xrc_domain *domain = find_domain(udev, file_inode(file));

	if (domain) {
		if (oflags & O_EXCL)
			return ERR_PTR(-EINVAL);
		domain->handles++;
		return domain;
	}
	if (!(oflags & O_CREAT))
		return ERR_PTR(-EAGAIN);
	domain = new_domain(call, file);
	if (!IS_ERR(domain))
		list_add(&domain->entry, &udev->xrc_domains);
	return domain;
}

static struct xrc_domain *open_domain(struct uverbs_attr_bundle *call, int fd, int oflags)
{
	struct uverbs_device *udev = call->ufile->device;
	struct xrc_domain *domain;
	struct file *file;

	if (fd == -1)
		return new_domain(call, NULL);
	file = fget(fd);
	if (!file)
		return ERR_PTR(-EBADF);
	mutex_lock(&udev->xrc_lock);
	domain = share_domain(call, file, oflags);
	mutex_unlock(&udev->xrc_lock);
	fput(file);
	return domain;
}

int uverbs_open_xrcd(struct uverbs_attr_bundle *call, int fd, int oflags, u32 *handle)
{
	struct xrc_domain *domain;
	struct ib_uobject *uobj;

	if (!call->ibdev->ops.alloc_xrcd)
		return -EOPNOTSUPP;
	uobj = uverbs_object_new(call, &uverbs_xrcd_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	domain = open_domain(call, fd, oflags);
	if (IS_ERR(domain))
		return PTR_ERR(domain);
	to_uxrcd(uobj)->domain = domain;
	uobj->object = domain->xrcd;
	*handle = uobj->id;
	return 0;
}

int uverbs_close_xrcd(struct uverbs_attr_bundle *call, u32 handle)
{
	return uverbs_object_destroy(call, &uverbs_xrcd_type, handle);
}

struct uverbs_xrcd *uverbs_xrcd_get(struct uverbs_attr_bundle *call, u32 handle,
				    struct ib_xrcd **xrcd)
{
	struct ib_uobject *uobj = uverbs_object_get(call, &uverbs_xrcd_type, handle);

	if (IS_ERR(uobj))
		return ERR_CAST(uobj);
	*xrcd = uobj->object;
	return to_uxrcd(uobj);
}

void uverbs_xrcd_use(struct uverbs_xrcd *uxrcd)
{
	atomic_inc(&uxrcd->users);
}

void uverbs_xrcd_unuse(struct uverbs_xrcd *uxrcd)
{
	if (uxrcd)
		atomic_dec(&uxrcd->users);
}
