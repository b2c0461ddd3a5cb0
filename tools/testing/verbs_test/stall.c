// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: calls that stop when the kernel accesses a page of the process, until the test
 * provides the page. Expects that the removal of the device does not wait for such a call, that the
 * call then fails with EIO unless it was a query, and that other calls cannot use what the stopped
 * call is about to create.
 *
 * The page is under a userfaultfd. Each case has a file of the device node for itself, so the first
 * handle of each call is 0.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/siw-abi.h>

#include "tools/testing/lib/command.h"
#include "tools/testing/lib/late_page.h"
#include "verbs_test.h"

#define DEVICE_C	"siwc"
#define PEER_OF_NETDEV_C	"vcpeer"
#define SLOW_FILE	"/tmp/verbs_test_slow_file"
/* So many objects that their destruction takes much longer than that of an empty file. */
#define MANY	20000

/* The device, a file of its node, and two pages; the second one does not exist yet. */
static struct {
	char name[IBV_SYSFS_NAME_MAX];
	char netdev[32];
	int fd;
	int fault_fd;
	uint8_t *present;
	uint8_t *missing;
} scene;

/* --- calls --- */

/* A response and what siw adds to it. */
struct context_resp {
	struct ib_uverbs_get_context_resp core;
	struct siw_uresp_alloc_ctx siw;
};

struct cq_resp {
	struct ib_uverbs_create_cq_resp core;
	struct siw_uresp_create_cq siw;
};

struct mr_resp {
	struct ib_uverbs_reg_mr_resp core;
	struct siw_uresp_reg_mr siw;
};

/* The calls return 0 or a negative errno, and have their answer written to @response. */
static int get_context(void *response)
{
	struct ib_uverbs_get_context cmd = {};

	return asked(scene.fd, GET_CONTEXT, cmd, *(struct context_resp *)response);
}

static int query_device(void *response)
{
	struct ib_uverbs_query_device cmd = {};

	return asked(scene.fd, QUERY_DEVICE, cmd, *(struct ib_uverbs_query_device_resp *)response);
}

/*
 * The request is on the missing page, and only its header and the address for the response are
 * before that page.
 */
static int query_port_from(void *missing)
{
	const struct {
		struct ib_uverbs_cmd_hdr hdr;
		uint64_t response;
	} begin = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_QUERY_PORT,
			.in_words = (sizeof(begin.hdr) + sizeof(struct ib_uverbs_query_port)) / 4,
			.out_words = sizeof(struct ib_uverbs_query_port_resp) / 4,
		},
		.response = (uintptr_t)scene.present,
	};
	uint8_t *command = (uint8_t *)missing - sizeof(begin);

	memcpy(command, &begin, sizeof(begin));
	return sys(write(scene.fd, command, begin.hdr.in_words * 4));
}

static int alloc_pd(void *response)
{
	struct ib_uverbs_alloc_pd cmd = {};

	return asked(scene.fd, ALLOC_PD, cmd, *(struct ib_uverbs_alloc_pd_resp *)response);
}

static int create_cq(void *response)
{
	struct ib_uverbs_create_cq cmd = { .cqe = 10, .comp_channel = -1 };

	return asked(scene.fd, CREATE_CQ, cmd, *(struct cq_resp *)response);
}

static int create_channel(void *response)
{
	struct ib_uverbs_create_comp_channel cmd = {};

	return asked(scene.fd, CREATE_COMP_CHANNEL, cmd,
		     *(struct ib_uverbs_create_comp_channel_resp *)response);
}

/* Registers the page at @mem in the PD 0. */
static int reg_mr(void *mem)
{
	struct mr_resp resp;
	struct ib_uverbs_reg_mr cmd = {
		.start = (uintptr_t)mem,
		.length = PAGE,
		.hca_va = (uintptr_t)mem,
		.access_flags = IBV_ACCESS_LOCAL_WRITE,
	};

	return asked(scene.fd, REG_MR, cmd, resp);
}

