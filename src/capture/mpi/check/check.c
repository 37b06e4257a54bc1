/* The way of every call through the checks, and how a remark is written. */
#include "capture/mpi/check/check.h"

#include <string.h>

#include "capture/mpi/check/handles/handles.h"
#include "capture/core/control/control.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/observe/observe.h"
#include "capture/mpi/slots/slots.h"
#include "mpi_ids.h"

bool hb__checking;
struct hb__attention hb__attention;

/* The call's own event is in the log already: a remark that comes now is about the event before. */
static __thread bool late __attribute__((tls_model("initial-exec")));

static uint32_t written; /* remarks */

static void find_messages(void);

uint32_t hb__check_site_of(const struct hb__call *c) { return hb__define_site(hb__site_of(c->pc, c->cfa)); }

void hb__remark_of(struct hb__call *c, enum hb_remark_word word, const void *fields)
{
	bool event = c->fn->flags & HB_EVENT;
	struct hb_remark_call call = {.fn = c->fn,
		.site = hb__check_site(c),
		.event = event && !(c->fn->flags & HB_POLL),
		.late = late && event};
	written++;
	hb__remark_write(c->lane, word, &call, fields);
	if (word >= HB_REMARK_ARG_BUFFER &&
		word <= HB_REMARK_ARG_VALUE) /* who watches the job tells it while it runs */
		__atomic_fetch_add(&c->lane->control->faults, 1, __ATOMIC_RELEASE);
}

static void posted(struct hb__call *c, struct hb__request *r, int code)
{
	(void)code;
	if (r)
		hb__check_posted(c, r);
}

static void looked(struct hb__call *c, struct hb__request *r, uintptr_t handle, MPI_Status *st, int error)
{
	(void)c;
	(void)r;
	(void)st;
	if (error == MPI_SUCCESS)
		hb__check_seen(handle);
}

void hb__check_begin_process(void)
{
	static const struct hb__observer observer = {.posted = posted,
		.over = hb__check_completed,
		.looked = looked,
		.freed = hb__check_request_freed,
		.finalized = hb__check_finalized};
	hb__observe(&observer);
	hb__typemaps_wanted = true;
	hb__topology_made = hb__check_topology;
	hb__check_threads_begin();
	find_messages();
	hb__memory_that_stays();
	const char *why = hb__blocks_begin();
	hb__remark_process(ON, NULL, .guard = hb__guard_works(), .heap = !why, .text = why);
	hb__fatal_begin();
	if (!hb__controlled) /* a session is told of signals itself */
		hb__crash_start();
}

/* ---- polls ---- */

/* What a program polls for it asks thousands of times. Where nothing has happened since the last time, and nothing was found
 * then, nothing can be found now. */
#define ARGUMENTS 8
static struct {
	const struct hb__lane *lane; /* NULL: the last call was no poll */
	const struct hb__fn *fn;
	const void *pc, *cfa;
	uintptr_t a[ARGUMENTS];
	MPI_Request request;
	uint64_t epoch, events;
	uint32_t turn, written;
} asked;

static MPI_Request request_of(const struct hb__call *c)
{
	const MPI_Request *at = hb__has(c, HB_R_REQUEST) ? (const MPI_Request *)hb__arg(c, HB_R_REQUEST) : NULL;
	return at ? *at : hb__known.request_null;
}

static bool asks_again(const struct hb__call *c)
{
	uintptr_t other = ((uintptr_t)asked.lane ^ (uintptr_t)c->lane) | ((uintptr_t)asked.fn ^ (uintptr_t)c->fn) |
			  ((uintptr_t)asked.pc ^ (uintptr_t)c->pc) | ((uintptr_t)asked.cfa ^ (uintptr_t)c->cfa) |
			  (asked.epoch ^ hb__epoch) | (asked.events ^ c->lane->control->events) |
			  (asked.turn ^ hb__requests_turn) | (asked.written ^ written) | hb__attention.windows;
	return !other && hb__same_arguments(asked.a, c->a, c->fn->nargs) && asked.request == request_of(c);
}

