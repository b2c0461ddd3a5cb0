// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * "seeds TARGET DIR" writes initial inputs for a fuzz target to DIR. Our own code builds the frames
 * in these inputs. The comment at the head of fuzz_TARGET.c describes the bytes before the frames.
 */

#include "fuzz.h"
#include "ibwire/packet.h"
#include "ibwire/rmpp.h"
#include "ibwire/smp.h"
#include "iwarp/atomic.h"
#include "iwarp/fpdu.h"
#include "iwarp/mpa.h"
#include "iwarp/rdmap.h"
#include "iwarp/term.h"

struct bytes {
	size_t len;
	uint8_t at[4096];
};

/* The bytes that seed the segmentation. */
static const struct bytes segmentation = { 4, { 0x01, 0x23, 0x45, 0x67 } };

static const char *folder;

static void save(const struct bytes *b)
{
	static unsigned int number;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/made-%04u", folder, number++);
	file = fopen(path, "wb");
	CLAIM(file);
	CLAIM(fwrite(b->at, 1, b->len, file) == b->len);
	fclose(file);
}

static void add(struct bytes *b, const void *data, size_t len)
{
	CLAIM(b->len + len <= sizeof(b->at));
	memcpy(b->at + b->len, data, len);
	b->len += len;
}

static void add_byte(struct bytes *b, uint8_t value)
{
	add(b, &value, 1);
}

static void add_be16(struct bytes *b, uint16_t value)
{
	add_byte(b, value >> 8);
	add_byte(b, value);
}

static void add_filler(struct bytes *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		add_byte(b, 'a' + i % 26);
}

/* MPA */

static const struct mpa_policy policies[] = {
	{ .rev = 1, .crc = true, .ird = 16, .ord = 16 },
	{ .rev = 2, .crc = true, .ird = 16, .ord = 16 },
	{ .rev = 2, .crc = true, .peer_to_peer = true, .rtr = MPA_RTR_ALL, .ird = 8, .ord = 4 },
	{ .rev = 2, .peer_to_peer = true, .rtr = MPA_RTR_READ, .ird = 0, .ord = 1 },
	{ .rev = 2, .peer_to_peer = true, .rtr = MPA_RTR_SEND, .ird = MPA_DEPTH_ULP,
	  .ord = MPA_DEPTH_ULP },
	{ .rev = 2, .markers = true, .ird = 1, .ord = MPA_DEPTH_MASK - 1 },
};

#define POLICIES (sizeof(policies) / sizeof(*policies))

static void add_policy(struct bytes *b, const struct mpa_policy *policy)
{
	add_byte(b, (policy->rev == 2 ? 1 : 0) | (policy->markers ? 2 : 0) |
		    (policy->crc ? 4 : 0) | (policy->peer_to_peer ? 8 : 0));
	add_byte(b, policy->rtr);
	add_be16(b, policy->ird);
	add_be16(b, policy->ord);
}

static void save_frame(struct mpa_frame *frame, const struct mpa_policy *a,
		       const struct mpa_policy *b, size_t pd_len)
{
	struct bytes pd = { 0 }, input = { 0 };
	uint8_t buf[MPA_FRAME_MAX];
	int len;

	add_filler(&pd, pd_len);
	frame->pd = pd.at;
	frame->pd_len = pd_len;
	len = mpa_frame_build(buf, sizeof(buf), frame);
	CLAIM(len > 0);
	add_byte(&input, frame->kind == MPA_REPLY);
	add(&input, segmentation.at, segmentation.len);
	add_policy(&input, a);
	add_policy(&input, b);
	add(&input, buf, len);
	save(&input);
}

/* Saves the frames of a handshake for each two policies: the request, the reply and the reject. */
static void make_mpa(void)
{
	static const size_t sizes[] = { 0, 3, MPA_PD_MAX_ENHANCED };
	struct mpa_agreement agreement;
	struct mpa_frame request, reply;

	for (size_t i = 0; i < POLICIES; i++) {
		for (size_t j = 0; j < POLICIES; j++) {
			const struct mpa_policy *a = &policies[i], *b = &policies[j];
			size_t pd_len = sizes[(i + j) % 3];

			mpa_request_init(a, &request);
			save_frame(&request, b, a, pd_len);
			if (!mpa_negotiate_responder(b, &request, &agreement)) {
				mpa_reply_init(b, &request, &agreement, &reply);
				save_frame(&reply, a, b, pd_len);
			}
			mpa_reject_init(b, &request, &reply);
			save_frame(&reply, a, b, pd_len);
		}
	}
}

