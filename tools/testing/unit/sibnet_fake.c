// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* A configfs in memory, see sibnet_fake.h. */

#include "sibnet_fake.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sibnet/configfs.h"
#include "tools/sibnet/interrupt.h"

#define FAKE_FABRIC	1001
#define NODES		64
#define PORTS		254

struct fake_port {
	bool folder;
	int peer;
	unsigned int peer_port;
	uint64_t guid;
	char width[8];
	char speed[8];
	char mtu[8];
	char vls[8];
};

struct fake_node {
	bool there;
	bool is_switch;
	char name[64];
	char desc[65];
	char device[64];
	unsigned int num_ports;
	uint64_t guid;
	uint64_t system_guid;
	struct fake_port ports[PORTS + 1];
};

static struct {
	bool there;
	char name[64];
	struct fake_node nodes[NODES];
	unsigned int calls;
	unsigned int fail;
	unsigned int signal;
	int open;
	uint64_t next_guid;
} fake;

void fake_reset(unsigned int fail)
{
	memset(&fake, 0, sizeof(fake));
	fake.fail = fail;
	fake.next_guid = 0x100;
}

void fake_fail(unsigned int fail)
{
	fake.fail = fail;
}

void fake_interrupt(unsigned int call)
{
	fake.signal = call;
}

bool interrupt_seen(void)
{
	return fake.signal && fake.calls >= fake.signal;
}

unsigned int fake_calls(void)
{
	return fake.calls;
}

bool fake_is_empty(void)
{
	return !fake.there;
}

bool fake_is_closed(void)
{
	return !fake.open;
}

/* Sets errno. Returns 0 without an error, else -1. */
static int result(int err)
{
	errno = err;
	return err ? -1 : 0;
}

/* Counts a call. Returns true if it is the one that fails. */
static bool fails(void)
{
	if (++fake.calls != fake.fail)
		return false;
	errno = ENOMEM;
	return true;
}

static struct fake_node *node_of(const char *name, size_t len)
{
	for (int i = 0; i < NODES; i++)
		if (fake.nodes[i].there && strlen(fake.nodes[i].name) == len &&
		    !memcmp(fake.nodes[i].name, name, len))
			return &fake.nodes[i];
	return NULL;
}

/* Returns true if another node has the GUID. */
static bool guid_is_used(uint64_t guid, const struct fake_node *node)
{
	for (int i = 0; i < NODES; i++)
		if (fake.nodes[i].there && &fake.nodes[i] != node && fake.nodes[i].guid == guid)
			return true;
	return false;
}

static bool has_links(const struct fake_node *node)
{
	for (int i = 1; i <= PORTS; i++)
		if (node->ports[i].peer_port)
			return true;
	return false;
}

/*
 * Looks up the node of a path, its port, 0 if the path has none, and what follows. Returns the
 * node, or NULL.
 */
static struct fake_node *look_up(const char *path, unsigned int *port, const char **rest)
{
	size_t len = strcspn(path, "/");
	struct fake_node *node = node_of(path, len);
	int used = 0;

	*port = 0;
	*rest = path[len] ? path + len + 1 : "";
	if (node && sscanf(*rest, "port%u%n", port, &used) == 1) {
		*rest += used;
		*rest += **rest == '/';
	}
	return node;
}

static int make_fake_node(const char *name)
{
	for (int i = 0; i < NODES; i++) {
		struct fake_node *node = &fake.nodes[i];

		if (node->there)
			continue;
		memset(node, 0, sizeof(*node));
		node->there = true;
		snprintf(node->name, sizeof(node->name), "%s", name);
		strcpy(node->desc, node->name);
		node->num_ports = 1;
		while (guid_is_used(fake.next_guid, node))
			fake.next_guid++;
		node->guid = fake.next_guid;
		node->ports[1].folder = true;
		return 0;
	}
	return ENOSPC;
}

static int make_folder(const char *path)
{
	unsigned int port;
	const char *rest;
	struct fake_node *node = look_up(path, &port, &rest);

	if (!node)
		return strchr(path, '/') ? ENOENT : make_fake_node(path);
	if (!port)
		return EEXIST;
	if (port > node->num_ports || *rest)
		return EINVAL;
	if (node->ports[port].folder)
		return EEXIST;
	node->ports[port].folder = true;
	return 0;
}

