/* Writes a run as the recording it would have left, in the raw form. */
#include "oracle.h"
#include "calls/neutral.h"
#include "unit/rawlog.h"

enum { INT_TYPE = 4, SUM = 2 };

/* Classes and arguments as in src/calls/mpi.calls: a letter each, n number, r rank, t tag, c communicator, d datatype, o op. */
static const struct {
	uint8_t cls;
	const char *kinds, *names[9];
} signature[K_COUNT] = {
	[K_INIT] = {9, "", {0}},
	[K_FINALIZE] = {9, "", {0}},
	[K_DUP_SELF] = {6, "c", {"comm"}},
	[K_DUP] = {6, "c", {"comm"}},
	[K_SPLIT] = {6, "cnn", {"comm", "color", "key"}},
	[K_INTER] = {6, "cnt", {"local_comm", "local_leader", "tag"}},
	[K_SEND] = {1, "ndrtc", {"count", "datatype", "dest", "tag", "comm"}},
	[K_SSEND] = {1, "ndrtc", {"count", "datatype", "dest", "tag", "comm"}},
	[K_ISEND] = {1, "ndrtc", {"count", "datatype", "dest", "tag", "comm"}},
	[K_ISSEND] = {1, "ndrtc", {"count", "datatype", "dest", "tag", "comm"}},
	[K_SEND_INIT] = {1, "ndrtc", {"count", "datatype", "dest", "tag", "comm"}},
	[K_SSEND_INIT] = {1, "ndrtc", {"count", "datatype", "dest", "tag", "comm"}},
	[K_RECV] = {2, "ndrtc", {"count", "datatype", "source", "tag", "comm"}},
	[K_IRECV] = {2, "ndrtc", {"count", "datatype", "source", "tag", "comm"}},
	[K_RECV_INIT] = {2, "ndrtc", {"count", "datatype", "source", "tag", "comm"}},
	[K_SENDRECV] = {2, "ndrtndrtc",
		{"sendcount", "sendtype", "dest", "sendtag", "recvcount", "recvtype", "source", "recvtag", "comm"}},
	[K_MRECV] = {2, "nd", {"count", "datatype"}},
	[K_IMRECV] = {2, "nd", {"count", "datatype"}},
	[K_PROBE] = {4, "rtc", {"source", "tag", "comm"}},
	[K_IPROBE] = {4, "rtc", {"source", "tag", "comm"}},
	[K_MPROBE] = {4, "rtc", {"source", "tag", "comm"}},
	[K_START] = {9, "", {0}},
	[K_CANCEL] = {9, "", {0}},
	[K_WAIT] = {3, "", {0}},
	[K_WAITALL] = {3, "n", {"count"}},
	[K_WAITANY] = {3, "n", {"count"}},
	[K_WAITSOME] = {3, "n", {"incount"}},
	[K_TEST] = {3, "", {0}},
	[K_REQUEST_FREE] = {3, "", {0}},
	[K_BARRIER] = {5, "c", {"comm"}},
	[K_BCAST] = {5, "ndrc", {"count", "datatype", "root", "comm"}},
	[K_REDUCE] = {5, "ndorc", {"count", "datatype", "op", "root", "comm"}},
	[K_ALLREDUCE] = {5, "ndoc", {"count", "datatype", "op", "comm"}},
	[K_SCAN] = {5, "ndoc", {"count", "datatype", "op", "comm"}},
	[K_EXSCAN] = {5, "ndoc", {"count", "datatype", "op", "comm"}},
	[K_IBARRIER] = {5, "c", {"comm"}},
	[K_IBCAST] = {5, "ndrc", {"count", "datatype", "root", "comm"}},
};

static void define_functions(struct raw_log *r)
{
	for (unsigned kind = 0; kind < K_COUNT; kind++) {
		static const char letters[] = "nrtcdo";
		char name[40];
		snprintf(name, sizeof name, "MPI_%s", kind_name((int)kind));
		const char *kinds = signature[kind].kinds;
		uint8_t b[512], *p = hb_put_uv(b, kind);
		*p++ = signature[kind].cls;
		p = raw_text(p, name);
		p = hb_put_uv(p, strlen(kinds));
		for (int i = 0; kinds[i]; i++) {
			*p++ = (uint8_t)(strchr(letters, kinds[i]) - letters);
			p = raw_text(p, signature[kind].names[i]);
		}
		raw_definition(r, RAW_LANES, HB_DEF_FUNCTION, b, (size_t)(p - b));
	}
}

