/* The process: what the environment asks for, which thread is which, and the ways a process begins and leaves. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "capture/core/control/control.h"
#include "capture/core/data/data.h"
#include "capture/core/descend/descend.h"
#include "capture/core/file.h"
#include "capture/core/follow/follow.h"
#include "capture/core/layer.h"
#include "capture/core/place/place.h"
#include "capture/core/record/record.h"

struct hb__config hb__config;
static bool alone_asked; /* the command is not one of a layer with a life of its own */
static bool alone;       /* the process began without such a layer */
static bool early;  /* the record began with an event before the layer said which process this is: see hb__early_lane */
static bool forked; /* fork made this process, of one that is recorded */
static bool of_replay; /* ... of one that follows a record: that is not this one's */
static __thread struct hb__lane *early_self __attribute__((tls_model("initial-exec")));
bool hb__active, hb__finished, hb__early_log, hb__threaded, hb__many_threads, hb__postings_ordered, hb__spawned;
const struct hb__ordering *hb__ordering;
const struct hb__tracing *hb__tracing;
void (*hb__event_made)(int, const char *, unsigned, const struct hb_value *, const void *, const void *);
int hb__rank = -1, hb__size, hb__own_number = -1, hb__world_number, hb__first_number;
char hb__own_name[40];
__thread struct hb__mine hb__mine __attribute__((tls_model("initial-exec")));
struct hb__lane *(*hb__promised_lane)(void);

/* ---- the environment ---- */

static void text(char *to, size_t size, const char *name)
{
	const char *v = getenv(name);
	snprintf(to, size, "%s", v ? v : "");
}

static bool is(const char *name, const char *value)
{
	const char *v = getenv(name);
	return v && strcmp(v, value) == 0;
}

/* Replay without other processes: what came into the process is given back from its beginning on. */
static void open_data(struct hb__config *k)
{
	char path[sizeof k->script + 32];
	const char *why;
	snprintf(path, sizeof path, "%s/rank.%d.data", k->script, k->alone);
	hb__alone = hb__data_open(path, &why);
	if (hb__alone)
		return;
	hb__say("rank %d cannot be replayed alone: %s", k->alone, why);
	k->mode = HB__OFF;
}

/* Before the constructors of layers, some of which ask what it has read. */
__attribute__((constructor(101))) static void configure(void)
{
	struct hb__config *k = &hb__config;
	hb__layers_give_way();
	k->mode = hb__mode_asked();
	bool inputs = getenv("HBDB_LAYERS") && hb__layer_asked("inputs");
	k->data = k->mode == HB__RECORD && (is("HBDB_LEVEL", "data") || inputs);
	k->racing = k->mode == HB__RECORD && is("HBDB_LEVEL", "racing");
	k->order = is("HBDB_LEVEL", "order") || is("HBDB_LEVEL", "racing");
	k->serial = !k->order && is("HBDB_CARRY", "serial");
	k->contents = !k->order && !is("HBDB_DIGESTS", "0");
	k->whole = !k->order && is("HBDB_DIGESTS", "whole");
	k->remarks = k->mode == HB__RECORD && !k->order && is("HBDB_REMARKS", "1");
	k->inside = is("HBDB_SOCKETS_INSIDE", "1");
	k->warn = is("HBDB_DIVERGENCE", "warn");
	k->on_contents = is("HBDB_CONTENTS", "ignore") ? HB__CONTENTS_IGNORE
			 : is("HBDB_CONTENTS", "warn") || (k->warn && !is("HBDB_CONTENTS", "stop")) ? HB__CONTENTS_WARN
												    : HB__CONTENTS_STOP;
	k->shake = getenv("HBDB_SHAKE") ? (unsigned)strtoul(getenv("HBDB_SHAKE"), NULL, 10) : 0;
	k->ring = k->mode == HB__RECORD && !k->order ? hb__ring_asked() : 0;
	alone_asked = is("HBDB_WITHOUT_MPI", "1");
	text(k->dir, sizeof k->dir, "HBDB_DIR");
	text(k->script, sizeof k->script, "HBDB_SCRIPT");
	text(k->replay_log, sizeof k->replay_log, "HBDB_REPLAY_LOG");
	if (!*k->dir || (k->mode == HB__REPLAY && !*k->script))
		k->mode = HB__OFF;
	k->alone = k->mode == HB__REPLAY && getenv("HBDB_ALONE") ? atoi(getenv("HBDB_ALONE")) : -1;
	if (k->mode == HB__REPLAY && getenv(HB__WORLD))
		sscanf(getenv(HB__WORLD), "%d@%d", &hb__first_number, &hb__world_number);
	if (k->alone >= 0)
		open_data(k);
	k->backwards = k->alone >= 0 && is("HBDB_BACKWARDS", "1");
	if (k->backwards) {
		hb__clock.counter = false;
		hb__clock.stands = true;
	}
	k->data = k->data && k->mode == HB__RECORD; /* it has a folder */
	if (k->data)
		hb__data_early();
	if (k->mode != HB__OFF) {
		pthread_atfork(NULL, NULL, hb__after_fork);
		hb__here_begin();
	}
	hb__descends = k->mode != HB__OFF && getenv("HBDB_LAYERS") && hb__layer_asked("sockets");
	if (hb__descends) {
		hb__environment_keep();
		hb__log_remember_program();
	}
}

