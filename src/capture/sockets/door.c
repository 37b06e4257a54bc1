/* The recorder's side of the layer of sockets: whose call it is, and the event that it becomes. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/core/control/control.h"
#include "capture/core/data/data.h"
#include "capture/core/descend/descend.h"
#include "capture/core/follow/follow.h"
#include "capture/core/layer.h"
#include "capture/sockets/ends.h"

static struct hb__fn functions[HB_SOCKET_FUNCTIONS] = {
#define HB_SOCKET_FUNCTION(function, class, does) \
	[HB_SOCKET_##class##_##function] = {.name = #function, .cls = HB_##class},
#include "calls/sockets/sockets.def"
};

/* What the results of each class are. */
static const struct {
	unsigned n;
	const char *name[4];
	uint8_t type[4];
} values[] = {
	[HB_STREAM] = {2, {"bytes", "asked"}, {HB_TYPE_INTEGER, HB_TYPE_INTEGER}},
	[HB_DATAGRAM] = {3, {"bytes", "hash", "peer"}, {HB_TYPE_INTEGER, HB_TYPE_UNSIGNED, HB_TYPE_TEXT}},
	[HB_READY] = {4, {"count", "descriptor", "events", "end"},
		{HB_TYPE_INTEGER, HB_TYPE_INTEGER, HB_TYPE_INTEGER, HB_TYPE_TEXT}},
	[HB_FAMILY] = {2, {"pid", "status"}, {HB_TYPE_INTEGER, HB_TYPE_INTEGER}},
};

static void define_values(const struct hb__fn *fn)
{
	uint8_t cls = fn->cls, does = fn->means->does;
	if (cls != HB_CONNECTION) {
		hb__define_values(fn->id, values[cls].n, values[cls].type, values[cls].name);
		return;
	}
	const char *names[3] = {"result", "how"};
	uint8_t types[3] = {HB_TYPE_INTEGER, HB_TYPE_INTEGER, HB_TYPE_TEXT};
	unsigned n = does == HB_DOES_END_OUT ? 2 : 1;
	if (does == HB_DOES_ACCEPT || does == HB_DOES_PAIR) {
		n = does == HB_DOES_PAIR ? 3 : 2;
		names[1] = does == HB_DOES_PAIR ? "first" : "new";
		names[2] = "second";
		types[1] = HB_TYPE_TEXT;
	}
	hb__define_values(fn->id, n, types, names);
}

/* ---- whose call ---- */

static bool network_told;

static void tell_network(void)
{
	struct stat st;
	if (!__atomic_exchange_n(&network_told, true, __ATOMIC_RELAXED) && !stat("/proc/self/ns/net", &st))
		hb__define_network(st.st_ino);
}

/* The lane of a thread that has none yet. */
static __attribute__((noinline)) struct hb__lane *new_lane(void)
{
	int error = errno, state = hb__uncancelled();
	hb__apart |= HB__APART_OURS;
	struct hb__lane *lane = hb__lane_of_this_thread();
	if (!lane && hb__begin_alone())
		lane = hb__lane_of_this_thread();
	if (!lane)
		lane = hb__early_lane();
	if (lane)
		tell_network();
	hb__apart &= (uint8_t)~HB__APART_OURS;
	hb__cancelled_again(state);
	errno = error;
	return lane;
}

/* Not the C library, and not the recorder itself, which reads files before the process has begun anything. */
static bool is_program(const void *pc)
{
	unsigned who = hb__of_program(pc);
	return who & HB__TALKS ||
	       (unlikely(who & HB__TALKS_WITHOUT_MPI) && (hb__began_alone() || !hb__layers_present()));
}

/* Level events of a job of MPI: what its library does inside of a call is recorded, too, where it was asked for. */
static bool enter(struct hb_talk *t, const void *pc, const void *cfa)
{
	hb__notice_fork();
	struct hb__lane *lane = hb__self;
	bool off = hb__config.mode == HB__OFF && !hb__forked();
	if (unlikely(hb__apart & ~HB__APART_HANDLER || off || hb__vforks))
		return false;
	bool inside = lane && lane->depth;
	bool recorded = hb__config.inside && hb__config.mode != HB__REPLAY; /* a replay leaves that to the library */
	if (unlikely(!(inside && recorded) && !is_program(pc)))
		return false;
	if (unlikely(inside && !hb__config.inside))
		return false;
	if (unlikely(!lane) && !(lane = new_lane()))
		return false;
	t->lane = lane;
	t->pc = pc;
	t->cfa = cfa;
	t->to = NULL;
	t->shared = NULL;
	t->again = unlikely(hb__config.mode == HB__REPLAY);
	return true;
}

