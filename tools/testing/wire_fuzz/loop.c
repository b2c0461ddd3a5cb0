// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Plays composed connections through kfuzz, in batches. An input that makes siw run code that no
 * input before has run is kept, and changed further.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "input.h"
#include "iwarp/fault.h"
#include "loop.h"

#define BATCH		32
#define FAULTS_SHOWN	20
#define KEPT_MAX	20000
#define REPORT_MS	10000
/* Longest wait, in ms, for an answer on a changed connection, on which siw may not answer. */
#define WAIT_MS		20
/* Time, in ms, after which a connection counts as stuck; longer than the timeouts of siw. */
#define STUCK_MS	30000

struct totals {
	uint64_t connections, fpdus, established, rejected, resets, late;
	uint64_t controls, forbidden, faults;
	uint64_t terminated[IWARP_FAULT_COUNT];
	uint32_t edges;
};

/**
 * struct loop - state of the loop
 * @options: what to play
 * @fd: open file of kfuzz
 * @start: argument of KFUZZ_START, with the regions of the ULP
 * @composer: what connections are composed from
 * @rng: generator of inputs
 * @kept: inputs that reached new code
 * @num_kept: number of @kept
 * @num_replay: number of inputs at the beginning of @kept that are played once more before other
 *	inputs
 * @corpus: file to which kept inputs are added, or NULL
 * @inputs: inputs of the batch
 * @expect: what the inputs of the batch must lead to
 * @outcomes: what the inputs of the batch led to
 * @rendered: bytes of the rendered batch
 * @totals: what has happened so far
 * @taint: taint flags of the kernel at the beginning
 */
struct loop {
	const struct loop_options *options;
	int fd;
	struct kfuzz_start start;
	struct composer composer;
	struct rng rng;
	struct input *kept;
	uint32_t num_kept;
	uint32_t num_replay;
	FILE *corpus;
	struct input inputs[BATCH];
	struct expectation expect[BATCH];
	struct kfuzz_outcome outcomes[BATCH];
	uint8_t *rendered;
	struct totals totals;
	unsigned long taint;
};

static void begin(struct loop *loop)
{
	struct kfuzz_start *start = &loop->start;
	char line[SEEDS_MAX * 20];

	loop->fd = open("/dev/kfuzz", O_RDWR | O_CLOEXEC);
	if (loop->fd < 0)
		die("cannot open /dev/kfuzz: %s", strerror(errno));
	snprintf(start->dev, sizeof(start->dev), "%s", loop->options->dev);
	memcpy(&start->addr, &loop->options->endpoint.addr, sizeof(start->addr));
	if (ioctl(loop->fd, KFUZZ_START, start))
		die("cannot start kfuzz: %s", strerror(errno));
	composer_init(&loop->composer, loop->options->dir, start->regions);
	loop->rng.state = loop->options->seed;
	loop->rendered = malloc(BATCH * (size_t)RENDERED_MAX);
	loop->kept = calloc(KEPT_MAX, sizeof(*loop->kept));
	if (!loop->rendered || !loop->kept)
		die("no memory");
	if (!loop->options->corpus)
		return;
	loop->corpus = fopen(loop->options->corpus, "a+");
	if (!loop->corpus)
		die("cannot open %s", loop->options->corpus);
	while (fgets(line, sizeof(line), loop->corpus) && loop->num_kept < KEPT_MAX)
		loop->num_kept += input_parse(line, &loop->kept[loop->num_kept]);
	if (loop->options->replay)
		loop->num_replay = loop->num_kept;
}

/* The kernel is tainted when it reports a fault of itself or a module. */
static unsigned long read_taint(void)
{
	unsigned long taint = 0;
	FILE *file = fopen("/proc/sys/kernel/tainted", "r");

	if (!file || fscanf(file, "%lu", &taint) != 1)
		die("cannot read the kernel's taint");
	fclose(file);
	return taint;
}

/*
 * Returns the input that the options name. If the options name none, returns the inputs to be
 * replayed, one in each call. When all are replayed, returns a new input in half of the calls, and
 * a kept input with one more change in the other half.
 */