/* The receiver */

/* The Read Request whose response the sink of fuzz_rx.c expects. */
static const struct rdmap_read_req read_request = {
	.sink_stag = 1, .sink_to = 0x1000, .length = 100,
	.source_stag = 0x55667788, .source_to = 0x1112131415161718,
};

static void add_trailer(struct bytes *b, uint32_t ulpdu_len)
{
	uint8_t trailer[MPA_TRAILER_MAX];

	add(b, trailer, mpa_trailer_build(trailer, ulpdu_len, 0));
}

static void add_untagged(struct bytes *b, uint8_t opcode, bool last, uint32_t msn, uint32_t mo,
			 const void *payload, size_t len)
{
	uint8_t head[DDP_HEAD_MAX];

	add(b, head, ddp_build_untagged(head, opcode, last, msn, mo, 0x11223344, len));
	if (payload)
		add(b, payload, len);
	else
		add_filler(b, len);
	add_trailer(b, DDP_UNTAGGED_LEN + len);
}

static void add_tagged(struct bytes *b, uint8_t opcode, bool last, uint64_t to, size_t len)
{
	uint8_t head[DDP_HEAD_MAX];

	add(b, head, ddp_build_tagged(head, opcode, last, 1, to, len));
	add_filler(b, len);
	add_trailer(b, DDP_TAGGED_LEN + len);
}

static void save_sends(uint8_t opcode, size_t len)
{
	struct bytes b = segmentation;

	add_untagged(&b, opcode, false, 1, 0, NULL, len);
	add_untagged(&b, opcode, true, 1, len, NULL, 1);
	add_untagged(&b, opcode, true, 2, 0, NULL, 0);
	save(&b);
}

static void save_atomics(uint8_t op)
{
	const struct rdmap_atomic_req request = {
		.op = op, .id = 7, .stag = 1, .to = 0x1008, .data = 3, .data_mask = 1ull << 31,
		.compare = 5, .compare_mask = ~0ull,
	};
	const struct rdmap_atomic_resp response = { .id = 7, .old = 5 };
	uint8_t payload[RDMAP_CONTROL_MAX];
	struct bytes b = segmentation;

	rdmap_atomic_req_build(payload, &request);
	add_untagged(&b, RDMAP_ATOMIC_REQUEST, true, 1, 0, payload, RDMAP_ATOMIC_REQ_LEN);
	rdmap_atomic_resp_build(payload, &response);
	add_untagged(&b, RDMAP_ATOMIC_RESPONSE, true, 1, 0, payload, RDMAP_ATOMIC_RESP_LEN);
	add_untagged(&b, RDMAP_IMMEDIATE, true, 1, 0, NULL, RDMAP_IMMEDIATE_LEN);
	add_untagged(&b, RDMAP_IMMEDIATE_SE, true, 2, 0, NULL, RDMAP_IMMEDIATE_LEN);
	save(&b);
}

static void save_writes(size_t len)
{
	struct bytes b = segmentation;

	add_tagged(&b, RDMAP_WRITE, false, 0x2000, len);
	add_tagged(&b, RDMAP_WRITE, true, 0x2000 + len, len);
	add_tagged(&b, RDMAP_WRITE, true, -1ull, 0);
	save(&b);
}

/*
 * Adds a Terminate about a bad segment: the header of a Write if @kind is 0, the header of a Send
 * if @kind is 1, otherwise the header and the payload of a Read Request. Stores the bad segment in
 * @head and @req.
 */
static void add_terminate(struct bytes *b, enum iwarp_fault fault, int kind,
			  struct bytes *head, struct bytes *req)
{
	int len;

