/* The bytes of raw logs. Only the unit being filled is kept in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "log.h"

enum { NUMBER, RANK, TAG, COMM, DATATYPE, OPERATION };                           /* kinds of arguments */
enum { SEND = 1, RECV, COMPLETE, PROBE, COLLECTIVE, COMMUNICATOR, SPECIAL = 9 }; /* classes */

/* As src/calls/mpi.calls has them; tests/scale compares. */
static const struct definition {
	const char *name;
	uint8_t cls, nargs;
	struct {
		uint8_t kind;
		const char *name;
	} arg[ARGS];
} functions[FN_COUNT] = {
#define ENVELOPE(peer)                                                                                  \
	{                                                                                               \
		{NUMBER, "count"}, {DATATYPE, "datatype"}, {RANK, peer}, {TAG, "tag"}, { COMM, "comm" } \
	}
	[FN_INIT] = {"MPI_Init", SPECIAL, 0, {{0}}},
	[FN_FINALIZE] = {"MPI_Finalize", SPECIAL, 0, {{0}}},
	[FN_COMM_SPLIT] = {"MPI_Comm_split", COMMUNICATOR, 3, {{COMM, "comm"}, {NUMBER, "color"}, {NUMBER, "key"}}},
	[FN_SEND] = {"MPI_Send", SEND, 5, ENVELOPE("dest")},
	[FN_SSEND] = {"MPI_Ssend", SEND, 5, ENVELOPE("dest")},
	[FN_ISEND] = {"MPI_Isend", SEND, 5, ENVELOPE("dest")},
	[FN_ISSEND] = {"MPI_Issend", SEND, 5, ENVELOPE("dest")},
	[FN_RECV] = {"MPI_Recv", RECV, 5, ENVELOPE("source")},
	[FN_IRECV] = {"MPI_Irecv", RECV, 5, ENVELOPE("source")},
	[FN_PROBE] = {"MPI_Probe", PROBE, 3, {{RANK, "source"}, {TAG, "tag"}, {COMM, "comm"}}},
	[FN_WAITANY] = {"MPI_Waitany", COMPLETE, 1, {{NUMBER, "count"}}},
	[FN_WAITALL] = {"MPI_Waitall", COMPLETE, 1, {{NUMBER, "count"}}},
	[FN_CANCEL] = {"MPI_Cancel", SPECIAL, 0, {{0}}},
	[FN_BARRIER] = {"MPI_Barrier", COLLECTIVE, 1, {{COMM, "comm"}}},
	[FN_ALLREDUCE] = {"MPI_Allreduce", COLLECTIVE, 4,
		{{NUMBER, "count"}, {DATATYPE, "datatype"}, {OPERATION, "op"}, {COMM, "comm"}}},
	[FN_ALLTOALL] = {"MPI_Alltoall", COLLECTIVE, 5,
		{{NUMBER, "sendcount"}, {DATATYPE, "sendtype"}, {NUMBER, "recvcount"}, {DATATYPE, "recvtype"},
			{COMM, "comm"}}},
};

/* ---- units ---- */

static void put_at(struct logs *logs, const struct log *log, uint64_t offset, const void *p, size_t n)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/rank.%d.log", logs->folder, log->rank);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	/* not kept open: thousands of ranks are more than a process may have */
	if (fd < 0 || pwrite(fd, p, n, (off_t)offset) != (ssize_t)n) {
		if (!logs->failed)
			fprintf(stderr, "generate: %s: %s\n", path, strerror(errno));
		logs->failed = true;
	}
	if (fd >= 0)
		close(fd);
	logs->bytes += n;
}

/* Unit 1 is the lane control, unit 2 holds the definitions; rows follow. */
enum { UNIT_CONTROL = 1, UNIT_DEFINITIONS, UNIT_ROWS };

static void begin_unit(struct log *log)
{
	struct hb_unit_header *h = (struct hb_unit_header *)log->unit;
	*h = (struct hb_unit_header){.magic = HB_UNIT_MAGIC,
		.kind = HB_UNIT_ROWS,
		.seq = log->seq,
		.events_before = log->events,
		.base_tick = log->last};
	log->w = log->unit + HB_UNIT_PAYLOAD;
}

static void end_unit(struct logs *logs, struct log *log)
{
	struct hb_unit_header *h = (struct hb_unit_header *)log->unit;
	h->committed = (uint32_t)(log->w - log->unit) - HB_UNIT_PAYLOAD;
	h->closed = 1;
	h->checksum = XXH3_64bits(log->unit + HB_UNIT_PAYLOAD, h->committed);
	memset(log->w, 0, HB_UNIT_SIZE - (size_t)(log->w - log->unit));
	put_at(logs, log, (uint64_t)log->units * HB_UNIT_SIZE, log->unit, HB_UNIT_SIZE);
	log->units++;
	log->seq++;
}