static struct input next_input(struct loop *loop)
{
	struct input input = {};

	if (loop->options->input) {
		if (!input_parse(loop->options->input, &input))
			die("%s is not an input", loop->options->input);
		return input;
	}
	if (loop->num_replay)
		return loop->kept[--loop->num_replay];
	if (loop->num_kept && rng_one_in(&loop->rng, 2))
		input = loop->kept[rng_below(&loop->rng, loop->num_kept)];
	if (input.count == SEEDS_MAX)
		input.count = 1 + rng_below(&loop->rng, SEEDS_MAX - 1);
	input.seeds[input.count++] = rng_u64(&loop->rng);
	return input;
}

/* Returns NULL if siw behaved as it must, else a description of the fault. */
static const char *fault_of(const struct expectation *expect, const struct kfuzz_outcome *outcome)
{
	uint32_t flags = outcome->flags;

	if (!(flags & KFUZZ_CONNECTED))
		return "no connection";
	if (flags & KFUZZ_STUCK)
		return "siw does not close";
	if (flags & KFUZZ_LEFT)
		return "the ULP's connection does not end";
	if (flags & KFUZZ_GARBAGE)
		return "siw sent something else than an MPA frame";
	if (expect->forbidden && flags & KFUZZ_FRAME && !(flags & KFUZZ_REJECTED) &&
	    !(flags & (KFUZZ_TERMINATED | KFUZZ_RESET)))
		return "neither a Terminate nor a reset after a forbidden item";
	if (!expect->control)
		return NULL;
	if (flags & KFUZZ_TERMINATED)
		return "a Terminate on a correct connection";
	if (flags & KFUZZ_RESET)
		return "a reset on a correct connection";
	if (!(flags & KFUZZ_FRAME) || flags & KFUZZ_REJECTED)
		return "a correct connection was not accepted";
	if (outcome->answers != expect->answers)
		return "answers are missing on a correct connection";
	return outcome->rx_fpdus == expect->fpdus ? NULL :
	       "siw has counted another number of FPDUs than a correct connection has";
}

static void print_outcome(const struct input *input, const struct expectation *expect,
			  const struct kfuzz_outcome *o, const char *fault)
{
	printf("input ");
	input_print(input, stdout);
	printf(": %s (%s); flags %#x, ", fault ? fault : "as it must", expect->text, o->flags);
	printf("%u FPDUs and %u answers received, ", o->fpdus, o->answers);
	printf("%u of %u FPDUs counted, %u answers expected, %u us", o->rx_fpdus, expect->fpdus,
	       expect->answers, o->us);
	if (o->flags & KFUZZ_TERMINATED)
		printf(", Terminate %s",
		       iwarp_fault_name(iwarp_fault_from_code(o->layer, o->etype, o->code)));
	puts("");
	fflush(stdout);
}

static void take_outcome(struct loop *loop, uint32_t i)
{
	const struct kfuzz_outcome *outcome = &loop->outcomes[i];
	const struct expectation *expect = &loop->expect[i];
	const char *fault = fault_of(expect, outcome);
	struct totals *t = &loop->totals;

	t->connections++;
	t->fpdus += outcome->rx_fpdus;
	t->established += !!(outcome->flags & KFUZZ_ESTABLISHED);
	t->rejected += !!(outcome->flags & KFUZZ_REJECTED);
	t->resets += !!(outcome->flags & KFUZZ_RESET);
	t->late += outcome->late;
	t->controls += expect->control;
	t->forbidden += expect->forbidden;
	t->faults += !!fault;
	if (outcome->flags & KFUZZ_TERMINATED)
		t->terminated[iwarp_fault_from_code(outcome->layer, outcome->etype,
						    outcome->code)]++;
	if (outcome->edges && loop->num_kept < KEPT_MAX) {
		loop->kept[loop->num_kept++] = loop->inputs[i];
		if (loop->corpus) {
			input_print(&loop->inputs[i], loop->corpus);
			fputc('\n', loop->corpus);
			fflush(loop->corpus);
		}
	}
	if ((fault && t->faults <= FAULTS_SHOWN) || loop->options->input)
		print_outcome(&loop->inputs[i], expect, outcome, fault);
}

