/* Who lives on, and telling them to stop. */
#include "lasting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hbdb/mpis.h>

#include "../job/run.h"
#include "../store/logs.h"
#include "base/task.h"
#include "format/data/raw.h"
#include "format/growing/growing.h"
#include "format/row.h"

#define LOOK_MS 20
#define NAMED_MOST 5

/* ---- who lives ---- */

struct living {
	hb_strings names; /* "server (process 17)" */
	hb_strings pids;  /* of those */
	bool only_daemons;
};

/* stays: as a daemon does, which has left the session. */
static void add(struct living *l, const char *name, int32_t pid, bool stays)
{
	char *number = hb__format("%d", pid);
	for (size_t i = 0; i < l->pids.n; i++)
		if (!strcmp(l->pids.at[i], number)) {
			free(number);
			return;
		}
	char *text = hb__format("%s (process %s)", name, number);
	hb__push(&l->names, text);
	hb__push(&l->pids, number);
	l->only_daemons = l->only_daemons && stays;
	free(text);
	free(number);
}

/* One that has just gone is in no session any more. */
static bool has_left(int32_t pid)
{
	pid_t session = getsid(pid);
	return session >= 0 && session != getsid(0);
}

/* By its header alone: a log may be large. */
static bool writes(const char *path)
{
	hb_log_head h;
	return !hb_log_head_read(path, &h, NULL) && !h.sealed && h.state == HB_STATE_RUNNING && !h.stopped &&
	       hb_host_is_here(h.host) && hb_task_lives((int32_t)h.pid);
}

static void add_writing(const char *recording, struct living *l)
{
	hb_logs logs;
	size_t writing = 0;
	if (hb__list_logs(recording, &logs))
		return;
	for (size_t i = 0; i < logs.n; i++)
		writing += writes(logs.at[i].path);
	if (!writing) {
		hb__close_logs(&logs);
		return;
	}
	for (size_t i = 0; i < logs.n; i++)
		if (hb_log_open(logs.at[i].path, &logs.at[i].log, NULL))
			logs.at[i].log = NULL;
	hb__name_worlds(&logs);
	for (size_t i = 0; i < logs.n; i++) {
		const hb_log_info *info = logs.at[i].log ? hb_log_get_info(logs.at[i].log) : NULL;
		if (!info || !writes(logs.at[i].path))
			continue;
		const char *name = logs.worlds.name ? logs.worlds.name[i] : "", *rank = hb_rank_word(name);
		char *called = hb__format("%s%s", rank, name);
		/* a launcher of MPI gives each rank a session of its own: those that outlive it are about to end */
		add(l, called, (int32_t)info->pid, !*rank && has_left((int32_t)info->pid));
		free(called);
	}
	hb__close_logs(&logs);
}

static bool is_of_mpi(const char *path)
{
	enum hb_mpi_part part = hb_mpi_library_of(path)->part;
	return part != HB_PART_NONE && part != HB_PART_SHARED && !strstr(path, "/libhbdb-");
}

/* Whether the program has the recorder loaded. Its environment would not tell: servers write their titles there. What was found gives
 * way to MPI. */