static int query_port(void *response)
{
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_QUERY_PORT_PORT_NUM, 8, 1),
		attr_value(UVERBS_ATTR_QUERY_PORT_RESP, sizeof(struct ib_uverbs_query_port_resp),
			   (uintptr_t)response),
	};

	return method(scene.fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, attrs, 2);
}

/* Puts the array of attributes at @at, where the kernel also writes a part of the answer. */
static int get_context_by_ioctl(void *at)
{
	static uint32_t vectors;
	static struct siw_uresp_alloc_ctx siw;
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[2];
	} *call = at;

	*call = (typeof(*call)) {
		.hdr = {
			.length = sizeof(*call),
			.driver_id = RDMA_DRIVER_SIW,
			.object_id = UVERBS_OBJECT_DEVICE,
			.method_id = UVERBS_METHOD_GET_CONTEXT,
			.num_attrs = 2,
		},
		.attrs = {
			attr_value(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4,
				   (uintptr_t)&vectors),
			attr_value(UVERBS_ATTR_UHW_OUT, sizeof(siw), (uintptr_t)&siw),
		},
	};
	if (mprotect(at, PAGE, PROT_READ))
		return -errno;
	return sys(ioctl(scene.fd, RDMA_VERBS_IOCTL, call));
}

/* Returns how many handles of @type the file has, or a negative errno. */
static int num_handles(uint16_t type)
{
	uint32_t total = 0;
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_INFO_OBJECT_ID, 8, type),
		attr_value(UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, (uintptr_t)&total),
	};
	int ret = method(scene.fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES, attrs, 2);

	return ret ?: (int)total;
}

/* --- the scene --- */

static bool find_device(void)
{
	struct rdma_cm_id *listener;
	char path[128];
	FILE *file;

	TRY(listener_id(NULL, &listener));
	snprintf(scene.name, sizeof(scene.name), "%s",
		 ibv_get_device_name(listener->verbs->device));
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gid_attrs/ndevs/0",
		 scene.name);
	TRY(got(file = fopen(path, "r")));
	TRY(got(fgets(scene.netdev, sizeof(scene.netdev), file)));
	fclose(file);
	scene.netdev[strcspn(scene.netdev, "\n")] = '\0';
	TRY(sys(rdma_destroy_id(listener)));
	return true;
}

static bool map_pages(void)
{
	scene.present = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	EXPECT(1, scene.present != MAP_FAILED);
	scene.missing = scene.present + PAGE;
	TRY(scene.fault_fd = late_page_open(scene.missing));
	/*
	 * Access the first page only now: a kernel may provide pages around an accessed one, and
	 * without the userfaultfd this would have provided the missing page.
	 */
	memset(scene.present, 0, PAGE);
	return true;
}

/* Opens the device. The file gets a context if @with_context is true. */
static bool set_scene(bool with_context)
{
	struct context_resp resp;

	command_driver = RDMA_DRIVER_SIW;
	if (!find_device() || !map_pages())
		return false;
	TRY(scene.fd = open_node(scene.name));
	if (with_context)
		TRY(get_context(&resp));
	return true;
}

static void *call_thread(void *call)
{
	return (void *)(intptr_t)((int (*)(void *))call)(scene.missing);
}

/* Starts @call in another thread, and waits until it stops at the missing page. */
static bool stopped(int (*call)(void *missing), pthread_t *thread)
{
	void *ret;

	TRY(-pthread_create(thread, NULL, call_thread, call));
	if (!late_page_wanted(scene.fault_fd, patience_ms()))
		return true;
	if (pthread_tryjoin_np(*thread, &ret))
		printf("# the call has not stopped at the page\n");
	else
		printf("# the call has ended: %ld\n", (long)(intptr_t)ret);
	return false;
}