/* ---- the event ---- */

static __attribute__((noinline)) const struct hb__slot *another_slot(struct hb__call *c, uint32_t *ret_changed)
{
	int state = hb__uncancelled();
	struct hb__wanted w = {.pc = hb__site_of(c->pc, c->cfa)};
	bool new;
	w.plain = w.pc == c->pc;
	w.key[0] = c->a[0];
	w.tags = c->fn->nrecorded && c->fn->recorded[0].kind == HB_RECORDED_TEXT; /* ends come and go */
	struct hb__slot *s = hb__slot_search(c, &w, &new, ret_changed);
	if (new) {
		s->arg[0] = (intptr_t)w.key[0];
		hb__slot_define(c->lane, s);
	}
	hb__cancelled_again(state);
	return s;
}

static __attribute__((noinline)) void define(const struct hb__fn *fn)
{
	int state = hb__uncancelled();
	hb__define_function(fn);
	define_values(fn);
	hb__cancelled_again(state);
}

static const struct hb__slot *slot_of(const struct hb_talk *t)
{
	struct hb__call c;
	uintptr_t a[1] = {(uintptr_t)t->argument};
	uint32_t changed = 0;
	c.fn = &functions[t->function];
	c.a = a;
	c.lane = t->lane;
	c.pc = t->pc;
	c.cfa = t->cfa;
	if (unlikely(t->lane->control->calls[c.fn->id]++ == 0))
		define(c.fn);
	struct hb__slot *s = (struct hb__slot *)hb__slot_guess(&c, &changed);
	if (unlikely(!s))
		s = (struct hb__slot *)another_slot(&c, &changed);
	if (unlikely(changed))
		hb__slot_change(t->lane, s, 0, a[0], (intptr_t)a[0]);
	return s;
}

static inline bool has_end(enum hb_socket_function f) { return functions[f].cls <= HB_CONNECTION; }

/* What the thread was in before; the call around this one is recorded with the time at which that began. */
static inline void back(const struct hb_talk *t)
{
	t->lane->control->inside = t->outside;
	t->lane->control->inside_enter = t->outside_enter;
}

static void begin(struct hb_talk *t)
{
	struct hb__lane *lane = t->lane;
	uint8_t apart = hb__apart;
	int error = errno;
	hb__apart = apart | HB__APART_OURS;
	if (unlikely(hb__controlled))
		hb__control_look(lane, true);
	t->slot = NULL;
	if (has_end(t->function))
		t->argument = hb_leads_text(t->end);
	if (likely(!has_end(t->function) || hb_leads_kind(t->end) < HB_LEADS_NAMELESS)) {
		t->slot = slot_of(t);
		if (functions[t->function].cls == HB_STREAM || functions[t->function].cls == HB_READY)
			hb__talk_know(t, functions[t->function].id);
	}
	t->outside = lane->control->inside;
	t->outside_enter = lane->control->inside_enter;
	if (likely(t->slot))
		lane->control->inside = t->slot->inside;
	t->enter = hb__tick();
	lane->control->inside_enter = t->enter;
	hb__apart = apart;
	errno = error;
}

static void end(struct hb_talk *t, const int64_t *results, size_t n)
{
	struct hb__lane *lane = t->lane;
	uint64_t exit = hb__tick();
	uint8_t apart = hb__apart;
	int error = errno;
	hb__apart = apart | HB__APART_OURS;
	if (unlikely(!t->slot)) {
		t->end = t->to && n && results[0] == -EINPROGRESS ? hb__ends_connecting(t->fd, t->to, t->to_length)
								  : hb__ends_find(t->fd);
		if (unlikely(hb_leads_kind(t->end) <=
			     HB_LEADS_NOWHERE)) { /* to no socket, or another thread has closed it */
			back(t);
			hb__apart = apart;
			errno = error;
			return;
		}
		t->argument = hb_leads_text(t->end);
		t->slot = slot_of(t);
	}
	/* a handler may have made events meanwhile */
	uint64_t enter = likely(t->enter >= lane->last_tick) ? t->enter : lane->last_tick;
	exit = exit >= enter ? exit : enter;
	if (likely(n <= HB__ROW_QUICK))
		hb__row_quick(lane, t->slot, enter, exit, 0, results, n);
	else
		hb__row_unusual(lane, t->slot, enter, exit, 0, results, n);
	back(t);
	hb__control_check(lane);
	if (unlikely(t->shared && t->shared->kind == HB_SHARED_TURN))
		hb__shared_over(t->shared);
	if (unlikely(hb__alone))
		hb__alone_over(lane);
	hb__apart = apart;
	if (unlikely(hb__after_event))
		hb__after_event();
	errno = error;
}