static uint8_t *put_members(uint8_t *b, const uint8_t *member, int n)
{
	b = hb_put_uv(b, (uint64_t)n);
	for (int i = 0; i < n; i++)
		b = hb_put_sv(b, member[i] - (i ? member[i - 1] : 0));
	return b;
}

static void define_comm(struct raw_log *r, int number, int parent, const uint8_t *member, int n, int own,
	const uint8_t *remote, int nremote)
{
	uint8_t b[256], *p = hb_put_uv(b, (uint64_t)number);
	int rank = 0;
	while (member[rank] != own)
		rank++;
	p = hb_put_sv(p, parent);
	p = hb_put_uv(p, 0);
	p = hb_put_sv(p, member[0]);
	p = hb_put_uv(p, (uint64_t)rank);
	p = hb_put_uv(p, nremote > 0);
	p = put_members(p, member, n);
	if (nremote)
		p = put_members(p, remote, nremote);
	raw_definition(r, RAW_LANES, HB_DEF_COMM, b, (size_t)(p - b));
}

static void define_comms(struct raw_log *r, const struct program *p, int proc)
{
	uint8_t self = (uint8_t)proc;
	define_comm(r, 0, -1, p->member[COMM_WORLD][proc], p->procs, proc, NULL, 0);
	define_comm(r, 1, -1, &self, 1, proc, NULL, 0);
	if (p->dup_self[proc])
		define_comm(r, 2, 1, &self, 1, proc, NULL, 0);
	for (int c = COMM_SECOND; c < COMMS; c++)
		if (p->number[c][proc] >= 0)
			define_comm(r, p->number[c][proc], c == COMM_INTER ? p->number[COMM_SECOND][proc] : 0,
				p->member[c][proc], p->size[c][proc], proc, p->remote[c][proc],
				p->remote_size[c][proc]);
}

/* How many elements it sends, or has room for. */
static int64_t elements(const struct program *p, const struct call *c, bool sends)
{
	if (!sends)
		return RECEIVED_COUNT;
	return c->send == NONE ? 1 : p->message[c->send].count;
}

static int64_t probed(const struct run *run, const struct call *c)
{
	uint8_t got = c->recv == NONE ? NONE : run->end.got[run->p->receive[c->recv].follows];
	return got == NONE ? 0 : run->p->message[got].rank;
}

/* The recorded arguments of a call, by the letters of its signature. */
static int arguments(const struct run *run, int proc, const struct call *c, int64_t *arg)
{
	const struct program *p = run->p;
	const char *kinds = signature[c->kind].kinds;
	int comm = c->kind == K_DUP_SELF ? 1 : p->number[c->comm][proc];
	int numbers = 0, ranks = 0, tags = 0, n = 0;
	for (; kinds[n]; n++) {
		switch (kinds[n]) {
		case 'c':
			arg[n] = comm;
			break;
		case 'd':
			arg[n] = INT_TYPE;
			break;
		case 'o':
			arg[n] = SUM;
			break;
		case 'r':
			arg[n] = ranks++ ? c->source : c->peer == PROBED ? probed(run, c) : c->peer;
			break;
		case 't':
			arg[n] = tags++ ? c->rtag : c->kind == K_INTER ? 9 : c->tag;
			break;
		default:
			arg[n] = 1;
			if (c->kind == K_SPLIT)
				arg[n] = numbers++ ? p->key[proc] : p->color[proc] < 0 ? HB_UNDEFINED : p->color[proc];
			else if (c->kind == K_INTER)
				arg[n] = 0;
			else if (c->nvars)
				arg[n] = c->nvars;
			else if (c->kind >= K_SEND && c->kind <= K_IMRECV)
				arg[n] = elements(p, c, c->kind < K_RECV || (c->kind == K_SENDRECV && !numbers++));
		}
	}
	return n;
}