/* Provides the page, and expects that the call ends with @want. */
static bool ends_with(int want, pthread_t thread)
{
	void *ret;

	TRY(late_page_provide(scene.fault_fd, scene.missing));
	TRY(-pthread_join(thread, &ret));
	EXPECT(want, (intptr_t)ret);
	return true;
}

/* Starts a shell command. Returns its process, or a negative errno. */
static pid_t start(const char *command)
{
	pid_t pid = fork();

	if (pid)
		return sys(pid);
	execlp("sh", "sh", "-c", command, NULL);
	_exit(127);
}

/* Expects that the command @pid ends well, and before the patience of the test ends. */
static bool ends_well(pid_t pid, const char *command)
{
	int64_t end = now_ms() + patience_ms();
	int status = 0;
	pid_t ended;

	do {
		ended = waitpid(pid, &status, WNOHANG);
		usleep(1000);
	} while (!ended && now_ms() < end);
	if (ended == pid && !status)
		return true;
	printf("# %s: %s\n", command, ended ? "failed" : "does not end");
	return false;
}

static bool runs(const char *format, ...)
{
	char command[256];
	va_list args;
	pid_t pid;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	TRY(pid = start(command));
	return ends_well(pid, command);
}

static bool is_gone(const char *path)
{
	int64_t end = now_ms() + patience_ms();

	while (!access(path, F_OK) && now_ms() < end)
		usleep(10000);
	if (!access(path, F_OK))
		printf("# %s is still there\n", path);
	return access(path, F_OK);
}

static bool device_is_gone(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s", scene.name);
	return is_gone(path);
}

/* Removes the device during the call, which then ends with @want, and adds the device again. */
static const struct removal {
	const char *during;
	int (*call)(void *missing);
	int want;
	bool makes_context;
} removals[] = {
	{ "a request is read", query_port_from, -EIO },
	/* The device was queried before it was removed, so the call succeeds. */
	{ "a response is written", query_device, 0 },
	{ "the answer of ioctl() is written", query_port, 0 },
	{ "the answer for a new object is written", create_cq, -EIO },
	{ "the answer for a new channel is written", create_channel, -EIO },
	{ "the answer for a new context is written", get_context, -EIO, true },
};

static const struct removal *removal;

static bool removed_during(void)
{
	pthread_t thread;
	bool ok;

	if (!set_scene(!removal->makes_context) || !stopped(removal->call, &thread))
		return false;
	ok = runs("rdma link delete %s", scene.name) && device_is_gone();
	ok = ends_with(removal->want, thread) && ok;
	EXPECT(-EIO, query_device(scene.present));
	return runs("rdma link add %s type siw netdev %s", scene.name, scene.netdev) && ok;
}

/* --- the device is removed --- */

/*
 * The device DEVICE_C has the netdev NETDEV_C, which is in another namespace. uverbs/stall.sh
 * deletes the other namespace when the call has stopped. The peer of NETDEV_C is in the test's
 * namespace: when the peer is gone, the other namespace has no netdevs any more.
 */
static bool during_netns_end(void)
{
	pthread_t thread;
	bool ok;

	if (!has_userfaultfd()) {
		printf("# stall: stopped before, because this kernel has no userfaultfd\n");
		return true;
	}
	snprintf(scene.name, sizeof(scene.name), DEVICE_C);
	if (!map_pages())
		return false;
	TRY(scene.fd = open_node(scene.name));
	if (!stopped(get_context, &thread))
		return false;
	printf("# stall: stopped\n");
	ok = is_gone("/sys/class/net/" PEER_OF_NETDEV_C) && device_is_gone();
	return ends_with(-EIO, thread) && ok;
}

/* Creates a CQ and maps its ring, as the library does. */
static bool map_ring(void)
{
	struct cq_resp cq;
	void *ring;

	TRY(create_cq(&cq));
	ring = mmap(NULL, cq.siw.num_cqe * sizeof(struct siw_cqe) + sizeof(struct siw_cq_ctrl),
		    PROT_READ | PROT_WRITE, MAP_SHARED, scene.fd, (off_t)cq.siw.cq_key);
	EXPECT(1, ring != MAP_FAILED);
	return true;
}