/* ---- replay ---- */

static void call_of(const struct hb_talk *t, struct hb__call *ret)
{
	*ret = (struct hb__call){.fn = &functions[t->function],
		.lane = t->lane,
		.pc = t->pc,
		.cfa = t->cfa,
		.slot = t->slot,
		.enter = t->enter};
}

/* The thread stands in this call until its process ends, perhaps by the handler of a signal that came then. */
static void rest(void)
{
	const struct timespec slice = {0, 20 * 1000000L};
	while (!hb__job_ends()) {
		if (hb__after_event)
			hb__after_event();
		syscall(SYS_nanosleep, &slice, NULL);
	}
}

static enum hb_again again(struct hb_talk *t, bool may_say_no, struct hb_told *ret)
{
	struct hb__call c;
	if (unlikely(hb__inside_call))
		hb__inside_call();
	uint8_t apart = hb__apart;
	int error = errno;
	hb__apart = apart | HB__APART_OURS;
	if (!t->slot) { /* a call that differs is told with its end as it is now */
		t->argument = hb_leads_text(t->end);
		t->slot = slot_of(t);
	}
	call_of(t, &c);
	enum hb__answer answer = hb__follow_talk(&c, may_say_no);
	if (answer == HB__YES) {
		const struct hb__row *row = hb__expected(&c);
		ret->end = row->slot->nargs ? row->slot->arg[0] : HB_NO_TEXT;
		ret->n = row->n < HB_TOLD_MOST ? row->n : HB_TOLD_MOST;
		if (ret->n)
			memcpy(ret->results, row->results, ret->n * sizeof *ret->results);
		else
			ret->results[0] = 0;
		t->shared = hb__alone ? NULL : hb__shared_of(t->lane, &t->nshared);
		if (unlikely(t->shared && t->shared->kind == HB_SHARED_TURN))
			hb__shared_wait(t->shared);
		hb__talk_told(t->lane);
	}
	hb__apart = apart;
	if (unlikely(answer == HB__REST))
		rest();
	errno = error;
	return answer == HB__YES ? HB_AGAIN_TOLD : answer == HB__NO ? HB_AGAIN_NO : HB_AGAIN_FREE;
}

static void differs(struct hb_talk *t, const char *what)
{
	struct hb__call c;
	uint8_t apart = hb__apart;
	int error = errno;
	hb__apart = apart | HB__APART_OURS;
	call_of(t, &c);
	hb__report_difference(&c, hb__expected(&c), what);
	hb__apart = apart;
	errno = error;
}

static void contents(struct hb_talk *t, bool same)
{
	struct hb__call c;
	uint8_t apart = hb__apart;
	int error = errno;
	hb__apart = apart | HB__APART_OURS;
	call_of(t, &c);
	hb__looked(HB__COMPARED, 1);
	if (same) {
		hb__apart = apart;
		return;
	}
	hb__looked(HB__DIFFERENT, 1);
	hb__report_contents(&c, "what is sent differs", NULL);
	hb__apart = apart;
	errno = error;
}

static bool alone(void) { return hb__alone; }

/* What came was needed, and is not there. */
static void without(struct hb_talk *t)
{
	struct hb__call c;
	uint8_t apart = hb__apart;
	int stopped, error = errno;
	hb__apart = apart | HB__APART_OURS;
	call_of(t, &c);
	hb__report_without(&c, hb__data_ended(&stopped) ? stopped : 0);
	hb__apart = apart;
	errno = error;
}

static void text(int64_t number, char ret_name[HB_NAME_MOST])
{
	*ret_name = 0;
	if (number >= 0)
		hb__script_text(number, ret_name, HB_NAME_MOST);
}

static void no(struct hb_talk *t)
{
	struct hb__lane *lane = t->lane;
	/* how often the library of MPI looks is no poll of the program's, which a replay would have to repeat */
	if (likely(!lane->depth || is_program(t->pc)))
		lane->control->polls++;
	back(t);
	if (unlikely(hb__after_event))
		hb__after_event();
}