static void write_event(struct raw_log *r, int lane, int slot, const struct happening *e, int64_t *last, uint64_t *tick)
{
	int64_t results[24];
	for (int i = 0; i < e->nresults; i++) {
		results[i] = e->result[i];
		if (results[i] >= REFERS) {
			int64_t posting = results[i] - REFERS;
			results[i] = 2 * (posting - *last - 1);
			*last = posting;
		}
	}
	if (e->polls)
		raw_polls(r, lane, e->polls);
	raw_event(r, lane, (unsigned)slot, e->enter - *tick, e->exit - e->enter, (uint16_t)(slot * 77), e->nresults,
		results);
	*tick = e->exit;
}

static void write_lane(struct raw_log *r, const struct run *run, int thread)
{
	const struct thread *t = &run->p->thread[thread];
	uint64_t skew = (uint64_t)t->proc * 1000 + 17, tick = 0;
	int64_t last = -1;
	for (int i = 0; i < t->n; i++) {
		int64_t arg[9];
		/* Waitany stands in a loop, most of the time: all of a lane have one place */
		unsigned site = (unsigned)(t->lane * MAX_CALLS + (t->call[i].kind == K_WAITANY ? 0 : i) + 1);
		int n = arguments(run, t->proc, &t->call[i], arg);
		raw_slot(r, t->lane, (unsigned)i, t->call[i].kind, site, t->call[i].send != NONE ? HB_SLOT_CHECK : 0, n,
			arg);
	}
	for (int i = 0; i < run->exited[thread]; i++) {
		struct happening e = run->event[thread][i];
		e.enter += skew; /* each process has a clock of its own */
		e.exit += skew;
		write_event(r, t->lane, i, &e, &last, &tick);
	}
	if (run->entered[thread] > run->exited[thread]) {
		raw_control(r, t->lane)->inside = 1 + (uint64_t)run->exited[thread];
		raw_control(r, t->lane)->inside_enter = run->event[thread][run->exited[thread]].enter + skew;
	}
}

/* With remarks a lane control says which requests a completion waits for. */
static void write_waits(struct raw_log *r, const struct run *run, int thread)
{
	const struct thread *t = &run->p->thread[thread];
	const struct call *c = &t->call[run->exited[thread]];
	unsigned active = 0;
	if (run->entered[thread] <= run->exited[thread] || !c->nvars)
		return;
	struct hb_lane_control *k = raw_control(r, t->lane);
	ready(run->p, &run->end, c, &active);
	for (int v = 0; v < c->nvars; v++)
		if (active >> v & 1) {
			const struct request *q = &run->p->request[c->refers[v]];
			k->wait[k->waits++] = (uint64_t)q->lane << 48 | q->posting;
		}
	k->asked = (uint64_t)run->exited[thread] + 1;
}

void record_one(const struct run *run, int proc, const char *folder)
{
	const struct program *p = run->p;
	struct raw_log r;
	char path[160];
	bool done = true;
	raw_begin(&r, HB_LEVEL_EVENTS);
	for (int lane = 0; lane < p->lanes; lane++) {
		raw_lane(&r, lane, (uint64_t)lane);
		done = done && run->exited[proc * p->lanes + lane] == p->thread[proc * p->lanes + lane].n;
	}
	define_functions(&r);
	raw_module(&r, 0, 0x400000, "/home/user/bin/program", "0123456789abcdef");
	for (unsigned site = 1; site <= (unsigned)(p->lanes * MAX_CALLS); site++)
		raw_site(&r, site, 0, site * 16);
	define_comms(&r, p, proc);
	raw_datatype(&r, INT_TYPE, 4, "MPI_INT");
	raw_op(&r, SUM, "MPI_SUM");
	for (int lane = 0; lane < p->lanes; lane++)
		write_lane(&r, run, proc * p->lanes + lane);
	for (int lane = 0; lane < p->lanes && run->waits; lane++)
		write_waits(&r, run, proc * p->lanes + lane);
	struct hb_log_header *h = raw_header(&r);
	h->rank = proc;
	h->size = p->procs;
	h->state = done ? HB_STATE_FINALIZED : HB_STATE_RUNNING;
	h->thread_level = p->lanes > 1 ? 3 : 0;
	snprintf(path, sizeof path, "%s/rank.%d.log", folder, proc);
	raw_save(&r, path);
	raw_free(&r);
}

void record(const struct run *run, const char *folder)
{
	for (int proc = 0; proc < run->p->procs; proc++)
		record_one(run, proc, folder);
}
