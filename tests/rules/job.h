/* A job of a few processes as the recordings it would have left, written call by call, and what the rules find in it.
 *
 *     struct job j;
 *     job_begin(&j, 2);
 *     CALL(&j, 0, "MPI_Bcast", {"count", 4}, {"datatype", T_INT}, {"root", 0}, {"comm", 0});
 *     CALL(&j, 1, "MPI_Bcast", {"count", 4}, {"datatype", T_INT}, {"root", 1}, {"comm", 0});
 *     job_found(&j, "two roots", "HB-COLLECTIVE-ROOT", "root = 1");
 */
#ifndef TESTS_RULES_JOB_H
#define TESTS_RULES_JOB_H

#include "calls/neutral.h"
#include "rules/finding.h"
#include "unit/check.h"
#include "unit/rawlog.h"

#define JOB_PROCS 8
#define JOB_FUNCTIONS 32
#define JOB_FOUND 16

enum { T_INT = 4, T_FLOAT = 10, T_BYTE = 13, T_PAIR = 1024, T_THREE, O_SUM = 2, O_MAX, O_OWN = 1024 };
enum { NOT_SIGNIFICANT = -32766 };

struct arg {
	const char *name;
	int64_t value;
};

struct job_process {
	struct raw_log log;
	const char *function[JOB_FUNCTIONS];
	unsigned functions, slots;
	int64_t posted, last; /* requests; the one referred to last */
	bool inside;          /* it never returned from a call */
	int rank, world;      /* those of its place, and 0, unless job_world says otherwise */
	bool missing;         /* its log is not there when the rules look */
};

struct job {
	int procs;
	struct job_process p[JOB_PROCS];
	unsigned flags; /* of hb_check */
	struct {
		char id[40], sentence[400];
		hb_severity severity;
		hb_category category;
	} found[JOB_FOUND];
	int nfound;
};

/* Kinds and classes as in src/calls/calls.h. */
static inline uint8_t job_kind(const char *name)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} kinds[] = {{"root", 1}, {"dest", 1}, {"source", 1}, {"tag", 2}, {"comm", 3}, {"comm_old", 3},
		{"local_comm", 3}, {"intercomm", 3}, {"datatype", 4}, {"sendtype", 4}, {"recvtype", 4}, {"op", 5},
		{"win", 6}, {"fh", 7}, {"sendcounts", 8}, {"recvcounts", 8}, {"sendtypes", 8}, {"recvtypes", 8}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, name))
			return kinds[i].kind;
	return 0;
}

static inline uint8_t job_class(const char *name)
{
	static const struct {
		const char *begin;
		uint8_t cls;
	} classes[] = {{"MPI_Win_", 7}, {"MPI_Put", 7}, {"MPI_File_", 8}, {"MPI_Init", 9}, {"MPI_Fin", 9},
		{"MPI_Start", 9}, {"MPI_Comm_", 6}, {"MPI_Cart_", 6}, {"MPI_Graph_", 6}, {"MPI_Dist_", 6},
		{"MPI_Intercomm_", 6}, {"MPI_Send", 1}, {"MPI_Isend", 1}, {"MPI_Recv", 2}};
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (!strncmp(classes[i].begin, name, strlen(classes[i].begin)))
			return classes[i].cls;
	return 5;
}

static inline unsigned job_function(struct job_process *p, const char *name, const struct arg *arg, size_t n)
{
	for (unsigned i = 0; i < p->functions; i++)
		if (!strcmp(p->function[i], name))
			return i;
	uint8_t b[512], *w = hb_put_uv(b, p->functions);
	*w++ = job_class(name);
	w = raw_text(w, name);
	w = hb_put_uv(w, n);
	for (size_t i = 0; i < n; i++) {
		*w++ = job_kind(arg[i].name);
		w = raw_text(w, arg[i].name);
	}
	raw_definition(&p->log, RAW_LANES, HB_DEF_FUNCTION, b, (size_t)(w - b));
	if (p->functions == JOB_FUNCTIONS)
		abort();
	p->function[p->functions] = name;
	return p->functions++;
}

