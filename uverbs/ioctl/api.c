// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The methods that a device has: what its driver defines is merged with the standard methods.
 *
 * A definition may come before the definition that it refers to. So all definitions are read first,
 * and the types of the objects that attributes name are looked up afterwards.
 */
#include "uverbs/ioctl/api.h"

#include <linux/err.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "uverbs/frame/driver_object.h"
#include "uverbs/frame/object.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/ioctl/standard.h"

/* Greatest number of objects in a driver's definitions, and of methods of one such object. */
#define MAX_OBJECTS	64
#define MAX_METHODS	64
/* How deep arrays of definitions may be nested. An array that contains itself exceeds the limit. */
#define MAX_DEPTH	8

/**
 * struct api_method - a method that the driver has defined, or added attributes to
 * @id: number of the method
 * @method: the method, as calls use it; method.run is NULL if the device does not offer the method
 */
struct api_method {
	u16			id;
	struct uverbs_method	method;
};

/**
 * struct api_object - an object that the driver has defined, or added methods to
 * @id: number of the object
 * @hidden: the device does not have the object
 * @type: type of its handles, owned by this structure; NULL: the driver has defined none
 * @num: number of @methods
 * @methods: methods
 */
struct api_object {
	u16			id;
	bool			hidden;
	struct uverbs_object_type *type;
	unsigned int		num;
	struct api_method	*methods;
};

/**
 * struct uverbs_api - the objects and methods that a device's driver has defined or extended
 * @num: number of @objects
 * @objects: objects
 */
struct uverbs_api {
	unsigned int		num;
	struct api_object	objects[MAX_OBJECTS];
};

/**
 * struct reader - a walk through the definitions
 * @ibdev: the device
 * @api: tables that are filled
 */
struct reader {
	struct ib_device	*ibdev;
	struct uverbs_api	*api;
};

static bool is_drivers(u16 id)
{
	return (id & UVERBS_ID_NS_MASK) == 1 << UVERBS_ID_NS_SHIFT;
}

/* Logs that the definition of an object is wrong. Returns -EINVAL. */
static int wrong(const struct reader *reader, u16 object, const char *what)
{
	ibdev_err(reader->ibdev, "definition of ioctl() object %#x: %s\n", object, what);
	return -EINVAL;
}

static struct api_object *find_object(const struct uverbs_api *api, u16 id)
{
	unsigned int i;

	for (i = 0; i < api->num; i++)
		if (api->objects[i].id == id)
			return (struct api_object *)&api->objects[i];
	return NULL;
}

static struct api_method *find_method(const struct api_object *object, u16 id)
{
	unsigned int i;

	for (i = 0; i < object->num; i++)
		if (object->methods[i].id == id)
			return &object->methods[i];
	return NULL;
}

/* --- attributes --- */

/* Copies the lengths of the data for each index of an enumeration. */
static int read_elements(const struct reader *reader, u16 object, struct uverbs_spec *spec,
			 const struct uverbs_attr_spec *attr)
{
	const struct uverbs_attr_spec *element = attr->u2.enum_def.ids;
	unsigned int i, num = attr->u.enum_def.num_elems;
	struct uverbs_range *ranges;

	if (!num || !element)
		return wrong(reader, object, "an enumeration has no element");
	ranges = kcalloc(num, sizeof(*ranges), GFP_KERNEL);
	if (!ranges)
		return -ENOMEM;
	spec->num_elements = num;
	spec->elements = ranges;
	for (i = 0; i < num; i++, element++) {
		if (element->type != UVERBS_ATTR_TYPE_PTR_IN)
			return wrong(reader, object, "an element of an enumeration is not PTR_IN");
		ranges[i].min = element->u.ptr.min_len;
		ranges[i].max = element->u.ptr.len;
		ranges[i].grows = element->zero_trailing;
	}
	return 0;
}

static u8 kind_of_object(u8 type, u8 access)
{
	if (type == UVERBS_ATTR_TYPE_FD)
		return access == UVERBS_ACCESS_NEW ? UVERBS_NEW_FD : UVERBS_FD;
	return access == UVERBS_ACCESS_NEW ? UVERBS_NEW : UVERBS_HANDLE;
}