/* ---- threads ---- */

/* A thread is who created it and as which of its children: the same in every run. Those that a layer's library makes are counted by
 * themselves: it makes others, or none, without other processes. */
static __thread uint64_t thread_identity __attribute__((tls_model("initial-exec")));
static __thread uint64_t thread_children[2] __attribute__((tls_model("initial-exec")));
static __thread bool lane_refused __attribute__((tls_model("initial-exec")));

struct beginning {
	void *(*start)(void *);
	thrd_start_t start_c11;
	void *argument;
	uint64_t identity;
	bool of_library, ordered;
};

uint64_t hb__thread_identity(void) { return thread_identity; }

static struct beginning take_beginning(void *p)
{
	struct beginning b = *(struct beginning *)p;
	free(p);
	thread_identity = b.identity;
	hb__apart = b.of_library ? HB__APART_THREAD : 0;
	hb__ordered = b.ordered;
	return b;
}

static void *begin_thread(void *p)
{
	struct beginning b = take_beginning(p);
	if (hb__alone && b.of_library)
		return hb__library_thread(b.start, b.argument);
	return b.start(b.argument);
}

static int begin_thread_c11(void *p)
{
	struct beginning b = take_beginning(p);
	return b.start_c11(b.argument);
}

/* NULL: the thread begins as it would without us. */
static struct beginning *new_beginning(const void *caller, void *argument)
{
	struct beginning *b = hb__config.mode == HB__OFF && !forked ? NULL : malloc(sizeof *b);
	if (!b)
		return NULL;
	bool library = hb__in_library(caller) || hb__apart || (hb__self && hb__self->depth && !hb__self->nested);
	if (unlikely(!hb__many_threads && !library)) {
		hb__many_threads = true;
		hb__lanes_posting();
	}
	uint64_t nth = ++thread_children[library] | (uint64_t)library << 63;
	uint64_t h = (thread_identity + 1) * 0x9e3779b97f4a7c15u + nth * 0xbf58476d1ce4e5b9u;
	*b = (struct beginning){.argument = argument,
		.identity = (h ^ h >> 31) | 1,
		.of_library = library,
		.ordered = hb__ordered && hb__active && !library};
	return b;
}

HB__EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
	static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	if (!next)
		next = (__typeof__(next))dlsym(RTLD_NEXT, "pthread_create");
	struct beginning *b = new_beginning(__builtin_return_address(0), argument);
	if (!b)
		return next(thread, attr, start, argument);
	b->start = start;
	int e = next(thread, attr, begin_thread, b);
	if (e)
		free(b);
	return e;
}

/* The call behind is a jump: who stands behind us asks who called. */
HB__EXPORT int pthread_join(pthread_t thread, void **ret)
{
	static int (*next)(pthread_t, void **);
	if (!next)
		next = (__typeof__(next))dlsym(RTLD_NEXT, "pthread_join");
	if (unlikely(hb__library_threads))
		hb__library_thread_joined(thread);
	return next(thread, ret);
}