int configfs_mkdir(int dir, const char *path)
{
	if (fails())
		return -1;
	if (dir == FAKE_FABRIC)
		return result(make_folder(path));
	if (fake.there)
		return result(EEXIST);
	fake.there = true;
	snprintf(fake.name, sizeof(fake.name), "%s", path);
	return 0;
}

static void unlink_port(struct fake_port *port)
{
	if (port->peer_port)
		fake.nodes[port->peer].ports[port->peer_port].peer_port = 0;
	port->peer_port = 0;
}

static int remove_folder(const char *path)
{
	unsigned int port;
	const char *rest;
	struct fake_node *node = look_up(path, &port, &rest);

	if (!node || (port && (port > PORTS || !node->ports[port].folder)))
		return ENOENT;
	if (port == 1)
		return EPERM;
	if (port) {
		node->ports[port].folder = false;
		unlink_port(&node->ports[port]);
		return 0;
	}
	for (int i = 2; i <= PORTS; i++)
		if (node->ports[i].folder)
			return ENOTEMPTY;
	for (int i = 1; i <= PORTS; i++)
		unlink_port(&node->ports[i]);
	node->there = false;
	return 0;
}

int configfs_rmdir(int dir, const char *path)
{
	if (fails())
		return -1;
	if (dir == FAKE_FABRIC)
		return result(remove_folder(path));
	if (!fake.there || strcmp(path, fake.name))
		return result(ENOENT);
	for (int i = 0; i < NODES; i++)
		if (fake.nodes[i].there)
			return result(ENOTEMPTY);
	fake.there = false;
	return 0;
}

int configfs_open(int dir, const char *path)
{
	if (fails())
		return -1;
	if (dir != FAKE_ROOT || !fake.there || strcmp(path, fake.name))
		return result(ENOENT);
	fake.open++;
	return FAKE_FABRIC;
}

void configfs_close(int dir)
{
	(void)dir;
	fake.open--;
}

static void add_fake_name(struct names *names, const char *name)
{
	names->names = realloc(names->names, (names->count + 1) * sizeof(*names->names));
	names->names[names->count++] = strdup(name);
}

static int compare_fake_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

int configfs_list(int dir, const char *path, struct names *names)
{
	struct fake_node *node = node_of(path, strlen(path));
	char name[16];

	(void)dir;
	*names = (struct names){ 0 };
	if (fails())
		return -1;
	for (int i = 0; i < NODES && !strcmp(path, "."); i++)
		if (fake.nodes[i].there)
			add_fake_name(names, fake.nodes[i].name);
	for (int i = 1; i <= PORTS && node; i++) {
		snprintf(name, sizeof(name), "port%d", i);
		if (node->ports[i].folder)
			add_fake_name(names, name);
	}
	if (names->count)
		qsort(names->names, names->count, sizeof(*names->names),
		      compare_fake_names);
	return 0;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct names){ 0 };
}

static int link_ports(struct fake_node *node, unsigned int number, const char *text)
{
	const char *colon = strrchr(text, ':');
	struct fake_node *peer = colon ? node_of(text, colon - text) : NULL;
	unsigned int peer_port = colon ? atoi(colon + 1) : 0;

	if (!*text) {
		unlink_port(&node->ports[number]);
		return 0;
	}
	if (!peer || !peer_port || peer_port > peer->num_ports)
		return ENOENT;
	if (peer == node && peer_port == number)
		return EINVAL;
	if (node->ports[number].peer_port || peer->ports[peer_port].peer_port)
		return EBUSY;
	node->ports[number].peer = peer - fake.nodes;
	node->ports[number].peer_port = peer_port;
	peer->ports[peer_port].peer = node - fake.nodes;
	peer->ports[peer_port].peer_port = number;
	return 0;
}

static int write_port(struct fake_node *node, unsigned int number, const char *name,
		      const char *text)
{
	struct fake_port *port = &node->ports[number];
	struct {
		const char *name;
		char *value;
	} files[] = { { "width", port->width }, { "speed", port->speed }, { "mtu", port->mtu },
		      { "vls", port->vls } };

	if (!strcmp(name, "peer"))
		return link_ports(node, number, text);
	if (port->peer_port)
		return EBUSY;
	if (!strcmp(name, "guid") && !node->is_switch) {
		port->guid = strtoull(text, NULL, 16);
		return 0;
	}
	for (int i = 0; i < 4; i++) {
		if (strcmp(name, files[i].name))
			continue;
		snprintf(files[i].value, sizeof(port->width), "%s", text);
		return 0;
	}
	return EACCES;
}