/* Defines the call's slot; each call has a place of its own in the program. */
static inline unsigned job_slot(struct job *j, int rank, const char *name, const struct arg *arg, size_t n)
{
	struct job_process *p = &j->p[rank];
	int64_t value[16] = {0};
	unsigned function = job_function(p, name, arg, n);
	for (size_t i = 0; i < n; i++)
		value[i] = arg[i].value;
	raw_site(&p->log, p->slots + 1, 0, 16 * (p->slots + 1));
	raw_slot(&p->log, 0, p->slots, function, p->slots + 1, 0, (int)n, value);
	return p->slots++;
}

static inline void job_call(
	struct job *j, int rank, const char *name, const int64_t *made, const struct arg *arg, size_t n)
{
	unsigned slot = job_slot(j, rank, name, arg, n);
	raw_event(&j->p[rank].log, 0, slot, 10, 5, 0, made != NULL, made);
}

/* The call that the process never returns from: its last. */
static inline void job_inside(struct job *j, int rank, const char *name, const struct arg *arg, size_t n)
{
	struct hb_lane_control *k;
	unsigned slot = job_slot(j, rank, name, arg, n);
	k = raw_control(&j->p[rank].log, 0);
	k->inside = 1 + slot;
	k->inside_enter = j->p[rank].log.lane[0].tick + 10;
	j->p[rank].inside = true;
}

#define ARGS(...) (struct arg[]){__VA_ARGS__}, sizeof((struct arg[]){__VA_ARGS__}) / sizeof(struct arg)
#define CALL(j, rank, name, ...) job_call(j, rank, name, NULL, ARGS(__VA_ARGS__))
#define INSIDE(j, rank, name, ...) job_inside(j, rank, name, ARGS(__VA_ARGS__))
/* A call that makes communicator `number`; -1: MPI_COMM_NULL. */
#define MAKE(j, rank, name, number, ...) job_call(j, rank, name, (int64_t[]){number}, ARGS(__VA_ARGS__))
/* The same call by all. */
#define ALL(j, name, ...)                               \
	do {                                            \
		for (int r_ = 0; r_ < (j)->procs; r_++) \
			CALL(j, r_, name, __VA_ARGS__); \
	} while (0)

/* What the recorder says before the next call. */
static inline void job_remark(struct job *j, int rank, const char *text) { raw_note(&j->p[rank].log, 0, text); }

