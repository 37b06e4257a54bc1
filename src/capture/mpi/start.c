/* The library of MPI in this process, and the life that it gives the process. */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include <hbdb/mpis.h>

#include "capture/core/layer.h"
#include "capture/mpi/carry/carry.h"
#include "capture/mpi/check/check.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/replay/replay.h"
#include "capture/mpi/track/track.h"

bool hb__foreign;
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

static bool ours; /* the library is there, and of the family that this recorder is for */

bool hb__find_library(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool done;
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

/* Rank and size are known. */
static void begin(int thread_level)
{
	hb__threaded = thread_level == MPI_THREAD_MULTIPLE;
	hb__learn_modules();
	hb__try_library();
	bool replay = hb__config.mode == HB__REPLAY;
	if (replay && hb__spawned) {
		hb__say("this process was spawned by the program; hbdb does not replay spawned processes, so it runs uncontrolled");
		hb__config.mode = HB__OFF;
		return;
	}
	if (!hb__begin_record(thread_level - MPI_THREAD_SINGLE))
		return;
	struct hb__lane *lane = hb__self;
	lane->depth = 1; /* what follows is ours */
	hb__world_define();
	hb__types_start();
	hb__ops_start();
	if (!hb__of_sessions)
		hb__carry_begin_process();
	else if (hb__config.racing)
		hb__row_note(
			"racing: the program uses sessions without MPI_Init: which receives raced is not seen while it runs");
	hb__comms_start();
	if (replay)
		hb__replay_begin_process();
	hb__checking = hb__config.remarks && !hb__of_sessions;
	if (hb__config.remarks && hb__of_sessions)
		hb__row_note(
			"the program uses sessions without MPI_Init: its arguments, handles, buffers and windows are not checked");
	if (hb__checking) {
		hb__lanes_special();
		hb__check_begin_process();
	}
	lane->depth = 0;
}

static bool may_begin(void)
{
	if (hb__began_alone())
		hb__say("MPI began after the program's first event of its own: its calls are not %s",
			hb__config.mode == HB__RECORD ? "recorded" : "replayed");
	return !hb__began() && hb__find_library();
}

void hb__begin_process(int thread_level)
{
	if (!may_begin())
		return;
	PMPI(Comm_rank)(hb__known.comm_world, &hb__rank);
	PMPI(Comm_size)(hb__known.comm_world, &hb__size);
	MPI_Comm parent = hb__known.comm_null;
	hb__spawned = PMPI(Comm_get_parent)(&parent) == MPI_SUCCESS && parent != hb__known.comm_null;
	begin(thread_level);
}

/* A session does not tell how many threads it is for in all versions: tables are locked. */
void hb__begin_sessions(void)
{
	if (!may_begin())
		return;
	hb__of_sessions = true;
	begin(MPI_THREAD_MULTIPLE);
}

/* ---- what the core asks ---- */

static enum hb__code code_of(const char *path)
{
	enum hb_mpi_part part = hb_mpi_library_of(path)->part;
	return part == HB_PART_NONE ? HB__CODE_PROGRAM : part == HB_PART_BINDING ? HB__CODE_BINDING : HB__CODE_LIBRARY;
}

static const struct hb__fn *function(const char *name, uint8_t cls)
{
	for (int i = 0; i < HB_FN_COUNT && !HB_IS_USER(cls); i++)
		if (hb__fns[i] && strcmp(hb_meanings[i].name, name) == 0)
			return hb__fns[i];
	return NULL;
}

static void leaving(void)
{
	if (hb__checking)
		hb__check_left();
	if (hb__of_sessions && !hb__sessions_open())
		hb__end_process(HB_STATE_FINALIZED);
}

static uint32_t about_library(char *text, size_t size)
{
	if (!ours)
		return 0;
	hb__library_version(text, size);
	return HB__FAMILY;
}

__attribute__((constructor)) static void add_layer(void)
{
	static struct hb__layer mpi = {.present = locate,
		.code_of = code_of,
		.function = function,
		.progress = hb__again_progress,
		.leaving = leaving,
		.library = about_library};
	hb__layer_add(&mpi);
}