	*head = *req = (struct bytes) { 0 };
	if (kind == 0) {
		head->len = ddp_build_tagged(head->at, RDMAP_WRITE, true, 1, 2, 3);
	} else if (kind == 1) {
		head->len = ddp_build_untagged(head->at, RDMAP_SEND, true, 1, 0, 0, 5);
	} else {
		head->len = ddp_build_untagged(head->at, RDMAP_READ_REQUEST, true, 1, 0, 0,
					       RDMAP_READ_REQ_LEN);
		req->len = rdmap_read_req_build(req->at, &read_request);
	}
	len = iwarp_term_build(b->at + b->len, sizeof(b->at) - b->len, fault,
			       &(struct iwarp_bad_segment) {
					.fpdu = head->at, .fpdu_len = head->len,
					.read_req = req->len ? req->at : NULL,
					.read_req_len = req->len,
			       });
	CLAIM(len > 0);
	b->len += len;
}

static void make_rx(void)
{
	struct bytes reads = segmentation, req = { 0 };

	for (uint8_t opcode = RDMAP_SEND; opcode <= RDMAP_SEND_SE_INV; opcode++)
		save_sends(opcode, opcode * 7);

	req.len = rdmap_read_req_build(req.at, &read_request);
	add_untagged(&reads, RDMAP_READ_REQUEST, true, 1, 0, req.at, req.len);
	add_tagged(&reads, RDMAP_READ_RESPONSE, false, 0x1000, 60);
	add_tagged(&reads, RDMAP_READ_RESPONSE, true, 0x1000 + 60, 40);
	add_untagged(&reads, RDMAP_READ_REQUEST, true, 2, 0, req.at, req.len);
	save(&reads);

	for (uint8_t op = RDMAP_ATOMIC_FETCH_ADD; op <= RDMAP_ATOMIC_CMP_SWAP; op++)
		save_atomics(op);
	save_writes(6);
	save_writes(300);
	for (int kind = 0; kind < 3; kind++) {
		struct bytes b = segmentation, term = { 0 }, head;

		add_terminate(&term, IWARP_RDMAP_ACCESS, kind, &head, &req);
		add_untagged(&b, RDMAP_TERMINATE, true, 1, 0, term.at, term.len);
		save(&b);
	}
}

/* Terminates: one to be parsed, and the bad segment that it is about, for each fault. */

static void make_term(void)
{
	for (int fault = IWARP_OK; fault < IWARP_FAULT_COUNT; fault++) {
		for (int kind = 0; kind < 3; kind++) {
			struct bytes parse = { 0 }, build = { 0 }, head, req;

			add_byte(&parse, fault);
			add_byte(&parse, 0);
			add_terminate(&parse, fault, kind, &head, &req);
			save(&parse);

			add_byte(&build, fault);
			add_byte(&build, head.len);
			add(&build, head.at, head.len);
			add(&build, req.at, req.len);
			save(&build);
		}
	}
}

/* Markers */

static void make_markers(void)
{
	for (uint16_t mss = 64; mss < 9000; mss = mss * 2 + 100) {
		struct bytes b = { 0 };

		add_be16(&b, mss);
		add_be16(&b, 0);
		add_be16(&b, mss);
		for (uint8_t kind = 0; kind < 4; kind++) {
			add_byte(&b, kind);
			add_be16(&b, mpa_max_payload(mss, true, kind & 1));
		}
		save(&b);
	}
}

/* T10 DIF: choices from a generator of numbers. */

static void make_dif(void)
{
	uint32_t state = 1;

	for (int i = 0; i < 200; i++) {
		struct bytes b = { 0 };

		for (int n = 0; n < 150; n++) {
			state = state * 1664525 + 1013904223;
			add_byte(&b, state >> 24);
		}
		save(&b);
	}
}

/* Packets of InfiniBand: an SMP, a datagram; one packet of each opcode, local and global. */

static void save_packet(struct ibwire_packet packet)
{
	struct bytes b = { 0 };

	packet.op = opcode_find(packet.bth.opcode);
	b.len = ibwire_packet_head_build(b.at, &packet);
	if (packet.payload_len == MAD_LEN)
		memcpy(b.at + packet.head_len, "\x01\x81\x01\x01", 4);
	ibwire_packet_tail_build(b.at, &packet);
	save(&b);
}