static int read_attr(const struct reader *reader, u16 object, struct uverbs_spec *spec,
		     const struct uverbs_attr_def *def)
{
	const struct uverbs_attr_spec *attr = &def->attr;

	*spec = (struct uverbs_spec) {
		.id = def->id,
		.needed = attr->mandatory,
		.udata = attr->is_udata,
	};
	switch (attr->type) {
	case UVERBS_ATTR_TYPE_PTR_IN:
	case UVERBS_ATTR_TYPE_PTR_OUT:
		spec->kind = attr->type == UVERBS_ATTR_TYPE_PTR_IN ? UVERBS_IN : UVERBS_OUT;
		spec->min = attr->u.ptr.min_len;
		spec->max = attr->u.ptr.len;
		spec->grows = attr->zero_trailing;
		return 0;
	case UVERBS_ATTR_TYPE_IDR:
	case UVERBS_ATTR_TYPE_FD:
		spec->takes = true;
		spec->kind = kind_of_object(attr->type, attr->u.obj.access);
		spec->object = attr->u.obj.obj_type;
		spec->access = attr->u.obj.access;
		return 0;
	case UVERBS_ATTR_TYPE_RAW_FD:
		spec->kind = UVERBS_FD;
		return 0;
	case UVERBS_ATTR_TYPE_ENUM_IN:
		spec->kind = UVERBS_ENUM;
		return read_elements(reader, object, spec, attr);
	case UVERBS_ATTR_TYPE_IDRS_ARRAY:
		spec->takes = true;
		spec->kind = UVERBS_HANDLES;
		spec->object = attr->u2.objs_arr.obj_type;
		spec->access = attr->u2.objs_arr.access;
		spec->min = min_t(size_t, attr->u2.objs_arr.min_len * sizeof(u32), U16_MAX);
		spec->max = min_t(size_t, attr->u2.objs_arr.max_len * sizeof(u32), U16_MAX);
		return 0;
	default:
		return wrong(reader, object, "an attribute's type is unknown");
	}
}

/* --- methods --- */

/* Appends the attributes of a driver's definition to those of the method. */
static int add_attrs(const struct reader *reader, u16 object, struct uverbs_method *method,
		     const struct uverbs_method_def *def)
{
	bool standard = uverbs_is_standard(object) && !is_drivers(def->id);
	const struct uverbs_attr_def *attr;
	struct uverbs_spec *specs;
	size_t i;
	int ret;

	if (def->num_attrs > UVERBS_MAX_ATTRS - method->num_specs)
		return wrong(reader, object, "a method has too many attributes");
	specs = krealloc_array((void *)method->specs, method->num_specs + def->num_attrs,
			       sizeof(*specs), GFP_KERNEL);
	if (!specs)
		return -ENOMEM;
	method->specs = specs;
	for (i = 0; i < def->num_attrs; i++) {
		attr = (*def->attrs)[i];
		if (uverbs_method_spec(method, attr->id) >= 0)
			return wrong(reader, object, "two attributes have the same number");
		if (standard && !is_drivers(attr->id))
			return wrong(reader, object, "an added attribute has a standard number");
		ret = read_attr(reader, object, &specs[method->num_specs], attr);
		/* Count the spec even after an error, because it may have elements to be freed. */
		method->num_specs++;
		if (ret)
			return ret;
	}
	return 0;
}

/* Adds a method to @object: a copy of the standard method with this number, if there is one. */
static struct api_method *add_method(const struct reader *reader, struct api_object *object, u16 id)
{
	const struct uverbs_method *standard = uverbs_standard_method(object->id, id);
	struct api_method *methods, *added;
	struct uverbs_spec *specs = NULL;

	if (IS_ERR(standard) && uverbs_is_standard(object->id) && !is_drivers(id))
		return ERR_PTR(wrong(reader, object->id, "a new method has a standard number"));
	if (object->num == MAX_METHODS)
		return ERR_PTR(wrong(reader, object->id, "there are too many methods"));
	methods = krealloc_array(object->methods, object->num + 1, sizeof(*methods), GFP_KERNEL);
	if (!methods)
		return ERR_PTR(-ENOMEM);
	object->methods = methods;
	added = &methods[object->num];
	*added = (struct api_method) { .id = id };
	if (!IS_ERR(standard)) {
		specs = kmemdup(standard->specs, standard->num_specs * sizeof(*specs), GFP_KERNEL);
		if (!specs)
			return ERR_PTR(-ENOMEM);
		added->method = *standard;
		added->method.specs = specs;
	}
	added->method.drivers = true;
	object->num++;
	return added;
}