/* Of C11. The C library does not come by pthread_create. */
HB__EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	static int (*next)(thrd_t *, thrd_start_t, void *);
	if (!next)
		next = (__typeof__(next))dlsym(RTLD_NEXT, "thrd_create");
	if (!next) /* an older C library, with the library of threads loaded late */
		return thrd_error;
	struct beginning *b = new_beginning(__builtin_return_address(0), argument);
	if (!b)
		return next(thread, start, argument);
	b->start_c11 = start;
	int e = next(thread, begin_thread_c11, b);
	if (e != thrd_success)
		free(b);
	return e;
}

struct hb__lane *hb__lane_new(uint64_t thread)
{
	/* Lanes are numbered as threads come, and the first thread of the program comes first even where it says nothing before
	 * the others; in a replay they have the numbers they had. */
	int number = hb__config.mode == HB__REPLAY ? hb__script_number(thread) : (alone || early) && !thread ? 0 : -1;
	struct hb__lane *lane = hb__lane_create(thread, number);
	if (lane && hb__config.mode == HB__REPLAY)
		hb__follow_lane(lane);
	return lane;
}

static struct hb__lane *new_lane(void)
{
	struct hb__lane *lane = hb__promised_lane ? hb__promised_lane() : NULL;
	if (!lane)
		lane = hb__lane_new(thread_identity);
	lane_refused = !lane;
	return lane;
}

struct hb__lane *hb__lane_of_this_thread(void)
{
	if (hb__self || lane_refused || !hb__active || hb__vforks)
		return hb__self;
	return hb__self = early_self ? early_self : new_lane();
}

/* ---- beginning and end of what is recorded ---- */

static pid_t owner, early_owner; /* the process that began */
static int early_rank;
int hb__promised = -1;
static bool alone_tried;
static pthread_mutex_t beginning_lock = PTHREAD_MUTEX_INITIALIZER;
static bool without_rank;               /* that is told */
static bool early_tried, early_decided; /* decided: `early` and its log are as they stay */

/* A filter may forbid to ask, and a child made behind it by fork has been told that it is one. */
static bool is_me(pid_t who) { return hb__file_is_over() || who == getpid(); }

bool hb__began(void) { return hb__active || owner; }
bool hb__began_alone(void) { return alone || (forked && early); }
bool hb__forked(void) { return forked; }

/* A child of a process that is recorded has the parent's log mapped and must not write it, nor follow the parent's record. It has no
 * other threads: locks that these held are free, and what they had under way is forgotten. The other layers take it for a process that
 * is not recorded; its own events begin a log of its own (begin_early), so that a child that says nothing leaves nothing. One whose
 * parent has not begun yet is a process as any other. */
void hb__after_fork(void)
{
	hb__here_again();
	bool begun = hb__began() || early || hb__early_log || hb__finished;
	bool follows = hb__config.mode == HB__REPLAY && hb__promised >= 0; /* a record of its own */
	forked = forked || hb__config.mode == HB__RECORD;
	of_replay = of_replay || (hb__config.mode == HB__REPLAY && !follows);
	thread_identity = thread_children[0] = thread_children[1] = 0;
	beginning_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	early_tried = early_decided = early = without_rank = false;
	hb__vforks = 0;
	hb__data_forked();
	hb__log_forked();
	hb__definitions_forked();
	hb__lanes_forked();
	hb__sites_forked();
	if (hb__config.data)
		hb__data_early();
	if (!begun)
		return;
	hb__active = hb__early_log = alone = alone_asked = lane_refused = false;
	hb__self = early_self = NULL;
	if (!follows)
		hb__config.mode = HB__OFF;
	owner = 0;
	*hb__own_name = 0;
	hb__own_number = -1;
	hb__control_forget();
	if (follows) {
		alone_asked = true;
		alone_tried = false;
		hb__script_forget();
		hb__definitions_again();
		hb__layers_again();
	}
}

void hb__child_comes(uint32_t pid) { hb__promised = pid ? hb__claim_number(pid) : -1; }

/* The record to follow, and the log. */
static bool open_record(void)
{
	bool replay = hb__config.mode == HB__REPLAY;
	if (replay && !hb__script_open(hb__config.script)) {
		hb__config.mode = HB__OFF;
		return false;
	}
	if (replay) {
		hb__config.order = hb__script_order();
		hb__lanes_reserve(hb__script_lanes());
	}
	if (!replay && hb__file_is_there(hb__config.dir, HB_LOGS_STOPPED)) {
		hb__config.mode = HB__OFF;
		return false;
	}
	const char *dir = !replay ? hb__config.dir : *hb__config.replay_log ? hb__config.replay_log : hb__config.dir;
	/* a log is memory that copies of the process would share */
	if (unlikely(hb__config.backwards))
		return true;
	if (likely(!hb__early_log))
		hb__log_create(dir, replay && !*hb__config.replay_log);
	else
		hb__log_identity(!early);
	hb__data_start();
	return true;
}

