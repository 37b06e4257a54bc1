/* What a process has from its beginning: kept as the first item of its first thread, read when the record to follow is known. */
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/program.h"
#include "capture/core/layer.h"
#include "capture/core/place/place.h"
#include "capture/inputs/door.h"
#include "capture/inputs/start.h"

static char folder[4096];
static const char *low, *high; /* the texts of the environment, as the kernel put them there */
static struct hb__piece start[HB_START_PIECES];

const char *hb__inputs_folder(void) { return folder; }

bool hb__inputs_from_start(const char *value) { return value >= low && value < high; }

const struct hb__piece *hb__inputs_start(unsigned what) { return &start[what]; }

/* ---- recording ---- */

/* Texts of a list, one behind the other. */
static void keep_texts(uint32_t what, char *const *list)
{
	size_t bytes = 0;
	for (char *const *t = list; *t; t++)
		bytes += strlen(*t) + 1;
	char *to = bytes ? hb__data_room(bytes) : NULL, *w = to;
	for (char *const *t = list; to && *t; t++) {
		size_t n = strlen(*t) + 1;
		memcpy(w, *t, n);
		w += n;
	}
	if (to)
		hb__data_packed(what, bytes);
	else
		hb__data_piece(what, NULL, 0);
}

static void keep_start(char *const *argv, char *const *environment)
{
	static struct hb__source source = {"inputs:start", 0};
	char program[4096];
	struct utsname host;
	ssize_t n = readlink("/proc/self/exe", program, sizeof program);
	if (uname(&host) || !hb__data_call(&source, HB_START_PIECES))
		return;
	hb__data_piece(HB_START_PROGRAM, program, n > 0 ? (size_t)n : 0);
	hb__data_piece(HB_START_FOLDER, folder, strlen(folder));
	hb__data_number(HB_START_PID, getpid());
	hb__data_piece(HB_START_HOST, &host, sizeof host);
	hb__data_number(HB_START_HOST_ID, gethostid());
	hb__data_number(HB_START_PROCESSORS, get_nprocs_conf());
	hb__data_number(HB_START_ONLINE, get_nprocs());
	keep_texts(HB_START_ARGUMENTS, argv);
	keep_texts(HB_START_ENVIRONMENT, environment);
}

/* ---- replay ---- */

/* A script that runs the program has the launcher's variables, too: what was recorded is only for the program that got it, or for one that
 * has another name and a library of a layer, as that program built anew. */
static bool for_this_program(void)
{
	const struct hb__piece *recorded = &start[HB_START_PROGRAM];
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);
	const char *a = n > 0 ? memrchr(path, '/', (size_t)n) : NULL,
		   *b = recorded->bytes ? memrchr(recorded->p, '/', recorded->bytes) : NULL;
	if (hb__layers_present())
		return true;
	if (!a || !b)
		return false;
	size_t na = (size_t)(path + n - a), nb = (size_t)((const char *)recorded->p + recorded->bytes - b);
	return na == nb && !memcmp(a, b, na);
}

/* False: the recording has no inputs. */
static bool read_start(void)
{
	struct hb__item item;
	struct hb__piece piece;
	memset(start, 0, sizeof start);
	if (!hb__data_next("inputs:start", &item))
		return false;
	while (hb__item_piece(&item, &piece))
		if (piece.what < HB_START_PIECES)
			start[piece.what] = piece;
	return true;
}

/* What the launcher tells is taken for the number of the record; -1: nobody tells. */
static int number_early(void)
{
	int rank, size, ranks;
	if (hb__config.alone >= 0)
		return hb__config.alone;
	ranks = hb__claim_ranks();
	hb__layers_expected(&rank, &size);
	if (hb__first_number)
		return hb__first_number + rank;
	return ranks < 0 || rank < ranks ? rank : hb__claim_only();
}

static bool gives, tried_late;
static int borrowed = -1; /* whose inputs are given until the process knows its record */
static char *const *arguments;

static bool open_number(int number)
{
	const char *why;
	char path[4200];
	snprintf(path, sizeof path, "%s/rank.%d.data", hb__config.script, number);
	return number >= 0 && !access(path, R_OK) && hb__data_open(path, &why) && read_start();
}

static bool has_my_arguments(void)
{
	const struct hb__piece *p = &start[HB_START_ARGUMENTS];
	const char *at = (const char *)p->p, *end = at + p->bytes;
	char *const *mine = arguments;
	for (; *mine; at += strlen(at) + 1, mine++)
		if (at >= end || strcmp(at, *mine))
			return false;
	return at == end;
}

/* A process without a rank, one of several, knows its record when its first event has begun it. What it asks for before is given of the
 * first record of the same program with the same arguments that nobody follows yet: mostly it will be that one. */
static bool borrow(void)
{
	char path[4096], program[HB_PROGRAM_NAME];
	size_t at = 0;
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	hb_program_name(path, program);
	while ((borrowed = hb__claim_next(program, &at)) >= 0) {
		if (open_number(borrowed) && has_my_arguments())
			return true;
		hb__give_forked();
	}
	return false;
}

static void open_late(void)
{
	if (tried_late || hb__thread_identity())
		return;
	tried_late = true;
	if (borrowed >= 0 && borrowed != hb__replayed_as()) {
		hb__give_forked();
		gives = false;
	}
	borrowed = -1;
	gives = gives || (!hb__data_gives && open_number(hb__replayed_as()));
}

bool hb__inputs_give(void)
{
	if (likely(gives && borrowed < 0))
		return true;
	if (hb__active)
		open_late();
	return gives;
}

/* ---- the beginning ---- */

/* A child that fork made keeps its own inputs, and follows what was kept of the child that it was, if it has a record. */
static void forked(void)
{
	extern char **environ;
	gives = tried_late = false;
	borrowed = -1;
	if (hb__config.mode == HB__REPLAY || hb__data_gives)
		hb__give_forked();
	uint8_t apart = hb__apart;
	hb__apart = apart | HB__APART_OURS; /* what it asks the system for is not the program's */
	if (hb__data_keeps)
		keep_start(arguments, environ);
	else if (hb__config.mode == HB__REPLAY && hb__promised >= 0)
		gives = open_number(hb__promised);
	hb__apart = apart;
}

/* libhbdb-inputs.so is there. */
static bool asked(void) { return getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "libhbdb-inputs.so"); }

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment)
{
	(void)argc;
	if (hb__config.mode == HB__OFF || !asked())
		return;
	ssize_t n = readlink("/proc/self/cwd", folder, sizeof folder - 1);
	folder[n > 0 ? n : 0] = 0;
	low = environment[0];
	for (char **e = environment; *e; e++) {
		low = *e < low ? *e : low;
		high = *e + strlen(*e) > high ? *e + strlen(*e) + 1 : high;
	}
	arguments = argv;
	pthread_atfork(NULL, NULL, forked);
	if (hb__data_keeps)
		keep_start(argv, environment);
	else if (hb__config.mode == HB__REPLAY)
		gives = (open_number(number_early()) && for_this_program()) || (hb__descends && !hb__alone && borrow());
	if (gives && hb__alone && !hb__claim()) { /* one that the process alone has made is nobody of the recording */
		hb__config.mode = HB__OFF;
		hb__alone = gives = false;
	}
}