/* Writes a file that is kept while the node has a link. */
static int write_fixed(struct fake_node *node, const char *name, const char *text)
{
	if (has_links(node) || *node->device)
		return EBUSY;
	if (!strcmp(name, "kind"))
		node->is_switch = !strcmp(text, "switch");
	else if (!strcmp(name, "num_ports") && atoi(text) > (node->is_switch ? PORTS : 8))
		return EINVAL;
	else if (!strcmp(name, "num_ports"))
		node->num_ports = atoi(text);
	else if (!strcmp(name, "guid") && guid_is_used(strtoull(text, NULL, 16), node))
		return EEXIST;
	else if (!strcmp(name, "guid"))
		node->guid = strtoull(text, NULL, 16);
	else if (!strcmp(name, "system_guid"))
		node->system_guid = strtoull(text, NULL, 16);
	else
		return ENOENT;
	return 0;
}

static int write_file(const char *path, const char *text)
{
	unsigned int port;
	const char *rest;
	struct fake_node *node = look_up(path, &port, &rest);

	if (!node || port > PORTS || (port && !node->ports[port].folder))
		return ENOENT;
	if (port)
		return write_port(node, port, rest, text);
	if (!strcmp(rest, "node_desc")) {
		snprintf(node->desc, sizeof(node->desc), "%s", text);
		return 0;
	}
	if (strcmp(rest, "device"))
		return write_fixed(node, rest, text);
	if (node->is_switch)
		return EOPNOTSUPP;
	snprintf(node->device, sizeof(node->device), "%s",
		 !strcmp(text, "1") ? node->name : text);
	return 0;
}

int configfs_write(int dir, const char *path, const char *text)
{
	char line[CONFIGFS_TEXT_LEN];

	(void)dir;
	if (fails())
		return -1;
	snprintf(line, sizeof(line), "%s", text);
	line[strcspn(line, "\n")] = 0;
	return result(write_file(path, line));
}

static int read_node_file(const struct fake_node *node, const char *name, char *text)
{
	if (!strcmp(name, "kind"))
		strcpy(text, node->is_switch ? "switch" : "ca");
	else if (!strcmp(name, "num_ports"))
		sprintf(text, "%u", node->num_ports);
	else if (!strcmp(name, "guid"))
		sprintf(text, "0x%016" PRIx64, node->guid);
	else if (!strcmp(name, "system_guid"))
		sprintf(text, "0x%016" PRIx64, node->system_guid ?: node->guid);
	else if (!strcmp(name, "node_desc"))
		strcpy(text, node->desc);
	else if (!strcmp(name, "device"))
		strcpy(text, node->device);
	else
		return ENOENT;
	return 0;
}

static int read_port_file(const struct fake_node *node, unsigned int number, const char *name,
			  char *text)
{
	const struct fake_port *port = &node->ports[number];

	*text = 0;
	if (!strcmp(name, "peer") && port->peer_port)
		sprintf(text, "%s:%u", fake.nodes[port->peer].name, port->peer_port);
	else if (!strcmp(name, "guid"))
		sprintf(text, "0x%016" PRIx64, port->guid ?: node->guid + number);
	else if (!strcmp(name, "width"))
		strcpy(text, *port->width ? port->width : "4x");
	else if (!strcmp(name, "speed"))
		strcpy(text, *port->speed ? port->speed : "10");
	else if (!strcmp(name, "mtu"))
		strcpy(text, *port->mtu ? port->mtu : "4096");
	else if (!strcmp(name, "vls"))
		strcpy(text, *port->vls ? port->vls : "8");
	else if (strcmp(name, "peer"))
		return ENOENT;
	return 0;
}

int configfs_read(int dir, const char *path, char *text)
{
	unsigned int port;
	const char *rest;
	struct fake_node *node = look_up(path, &port, &rest);

	(void)dir;
	if (fails())
		return -1;
	if (!node || port > PORTS || (port && !node->ports[port].folder))
		return result(ENOENT);
	if (port)
		return result(read_port_file(node, port, rest, text));
	return result(read_node_file(node, rest, text));
}

int fake_write(const char *path, const char *text)
{
	return write_file(path, text);
}

const char *fake_read(const char *path)
{
	static char text[CONFIGFS_TEXT_LEN];

	return configfs_read(FAKE_FABRIC, path, text) ? "?" : text;
}