static bool has_recorder(pid_t pid, unsigned layers)
{
	char *path = hb__format("/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	bool recorder = false, mpi = false;
	while (f && getline(&line, &room, f) > 0) {
		const char *file = strchr(line, '/');
		recorder = recorder || strstr(line, "/libhbdb-sockets.so");
		mpi = mpi || (file && is_of_mpi(file));
	}
	if (f)
		fclose(f);
	free(line);
	free(path);
	return recorder && !(mpi && layers & HB_LAYERS_FOUND);
}

static void add_silent(struct living *l, unsigned layers)
{
	pid_t *pids;
	size_t n = hb__processes_below(getpid(), &pids);
	for (size_t i = 0; i < n; i++) {
		char name[32];
		size_t length = hb_task_file(pids[i], 0, "comm", name, sizeof name);
		if (!length || !has_recorder(pids[i], layers))
			continue;
		name[strcspn(name, "\n")] = 0;
		add(l, name, pids[i], has_left(pids[i]));
	}
	free(pids);
}

static char *as_text(const struct living *l)
{
	char *text = hb__copy("");
	for (size_t i = 0; i < l->names.n && i < NAMED_MOST; i++) {
		char *more = hb__format("%s%s%s", text, i ? ", " : "", l->names.at[i]);
		free(text);
		text = more;
	}
	if (l->names.n > NAMED_MOST) {
		char *more = hb__format("%s and %zu more", text, l->names.n - NAMED_MOST);
		free(text);
		text = more;
	}
	return text;
}

size_t hb__living(const char *recording, unsigned layers, int patience, char **ret_names)
{
	const struct timespec pause = {0, LOOK_MS * 1000000};
	char *path = hb__format("%s/" HB_LOGS_STOPPED, recording);
	bool told = !access(path, F_OK);
	free(path);
	for (;;) {
		struct living l = {.only_daemons = true};
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		add_writing(recording, &l);
		if (layers & HB_LAYER_SOCKETS && !told)
			add_silent(&l, layers);
		size_t n = l.names.n;
		bool over = !n || l.only_daemons || patience <= 0;
		*ret_names = over ? as_text(&l) : NULL;
		hb__strings_free(&l.names);
		hb__strings_free(&l.pids);
		if (over)
			return n;
		nanosleep(&pause, NULL);
		patience -= LOOK_MS;
	}
}

/* ---- the end of it ---- */

/* The beginning of a file of a recording, to be written; NULL: it is none, or not there. */
static void *map_beginning(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	void *p = MAP_FAILED;
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= (off_t)size)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static bool tell(uint32_t *stopped)
{
	uint32_t none = 0;
	return __atomic_compare_exchange_n(stopped, &none, HB_LOG_TOLD, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Its process writes no unit more. True: it did until now. */
static bool end_log(const char *path)
{
	struct hb_log_header *h = map_beginning(path, HB_UNIT_SIZE);
	bool lives = h && !memcmp(h->magic, HB_LOG_MAGIC, sizeof h->magic) &&
		     !(h->incompatible & HB_LOG_INCOMPAT_SEALED) && h->state == HB_STATE_RUNNING &&
		     hb_host_is_here(h->host) && hb_task_lives((int32_t)h->pid);
	bool ended = lives && tell((uint32_t *)(void *)((char *)h + offsetof(struct hb_log_header, stopped)));
	if (h)
		munmap(h, HB_UNIT_SIZE);
	char *beside = ended ? hb__format("%.*s.data", (int)(strlen(path) - strlen(".log")), path) : NULL;
	struct hb_data_header *data = beside ? map_beginning(beside, sizeof *data) : NULL;
	uint32_t stopped = 0;
	if (data) {
		memcpy(&stopped, &data->stopped, sizeof stopped); /* the header is packed */
		stopped = stopped ? stopped : HB_LOG_TOLD;
		memcpy(&data->stopped, &stopped, sizeof stopped);
		munmap(data, sizeof *data);
	}
	free(beside);
	return ended;
}

size_t hb__tell_to_stop(const char *recording)
{
	char *path = hb__format("%s/" HB_LOGS_STOPPED, recording);
	size_t ended = 0, now;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		hb__say("%s: %s: processes that begin from now on are recorded still", path, strerror(errno));
	else
		close(fd);
	free(path);
	do { /* one may have looked for the file before it was there, and have its log now */
		hb_logs logs;
		now = 0;
		if (hb__list_logs(recording, &logs))
			break;
		for (size_t i = 0; i < logs.n; i++)
			now += end_log(logs.at[i].path);
		hb__close_logs(&logs);
		ended += now;
	} while (now);
	return ended;
}