/* Which process this is, is known now. */
static bool name_early(void)
{
	if (hb__config.mode == HB__REPLAY && hb__rank != early_rank) {
		hb__say("its launcher gave this process the number %d: its events until now followed another record, so it runs uncontrolled",
			early_rank);
		hb__config.mode = HB__OFF;
		return false;
	}
	hb__log_identity(true);
	hb__data_start();
	if (hb__threaded)
		hb__lanes_locked();
	return true;
}

bool hb__begin_record(int thread_level)
{
	if (hb__began())
		return false;
	forked = false; /* a process as any other */
	if (!(early ? name_early() : open_record()))
		return false;
	hb__log_thread_level(thread_level);
	owner = getpid();
	hb__active = true;
	if (!alone && !early)
		thread_identity = 0;
	hb__ordered = true;
	return hb__active = hb__lane_of_this_thread() != NULL;
}

/* A process of a launcher whose layer has not begun: it says something before MPI_Init, or never calls it. What its launcher tells is
 * taken for its name until the layer knows; until then the layer's calls pass by as those of a process that is not recorded. */
static bool may_begin_early(void) { return forked || (!hb__finished && hb__config.mode != HB__OFF && !of_replay); }

/* Not twice: a program that cannot call a layer with ranks has none from its first event on, and may be killed at any moment. */
static void tell_no_rank(void)
{
	if (without_rank)
		return;
	without_rank = true;
	hb__define_process(&(struct hb__process_told){.world = "", .maker = "", .maker_rank = -1, .forked = forked});
}

/* The launcher's variables tell of the process that forked this one, which has no rank. */
static void begin_forked(void)
{
	hb__rank = 0;
	hb__size = 1;
	hb__definitions_again();
	hb__layers_again();
}

static void begin_early(void)
{
	pthread_mutex_lock(&beginning_lock);
	bool begins = !early_tried && !hb__began() && may_begin_early();
	early_tried = early_tried || begins;
	if (begins) {
		bool none = forked || (hb__config.mode == HB__RECORD && !hb__layers_present());
		if (forked)
			begin_forked();
		else if (none)
			hb__rank = 0, hb__size = 1;
		else
			hb__layers_expected(&hb__rank, &hb__size);
		early_rank = hb__rank;
		/* a program of a launcher whose recording never called MPI_Init has no rank there */
		bool refused = hb__config.mode == HB__REPLAY && !hb__first_number && hb__rank >= hb__claim_ranks() &&
			       hb__claim_ranks() >= 0 && !hb__claim();
		if (refused)
			hb__config.mode = HB__OFF;
		if (hb__config.mode != HB__REPLAY)
			hb__lanes_reserve(1);
		/* what the parent knew is known in its child, where the loader's lock may be held for ever */
		if (!forked || hb__config.mode != HB__OFF)
			hb__learn_modules();
		early_owner = getpid();
		early = true; /* open_record asks */
		early = !refused && open_record();
		if (early && none)
			tell_no_rank();
		if (early)
			hb__find_place();
	}
	__atomic_store_n(&early_decided, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&beginning_lock);
}

struct hb__lane *hb__early_lane(void)
{
	if (unlikely(hb__vforks))
		return NULL;
	if (likely(early_self))
		return hb__began() ? NULL : early_self;
	if (lane_refused || hb__began() || !may_begin_early())
		return NULL;
	if (!__atomic_load_n(&early_decided, __ATOMIC_ACQUIRE))
		begin_early();
	return early_self = early ? new_lane() : NULL;
}

struct hb__lane *hb__lane_so_far(void) { return hb__self || hb__began() ? hb__self : early_self; }

bool hb__begun_early(void) { return early; }

