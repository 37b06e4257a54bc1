/* The life that MPI gives a process, and what the core asks of this layer. */
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include <hbdb/mpis.h>

#include "capture/core/layer.h"
#include "capture/core/data/data.h"
#include "capture/mpi/alone/alone.h"
#include "capture/mpi/carry/carry.h"
#include "capture/mpi/check/check.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/observe/observe.h"
#include "capture/mpi/replay/replay.h"
#include "capture/mpi/tell/tell.h"
#include "capture/mpi/track/track.h"
#include "capture/mpi/wrap/turns/turns.h"
#include "capture/mpi/wrap/wrap.h"

/* Rank and size are known. */
static void begin(int thread_level)
{
	if (hb__alone && hb__config.backwards)
		hb__library_threads_rest();
	hb__threaded = thread_level == MPI_THREAD_MULTIPLE;
	hb__learn_modules();
	hb__try_library();
	bool replay = hb__config.mode == HB__REPLAY;
	if (replay && hb__spawned && !hb__first_number) {
		hb__say("this process was spawned, and the recording does not tell by which call: it runs uncontrolled");
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
	if (hb__data_keeps || hb__alone) {
		hb__comm_outside = hb__io_comm;
		hb__answers_start();
	}
	hb__comms_start();
	if (hb__alone)
		hb__alone_begin_process();
	else if (replay)
		hb__replay_begin_process();
	else if (hb__data_keeps)
		hb__keep_begin_process();
	hb__digests_start();
	hb__claims_start();
	hb__postings_start();
	hb__tell_start();
	hb__checking = hb__config.remarks && !hb__of_sessions;
	if (hb__config.remarks && hb__of_sessions)
		hb__row_note(
			"the program uses sessions without MPI_Init: its arguments, handles, buffers and windows are not checked");
	if (hb__checking) {
		hb__lanes_special();
		hb__check_begin_process();
	}
	if (hb__way || hb__observers[0])
		hb__lanes_handled(hb__carrying && hb__config.racing && !hb__config.serial ? HB__CARRIED : HB__HANDLED);
	lane->depth = 0;
}

static bool may_begin(void)
{
	if (!hb__layer_asked("mpi"))
		return false;
	bool alone = hb__began_alone();
	if (alone)
		hb__say("MPI began after the program's first event of its own: its calls are not %s%s",
			hb__config.mode == HB__REPLAY ? "replayed" : "recorded",
			getenv("HBDB_FOUND")
				? " ('hbdb record --layers mpi,user,threads' does not look at how the program talks meanwhile)"
				: "");
	return !alone && !hb__began() && hb__find_library();
}

void hb__begin_process(int thread_level)
{
	if (!may_begin())
		return;
	if (hb__alone) {
		hb__rank = hb__config.alone - hb__first_number;
	} else {
		PMPI(Comm_rank)(hb__known.comm_world, &hb__rank);
		PMPI(Comm_size)(hb__known.comm_world, &hb__size);
	}
	MPI_Comm parent = hb__known.comm_null;
	hb__spawned = PMPI(Comm_get_parent)(&parent) == MPI_SUCCESS && parent != hb__known.comm_null;
	begin(thread_level);
}

/* A session does not tell how many threads it is for in all versions: tables are locked. */
void hb__begin_sessions(void)
{
	if (!may_begin())
		return;
	if (hb__alone)
		hb__rank = hb__config.alone;
	hb__of_sessions = true;
	begin(MPI_THREAD_MULTIPLE);
}

/* ---- what the core asks ---- */

static bool from_environment(const char *const *names, int *ret)
{
	for (; *names; names++)
		if (getenv(*names)) {
			*ret = atoi(getenv(*names));
			return true;
		}
	return false;
}

static bool expected(int *ret_rank, int *ret_size)
{
	static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL};
	static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
	static const char *const makers[] = {"OMPI_PARENT_PORT", HB__MAKER, "PMI_SPAWNED", NULL};
	int maker;
	from_environment(sizes, ret_size);
	bool told = from_environment(ranks, ret_rank);
	/* it has a rank in a world that the recording does not know, and none in the one that was started */
	if (hb__config.mode == HB__REPLAY && !hb__first_number && from_environment(makers, &maker))
		*ret_rank = -1;
	return told;
}

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

static int is_library(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	const char *path = info->dlpi_name ? info->dlpi_name : "";
	const struct hb_mpi_library *library = hb_mpi_library_of(path);
	return library->part != HB_PART_NONE && library->part != HB_PART_SHARED && !hb__is_recorder(path);
}

/* Its launchers' own helpers descend from them. */
bool hb__has_library(void)
{
	return hb_mpi_launcher_of(program_invocation_name)->name || dl_iterate_phdr(is_library, NULL);
}

__attribute__((constructor(102))) static void add_layer(void)
{
	static struct hb__layer mpi = {.name = "mpi",
		.functions = HB_FN_COUNT,
		.present = hb__library_there,
		.code_of = code_of,
		.expected = expected,
		.function = function,
		.progress = hb__again_progress,
		.leaving = leaving,
		.polls = "MPI_Test, MPI_Iprobe",
		.clock = "MPI_Wtime",
		.library = hb__library_about};
	hb__layer_add(&mpi);
}
