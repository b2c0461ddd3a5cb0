// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: objects: creation, look-up by name, use and destruction.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "tools/testing/modules/kscript/kscript.h"

void *ks_obj_new(size_t size, struct ks_session *s, enum ks_kind kind,
		 int (*destroy)(struct ks_obj *obj), const char *name)
{
	static struct lock_class_key keys[KS_NR_KINDS];
	struct ks_obj *obj;

	if (!name || strlen(name) >= KS_NAME_LEN || strpbrk(name, "=:,*."))
		return ERR_PTR(-EINVAL);
	obj = kzalloc(size, GFP_KERNEL);
	if (!obj)
		return ERR_PTR(-ENOMEM);
	strscpy(obj->name, name, KS_NAME_LEN);
	INIT_LIST_HEAD(&obj->entry);
	kref_init(&obj->ref);
	obj->kind = kind;
	obj->destroy = destroy;
	obj->s = s;
	init_rwsem(&obj->use);
	lockdep_set_class(&obj->use, &keys[kind]);
	return obj;
}

static void free_obj(struct kref *ref)
{
	kfree(container_of(ref, struct ks_obj, ref));
}

void ks_event_report(struct ib_event *event, void *context)
{
	struct ks_obj *obj = context;

	ks_report(obj->s, "async %s %s", ks_name(KS_EVENTS, event->event), obj->name);
}

void ks_obj_unref(struct ks_obj *obj)
{
	kref_put(&obj->ref, free_obj);
}

static bool is_identifier(const struct ks_obj *obj)
{
	return obj->kind == KS_CM || obj->kind == KS_RID;
}

/*
 * Identifiers are not locked, because a handler would deadlock: it uses its identifier while it
 * runs a command that uses or destroys the same identifier. destroy_cm() and destroy_rid() allow
 * for concurrent users.
 */
static void use(struct ks_obj *obj, int depth)
{
	if (!is_identifier(obj))
		down_read_nested(&obj->use, depth);
}

void ks_obj_put(struct ks_obj *obj)
{
	if (!is_identifier(obj))
		up_read(&obj->use);
	ks_obj_unref(obj);
}

static struct ks_obj *look_up(struct ks_session *s, const char *name)
{
	struct ks_obj *obj;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(obj, &s->objs, entry)
		if (!strcmp(obj->name, name))
			return obj;
	return NULL;
}

/*
 * Adds the object to the session's list. On success, the list takes over the caller's reference,
 * and the caller may use the object until it calls ks_obj_put(). Returns -EEXIST if the name is
 * taken, -ENODEV if the session is dying.
 */
int ks_obj_add(struct ks_obj *obj)
{
	struct ks_session *s = obj->s;
	int ret = 0;

	kref_get(&obj->ref);
	use(obj, 0);
	spin_lock_irq(&s->lock);
	if (s->dying)
		ret = -ENODEV;
	else if (look_up(s, obj->name))
		ret = -EEXIST;
	else
		list_add_tail(&obj->entry, &s->objs);
	spin_unlock_irq(&s->lock);
	if (ret)
		ks_obj_put(obj);
	return ret;
}

/* Returns the object with a reference, or ERR_PTR. */
struct ks_obj *ks_obj_find(struct ks_session *s, const char *name)
{
	struct ks_obj *obj;

	if (!name)
		return ERR_PTR(-EINVAL);
	spin_lock_irq(&s->lock);
	obj = look_up(s, name);
	if (obj)
		kref_get(&obj->ref);
	spin_unlock_irq(&s->lock);
	return obj ?: ERR_PTR(-ENOENT);
}

struct ks_obj *ks_obj_get_nested(struct ks_session *s, enum ks_kind kind, const char *name,
				 int depth)
{
	struct ks_obj *obj = ks_obj_find(s, name);

	if (IS_ERR(obj))
		return obj;
	if (obj->kind != kind) {
		ks_obj_unref(obj);
		return ERR_PTR(-EMEDIUMTYPE);
	}
	use(obj, depth);
	if (!obj->dead)
		return obj;
	ks_obj_put(obj);
	return ERR_PTR(-ENOENT);
}

static void unlist(struct ks_obj *obj)
{
	spin_lock_irq(&obj->s->lock);
	list_del_init(&obj->entry);
	spin_unlock_irq(&obj->s->lock);
}

/*
 * Called with a reference held. On success, also drops the list's reference to the object, unless
 * the object is an identifier: for identifiers, ks_objs_free_deferred() drops that reference later.
 */
int ks_obj_destroy(struct ks_obj *obj)
{
	int ret;

	if (is_identifier(obj))
		return obj->destroy(obj);
	down_write(&obj->use);
	ret = obj->dead ? -ENOENT : obj->destroy(obj);
	if (!ret) {
		obj->dead = true;
		unlist(obj);
	}
	up_write(&obj->use);
	if (!ret)
		ks_obj_unref(obj);
	return ret;
}

static struct ks_obj *first(struct ks_session *s, enum ks_kind kind)
{
	struct ks_obj *obj;

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

/* Called while the session is dying: no command runs, and no object is added. */
void ks_obj_destroy_all(struct ks_session *s)
{
	struct ks_obj *obj;
	enum ks_kind kind;

	for (kind = 0; kind < KS_NR_KINDS; kind++) {
		while ((obj = first(s, kind))) {
			/*
			 * A refusal is a bug, because the users of an object are destroyed before
			 * the object. A refused object leaks.
			 */
			if (WARN_ON(ks_obj_destroy(obj)))
				unlist(obj);
			ks_obj_unref(obj);
		}
	}
}

void ks_objs_free_deferred(struct ks_session *s)
{
	struct ks_obj *obj, *next;

	list_for_each_entry_safe(obj, next, &s->deferred, entry) {
		list_del(&obj->entry);
		ks_obj_unref(obj);
	}
}