bool hb__begin_alone(void)
{
	if (likely(!alone_asked) || hb__vforks)
		return false;
	pthread_mutex_lock(&beginning_lock);
	bool begins = !alone_tried && hb__config.mode != HB__OFF && !hb__layers_present();
	alone_tried = alone_tried || begins;
	if (begins) {
		alone = true;
		hb__lanes_reserve(1);
		hb__rank = 0;
		hb__size = 1;
		hb__lanes_special(); /* a library of MPI that is loaded now has no part in them */
		hb__learn_modules();
		if (!hb__claim())
			hb__config.mode = HB__OFF;
		else if (hb__begin_record(3)) {
			tell_no_rank();
			hb__find_place();
			hb__control_start(hb__self);
		}
	}
	pthread_mutex_unlock(&beginning_lock);
	return alone_tried; /* perhaps by another thread, just now */
}

struct hb__lane *hb__lane_now(void)
{
	/* what the recorder itself calls as it begins may be seen by a layer, too */
	static __thread bool begins __attribute__((tls_model("initial-exec")));
	struct hb__lane *lane = hb__self;
	if (likely(lane) || begins)
		return lane;
	begins = true;
	lane = hb__lane_of_this_thread();
	if (!lane && hb__begin_alone())
		lane = hb__lane_of_this_thread();
	lane = lane ? lane : hb__early_lane();
	begins = false;
	return lane;
}

void hb__end_process(uint32_t state)
{
	if (!hb__active)
		return;
	if (hb__tracing)
		hb__tracing->over();
	hb__active = false;
	hb__finished = state == HB_STATE_FINALIZED;
	hb__control_bye(state == HB_STATE_FINALIZED ? "finalized" : "left");
	if (state == HB_STATE_FINALIZED)
		hb__data_told();
	hb__log_finish(state);
	hb__self = NULL; /* other threads must make no event any more */
}

/* No layer has told which process it is: it has no rank. */
static void leave_early(void)
{
	if (hb__tracing)
		hb__tracing->over();
	hb__follow_finish();
	tell_no_rank();
	hb__rank = 0;
	hb__size = 1;
	hb__log_identity(false);
	hb__data_start();
	hb__data_told();
	hb__log_finish(HB_STATE_FINALIZED);
	early = forked = false;
	early_self = NULL;
	hb__config.mode = HB__OFF;
	hb__here_unusual();
}

static void leave_record(void)
{
	if (early && !hb__began() && is_me(early_owner))
		leave_early();
	if (!hb__active || !is_me(owner))
		return;
	hb__follow_finish();
	hb__layers_leaving();
	hb__end_process(alone ? HB_STATE_FINALIZED : HB_STATE_LEFT);
}

bool hb__process_replaced(bool begins)
{
	bool is_early = early && !hb__began() && is_me(early_owner);
	bool ends = !hb__vforks && (is_early || (hb__active && alone && is_me(owner)));
	if (!ends)
		return false;
	if (begins && is_early)
		tell_no_rank();
	if (begins && hb__config.mode == HB__REPLAY)
		hb__follow_finish();
	hb__log_state(begins ? HB_STATE_FINALIZED : HB_STATE_RUNNING);
	return true;
}

/* It calls no handlers of forks. */
HB__EXPORT pid_t _Fork(void)
{
	pid_t (*next)(void) = (__typeof__(next))dlsym(RTLD_NEXT, "_Fork");
	if (!next) { /* the C library is older than the call */
		errno = ENOSYS;
		return -1;
	}
	pid_t child = next();
	if (!child && (hb__config.mode != HB__OFF || forked))
		hb__after_fork();
	return child;
}

__attribute__((destructor)) static void leave(void)
{
	leave_record();
	hb__data_finish();
}

/* Children made by fork mostly leave so, without destructors; it may be called in a handler, so nothing is locked. What we put in the
 * place of the C library's functions does the same as these. */
HB__EXPORT __attribute__((noreturn)) void hb_leave_at_once(int status) __asm__("_exit");
HB__EXPORT __attribute__((noreturn, alias("_exit"))) void hb_leave_at_once_c99(int status) __asm__("_Exit");

void hb_leave_at_once(int status)
{
	bool of_forked = forked && early && is_me(early_owner), of_alone = hb__active && alone && is_me(owner);
	if (!hb__vforks && of_alone)
		hb__follow_finish();
	if (!hb__vforks && (of_forked || of_alone))
		hb__log_state(HB_STATE_FINALIZED);
	for (;;)
		syscall(SYS_exit_group, status);
}