static void make_packet(void)
{
	save_packet((struct ibwire_packet) {
		.lrh = { .vl = VL_MANAGEMENT, .next = LNH_LOCAL, .dlid = LID_PERMISSIVE,
			 .slid = LID_PERMISSIVE },
		.bth = { .opcode = 0x64 },
		.payload_len = MAD_LEN,
	});
	save_packet((struct ibwire_packet) {
		.lrh = { .next = LNH_LOCAL, .dlid = 1, .slid = 2 },
		.bth = { .opcode = 0x64, .pkey = 0xffff, .dqpn = 3 },
		.ext = { .sqpn = 4 },
		.payload_len = 9,
	});
	for (unsigned int value = 0; value < 512; value++) {
		struct ibwire_packet packet = {
			.lrh = { .next = value < 256 ? LNH_LOCAL : LNH_GLOBAL, .dlid = 1 },
			.bth = { .opcode = value, .pkey = 0xffff, .dqpn = 3, .psn = 4 },
			.ext = { .rkey = 5, .va = 6, .len = 7, .imm = 8 },
		};
		const struct opcode *op = opcode_find(value);

		if (!op)
			continue;
		packet.payload_len = op->flags & OP_PAYLOAD ? value % 37 : 0;
		save_packet(packet);
	}
}

/* Management datagrams: directed routes over five nodes, there and back, and segments of RMPP. */

static void make_mad(void)
{
	const struct rmpp rmpp = { RMPP_DATA, RMPP_ACTIVE | RMPP_FIRST | RMPP_LAST, 0, 0, 1, 100 };
	static const uint8_t nodes[] = { 5, 1, 0x88, 0x88, 0x88, 2 };

	for (uint8_t hops = 0; hops < 6; hops++) {
		const struct mad smp = {
			.mgmt_class = MAD_CLASS_SMP_DIRECTED, .class_version = 1,
			.method = MAD_METHOD_GET, .class_specific = hops, .attr_id = 0x11,
		};
		const struct mad sa = { .mgmt_class = MAD_CLASS_SA, .class_version = 2 };
		struct bytes b = { 0 };

		add(&b, nodes, sizeof(nodes));
		mad_build(b.at + b.len, &smp);
		memset(b.at + b.len + SMP_DR_SLID, 0xff, 4);
		memset(b.at + b.len + SMP_INITIAL_PATH + 1, 1, hops);
		memset(b.at + b.len + SMP_RETURN_PATH + 1, 1, hops);
		b.len += MAD_LEN;
		save(&b);
		mad_build(b.at + sizeof(nodes), &sa);
		rmpp_build(b.at + sizeof(nodes), &rmpp);
		save(&b);
	}
}

/* Topologies, in each format. */

static void make_sibnet(void)
{
	static const char *const texts[] = {
		"Switch 8 \"S1\"\n[1] \"H1\"[1]\n[2] \"H1\"[2]\nHca 2 \"H1\"\n[1] \"S1\"[1]\n",
		"guid=1\nsysimgguid=2\ndesc=\"\\x41\\\"\"\nSwitch 2 \"a\"\n[1] \"a\"[2] w=1 s=1 mtu=256 vls=1\n",
		"# Topology file: generated\nvendid=0x0\nswitchguid=0x1(1)\n"
		"Switch\t2 \"S-1\"\t\t# \"s\" base port 0 lid 1 lmc 0\n"
		"[1][ext 2]\t\"H-2\"[1](3) \t\t# \"h\" lid 2 4xQDR\n\n"
		"caguid=0x2\nCa\t1 \"H-2\"\t# \"h\"\n[1](3) \t\"S-1\"[1]\t# lid 2 lmc 0 \"s\" lid 1 4xQDR\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct bytes b = { 0 };

		add(&b, texts[i], strlen(texts[i]));
		save(&b);
	}
}

static const struct {
	const char *name;
	void (*make)(void);
} targets[] = {
	{ "mpa", make_mpa },
	{ "rx", make_rx },
	{ "term", make_term },
	{ "markers", make_markers },
	{ "dif", make_dif },
	{ "packet", make_packet },
	{ "mad", make_mad },
	{ "sibnet", make_sibnet },
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return EXIT_FAILURE;
	folder = argv[2];
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		if (!strcmp(argv[1], targets[i].name)) {
			targets[i].make();
			return EXIT_SUCCESS;
		}
	}
	return EXIT_FAILURE;
}
