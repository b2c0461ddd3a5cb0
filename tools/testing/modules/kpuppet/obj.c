// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kpuppet: objects by name, from their making to their end.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "tools/testing/modules/kpuppet/kpuppet.h"

/* destroy() may refuse, and then nothing has changed; free() gives back memory. */
static const struct {
	int (*destroy)(struct kp_obj *obj);
	void (*free)(struct kp_obj *obj);
} kinds[KP_NR_KINDS] = {
	[KP_RID] = { kp_rid_destroy, kp_rid_free },
	[KP_CM] = { kp_cm_destroy, kp_cm_free },
	[KP_QP] = { kp_qp_destroy, kp_qp_free },
	[KP_SRQ] = { kp_srq_destroy, kp_srq_free },
	[KP_MR] = { kp_mr_destroy, kp_mr_free },
	[KP_CQ] = { kp_cq_destroy, kp_cq_free },
};

int kp_obj_init(struct kp_obj *obj, struct kp_session *s, enum kp_kind kind, const char *name)
{
	static struct lock_class_key keys[KP_NR_KINDS];

	if (!name || strlen(name) >= KP_NAME_LEN || strpbrk(name, "=:,*."))
		return -EINVAL;
	strscpy(obj->name, name, KP_NAME_LEN);
	INIT_LIST_HEAD(&obj->entry);
	kref_init(&obj->ref);
	obj->kind = kind;
	obj->s = s;
	init_rwsem(&obj->use);
	lockdep_set_class(&obj->use, &keys[kind]);
	return 0;
}

static void free_obj(struct kref *ref)
{
	struct kp_obj *obj = container_of(ref, struct kp_obj, ref);

	kinds[obj->kind].free(obj);
}

void kp_obj_unfind(struct kp_obj *obj)
{
	kref_put(&obj->ref, free_obj);
}

static bool is_identifier(const struct kp_obj *obj)
{
	return obj->kind == KP_CM || obj->kind == KP_RID;
}

/*
 * Nobody waits here for the users of an identifier (kp_cm_destroy(), kp_rid_destroy()), whose
 * handler may command it while it is used already: by the handler itself.
 */
static void use(struct kp_obj *obj)
{
	if (!is_identifier(obj))
		down_read(&obj->use);
}

void kp_obj_put(struct kp_obj *obj)
{
	if (!is_identifier(obj))
		up_read(&obj->use);
	kp_obj_unfind(obj);
}

static struct kp_obj *look_up(struct kp_session *s, const char *name)
{
	struct kp_obj *obj;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(obj, &s->objs, entry)
		if (!strcmp(obj->name, name))
			return obj;
	return NULL;
}

/*
 * The list takes over the caller's reference, if there is room for the name. On success the caller
 * uses the object until kp_obj_put().
 */
int kp_obj_add(struct kp_obj *obj)
{
	struct kp_session *s = obj->s;
	int ret = 0;

	kref_get(&obj->ref);
	use(obj);
	spin_lock_irq(&s->lock);
	if (s->dying)
		ret = -ENODEV;
	else if (look_up(s, obj->name))
		ret = -EEXIST;
	else
		list_add_tail(&obj->entry, &s->objs);
	spin_unlock_irq(&s->lock);
	if (ret)
		kp_obj_put(obj);
	return ret;
}

/* With a reference, or ERR_PTR. */
struct kp_obj *kp_obj_find(struct kp_session *s, const char *name)
{
	struct kp_obj *obj;

	if (!name)
		return ERR_PTR(-EINVAL);
	spin_lock_irq(&s->lock);
	obj = look_up(s, name);
	if (obj)
		kref_get(&obj->ref);
	spin_unlock_irq(&s->lock);
	return obj ?: ERR_PTR(-ENOENT);
}

struct kp_obj *kp_obj_get(struct kp_session *s, enum kp_kind kind, const char *name)
{
	struct kp_obj *obj = kp_obj_find(s, name);

	if (IS_ERR(obj))
		return obj;
	if (obj->kind != kind) {
		kp_obj_unfind(obj);
		return ERR_PTR(-EMEDIUMTYPE);
	}
	use(obj);
	if (!obj->dead)
		return obj;
	kp_obj_put(obj);
	return ERR_PTR(-ENOENT);
}

static void unlist(struct kp_obj *obj)
{
	spin_lock_irq(&obj->s->lock);
	list_del_init(&obj->entry);
	spin_unlock_irq(&obj->s->lock);
}

/* The caller has a reference. The list's goes. */
int kp_obj_destroy(struct kp_obj *obj)
{
	int ret;

	if (is_identifier(obj))
		return kinds[obj->kind].destroy(obj);
	down_write(&obj->use);
	ret = obj->dead ? -ENOENT : kinds[obj->kind].destroy(obj);
	if (!ret) {
		obj->dead = true;
		unlist(obj);
	}
	up_write(&obj->use);
	if (!ret)
		kp_obj_unfind(obj);
	return ret;
}

static struct kp_obj *first(struct kp_session *s, enum kp_kind kind)
{
	struct kp_obj *obj;

	spin_lock_irq(&s->lock);
	list_for_each_entry(obj, &s->objs, entry) {
		if (obj->kind != kind)
			continue;
		kref_get(&obj->ref);
		spin_unlock_irq(&s->lock);
		return obj;
	}
	spin_unlock_irq(&s->lock);
	return NULL;
}

/* The session is dying: nobody is inside, none are added. */
void kp_obj_destroy_all(struct kp_session *s)
{
	struct kp_obj *obj;
	enum kp_kind kind;

	for (kind = 0; kind < KP_NR_KINDS; kind++) {
		while ((obj = first(s, kind))) {
			/* Refused, against the order of kinds: a bug, and a leak; reported. */
			if (WARN_ON(kp_obj_destroy(obj)))
				unlist(obj);
			kp_obj_unfind(obj);
		}
	}
}