static bool is_poll(const struct hb__fn *fn)
{
	return fn->flags & HB_POLL && (fn->cls == HB_COMPLETE || fn->cls == HB_PROBE) && !fn->role[HB_R_NREQ] &&
	       fn->nargs <= ARGUMENTS;
}

static bool poll_again(const struct hb__call *c)
{
	if (likely(!is_poll(c->fn)) || hb__threaded || c->lane->nested || !hb__check_threads_quiet()) {
		asked.lane = NULL;
		return false;
	}
	if (likely(asks_again(c)))
		return true;
	asked.lane = c->lane;
	asked.fn = c->fn;
	asked.pc = c->pc;
	asked.cfa = c->cfa;
	memcpy(asked.a, c->a, c->fn->nargs * sizeof *c->a);
	asked.request = request_of(c);
	asked.epoch = hb__epoch;
	asked.events = c->lane->control->events;
	asked.turn = hb__requests_turn;
	asked.written = written;
	return false;
}

/* ---- calls of which all has been said ---- */

/* Messages and collectives, by what they are alike in and where they stand. */
#define SETTLED 256u
#define ANY 1u /* no address: with each buffer */
struct settled {
	uint64_t call; /* 0: free */
	uintptr_t buffer[2];
};
static __thread void *all_settled __attribute__((tls_model("initial-exec"))); /* struct settled [SETTLED] */

/* Where a call has its place; NULL: memory is gone. */
static struct settled *place_of(uint64_t call)
{
	struct settled *s = hb__thread_room(&all_settled, SETTLED * sizeof *s);
	return s ? &s[call >> 56] : NULL;
}

static uintptr_t buffer_of(const struct hb__call *c, enum hb_role role)
{
	return hb__has(c, role) ? hb__arg(c, role) : 0;
}

static uint64_t call_of(const struct hb__call *c, uint64_t alike)
{
	uint64_t h = (alike ^ (uintptr_t)c->pc ^ hb__handles_ended << 40) * 0x9e3779b97f4a7c15u;
	bool moves = c->fn->cls == HB_SEND || c->fn->cls == HB_RECV || c->fn->cls == HB_COLLECTIVE;
	return alike && moves ? h | 1 : 0;
}

static bool is_settled(const struct hb__call *c, uint64_t call)
{
	const struct settled *s = place_of(call);
	return s && s->call == call &&
	       (s->buffer[0] == ANY ||
		       (s->buffer[0] == buffer_of(c, HB_R_SBUF) && s->buffer[1] == buffer_of(c, HB_R_RBUF)));
}

static void settle(const struct hb__call *c, uint64_t call, bool any)
{
	struct settled *s = place_of(call);
	if (!s)
		return;
	s->call = call;
	s->buffer[0] = any ? ANY : buffer_of(c, HB_R_SBUF);
	s->buffer[1] = buffer_of(c, HB_R_RBUF);
}

/* The same of a message, by its slot, which its begin needs anyway. What of a send or a receive does not stand in its slot: */
static struct message {
	bool is, polls;         /* polls: it is none, but asks for one, or for its end */
	uint8_t buffer, answer; /* arguments; answer: where a status or a request comes, without that the buffer */
	uintptr_t ignored;      /* in the place of an answer: none is wanted */
} messages[HB_FN_COUNT];

static void find_messages(void)
{
	for (unsigned i = 0; i < HB_FN_COUNT; i++) {
		const struct hb__fn *fn = hb__fns[i];
		struct message *m = &messages[i];
		m->polls = fn && is_poll(fn);
		if (!fn || !hb__arguments_of_message(fn) || !(fn->flags & HB_EVENT))
			continue;
		enum hb_role buffer = fn->cls == HB_SEND ? HB_R_SBUF : HB_R_RBUF, status = HB_R_STATUS;
		enum hb_role answer = fn->role[status] ? status : fn->role[HB_R_NEWREQ] ? HB_R_NEWREQ : buffer;
		m->buffer = (uint8_t)(fn->role[buffer] - 1);
		m->answer = (uint8_t)(fn->role[answer] - 1);
		m->ignored = answer == status ? (uintptr_t)MPI_STATUS_IGNORE : UINTPTR_MAX / 2;
		m->is = true;
	}
}

