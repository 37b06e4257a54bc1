/* The beginning and the end: what the environment asks for, where the MPI
 * library is, which thread is which, and the ways a process leaves. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include <hbdb/mpis.h>

#include "capture/carry/carry.h"
#include "capture/check/check.h"
#include "capture/control/control.h"
#include "capture/mpi/family.h"
#include "capture/record/record.h"
#include "capture/replay/replay.h"
#include "capture/track/track.h"
#include "capture/user/user.h"

struct hb__config hb__config;
static bool without_mpi_asked; /* the command is not one of MPI */
bool hb__foreign, hb__without_mpi, hb__active, hb__finished, hb__early_log, hb__threaded, hb__many_threads, hb__spawned;
int hb__rank = -1, hb__size;

void hb__say(const char *format, ...)
{
	char line[1024];
	int n = hb__rank >= 0 ? snprintf(line, sizeof line, "hbdb: rank %d: ", hb__rank)
			      : snprintf(line, sizeof line, "hbdb: ");
	va_list args;
	va_start(args, format);
	int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
	va_end(args);
	n = m < 0 ? n : n + m >= (int)sizeof line - 1 ? (int)sizeof line - 2 : n + m;
	line[n++] = '\n';
	ssize_t written = write(2, line, (size_t)n);
	(void)written;
}

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

__attribute__((constructor)) static void configure(void)
{
	struct hb__config *k = &hb__config;
	k->mode = is("HBDB_MODE", "record") ? HB__RECORD : is("HBDB_MODE", "replay") ? HB__REPLAY : HB__OFF;
	k->racing = k->mode == HB__RECORD && is("HBDB_LEVEL", "racing");
	k->order = is("HBDB_LEVEL", "order") || is("HBDB_LEVEL", "racing");
	k->serial = !k->order && is("HBDB_CARRY", "serial");
	k->contents = !k->order && !is("HBDB_DIGESTS", "0");
	k->remarks = k->mode == HB__RECORD && !k->order && is("HBDB_REMARKS", "1");
	k->warn = is("HBDB_DIVERGENCE", "warn");
	k->on_contents = is("HBDB_CONTENTS", "ignore") ? HB__CONTENTS_IGNORE
			 : is("HBDB_CONTENTS", "warn") || (k->warn && !is("HBDB_CONTENTS", "stop")) ? HB__CONTENTS_WARN
												    : HB__CONTENTS_STOP;
	k->shake = getenv("HBDB_SHAKE") ? (unsigned)strtoul(getenv("HBDB_SHAKE"), NULL, 10) : 0;
	without_mpi_asked = is("HBDB_WITHOUT_MPI", "1");
	text(k->dir, sizeof k->dir, "HBDB_DIR");
	text(k->script, sizeof k->script, "HBDB_SCRIPT");
	text(k->replay_log, sizeof k->replay_log, "HBDB_REPLAY_LOG");
	if (!*k->dir || (k->mode == HB__REPLAY && !*k->script))
		k->mode = HB__OFF;
}

/* ---- the library ---- */

static void *library; /* RTLD_NEXT, or the handle of a library that was loaded late and locally */

static hb__function find(const char *name) { return (hb__function)dlsym(library, name); }

/* Data: a program that names a handle may own the only living copy of it (a copy relocation). */
static hb__function find_data(const char *name)
{
	void *p = dlsym(RTLD_DEFAULT, name);
	return (hb__function)(p ? p : dlsym(library, name));
}

/* Paths of libraries that hold the functions of MPI: of our family [1], of another one [0]. */
struct loaded {
	char path[2][PATH_MAX];
};

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
	struct loaded *loaded = user;
	const struct hb_mpi_library *known = hb_mpi_library_of(info->dlpi_name ? info->dlpi_name : "");
	char *path = loaded->path[(int)known->family == HB__FAMILY];
	(void)size;
	if (known->part == HB_PART_CORE && !*path)
		snprintf(path, PATH_MAX, "%s", info->dlpi_name);
	return 0;
}

