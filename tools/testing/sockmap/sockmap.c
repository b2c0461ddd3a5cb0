// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * sockmap CGROUP [verdict|parser]: until it is killed, a BPF program puts each TCP socket of the
 * cgroup into a map when its connection is established, as service meshes do, or when it begins to
 * listen. With "verdict" the map has a program that decides on received data; with "parser" also
 * one that divides the data into messages, so that the kernel runs a strparser on the sockets.
 * Opens a connection to itself, to see that the program works. Prints "attached PORT", with a port
 * of this connection, and then again and again "taken PORT" for the local port of each socket in
 * the map.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tools/testing/lib/die.h"

#define MAX_SOCKETS	1024

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* Loads a program, and attaches it to @target. */
static void attach(int target, enum bpf_attach_type at, enum bpf_prog_type type,
		   const struct bpf_insn *insns, size_t count)
{
	static char log[65536];
	union bpf_attr load = {
		.prog_type = type, .insns = (uintptr_t)insns, .insn_cnt = count,
		.license = (uintptr_t)"Dual BSD/GPL", .log_buf = (uintptr_t)log,
		.log_size = sizeof(log), .log_level = 1,
	};
	union bpf_attr attach = { .target_fd = target, .attach_type = at };
	int fd = bpf(BPF_PROG_LOAD, &load);

	if (fd < 0) {
		fputs(log, stderr);
		die("BPF_PROG_LOAD: %m");
	}
	attach.attach_bpf_fd = fd;
	if (bpf(BPF_PROG_ATTACH, &attach))
		die("BPF_PROG_ATTACH: %m");
}

#define INSN(op, dst, src, offset, value)						\
	{ .code = (op), .dst_reg = (dst), .src_reg = (src), .off = (offset), .imm = (value) }
#define MOVE(dst, src)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, value)		INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define ADD(dst, value)		INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)
#define MEMBER(dst, src, type, member)							\
	INSN(BPF_LDX | BPF_MEM | BPF_W, dst, src, offsetof(type, member), 0)
#define STORE(offset, src)	INSN(BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, src, offset, 0)
#define JUMP_IF(reg, value, by)	INSN(BPF_JMP | BPF_JEQ | BPF_K, reg, 0, by, value)
#define EXIT			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define LENGTH(insns)		(sizeof(insns) / sizeof((insns)[0]))

/* Lets all data pass. */
static const struct bpf_insn verdict[] = { SET(BPF_REG_0, SK_PASS), EXIT };

/* Makes a message of what a socket buffer has. */
static const struct bpf_insn parser[] = {
	MEMBER(BPF_REG_0, BPF_REG_1, struct __sk_buff, len), EXIT,
};

/* Puts the sockets of a cgroup into the map. The key of a socket is its two ports. */
static void take_sockets(int cgroup, int map)
{
	const struct bpf_insn insns[] = {
		MOVE(BPF_REG_6, BPF_REG_1),
		MEMBER(BPF_REG_2, BPF_REG_6, struct bpf_sock_ops, op),
		JUMP_IF(BPF_REG_2, BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB, 4),
		JUMP_IF(BPF_REG_2, BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB, 3),
		JUMP_IF(BPF_REG_2, BPF_SOCK_OPS_TCP_LISTEN_CB, 2),
		SET(BPF_REG_0, 1),
		EXIT,
		MEMBER(BPF_REG_2, BPF_REG_6, struct bpf_sock_ops, local_port),
		STORE(-8, BPF_REG_2),
		MEMBER(BPF_REG_2, BPF_REG_6, struct bpf_sock_ops, remote_port),
		STORE(-4, BPF_REG_2),
		MOVE(BPF_REG_1, BPF_REG_6),
		INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_2, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		MOVE(BPF_REG_3, BPF_REG_10),
		ADD(BPF_REG_3, -8),
		SET(BPF_REG_4, BPF_ANY),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_sock_hash_update),
		SET(BPF_REG_0, 1),
		EXIT,
	};

	attach(cgroup, BPF_CGROUP_SOCK_OPS, BPF_PROG_TYPE_SOCK_OPS, insns, LENGTH(insns));
}

/* Opens a TCP connection to itself, and returns the port of the side that accepts. */
static unsigned int connect_self(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listening, (struct sockaddr *)&addr, len) || listen(listening, 1) ||
	    getsockname(listening, (struct sockaddr *)&addr, &len) ||
	    connect(fd, (struct sockaddr *)&addr, len) || accept(listening, NULL, NULL) < 0)
		die("connection to 127.0.0.1: %m");
	return ntohs(addr.sin_port);
}

/* The first half of a key is the local port. */
static void print_taken(int map)
{
	union bpf_attr attr = { .map_fd = map };
	uint32_t key[2], next[2];

	attr.next_key = (uintptr_t)next;
	while (!bpf(BPF_MAP_GET_NEXT_KEY, &attr)) {
		memcpy(key, next, sizeof(key));
		attr.key = (uintptr_t)key;
		printf("taken %u\n", key[0]);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	const char *with = argc > 2 ? argv[2] : "";
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_SOCKHASH, .key_size = 2 * sizeof(uint32_t),
		.value_size = sizeof(uint32_t), .max_entries = MAX_SOCKETS,
	};
	int map, cgroup;

	if (argc < 2)
		return 2;
	map = bpf(BPF_MAP_CREATE, &attr);
	if (map < 0)
		die("BPF_MAP_CREATE: %m");
	if (!strcmp(with, "parser")) {
		attach(map, BPF_SK_SKB_STREAM_PARSER, BPF_PROG_TYPE_SK_SKB, parser, LENGTH(parser));
		attach(map, BPF_SK_SKB_STREAM_VERDICT, BPF_PROG_TYPE_SK_SKB, verdict,
		       LENGTH(verdict));
	} else if (!strcmp(with, "verdict")) {
		attach(map, BPF_SK_SKB_VERDICT, BPF_PROG_TYPE_SK_SKB, verdict, LENGTH(verdict));
	}
	cgroup = open(argv[1], O_RDONLY | O_DIRECTORY);
	if (cgroup < 0)
		die("%s: %m", argv[1]);
	take_sockets(cgroup, map);
	printf("attached %u\n", connect_self());
	for (;;) {
		print_taken(map);
		nanosleep(&pause, NULL);
	}
}