static inline bool usual(uintptr_t pointer) { return pointer - 4097 < UINTPTR_MAX - 2 * 4097; }

static inline bool usual_answer(const struct hb__call *c, const struct message *m)
{
	return usual(c->a[m->answer]) || c->a[m->answer] == m->ignored;
}

static bool slot_is_settled(struct hb__call *c)
{
	const struct message *m = &messages[c->fn->id];
	const struct hb__slot *s = c->slot; /* known of messages */
	return s && s->settled == (uint32_t)hb__handles_ended + 1 && usual(c->a[m->buffer]) && usual_answer(c, m) &&
	       (!s->settled_buffer || s->settled_buffer == c->a[m->buffer]);
}

static const uint64_t other_turn = 1;

static void settle_slot(const struct hb__call *c, bool any)
{
	struct hb__slot *s = (struct hb__slot *)c->slot; /* of this thread's lane */
	if (!s)
		return;
	s->settled = (uint32_t)hb__handles_ended + 1;
	s->settled_buffer = any ? 0 : c->a[messages[c->fn->id].buffer];
	if (!s->memory.turn)
		s->memory.turn = &other_turn; /* looked at each time */
}

void hb__check_memory_seen(const struct hb__call *c, uint64_t bytes, struct hb__block block)
{
	struct hb__slot *s = (struct hb__slot *)c->slot;
	if (!s || !usual(c->a[messages[c->fn->id].buffer]) || !hb__check_threads_quiet())
		return;
	s->memory = block;
	s->memory_of = c->a[messages[c->fn->id].buffer];
	s->memory_bytes = bytes;
}

const struct hb__slot *hb__check_memory_known(const struct hb__call *c)
{
	const struct message *m = &messages[c->fn->id];
	const struct hb__slot *s = m->is ? c->slot : NULL;
	return s && s->memory.turn && s->memory_of == c->a[m->buffer] && *s->memory.turn == s->memory.was ? s : NULL;
}

static bool poll_passes(struct hb__call *c)
{
	if (c->lane->nested || !asks_again(c))
		return false;
	c->watched = hb__guard_any();
	if (c->watched)
		hb__guard_asks(c);
	if (hb__attention.between) {
		hb__between_enter(c);
		hb__mapped_forget();
	}
	return true;
}

bool hb__check_passes(struct hb__call *c)
{
	const struct message *m = &messages[c->fn->id];
	const struct hb__attention *now = &hb__attention;
	if (!m->is)
		return m->polls && poll_passes(c);
	const struct hb__slot *s = c->slot = hb__slot_find(c);
	bool same = s->settled == (uint32_t)hb__handles_ended + 1 && s->memory_of == c->a[m->buffer] &&
		    *s->memory.turn == s->memory.was && usual_answer(c, m);
	bool alone = !now->pieces || c->fn->flags & HB_NONBLOCKING; /* these look for overlaps when they are posted */
	return same && alone && !(now->guards | now->windows | now->between) && !(hb__many_threads & hb__threaded);
}

void hb__check_passed_after_all(struct hb__call *c, int code)
{
	bool polls = c->fn->flags & HB_POLL;
	const int *flag = polls ? (const int *)hb__arg(c, HB_R_FLAG) : NULL;
	if (flag && likely(code == MPI_SUCCESS && !*flag)) {
		if (hb__attention.between) {
			hb__between_leave();
			hb__mapped_forget();
		}
		if (c->watched)
			hb__guard_asked(false);
		return;
	}
	c->again = polls;
	c->settled = !polls;
	c->watched = polls && c->watched;
	hb__check_leave(c, code);
}