/* Changes the address space again and again. */
static void *change_mappings(void *unused)
{
	(void)unused;
	for (;;)
		munmap(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), PAGE);
	return NULL;
}

/*
 * Registers the page of the slow file, and exits with the errno. Some kernels hold the lock of the
 * address space, in which a ring is mapped, for reading while they wait for the page. The other
 * thread then waits for that lock, and so does everybody who wants it for reading after that.
 */
static void reg_slow_page(void)
{
	struct ib_uverbs_alloc_pd_resp pd;
	pthread_t thread;
	void *mem;
	int fd;

	fd = open(SLOW_FILE, O_RDWR);
	mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (mem == MAP_FAILED || !set_scene(true) || alloc_pd(&pd) || !map_ring() ||
	    pthread_create(&thread, NULL, change_mappings, NULL))
		_exit(255);
	_exit(-reg_mr(mem));
}

/* Expects that registering the slow page ends with @want. */
static bool pin_ends_with(int want, pid_t pid)
{
	int status;

	TRY(slow_file_provide());
	TRY(sys(waitpid(pid, &status, 0)));
	EXPECT(1, WIFEXITED(status));
	EXPECT(want, WEXITSTATUS(status));
	return true;
}

static bool during_pin(void)
{
	pid_t pid;
	bool ok;

	if (!find_device())
		return false;
	TRY(slow_file_mount(SLOW_FILE));
	TRY(sys(pid = fork()));
	if (!pid)
		reg_slow_page();
	if (!slow_file_wanted())
		return false;
	ok = runs("rdma link delete %s", scene.name) && device_is_gone();
	ok = pin_ends_with(EIO, pid) && ok;
	return runs("umount " SLOW_FILE) &&
	       runs("rdma link add %s type siw netdev %s", scene.name, scene.netdev) && ok;
}

/* Expects that the registration succeeds when the page comes, and that the region works. */
static bool pinned_later(void)
{
	pid_t pid;

	TRY(slow_file_mount(SLOW_FILE));
	TRY(sys(pid = fork()));
	if (!pid)
		reg_slow_page();
	return slow_file_wanted() && pin_ends_with(0, pid) && runs("umount " SLOW_FILE);
}