static void none(struct hb_talk *t) { back(t); }

static bool is_own(void) { return !hb__vforks; }

static void vforks(int32_t (*made)(int32_t, const void *, const void *)) { hb__vfork_made = made; }

static void filter(bool is_set)
{
	if (is_set)
		hb__calls_are_filtered();
	else
		hb__calls_filtered();
}

static bool inputs(void) { return hb__data_gives; }

static bool began(void) { return hb__active || hb__begun_early(); }

/* The libraries' constructors come in any order: whether this layer is recorded here may not have been asked yet. */
static uint32_t *opened(void)
{
	hb__layers_give_way();
	return hb__layer_asked("sockets") ? hb__ends_table() : NULL;
}

/* What they open and wait for is not the program's. */
static bool leave(const char *place, uint64_t key, const struct iovec *piece, size_t n, size_t bytes)
{
	uint8_t apart = hb__apart;
	hb__apart = apart | HB__APART_OURS;
	bool done = hb__board_leave(place, key, piece, n, bytes);
	hb__apart = apart;
	return done;
}

static const void *take(const char *place, uint64_t key, int ms, size_t *ret_bytes)
{
	uint8_t apart = hb__apart;
	hb__apart = apart | HB__APART_OURS;
	const void *found = hb__board_take(place, key, ms, ret_bytes);
	hb__apart = apart;
	return found;
}

extern const struct hb_sockets_door hb_sockets_door_1;
const struct hb_sockets_door hb_sockets_door_1 = {.opened = opened,
	.quick = hb__talk_quick,
	.quick_moved = hb__talk_quick_moved,
	.quick_end = hb__talk_quick_end,
	.quick_no = hb__talk_quick_no,
	.enter = enter,
	.find = hb__ends_find,
	.same = hb__ends_same,
	.leads = hb__ends_lead,
	.begin = begin,
	.end = end,
	.no = no,
	.none = none,
	.is_program = is_program,
	.above = hb__program_above,
	.is_own = is_own,
	.vforks = vforks,
	.notice_fork = hb__notice_fork,
	.filter = filter,
	.began = began,
	.most = hb__ends_most,
	.most_leading = hb__ends_most_leading,
	.address = hb__ends_address,
	.hash = hb__ends_hash,
	.moved = hb__talk_moved,
	.came = hb__talk_came,
	.alone = alone,
	.piece = hb__talk_piece,
	.number = hb__talk_number,
	.without = without,
	.outside = hb__talk_outside,
	.again = again,
	.differs = differs,
	.contents = contents,
	.name = hb__ends_name,
	.text = text,
	.leave = leave,
	.take = take,
	.high = hb__board_high,
	.job_ends = hb__job_ends,
	.process = hb__replayed_as,
	.inputs = inputs,
	.child = hb__talk_child,
	.becomes = hb__talk_becomes};

/* ---- what the core asks ---- */

static void shut(void)
{
	uint8_t apart = hb__apart;
	hb__apart = apart | HB__APART_OURS;
	tell_network();
	hb__ends_foresee();
	hb__apart = apart;
}

static void forgotten(void)
{
	network_told = false;
	hb__ends_again();
	hb__board_forked();
	hb__shared_forked();
}

static const struct hb__fn *function(const char *name, uint8_t cls)
{
	for (int i = 0; HB_IS_SOCKET(cls) && i < HB_SOCKET_FUNCTIONS; i++)
		if (functions[i].cls == cls && !strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

__attribute__((constructor(104))) static void add_layer(void)
{
	static struct hb__layer sockets = {.name = "sockets",
		.functions = HB_SOCKET_FUNCTIONS,
		.function = function,
		.again = forgotten,
		.shut = shut};
	unsigned first = hb__layers_functions();
	for (unsigned i = 0; i < HB_SOCKET_FUNCTIONS; i++) {
		struct hb__fn *fn = &functions[i];
		fn->id = (uint16_t)(first + i);
		fn->flags = HB_EVENT;
		fn->means = hb_meaning_of(fn->name, fn->cls);
		if (fn->cls == HB_FAMILY)
			continue;
		fn->nargs = fn->nrecorded = 1;
		fn->recorded[0].kind = fn->cls == HB_READY ? HB_RECORDED_NUMBER : HB_RECORDED_TEXT;
		fn->recorded[0].name = fn->cls == HB_READY ? "timeout" : "end";
	}
	hb__layer_add(&sockets);
	if (hb__descends)
		hb__talk_begin();
}