/* Writes the batch to the journal, so that its inputs are known if the machine crashes. */
static void write_journal(const struct loop *loop, uint32_t count)
{
	FILE *file;

	if (!loop->options->journal)
		return;
	file = fopen(loop->options->journal, "w");
	if (!file)
		die("cannot write %s", loop->options->journal);
	for (uint32_t i = 0; i < count; i++) {
		input_print(&loop->inputs[i], file);
		fprintf(file, " %s\n", loop->expect[i].text);
	}
	fclose(file);
}

/* Returns false if a connection does not end: kfuzz then cannot play any other connection. */
static bool play_batch(struct loop *loop)
{
	uint32_t limit_ms = STUCK_MS * loop->options->slow;
	uint32_t count = loop->options->input ? 1 : BATCH;
	struct kfuzz_play play = {
		.input = (uintptr_t)loop->rendered,
		.outcomes = (uintptr_t)loop->outcomes,
		.count = count,
		.limit_ms = limit_ms,
	};

	for (uint32_t i = 0; i < count; i++) {
		loop->inputs[i] = next_input(loop);
		play.input_len += input_render(&loop->inputs[i], &loop->composer,
					       WAIT_MS * loop->options->slow, limit_ms,
					       loop->rendered + play.input_len, &loop->expect[i]);
	}
	write_journal(loop, count);
	if (ioctl(loop->fd, KFUZZ_PLAY, &play))
		die("kfuzz failed: %s", strerror(errno));
	loop->totals.edges = play.edges;
	for (uint32_t i = 0; i < play.count; i++)
		take_outcome(loop, i);
	return play.count == count;
}

static void print_totals(const struct loop *loop, uint64_t ms)
{
	const struct totals *t = &loop->totals;
	uint64_t in_ms = ms ? ms : 1;

	printf("%llu s: %llu FPDUs, %llu a second; %llu connections, %llu a second: ",
	       (unsigned long long)ms / 1000, (unsigned long long)t->fpdus,
	       (unsigned long long)(t->fpdus * 1000 / in_ms), (unsigned long long)t->connections,
	       (unsigned long long)(t->connections * 1000 / in_ms));
	printf("%llu established, %llu rejected, %llu reset, ", (unsigned long long)t->established,
	       (unsigned long long)t->rejected, (unsigned long long)t->resets);
	printf("%llu late, ", (unsigned long long)t->late);
	printf("%llu correct, %llu forbidden, %llu wrong; ", (unsigned long long)t->controls,
	       (unsigned long long)t->forbidden, (unsigned long long)t->faults);
	printf("%u edges, %u inputs kept\n", t->edges, loop->num_kept);
	fflush(stdout);
}

int loop(const struct loop_options *options)
{
	static struct loop l;
	uint64_t began, ms = 0, reported = 0;
	bool goes_on;

	l.options = options;
	begin(&l);
	l.taint = read_taint();
	began = now_ms();
	do {
		goes_on = play_batch(&l);
		ms = now_ms() - began;
		if (ms - reported >= REPORT_MS) {
			reported = ms;
			print_totals(&l, ms);
		}
		if (read_taint() == l.taint)
			continue;
		puts("the kernel reported a fault, by one of these inputs:");
		for (uint32_t i = 0; i < BATCH; i++)
			print_outcome(&l.inputs[i], &l.expect[i], &l.outcomes[i], NULL);
		l.totals.faults++;
		break;
	} while (goes_on && !options->input && l.totals.faults <= FAULTS_SHOWN &&
		 (!options->fpdus || l.totals.fpdus < options->fpdus) &&
		 (!options->seconds || ms < options->seconds * 1000ull));
	print_totals(&l, ms);
	print_terminated(l.totals.terminated);
	if (l.corpus)
		fclose(l.corpus);
	return l.totals.faults ? 1 : 0;
}