/* Registers the page of the slow file, shared with the file, changes it, and writes to @ready. */
static void share_slow_page(int ready)
{
	struct ib_uverbs_alloc_pd_resp pd;
	char byte = 0;
	char *mem;
	int fd;

	fd = open(SLOW_FILE, O_RDWR);
	mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED || !set_scene(true) || alloc_pd(&pd) || reg_mr(mem))
		_exit(1);
	*mem = 1;
	if (write(ready, &byte, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* The kernel holds the lock of a registered page until the file system has written the page. */
static bool during_write_back(void)
{
	pthread_t thread;
	int ready[2];
	char byte;
	pid_t pid;
	bool ok;

	if (!find_device())
		return false;
	TRY(slow_file_mount(SLOW_FILE));
	TRY(sys(pipe2(ready, O_CLOEXEC)));
	TRY(sys(pid = fork()));
	if (!pid)
		share_slow_page(ready[1]);
	close(ready[1]);
	if (!slow_file_wanted())
		return false;
	TRY(slow_file_provide());
	EXPECT(1, read(ready[0], &byte, 1));
	TRY(slow_file_invalidate(&thread));
	if (!slow_file_wanted())
		return false;
	ok = runs("rdma link delete %s", scene.name) && device_is_gone();
	/* The page is dirty again when it is unpinned, and written back once more. */
	for (int i = 0; i < 4; i++)
		TRY(slow_file_provide());
	TRY(-pthread_join(thread, NULL));
	TRY(sys(kill(pid, SIGKILL)));
	TRY(sys(waitpid(pid, NULL, 0)));
	return runs("umount " SLOW_FILE) &&
	       runs("rdma link add %s type siw netdev %s", scene.name, scene.netdev) && ok;
}

/* From Linux 6.5 on, pages that are shared with a file are not pinned for writing. */
static bool pins_pages_of_files(void)
{
	struct utsname name;
	unsigned int major, minor;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return false;
	return major < 6 || (major == 6 && minor < 5);
}

/* Expects that a page that is shared with a file is not registered, where the kernel pins none. */
static bool shared_page_refused(void)
{
	struct ib_uverbs_alloc_pd_resp pd;
	void *mem;
	int fd;

	if (!set_scene(true))
		return false;
	TRY(alloc_pd(&pd));
	TRY(slow_file_mount(SLOW_FILE));
	TRY(sys(fd = open(SLOW_FILE, O_RDWR)));
	mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT(1, mem != MAP_FAILED);
	EXPECT(-EFAULT, reg_mr(mem));
	TRY(sys(munmap(mem, PAGE)));
	close(fd); /* fails, because the file system cannot flush */
	return runs("umount " SLOW_FILE);
}

/* --- the device stays --- */

/* Expects that no other call can use or list a created object before the answer. */
static bool not_answered_yet(void)
{
	pthread_t thread;

	if (!set_scene(true) || !stopped(alloc_pd, &thread))
		return false;
	EXPECT(-ENOENT, destroy_pd(scene.fd, 0));
	EXPECT(0, num_handles(UVERBS_OBJECT_PD));
	if (!ends_with(0, thread))
		return false;
	EXPECT(1, num_handles(UVERBS_OBJECT_PD));
	TRY(destroy_pd(scene.fd, 0));
	return true;
}

static bool context_not_answered_yet(void)
{
	struct context_resp resp;
	pthread_t thread;

	if (!set_scene(false) || !stopped(get_context, &thread))
		return false;
	EXPECT(-EINVAL, query_device(scene.present));
	EXPECT(-EINVAL, get_context(&resp));
	if (!ends_with(0, thread))
		return false;
	TRY(query_device(scene.present));
	return true;
}

/* Expects that a created object is destroyed if the answer cannot be written. */
static bool not_answered_at_all(void)
{
	struct ib_uverbs_alloc_pd_resp pd;

	if (!set_scene(true))
		return false;
	TRY(sys(mprotect(scene.present, PAGE, PROT_READ)));
	EXPECT(-EFAULT, alloc_pd(scene.present));
	EXPECT(0, num_handles(UVERBS_OBJECT_PD));
	EXPECT(-EFAULT, create_cq(scene.present));
	EXPECT(0, num_handles(UVERBS_OBJECT_CQ));
	EXPECT(-EFAULT, create_channel(scene.present));
	TRY(alloc_pd(&pd));
	EXPECT(1, num_handles(UVERBS_OBJECT_PD));
	return true;
}

static bool context_not_answered_at_all(void)
{
	struct context_resp resp;

	if (!set_scene(false))
		return false;
	EXPECT(-EFAULT, get_context_by_ioctl(scene.present));
	EXPECT(-EINVAL, num_handles(UVERBS_OBJECT_PD));
	EXPECT(-EFAULT, get_context(scene.present));
	TRY(get_context(&resp));
	EXPECT(0, num_handles(UVERBS_OBJECT_PD));
	return true;
}

/*
 * Returns how many handles of PDs are in a list of @len bytes, or a negative errno. Prints the
 * first handle if it is not @first.
 */
static int num_listed(size_t len, uint32_t first)
{
	uint32_t total = 0, list[4] = {};
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_INFO_OBJECT_ID, 8, UVERBS_OBJECT_PD),
		attr_value(UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, (uintptr_t)&total),
		attr_value(UVERBS_ATTR_INFO_HANDLES_LIST, len, (uintptr_t)list),
	};
	int ret = method(scene.fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES, attrs, 3);

	if (!ret && list[0] != first)
		printf("# the first handle is %u\n", list[0]);
	return ret ?: (int)total;
}