bool log_begin(struct logs *logs, struct log *log, int32_t rank)
{
	*log = (struct log){
		.rank = rank, .size = logs->size, .units = UNIT_ROWS, .last = 1000, .noise = (uint16_t)rank};
	log->unit = malloc(HB_UNIT_SIZE);
	if (!log->unit)
		return false;
	memset(log->key, 0xff, sizeof log->key);
	begin_unit(log);
	return true;
}

/* ---- rows ---- */

/* Counts below 32000, tags below 250, ranks below 16384, communicators below 4: every call of the patterns fits. */
static uint64_t pack(const struct call *c)
{
	uint64_t key = c->function;
	static const uint8_t width[ARGS] = {15, 15, 15, 8, 3};
	for (unsigned i = 0; i < c->nargs; i++)
		key = key << width[i] | ((uint64_t)(c->arg[i] + 3) & ((1u << width[i]) - 1));
	return key;
}

static uint8_t *define_slot(uint8_t *w, uint32_t slot, const struct call *c)
{
	uint8_t body[64], *b = body;
	b = hb_put_uv(b, slot);
	b = hb_put_uv(b, c->function);
	b = hb_put_uv(b, c->function + 1u);
	b = hb_put_uv(b, functions[c->function].cls == SEND ? HB_SLOT_CHECK : 0);
	b = hb_put_uv(b, c->nargs);
	for (unsigned i = 0; i < c->nargs; i++)
		b = hb_put_sv(b, c->arg[i]);
	*w++ = HB_ROW_DEF;
	*w++ = HB_DEF_SLOT;
	return hb_put_str(w, (const char *)body, (size_t)(b - body));
}

static uint8_t *find_slot(struct log *log, uint8_t *w, const struct call *c, uint32_t *ret_slot)
{
	uint64_t key = pack(c);
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & (SLOTS - 1);
	if (__builtin_expect(log->key[at] != key, 0)) {
		if (log->key[at] == UINT64_MAX)
			log->slot[at] = log->slots++;
		log->key[at] = key;
		w = define_slot(w, log->slot[at], c);
	}
	*ret_slot = log->slot[at];
	return w;
}

void log_row(struct logs *logs, struct log *log, const struct call *call, uint64_t enter, uint64_t exit,
	const int64_t *result, uint32_t nresults)
{
	if ((size_t)(log->unit + HB_UNIT_SIZE - log->w) < 128 + (size_t)nresults * HB_UV_MAX) {
		end_unit(logs, log);
		begin_unit(log);
	}
	uint32_t slot;
	uint8_t *w = find_slot(log, log->w, call, &slot);
	w = hb_put_uv(w, HB_ROW_EVENT + ((uint64_t)slot << 1 | (nresults > 0)));
	w = hb_put_uv(w, enter - log->last);
	w = hb_put_uv(w, exit - enter);
	if (functions[call->function].cls == SEND) {
		log->noise = (uint16_t)(log->noise * 25173u + 13849u);
		memcpy(w, &log->noise, sizeof log->noise);
		w += sizeof log->noise;
	}
	if (nresults) {
		w = hb_put_uv(w, nresults);
		for (uint32_t i = 0; i < nresults; i++)
			w = hb_put_sv(w, result[i]);
	}
	log->w = w;
	log->last = exit;
	log->events++;
	log->calls[call->function]++;
}

/* ---- definitions and the end ---- */

static uint8_t *text(uint8_t *w, const char *s) { return hb_put_str(w, s, strlen(s)); }

static uint8_t *define(uint8_t *w, uint8_t kind, const uint8_t *body, const uint8_t *end)
{
	*w++ = HB_ROW_DEF;
	*w++ = kind;
	return hb_put_str(w, (const char *)body, (size_t)(end - body));
}

static uint8_t *define_function(uint8_t *w, uint32_t number)
{
	const struct definition *f = &functions[number];
	uint8_t body[256], *b = hb_put_uv(body, number);
	*b++ = f->cls;
	b = text(b, f->name);
	b = hb_put_uv(b, f->nargs);
	for (unsigned i = 0; i < f->nargs; i++) {
		*b++ = f->arg[i].kind;
		b = text(b, f->arg[i].name);
	}
	w = define(w, HB_DEF_FUNCTION, body, b);
	b = hb_put_uv(body, number + 1); /* one call site for each */
	b = hb_put_uv(b, 0);
	b = hb_put_uv(b, 0x1000 + 16 * number);
	return define(w, HB_DEF_SITE, body, b);
}

