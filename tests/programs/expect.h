/* What a test program expects hbdb to have recorded.
 *
 * Init() opens $HB_EXPECT.RANK; every helper here makes one MPI call and, when
 * it has returned, writes the line that `hbdb dump --plain` must print for it,
 * without the place. Calls without a helper are followed by expect(). The
 * helpers know a request by the variable it stands in, hbdb by its handle: two
 * ways to the same answer. Without HB_EXPECT nothing is written.
 *
 * Also here: out() for what depends on the order of events (replay must print
 * the same), CHECK() for data, linger() to make the order differ between runs.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAYBE __attribute__((unused)) static
#define WORLD MPI_COMM_WORLD
#define EXPECT_COMMS 64
#define EXPECT_POSTS 4096
#define EXPECT_TYPES 64

static int rank, size;

/* A request that a variable holds: where it stands and what was asked of it. */
struct expect_post {
	MPI_Request *at;
	int made, number; /* postings: of the call that made it, of what is active now */
	int source, tag;
	long bytes;
	bool recv, persistent, active;
	bool send; /* of one message, not persistent */
};

static __thread FILE *expect_file;
static __thread int expect_posted;
static __thread int expect_sends;   /* Isends under way */
static __thread bool expect_shared; /* there were several: both libraries may give them one handle, and hbdb any */
static __thread struct expect_post expect_posts[EXPECT_POSTS];
static __thread int expect_high;           /* posts in use are below */
static __thread char expect_result[65536]; /* what stands after the arrow */
static __thread int expect_used;
static MPI_Comm expect_comms[EXPECT_COMMS];
static int expect_ncomms = 2;
static MPI_Datatype expect_types[EXPECT_TYPES];
static MPI_Op expect_ops[EXPECT_TYPES];
static int expect_ntypes, expect_nops;

#define CHECK(x)                                                                                 \
	do {                                                                                     \
		if (!(x)) {                                                                      \
			fprintf(stderr, "%d: %s:%d: wrong: %s\n", rank, __FILE__, __LINE__, #x); \
			MPI_Abort(MPI_COMM_WORLD, 1);                                            \
		}                                                                                \
	} while (0)

/* One line of output, with the rank in front. */
__attribute__((unused, format(printf, 1, 2))) static void out(const char *format, ...)
{
	char text[4096];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	printf("%d: %s\n", rank, text);
	fflush(stdout);
}

/* Waits a random time that no other run repeats. */
MAYBE void linger(unsigned max_us)
{
	static __thread unsigned seed;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!seed)
		seed = (unsigned)getpid() * 2654435761u;
	seed = (seed ^ (unsigned)now.tv_nsec) * 1664525u + 1013904223u;
	usleep((seed >> 8) % (max_us + 1));
}

/* A whole line, for calls that have no helper. */
__attribute__((unused, format(printf, 1, 2))) static void expect(const char *format, ...)
{
	va_list ap;
	if (!expect_file)
		return;
	va_start(ap, format);
	vfprintf(expect_file, format, ap);
	va_end(ap);
	fputc('\n', expect_file);
	fflush(expect_file);
}

/* Names as hbdb prints them. Several may be asked for in one argument list. */
static char *expect_text(void)
{
	static __thread char ring[16][64];
	static __thread unsigned next;
	return ring[next++ % 16];
}

MAYBE const char *rank_name(int r)
{
	char *text = expect_text();
	if (r == MPI_ANY_SOURCE)
		return "ANY";
	if (r == MPI_PROC_NULL)
		return "PROC_NULL";
	if (r == MPI_ROOT)
		return "ROOT";
	snprintf(text, 64, "%d", r);
	return text;
}

MAYBE const char *tag_name(int t)
{
	char *text = expect_text();
	snprintf(text, 64, "%d", t);
	return t == MPI_ANY_TAG ? "ANY" : text;
}

MAYBE const char *number_name(int n)
{
	char *text = expect_text();
	snprintf(text, 64, "%d", n);
	return n == MPI_UNDEFINED ? "UNDEFINED" : text;
}

MAYBE const char *comm_name(MPI_Comm c)
{
	char *text = expect_text();
	if (c == MPI_COMM_WORLD || c == MPI_COMM_SELF || c == MPI_COMM_NULL)
		return c == MPI_COMM_WORLD ? "WORLD" : c == MPI_COMM_SELF ? "SELF" : "NULL";
	for (int i = expect_ncomms - 1; i >= 2; i--)
		if (expect_comms[i] == c) {
			snprintf(text, 64, "%d", i);
			return text;
		}
	return "?";
}