static int read_method(const struct reader *reader, struct api_object *object,
		       const struct uverbs_method_def *def)
{
	struct api_method *method = find_method(object, def->id);

	if (!method) {
		method = add_method(reader, object, def->id);
		if (IS_ERR(method))
			return PTR_ERR(method);
	}
	if (def->handler) {
		if (method->method.run)
			return wrong(reader, object->id, "a method has two handlers");
		method->method.run = def->handler;
	}
	return add_attrs(reader, object->id, &method->method, def);
}

/* --- objects --- */

static struct api_object *add_object(const struct reader *reader, u16 id)
{
	struct uverbs_api *api = reader->api;

	if (!uverbs_is_standard(id) && !is_drivers(id))
		return ERR_PTR(wrong(reader, id, "the number is not a driver's"));
	if (api->num == MAX_OBJECTS)
		return ERR_PTR(wrong(reader, id, "there are too many objects"));
	api->objects[api->num].id = id;
	return &api->objects[api->num++];
}

static int read_type(const struct reader *reader, struct api_object *object,
		     const struct uverbs_obj_type *type)
{
	if (object->type || uverbs_is_standard(object->id))
		return wrong(reader, object->id, "it has two types");
	object->type = uverbs_driver_type_new(object->id, type);
	if (object->type == ERR_PTR(-EINVAL)) {
		object->type = NULL;
		return wrong(reader, object->id, "its type lacks a function");
	}
	return object->type ? 0 : -ENOMEM;
}

/* Reads the definition of an object. Returns the object, added if it is new; ERR_PTR: an errno. */
static struct api_object *read_object(const struct reader *reader, u16 id,
				      const struct uverbs_object_def *def)
{
	struct api_object *object = find_object(reader->api, id);
	size_t i;
	int ret;

	if (!object) {
		object = add_object(reader, id);
		if (IS_ERR(object))
			return object;
	}
	ret = def->type_attrs ? read_type(reader, object, def->type_attrs) : 0;
	for (i = 0; i < def->num_methods && !ret; i++)
		ret = read_method(reader, object, (*def->methods)[i]);
	return ret ? ERR_PTR(ret) : object;
}

static bool has_operation(const struct reader *reader, size_t offset)
{
	return *(void **)((void *)&reader->ibdev->ops + offset);
}

static int read_definitions(const struct reader *reader, const struct uapi_definition *def,
			    unsigned int depth)
{
	struct api_object *object = NULL;
	int ret = 0;

	for (; def->kind != UAPI_KIND_END && !ret; def++) {
		switch (def->kind) {
		case UAPI_KIND_CHAIN:
			object = NULL;
			ret = depth == MAX_DEPTH ? wrong(reader, 0, "arrays are nested too deep") :
						   read_definitions(reader, def->chain, depth + 1);
			continue;
		case UAPI_KIND_OBJECT:
			object = read_object(reader, def->object_id, def->chain_obj_tree);
			ret = PTR_ERR_OR_ZERO(object);
			continue;
		}
		if (!object)
			return wrong(reader, 0, "a condition has no object");
		if (def->kind == UAPI_KIND_IS_SUPPORTED)
			object->hidden |= !def->func_is_supported(reader->ibdev);
		else if (def->kind == UAPI_KIND_NEEDS_FN)
			object->hidden |= !has_operation(reader, def->needs_fn_offset);
		else
			return wrong(reader, object->id, "a definition's kind is unknown");
	}
	return ret;
}

/* --- what attributes refer to --- */

static const struct uverbs_object_type *find_type(const struct uverbs_api *api, u16 id)
{
	const struct api_object *object = find_object(api, id);

	if (object && object->hidden)
		return NULL;
	return object && object->type ? object->type : uverbs_standard_type(id);
}

/*
 * Returns whether a driver may create standard objects of this type. A driver may do so if the
 * handles of this type have nothing that ib_uverbs would have to set up or to release.
 */
static bool is_plain(const struct uverbs_object_type *type)
{
	return type->size == sizeof(struct ib_uobject) && !type->release && !type->abandon;
}