/*
 * Expects that the total counts only the handles that fit into the list, so that nobody reads
 * beyond the end of the list.
 */
static bool handles_are_listed(void)
{
	struct ib_uverbs_alloc_pd_resp pd;

	if (!set_scene(true))
		return false;
	for (int i = 0; i < 3; i++)
		TRY(alloc_pd(&pd));
	EXPECT(3, num_handles(UVERBS_OBJECT_PD));
	EXPECT(3, num_listed(16, 2));
	EXPECT(3, num_listed(12, 2));
	EXPECT(2, num_listed(8, 2));
	EXPECT(-EINVAL, num_listed(0, 0));
	EXPECT(-EINVAL, num_listed(6, 0));
	return true;
}

/*
 * The removal destroys many objects of one file. Expects that another file can be closed during the
 * removal, in a small part of the removal's time.
 */
static bool closed_during_removal(void)
{
	struct ib_uverbs_alloc_pd_resp pd;
	struct context_resp full, other;
	int64_t begin, closed, removed;
	char command[128];
	int full_fd;
	pid_t pid;
	struct ib_uverbs_async_event_desc event;
	ssize_t ret;

	if (!set_scene(false))
		return false;
	TRY(get_context(&full));
	for (int i = 0; i < MANY; i++)
		TRY(alloc_pd(&pd));
	full_fd = scene.fd;
	TRY(scene.fd = open_node(scene.name));
	TRY(get_context(&other));
	snprintf(command, sizeof(command), "exec rdma link delete %s", scene.name);
	TRY(pid = start(command));
	/*
	 * Waits for the end of the file's events, which comes immediately before the removal
	 * destroys the file's objects.
	 */
	do {
		ret = read(full.core.async_fd, &event, sizeof(event));
	} while (ret > 0);
	EXPECT(-EIO, sys(ret));
	begin = now_us();
	close(scene.fd);
	closed = now_us() - begin;
	if (!ends_well(pid, command) || !device_is_gone())
		return false;
	removed = now_us() - begin;
	close(full_fd);
	if (!runs("rdma link add %s type siw netdev %s", scene.name, scene.netdev))
		return false;
	printf("# stall: closed in %lld of %lld us\n", (long long)closed, (long long)removed);
	EXPECT(1, closed < removed / 4);
	return true;
}

void test_stall(void)
{
	run("an object whose answer cannot be written", not_answered_at_all);
	run("a context whose answer cannot be written", context_not_answered_at_all);
	if (!access("/dev/fuse", F_OK)) {
		run("a region whose page comes later", pinned_later);
		run("a device is removed while memory is pinned", during_pin);
		if (pins_pages_of_files())
			run("a device is removed while a registered page is locked",
			    during_write_back);
		else
			run("a page that is shared with a file is refused", shared_page_refused);
	} else {
		printf("# stall: no slow pins, because this kernel has no FUSE\n");
	}
	run("a list of handles", handles_are_listed);
	run("a file is closed while the objects of another are destroyed", closed_during_removal);
	if (!has_userfaultfd()) {
		printf("# stall: no calls that stop, because this kernel has no userfaultfd\n");
		return;
	}
	run("an object whose answer is not written yet", not_answered_yet);
	run("a context whose answer is not written yet", context_not_answered_yet);
	for (removal = removals; removal < removals + ARRAY_SIZE(removals); removal++) {
		char name[80];

		snprintf(name, sizeof(name), "a device is removed while %s", removal->during);
		run(name, removed_during);
	}
}

const struct test stall_netns_tests[] = {
	{ "a namespace ends while a response is written", during_netns_end },
	{}
};