static uint8_t *define_comm(uint8_t *w, uint32_t number, int64_t parent, const struct made *m)
{
	uint8_t body[3 * 5000 + 64], *b = hb_put_uv(body, number);
	b = hb_put_sv(b, parent);
	b = hb_put_uv(b, m->index);
	b = hb_put_sv(b, m->member[0]);
	b = hb_put_uv(b, m->own);
	b = hb_put_uv(b, 0);
	uint32_t told = m->size > 5000 ? 4000 : m->size; /* as the recorder has it, whose definitions must fit a unit */
	b = hb_put_uv(b, told);
	for (uint32_t i = 0; i < told; i++)
		b = hb_put_sv(b, m->member[i] - (i ? m->member[i - 1] : 0));
	return define(w, HB_DEF_COMM, body, b);
}

static uint8_t *definitions(const struct logs *logs, const struct log *log, const struct made *made, uint8_t *w)
{
	uint8_t body[256], *b;
	static int32_t everybody[MOST_RANKS];
	for (uint32_t i = 0; i < log->size; i++)
		everybody[i] = (int32_t)i;
	struct made world = {log->size, (uint32_t)log->rank, everybody, 0}, self = {1, 0, &log->rank, 0};
	w = define_comm(w, COMM_WORLD, -1, &world);
	w = define_comm(w, COMM_SELF, -1, &self);
	if (made)
		w = define_comm(w, COMM_MADE, COMM_WORLD, made);
	b = hb_put_uv(body, 0);
	b = hb_put_uv(b, 0x400000);
	b = text(b, logs->pattern);
	w = define(w, HB_DEF_MODULE, body, text(b, ""));
	for (uint32_t i = 0; i < FN_COUNT; i++)
		if (log->calls[i])
			w = define_function(w, i);
	b = hb_put_uv(hb_put_uv(body, TYPE_INT), 4);
	w = define(w, HB_DEF_DATATYPE, body, text(b, "MPI_INT"));
	b = hb_put_uv(hb_put_uv(body, TYPE_DOUBLE), 8);
	w = define(w, HB_DEF_DATATYPE, body, text(b, "MPI_DOUBLE"));
	b = hb_put_uv(body, 2);
	return define(w, HB_DEF_OP, body, text(b, "MPI_SUM"));
}

static void put_control(struct logs *logs, const struct log *log)
{
	static struct hb_lane_control control;
	control.unit = (struct hb_unit_header){.magic = HB_UNIT_MAGIC, .kind = HB_UNIT_LANE};
	control.events = log->events;
	memcpy(control.calls, log->calls, sizeof log->calls);
	put_at(logs, log, UNIT_CONTROL * HB_UNIT_SIZE, &control, sizeof control);
}

static void put_header(struct logs *logs, const struct log *log)
{
	struct hb_log_header h = {.magic = {'H', 'B', 'D', 'B', 'L', 'O', 'G', '\n'},
		.version = HB_LOG_VERSION,
		.unit_size = HB_UNIT_SIZE,
		.rank = log->rank,
		.size = (int32_t)log->size,
		.pid = 1000 + (uint32_t)log->rank,
		.level = HB_LEVEL_EVENTS,
		.tick_fs = 1000000, /* a nanosecond */
		.origin_real = 1700000000u * UINT64_C(1000000000),
		.state = HB_STATE_FINALIZED,
		.units = log->units,
		.library = 1};
	snprintf(h.host, sizeof h.host, "synthetic");
	snprintf(h.version_text, sizeof h.version_text, "no MPI: made by bench/generate");
	snprintf(h.program, sizeof h.program, "%s", logs->pattern);
	put_at(logs, log, 0, &h, sizeof h);
}

void log_end(struct logs *logs, struct log *log, const struct made *made)
{
	end_unit(logs, log);
	struct hb_unit_header *h = (struct hb_unit_header *)log->unit;
	*h = (struct hb_unit_header){.magic = HB_UNIT_MAGIC, .kind = HB_UNIT_ROWS, .lane = HB_LANE_DEFINITIONS};
	uint8_t *w = definitions(logs, log, made, log->unit + HB_UNIT_PAYLOAD);
	h->committed = (uint32_t)(w - log->unit) - HB_UNIT_PAYLOAD;
	memset(w, 0, HB_UNIT_SIZE - (size_t)(w - log->unit));
	put_at(logs, log, UNIT_DEFINITIONS * HB_UNIT_SIZE, log->unit, HB_UNIT_SIZE);
	put_control(logs, log);
	put_header(logs, log);
	free(log->unit);
	log->unit = NULL;
}