/* A null pointer where one of these calls needs none. */
static bool has_null(const struct hb__call *c)
{
	for (unsigned i = 0; i < c->fn->nargs; i++)
		switch (c->fn->param[i].kind) {
		case HB_P_FLAG:
		case HB_P_INDEX:
		case HB_P_INDICES:
		case HB_P_OUTCOUNT:
			if (!c->a[i])
				return true;
			break;
		case HB_P_STATUS:
		case HB_P_STATUSES:
			if (!c->a[i] && MPI_STATUS_IGNORE)
				return true;
			break;
		default:
			break;
		}
	return false;
}

/* What a wait may do wrong it does with requests that are not active. */
static bool completes_active(struct hb__call *c)
{
	return c->fn->cls == HB_COMPLETE && (hb__has(c, HB_R_REQUEST) || hb__has(c, HB_R_REQS)) &&
	       c->fn->flags & (HB_EVENT | HB_POLL) && c->fn->means->does != HB_DOES_FREE_REQUEST &&
	       c->fn->means->does != HB_DOES_CANCEL && !has_null(c) && hb__check_waits(c);
}

/* ---- the way of a call ---- */

static void settled_enter(struct hb__call *c)
{
	c->settled = true;
	hb__settled_enter(c);
	hb__check_windows_enter(c);
}

static void look_at_all(struct hb__call *c, uint64_t alike, uint64_t call)
{
	uint32_t before = written;
	bool clean = hb__check_arguments(c, alike);
	hb__check_handles_enter(c);
	hb__check_buffers_enter(c);
	hb__check_windows_enter(c);
	hb__check_files_enter(c);
	hb__check_given(c);
	bool any = hb__check_declared(c);
	hb__check_waits(c);
	if (call && clean && before == written) {
		settle(c, call, any);
		settle_slot(c, any);
	}
}

void hb__check_enter(struct hb__call *c)
{
	c->again = poll_again(c);
	c->settled = false;
	c->watched = hb__guard_any();
	if (unlikely(c->watched))
		c->again ? hb__guard_asks(c) : hb__guard_entered(c);
	hb__check_threads_enter(c);
	if (unlikely(hb__many_threads && hb__threaded))
		hb__check_together_enter(c);
	if (c->again) {
		hb__between_enter(c);
		hb__mapped_forget();
		return;
	}
	if (unlikely(c->fn->means->does == HB_DOES_INIT))
		hb__remark(c, INIT_AGAIN, .text = NULL);
	if (slot_is_settled(c)) {
		settled_enter(c);
		return;
	}
	uint64_t alike = hb__arguments_alike(c), call = call_of(c, alike);
	if (call ? is_settled(c, call) : completes_active(c)) {
		if (call)
			settle_slot(c, place_of(call)->buffer[0] == ANY);
		settled_enter(c);
		return;
	}
	look_at_all(c, alike, call);
	if (c->fn->means->does == HB_DOES_FINALIZE)
		hb__check_finalize(c);
}

void hb__check_leave(struct hb__call *c, int code)
{
	const int *flag = c->again ? (const int *)hb__arg(c, HB_R_FLAG) : NULL;
	late = true;
	hb__check_arguments_leave(c, code);
	if (likely(c->settled)) {
		hb__settled_leave(c);
		hb__check_windows_leave(c, code);
	} else if (flag && code == MPI_SUCCESS && !*flag) {
		hb__between_leave();
		hb__mapped_forget();
	} else {
		hb__check_handles_leave(c, code);
		hb__check_buffers_leave(c, code);
		hb__check_windows_leave(c, code);
		hb__check_files_leave(c, code);
	}
	late = false;
	hb__check_threads_leave(c);
	hb__check_together_leave(c);
	if (unlikely(c->watched) && c->again)
		hb__guard_asked(c->fn->cls == HB_COMPLETE && flag && *flag);
	else if (unlikely(hb__guard_any()))
		hb__guard_left(c);
}