/* Checks the spec of an attribute that names an object, whose type the device has. */
static int check_object(const struct reader *reader, u16 object, const struct uverbs_spec *spec)
{
	bool file = spec->kind == UVERBS_FD || spec->kind == UVERBS_NEW_FD;

	if (file != !!spec->type->fops)
		return wrong(reader, object, "an attribute is for another kind of object");
	if (spec->kind == UVERBS_FD && spec->access != UVERBS_ACCESS_READ)
		return wrong(reader, object, "a file is for reading only");
	if (spec->access == UVERBS_ACCESS_NEW && !is_drivers(spec->object) && !is_plain(spec->type))
		return wrong(reader, object, "a driver cannot create such an object");
	return 0;
}

/*
 * Looks up the types of the objects that the method's attributes name. If the device lacks the type
 * that a needed attribute names, the method is not offered. If the device lacks the type that an
 * optional attribute names, processes have to leave out that attribute.
 */
static int link_method(const struct reader *reader, u16 object, struct api_method *method)
{
	unsigned int i, made = 0;
	struct uverbs_spec *spec;
	int ret;

	if (!method->method.run)
		return wrong(reader, object, "a method has no handler");
	for (i = 0; i < method->method.num_specs; i++) {
		spec = (struct uverbs_spec *)&method->method.specs[i];
		if (!spec->takes)
			continue;
		if (spec->access > UVERBS_ACCESS_DESTROY)
			return wrong(reader, object, "an attribute's access is unknown");
		if (spec->access == UVERBS_ACCESS_NEW || spec->access == UVERBS_ACCESS_DESTROY) {
			if (made++ || !is_drivers(method->id))
				return wrong(reader, object, "a method makes or destroys too much");
			if (spec->object == UVERBS_IDR_ANY_OBJECT || spec->kind == UVERBS_HANDLES)
				return wrong(reader, object, "an object to be made is not named");
		}
		if (spec->object == UVERBS_IDR_ANY_OBJECT) {
			if (spec->kind == UVERBS_FD)
				return wrong(reader, object, "a file of any object is not known");
			continue;
		}
		spec->type = find_type(reader->api, spec->object);
		ret = spec->type ? check_object(reader, object, spec) : 0;
		if (ret)
			return ret;
		if (!spec->type && spec->needed)
			method->method.run = NULL;
	}
	return 0;
}

static int link_methods(const struct reader *reader)
{
	struct api_object *object;
	unsigned int i, j;
	int ret;

	for (i = 0; i < reader->api->num; i++) {
		object = &reader->api->objects[i];
		for (j = 0; j < object->num; j++) {
			ret = link_method(reader, object->id, &object->methods[j]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static void free_method(struct api_method *method)
{
	unsigned int i;

	for (i = 0; i < method->method.num_specs; i++)
		kfree(method->method.specs[i].elements);
	kfree(method->method.specs);
}

void uverbs_api_free(struct uverbs_api *api)
{
	struct api_object *object;
	unsigned int i, j;

	for (i = 0; api && i < api->num; i++) {
		object = &api->objects[i];
		for (j = 0; j < object->num; j++)
			free_method(&object->methods[j]);
		kfree(object->methods);
		uverbs_driver_type_free(object->type);
	}
	kfree(api);
}

struct uverbs_api *uverbs_api_new(struct ib_device *ibdev)
{
	struct reader reader = { .ibdev = ibdev };
	int ret;

	if (!ibdev->driver_def)
		return NULL;
	reader.api = kzalloc(sizeof(*reader.api), GFP_KERNEL);
	if (!reader.api)
		return ERR_PTR(-ENOMEM);
	ret = read_definitions(&reader, ibdev->driver_def, 0);
	if (!ret)
		ret = link_methods(&reader);
	if (ret) {
		uverbs_api_free(reader.api);
		return ERR_PTR(ret);
	}
	return reader.api;
}

const struct uverbs_method *uverbs_api_method(const struct uverbs_api *api, u16 object, u16 number)
{
	const struct api_object *found = api ? find_object(api, object) : NULL;
	const struct api_method *method = found ? find_method(found, number) : NULL;

	if (found && found->hidden)
		return ERR_PTR(-EOPNOTSUPP);
	if (!method)
		return uverbs_standard_method(object, number);
	return method->method.run ? &method->method : ERR_PTR(-EOPNOTSUPP);
}