static bool locate(void)
{
	if (library)
		return true;
	if (dlsym(RTLD_NEXT, "PMPI_Init")) {
		library = RTLD_NEXT;
		return true;
	}
	/* loaded late and locally; one of the other family, too: the program gets its MPI even when we have no part in it */
	struct loaded loaded = {.path = {{0}}};
	dl_iterate_phdr(look_at, &loaded);
	for (int own = 1; own >= 0 && !library; own--)
		library = *loaded.path[own] ? dlopen(loaded.path[own], RTLD_LAZY | RTLD_NOLOAD) : NULL;
	return library != NULL;
}

/* Its handles have other values than those of any library of today. */
static bool standard_abi(void)
{
	Dl_info there;
	return dladdr((void *)find("PMPI_Init"), &there) && there.dli_fname &&
	       hb_mpi_library_of(there.dli_fname)->family == HB_MPI_STANDARD;
}

/* In the place of what only other versions of this library have: the wrapper is there, the function is not. */
static int missing(void)
{
	hb__say("this version of the MPI library does not have a function that the program calls");
	return MPI_ERR_OTHER;
}

bool hb__library_has(const struct hb__fn *fn) { return fn && hb__next[HB_ENTRY_PMPI][fn->id] != (hb__function)missing; }

bool hb__find_library(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool done, ours;
	pthread_mutex_lock(&lock);
	if (!done && locate()) {
		for (int i = 0; i < HB_FN_COUNT; i++) {
			char pmpi[80];
			snprintf(pmpi, sizeof pmpi, "P%s", hb_meanings[i].name);
			hb__function m = find(hb_meanings[i].name), p = find(pmpi), none = (hb__function)missing;
			hb__next[HB_ENTRY_MPI][i] = m ? m : p ? p : none;
			hb__next[HB_ENTRY_PMPI][i] = p ? p : m ? m : none;
		}
		done = true;
		bool standard = standard_abi();
		ours = !standard && hb__family_start(find_data);
		hb__foreign = !ours;
		if (!ours && hb__config.mode != HB__OFF) {
			if (standard)
				hb__say("this program uses the standard ABI of MPI 5 (libmpi_abi), which hbdb does not know yet; "
					"it runs without being %s",
					hb__config.mode == HB__RECORD ? "recorded" : "replayed");
			else
				hb__say("this program uses a different MPI library than %s was told to expect; it runs without being %s (see hbdb record --mpi)",
					hb__config.mode == HB__RECORD ? "hbdb record" : "hbdb replay",
					hb__config.mode == HB__RECORD ? "recorded" : "replayed");
			hb__config.mode = HB__OFF;
		}
	}
	pthread_mutex_unlock(&lock);
	return ours;
}

/* ---- threads ---- */

/* A thread is who created it and as which of its children: the same in every run. */
static __thread uint64_t thread_identity __attribute__((tls_model("initial-exec")));
static __thread uint64_t thread_children __attribute__((tls_model("initial-exec")));
static __thread bool lane_refused __attribute__((tls_model("initial-exec")));

struct beginning {
	void *(*start)(void *);
	thrd_start_t start_c11;
	void *argument;
	uint64_t identity;
};

static struct beginning take_beginning(void *p)
{
	struct beginning b = *(struct beginning *)p;
	free(p);
	thread_identity = b.identity;
	return b;
}