/* A communicator that a call without a helper has made: numbered in order of creation. */
MAYBE const char *made_comm(MPI_Comm c)
{
	if (c != MPI_COMM_NULL && expect_ncomms < EXPECT_COMMS)
		expect_comms[expect_ncomms++] = c;
	return comm_name(c);
}

MAYBE void gone_comm(MPI_Comm c)
{
	for (int i = expect_ncomms - 1; i >= 2; i--)
		if (expect_comms[i] == c)
			expect_comms[i] = MPI_COMM_NULL;
}

MAYBE const char *type_name(MPI_Datatype t)
{
	char *text = expect_text();
#define NAMED(x)          \
	if (t == MPI_##x) \
	return "MPI_" #x
	NAMED(INT);
	NAMED(BYTE);
	NAMED(CHAR);
	NAMED(DOUBLE);
	NAMED(FLOAT);
	NAMED(LONG);
	NAMED(PACKED);
	NAMED(SHORT);
	NAMED(UNSIGNED);
	NAMED(2INT);
	NAMED(DOUBLE_INT);
	NAMED(LONG_LONG_INT);
	NAMED(UINT64_T);
	NAMED(INT32_T);
	NAMED(UNSIGNED_CHAR);
	NAMED(UNSIGNED_LONG);
	NAMED(AINT);
	NAMED(COUNT);
	NAMED(C_BOOL);
#undef NAMED
	for (int i = 0; i < expect_ntypes; i++)
		if (expect_types[i] == t) {
			snprintf(text, 64, "type#%d", i);
			return text;
		}
	if (t == MPI_DATATYPE_NULL || expect_ntypes == EXPECT_TYPES)
		return "NULL";
	expect_types[expect_ntypes] = t;
	snprintf(text, 64, "type#%d", expect_ntypes++);
	return text;
}

MAYBE const char *op_name(MPI_Op o)
{
	char *text = expect_text();
#define NAMED(x)          \
	if (o == MPI_##x) \
	return "MPI_" #x
	NAMED(SUM);
	NAMED(MAX);
	NAMED(MIN);
	NAMED(PROD);
	NAMED(LAND);
	NAMED(BAND);
	NAMED(LOR);
	NAMED(BOR);
	NAMED(LXOR);
	NAMED(BXOR);
	NAMED(MAXLOC);
	NAMED(MINLOC);
	NAMED(REPLACE);
	NAMED(NO_OP);
#undef NAMED
	for (int i = 0; i < expect_nops; i++)
		if (expect_ops[i] == o) {
			snprintf(text, 64, "op#%d", i);
			return text;
		}
	if (expect_nops == EXPECT_TYPES)
		return "?";
	expect_ops[expect_nops] = o;
	snprintf(text, 64, "op#%d", expect_nops++);
	return text;
}

MAYBE const char *error_name(int code)
{
	char *text = expect_text();
	int class = MPI_SUCCESS;
	MPI_Error_class(code, &class);
#define NAMED(x)                  \
	if (class == MPI_ERR_##x) \
	return "ERR_" #x
	NAMED(BUFFER);
	NAMED(COUNT);
	NAMED(TYPE);
	NAMED(TAG);
	NAMED(COMM);
	NAMED(RANK);
	NAMED(REQUEST);
	NAMED(ROOT);
	NAMED(GROUP);
	NAMED(OP);
	NAMED(TOPOLOGY);
	NAMED(DIMS);
	NAMED(ARG);
	NAMED(UNKNOWN);
	NAMED(TRUNCATE);
	NAMED(OTHER);
	NAMED(INTERN);
	NAMED(IN_STATUS);
	NAMED(PENDING);
#undef NAMED
	snprintf(text, 64, "%d", class);
	return text;
}

/* The part of a line after the call: the error, if any, and what was put together with answer(). */
MAYBE const char *ending(int rc)
{
	static __thread char text[sizeof expect_result + 64];
	int n = 0;
	text[0] = 0;
	if (rc != MPI_SUCCESS)
		n = snprintf(text, sizeof text, " = %s", error_name(rc));
	if (expect_used)
		snprintf(text + n, sizeof text - (size_t)n, " -> %s", expect_result);
	expect_used = 0;
	expect_result[0] = 0;
	return text;
}

/* Adds a word to what stands after the arrow. */
__attribute__((unused, format(printf, 1, 2))) static void answer(const char *format, ...)
{
	va_list ap;
	size_t room = sizeof expect_result - (size_t)expect_used;
	if (expect_used && room > 1) {
		expect_result[expect_used++] = ' ';
		room--;
	}
	va_start(ap, format);
	int n = vsnprintf(expect_result + expect_used, room, format, ap);
	va_end(ap);
	expect_used += n < (int)room ? n : (int)room - 1;
}

MAYBE long status_bytes(MPI_Status *st)
{
	int n = 0;
	MPI_Get_count(st, MPI_BYTE, &n);
	return n == MPI_UNDEFINED ? 0 : n;
}

MAYBE void answer_status(MPI_Status *st)
{
	answer("source=%s tag=%s bytes=%ld", rank_name(st->MPI_SOURCE), tag_name(st->MPI_TAG), status_bytes(st));
}

/* A receive answers only what it was not told; from nobody comes nothing. */
MAYBE void answer_recv(MPI_Status *st, long bytes, int source, int tag)
{
	if (source == MPI_PROC_NULL)
		return;
	if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG || st->MPI_SOURCE != source || st->MPI_TAG != tag ||
		status_bytes(st) != bytes)
		answer_status(st);
}

MAYBE long type_bytes(long count, MPI_Datatype t)
{
	int n = 0;
	MPI_Type_size(t, &n);
	return count * n;
}

/* Postings */

static struct expect_post *expect_find(MPI_Request *at)
{
	for (int i = expect_high - 1; i >= 0; i--)
		if (expect_posts[i].at == at)
			return &expect_posts[i];
	return NULL;
}

/* A request has come to stand in this variable. Returns its posting number. */
MAYBE int posted(MPI_Request *at, bool recv, long bytes, int source, int tag, bool persistent)
{
	struct expect_post *p = expect_find(at);
	for (int i = 0; !p && i < EXPECT_POSTS; i++)
		if (!expect_posts[i].at) {
			p = &expect_posts[i];
			if (i >= expect_high)
				expect_high = i + 1;
		}
	if (!p)
		abort();
	*p = (struct expect_post){
		at, expect_posted, expect_posted, source, tag, bytes, recv, persistent, !persistent, false};
	return expect_posted++;
}

MAYBE void unposted(MPI_Request *at)
{
	struct expect_post *p = expect_find(at);
	if (p)
		p->at = NULL;
	while (expect_high && !expect_posts[expect_high - 1].at)
		expect_high--;
}

/* The handle was copied to another variable, which will be used from here on. */
MAYBE void moved(MPI_Request *from, MPI_Request *to)
{
	struct expect_post *p = expect_find(from);
	if (p)
		p->at = to;
}

/* The posting that ends here. */
static const char *posting_name(struct expect_post *p)
{
	char *text = expect_text();
	snprintf(text, 64, "#%d", p->number);
	if (!p->send)
		return text;
	bool shared = expect_shared;
	if (--expect_sends == 0)
		expect_shared = false;
	return shared ? "#?" : text;
}

/* What a completion says of this request; err is its own error class or MPI_SUCCESS. Call it after the call. */
MAYBE void answer_done(MPI_Request *at, MPI_Status *st, int err)
{
	struct expect_post *p = expect_find(at);
	int cancelled = 0;
	if (!p || (p->persistent && !p->active)) {
		answer("null");
		return;
	}
	answer("%s", posting_name(p));
	if (p->recv)
		MPI_Test_cancelled(st, &cancelled);
	if (cancelled)
		answer("cancelled");
	else if (err != MPI_SUCCESS) {
		answer("error=%s", error_name(err));
		answer_status(st);
	} else if (p->recv)
		answer_recv(st, p->bytes, p->source, p->tag);
	p->active = false;
	if (!p->persistent)
		unposted(at);
}

/* Begin and end */

MAYBE void expect_open(int thread)
{
	char path[4096];
	const char *base = getenv("HB_EXPECT");
	if (!base)
		return;
	if (thread)
		snprintf(path, sizeof path, "%s.%d.%d", base, rank, thread);
	else
		snprintf(path, sizeof path, "%s.%d", base, rank);
	expect_file = fopen(path, "w");
	if (!expect_file)
		abort();
}

MAYBE void Init(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	expect_open(0);
	expect("MPI_Init()");
}

MAYBE int Init_thread(int *argc, char ***argv, int required)
{
	int provided;
	MPI_Init_thread(argc, argv, required, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	expect_open(0);
	expect("MPI_Init_thread()");
	return provided;
}

MAYBE void Finalize(void)
{
	MPI_Finalize();
	expect("MPI_Finalize()");
	if (expect_file)
		fclose(expect_file);
}

#include "expect_p2p.h"

#endif