static inline void job_array(struct job *j, int rank, uint64_t digest, const int64_t *value, int n)
{
	uint8_t b[1024], *w = hb_put_uv(hb_put_uv(b, digest), (uint64_t)n);
	for (int i = 0; i < n; i++)
		w = hb_put_sv(w, value[i]);
	raw_definition(&j->p[rank].log, RAW_LANES, HB_DEF_ARRAY, b, (size_t)(w - b));
}
#define ARRAY(j, rank, digest, ...) \
	job_array(j, rank, digest, (int64_t[]){__VA_ARGS__}, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

/* Communicator `number` of a process, with these world ranks, made from `parent` as its index-th. remote: bits of an
 * intercommunicator's other group. */
static inline void job_comm(
	struct job *j, int rank, unsigned number, int parent, unsigned index, unsigned members, unsigned remote)
{
	uint8_t b[256], *w = hb_put_uv(b, number), *list = b + 128, *end;
	int first = __builtin_ctz(members);
	w = hb_put_sv(w, parent);
	w = hb_put_uv(w, index);
	w = hb_put_sv(w, first);
	w = hb_put_uv(w, (unsigned)__builtin_popcount(members & ((1u << rank) - 1)));
	w = hb_put_uv(w, remote != 0);
	for (int side = 0; side <= (remote != 0); side++) {
		unsigned bits = side ? remote : members;
		int before = 0;
		end = list;
		for (int i = 0; i < JOB_PROCS; i++)
			if (bits >> i & 1) {
				end = hb_put_sv(end, i - before);
				before = i;
			}
		w = hb_put_uv(w, (unsigned)__builtin_popcount(bits));
		memmove(w, list, (size_t)(end - list));
		w += end - list;
	}
	raw_definition(&j->p[rank].log, RAW_LANES, HB_DEF_COMM, b, (size_t)(w - b));
}

/* A derived datatype of so many ints. */
static inline void job_ints(struct raw_log *r, unsigned number, unsigned n)
{
	char name[24];
	struct hb_sequence s = hb_signature_repeat(hb_signature_one(T_INT), n);
	uint8_t b[64], *w = hb_put_uv(hb_put_uv(hb_put_uv(b, number), s.elements), s.digest);
	w = hb_put_uv(hb_put_uv(hb_put_uv(w, 1), T_INT), n);
	snprintf(name, sizeof name, "type#%u", number - T_PAIR);
	raw_datatype(r, number, 4 * n, name);
	raw_definition(r, RAW_LANES, HB_DEF_SIGNATURE, b, (size_t)(w - b));
}

static inline void job_begin(struct job *j, int procs)
{
	memset(j, 0, sizeof *j);
	j->procs = procs;
	for (int rank = 0; rank < procs; rank++) {
		struct raw_log *r = &j->p[rank].log;
		raw_begin(r, HB_LEVEL_EVENTS);
		raw_header(r)->rank = rank;
		raw_header(r)->size = procs;
		raw_lane(r, 0, 1);
		raw_module(r, 0, 0x400000, "/home/user/bin/program", "0123456789abcdef");
		raw_datatype(r, T_INT, 4, "MPI_INT");
		raw_datatype(r, T_FLOAT, 4, "MPI_FLOAT");
		raw_datatype(r, T_BYTE, 1, "MPI_BYTE");
		job_ints(r, T_PAIR, 2);
		job_ints(r, T_THREE, 3);
		raw_op(r, O_SUM, "MPI_SUM");
		raw_op(r, O_MAX, "MPI_MAX");
		raw_op(r, O_OWN, "op#0");
		raw_note(r, RAW_LANES, "check on guard=0");
		job_comm(j, rank, 0, -1, 0, (1u << procs) - 1, 0);
		job_comm(j, rank, 1, -1, 0, 1u << rank, 0);
		j->p[rank].last = -1;
		j->p[rank].rank = rank;
		job_call(j, rank, "MPI_Init", NULL, NULL, 0);
	}
}

/* These processes are a world of their own, which that process made (-1: nobody did). Before their first calls. */
static inline void job_world(struct job *j, int first, int n, int number, int maker)
{
	for (int rank = 0; rank < n; rank++) {
		struct job_process *p = &j->p[first + rank];
		char name[2][24] = {"", ""};
		p->rank = raw_header(&p->log)->rank = rank;
		raw_header(&p->log)->size = n;
		p->world = number;
		snprintf(name[0], sizeof *name, "world %d", number);
		if (maker >= 0)
			snprintf(name[1], sizeof *name, "world %d", j->p[maker].world);
		uint8_t b[128], *w = hb_put_uv(raw_text(b, name[0]), maker >= 0);
		w = hb_put_sv(raw_text(w, name[1]), maker >= 0 ? j->p[maker].rank : -1);
		w = hb_put_uv(w, UINT64_C(1700000000000000000) + (unsigned)number);
		raw_definition(&p->log, RAW_LANES, HB_DEF_PROCESS, b, (size_t)(w - b));
	}
}

/* Communicator `number` of a process of two worlds: an intercommunicator of all `own` processes of its world and of so many strangers, made by MPI_Comm_spawn
 * (kind 1 at the makers, 2 at those whom they made). */
static inline void job_bridge(struct job *j, int process, unsigned number, int own, int others, unsigned kind, int root)
{
	const struct job_process *p = &j->p[process];
	uint8_t b[256], *w = hb_put_uv(b, number);
	w = hb_put_uv(hb_put_sv(w, kind == 1 ? 0 : -1), 0);
	w = hb_put_uv(hb_put_uv(hb_put_sv(w, 0), (unsigned)p->rank), 1);
	w = hb_put_uv(w, (unsigned)own);
	for (int i = 0; i < own; i++)
		w = hb_put_sv(w, i > 0);
	w = hb_put_uv(w, (unsigned)others);
	for (int i = 0; i < others; i++)
		w = hb_put_sv(w, i ? -1 : -2);
	raw_definition(&j->p[process].log, RAW_LANES, HB_DEF_COMM, b, (size_t)(w - b));
	w = hb_put_sv(hb_put_uv(hb_put_uv(b, number), kind), root);
	w = raw_text(hb_put_uv(hb_put_uv(w, 0), UINT64_C(1800000000000000000)), "");
	raw_definition(&j->p[process].log, RAW_LANES, HB_DEF_BRIDGE, b, (size_t)(w - b));
}

/* X_init and nonblocking calls: the request's number, for job_start. */
static inline int64_t job_posts(struct job *j, int rank) { return j->p[rank].posted++; }

static inline void job_start(struct job *j, int rank, int64_t posting)
{
	struct job_process *p = &j->p[rank];
	int64_t reference = 2 * (posting - p->last - 1);
	p->last = posting;
	p->posted++;
	job_call(j, rank, "MPI_Start", &reference, NULL, 0);
}

static inline bool job_keep(void *user, const hb_finding *f)
{
	struct job *j = user;
	const hb_finding_kind *kind = &hb_finding_kinds[f->id];
	if (j->nfound < JOB_FOUND) {
		snprintf(j->found[j->nfound].id, sizeof j->found->id, "%s", kind->id);
		snprintf(j->found[j->nfound].sentence, sizeof j->found->sentence, "%s%s",
			f->possible ? "possible: " : "", f->sentence);
		j->found[j->nfound].severity = kind->severity;
		j->found[j->nfound++].category = kind->category;
	}
	return true;
}

/* Writes the recordings, runs the rules, and forgets the job but for what was found. */
static inline bool job_run(struct job *j)
{
	hb_source source[JOB_PROCS] = {0};
	hb_log *log[JOB_PROCS] = {0};
	hb_model *model = NULL;
	hb_error err = {0};
	bool good = true;
	for (int rank = 0; rank < j->procs; rank++) {
		struct job_process *p = &j->p[rank];
		char name[32];
		snprintf(name, sizeof name, "rank.%d.log", rank);
		if (!p->inside)
			job_call(j, rank, "MPI_Finalize", NULL, NULL, 0);
		raw_header(&p->log)->state = p->inside ? HB_STATE_RUNNING : HB_STATE_FINALIZED;
		raw_save(&p->log, check_path(name));
		raw_free(&p->log);
		good = good && hb_log_open(check_path(name), &log[rank], &err) == HB_OK;
		source[rank] =
			(hb_source){.log = p->missing ? NULL : log[rank], .rank = p->rank, .world = (unsigned)p->world};
	}
	good = good && hb_model_build(source, (size_t)j->procs, NULL, NULL, &model, &err) == HB_OK &&
	       hb_check(model, NULL, j->flags, NULL, job_keep, j, NULL, NULL, &err) == HB_OK;
	if (!good)
		printf("  %s\n", err.message);
	hb_model_close(model);
	for (int rank = 0; rank < j->procs; rank++)
		hb_log_close(log[rank]);
	return good;
}

static inline void job_show(const struct job *j)
{
	for (int i = 0; i < j->nfound; i++)
		printf("  %s %s\n", j->found[i].id, j->found[i].sentence);
}

static inline bool job_counts(const struct job *j, int i)
{
	return j->found[i].severity != HB_SEVERITY_NOTE &&
	       (j->found[i].category == HB_CATEGORY_COLLECTIVES || j->found[i].category == HB_CATEGORY_ONESIDED);
}

/* Of collectives and one-sided communication this one finding, with these words in its sentence. */
static inline void job_found(struct job *j, const char *what, const char *id, const char *words)
{
	int n = 0, right = 0;
	bool good = job_run(j);
	for (int i = 0; i < j->nfound; i++) {
		n += job_counts(j, i);
		right += !strcmp(j->found[i].id, id) && strstr(j->found[i].sentence, words);
	}
	if (!check(good && n == 1 && right == 1, "%s: %s", what, id))
		job_show(j);
}

static inline void job_silent(struct job *j, const char *what)
{
	int n = 0;
	bool good = job_run(j);
	for (int i = 0; i < j->nfound; i++)
		n += job_counts(j, i);
	if (!check(good && !n, "%s: nothing", what))
		job_show(j);
}

#endif