static void *begin_thread(void *p)
{
	struct beginning b = take_beginning(p);
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
	struct beginning *b = hb__config.mode == HB__OFF ? NULL : malloc(sizeof *b);
	if (!b)
		return NULL;
	hb__many_threads |= !hb__in_library(caller);
	uint64_t h = (thread_identity + 1) * 0x9e3779b97f4a7c15u + ++thread_children * 0xbf58476d1ce4e5b9u;
	*b = (struct beginning){.argument = argument, .identity = (h ^ h >> 31) | 1};
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

struct hb__lane *hb__lane_of_this_thread(void)
{
	if (hb__self || lane_refused || !hb__active)
		return hb__self;
	/* Lanes are numbered as threads come, and the first thread of the program comes first even where it says nothing before
	 * the others; in a replay they have the numbers they had. */
	int number = hb__config.mode == HB__REPLAY         ? hb__script_number(thread_identity)
		     : hb__without_mpi && !thread_identity ? 0
							   : -1;
	struct hb__lane *lane = hb__lane_create(thread_identity, number);
	lane_refused = !lane;
	if (lane && hb__config.mode == HB__REPLAY)
		hb__follow_lane(lane);
	hb__self = lane;
	return lane;
}

/* ---- beginning and end of what is recorded ---- */

static pid_t owner;

/* A child has the parent's log mapped and must not write it. */
static void after_fork(void)
{
	hb__active = false;
	hb__self = NULL;
	hb__config.mode = HB__OFF;
	owner = 0;
	hb__control_forget();
}

/* The log and the lane of the thread that is here; from here on the process is recorded or replayed. False: it cannot be. */
static bool begin_record(int thread_level)
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
	const char *dir = !replay ? hb__config.dir : *hb__config.replay_log ? hb__config.replay_log : hb__config.dir;
	if (likely(!hb__early_log))
		hb__log_create(dir, replay && !*hb__config.replay_log);
	else
		hb__log_identity();
	hb__log_thread_level(thread_level);
	owner = getpid();
	pthread_atfork(NULL, NULL, after_fork);
	hb__active = true;
	if (!hb__without_mpi)
		thread_identity = 0;
	hb__active = hb__lane_of_this_thread() != NULL;
	return hb__active;
}

bool hb__begin_without_mpi(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool tried;
	if (likely(!without_mpi_asked))
		return false;
	pthread_mutex_lock(&lock);
	bool begins = !tried && hb__config.mode != HB__OFF && !locate();
	tried = tried || begins;
	if (begins) {
		hb__without_mpi = true;
		hb__lanes_reserve(1);
		hb__rank = 0;
		hb__size = 1;
		hb__learn_modules();
		if (begin_record(MPI_THREAD_MULTIPLE))
			hb__control_start(hb__self);
	}
	pthread_mutex_unlock(&lock);
	return tried; /* perhaps by another thread, just now */
}

void hb__begin_process(int thread_level)
{
	if (hb__without_mpi)
		hb__say("MPI began after the program's first event of its own: its calls are not %s",
			hb__config.mode == HB__RECORD ? "recorded" : "replayed");
	if (hb__active || owner || !hb__find_library())
		return;
	PMPI(Comm_rank)(hb__known.comm_world, &hb__rank);
	PMPI(Comm_size)(hb__known.comm_world, &hb__size);
	hb__threaded = thread_level == MPI_THREAD_MULTIPLE;
	hb__learn_modules();
	hb__try_library();
	bool replay = hb__config.mode == HB__REPLAY;
	MPI_Comm parent = hb__known.comm_null;
	hb__spawned = PMPI(Comm_get_parent)(&parent) == MPI_SUCCESS && parent != hb__known.comm_null;
	if (replay && hb__spawned) {
		hb__say("this process was spawned by the program; hbdb does not replay spawned processes, so it runs uncontrolled");
		hb__config.mode = HB__OFF;
		return;
	}
	if (!begin_record(thread_level))
		return;
	hb__user_begin_process();
	struct hb__lane *lane = hb__self;
	lane->depth = 1; /* what follows is ours */
	hb__types_start();
	hb__ops_start();
	hb__carry_begin_process();
	hb__comms_start();
	if (replay)
		hb__again_start();
	hb__checking = hb__config.remarks;
	if (hb__checking) {
		hb__lanes_special();
		hb__check_begin_process();
	}
	lane->depth = 0;
}

void hb__end_process(uint32_t state)
{
	if (!hb__active)
		return;
	hb__active = false;
	hb__finished = state == HB_STATE_FINALIZED;
	hb__control_bye(state == HB_STATE_FINALIZED ? "finalized" : "left");
	hb__log_finish(state);
	hb__self = NULL; /* other threads must not call MPI any more; ours may ask MPI_Finalized */
}

__attribute__((destructor)) static void leave(void)
{
	if (!hb__active || owner != getpid())
		return;
	if (hb__config.mode == HB__REPLAY)
		hb__follow_finish();
	if (hb__checking)
		hb__check_left();
	hb__end_process(hb__without_mpi ? HB_STATE_FINALIZED : HB_STATE_LEFT);
}
