/* Which process of the recording this one is. The recording names a process without a rank by its program, and which one of that
 * program it is: counted as they were made. So it counts who was made before it - those that have said so in the folder of the run,
 * and those that are there and will - and leaves word itself, in a file that only one can make. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hbdb/control.h>

#include "base/program.h"
#include "base/task.h"
#include "capture/core/place/place.h"

#define MAKERS_MOST 1024 /* processes of the same maker that are counted */
#define LOOK_NS 1000000
#define LOOKS_MOST 2000 /* for a process that is made but does not run its program yet: seconds at most */
#define SLEPT_MOST 50   /* looks at which it slept: it is a part of a script that waits, and runs no program */

/* A process of the recording, or one that has come. */
struct known {
	int number;
	char name[40];
	bool forked; /* fork made it, and it was no other program: who is that now is promised */
	bool fits;
	struct hb__place place;
};

static struct known *table;
static size_t ntable;
static int ranks = -1;

/* ---- reading ---- */

static unsigned hex(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

/* PID/STARTED/NAME in hexadecimal digits, as often as they stand there. */
static void read_place(char *words, struct hb__place *ret)
{
	char *rest = NULL;
	ret->n = 0;
	for (char *w = strtok_r(words, " ", &rest); w && ret->n < HB__ANCESTORS_MOST; w = strtok_r(NULL, " ", &rest)) {
		struct hb__ancestor *a = &ret->at[ret->n++];
		char *p;
		*a = (struct hb__ancestor){.pid = (uint32_t)strtoul(w, &p, 10)};
		a->started = *p == '/' ? strtoull(p + 1, &p, 10) : 0;
		p += *p == '/';
		for (size_t i = 0; p[0] && p[1] && i + 1 < sizeof a->name; i++, p += 2)
			a->name[i] = (char)(hex(p[0]) << 4 | hex(p[1]));
	}
}

/* The whole file, with a null behind it; NULL: there is none. Never given back. */
static char *content(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = fd >= 0 && !fstat(fd, &st) ? hb__pages((size_t)st.st_size + 1) : NULL;
	ssize_t n = text ? read(fd, text, (size_t)st.st_size) : 0;
	if (fd >= 0)
		close(fd);
	if (n > 0)
		text[n] = 0;
	return text;
}

/* Written by hbdb, src/tool/store/replayed/folder.c: "ranks N", and then a line per process: its number, its name, "fork" where that made
 * it, its place. */
static void read_table(void)
{
	char path[4200], *rest = NULL;
	snprintf(path, sizeof path, "%s/places", hb__config.script);
	char *text = content(path);
	size_t lines = 0;
	for (char *p = text; p && *p; p++)
		lines += *p == '\n';
	table = lines ? hb__pages(lines * sizeof *table) : NULL;
	for (char *l = table ? strtok_r(text, "\n", &rest) : NULL; l; l = strtok_r(NULL, "\n", &rest)) {
		struct known *k = &table[ntable];
		int used = 0;
		if (sscanf(l, "ranks %d", &ranks) == 1 || sscanf(l, "%d %39s %n", &k->number, k->name, &used) < 2 ||
			!used)
			continue;
		k->forked = !strncmp(l + used, "fork ", 5);
		read_place(l + used + (k->forked ? 5 : 0), &k->place);
		ntable++;
	}
}

int hb__claim_ranks(void)
{
	if (!table)
		read_table();
	return ranks;
}

int hb__claim_only(void)
{
	hb__claim_ranks();
	return ntable == 1 ? table[0].number : -1;
}

static void claim_path(char *path, size_t size, const char *which)
{
	snprintf(path, size, "%s/" HB_CONTROL_CLAIM "%s", hb__config.dir, which);
}

/* ---- who was made before ---- */

static bool same_process(const struct hb__ancestor *a, const struct hb__ancestor *b)
{
	return a->pid == b->pid && a->started == b->started;
}

static bool before(const struct hb__ancestor *a, const struct hb__ancestor *b)
{
	return a->started != b->started ? a->started < b->started : a->pid < b->pid;
}

struct counted {
	struct hb__ancestor at[MAKERS_MOST];
	size_t n;
};

static void count(struct counted *c, const struct hb__ancestor *a)
{
	for (size_t i = 0; i < c->n; i++)
		if (same_process(&c->at[i], a))
			return;
	if (c->n < MAKERS_MOST)
		c->at[c->n++] = *a;
}

/* Those that are there. True: one was made before this one and does not run its program yet. */
static bool count_living(const struct hb__place *mine, unsigned level, struct counted *c, bool *ret_sleeps)
{
	const struct hb__ancestor *me = &mine->at[level], *maker = level ? &mine->at[level - 1] : NULL;
	hb_task self;
	bool wait = false;
	DIR *all = hb_task_read((int32_t)me->pid, 0, &self) ? opendir("/proc") : NULL;
	*ret_sleeps = true;
	for (struct dirent *e; all && (e = readdir(all));) {
		struct hb__ancestor a = {.pid = (uint32_t)strtoul(e->d_name, NULL, 10)};
		hb_task task;
		if (!a.pid || !hb_task_read((int32_t)a.pid, 0, &task) || task.parent != self.parent ||
			task.state == 'Z')
			continue;
		a.started = task.began;
		if (!before(&a, me))
			continue;
		size_t n = hb_task_file((int32_t)a.pid, 0, "comm", a.name, sizeof a.name);
		if (n && a.name[n - 1] == '\n')
			a.name[n - 1] = 0;
		if (!strcmp(a.name, me->name))
			count(c, &a);
		else if (maker && !strcmp(a.name, maker->name)) {
			wait = true;
			*ret_sleeps = *ret_sleeps && task.state == 'S';
		}
	}
	if (all)
		closedir(all);
	return wait;
}

/* Those that have said so, of which some may have ended. */
static void count_told(const struct hb__place *mine, unsigned level, const char *folder, struct counted *c)
{
	DIR *all = opendir(folder);
	for (struct dirent *e; all && (e = readdir(all));) {
		char path[4700];
		struct hb__place place;
		if (strncmp(e->d_name, HB_CONTROL_CLAIM, strlen(HB_CONTROL_CLAIM)))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		char *text = content(path);
		if (!text)
			continue;
		read_place(text, &place);
		const struct hb__ancestor *a = &place.at[level];
		if (place.n > level && (!level || same_process(&place.at[level - 1], &mine->at[level - 1])) &&
			!strcmp(a->name, mine->at[level].name) && before(a, &mine->at[level]))
			count(c, a);
	}
	if (all)
		closedir(all);
}

/* How many processes of its program the maker of this one, or of an ancestor, had made before. */
static size_t made_before(const struct hb__place *mine, unsigned level)
{
	static struct counted c;
	const struct timespec pause = {0, LOOK_NS};
	bool sleeps;
	c.n = 0;
	for (int looks = 0, slept = 0; looks < LOOKS_MOST && slept < SLEPT_MOST; looks++) {
		c.n = 0;
		if (!count_living(mine, level, &c, &sleeps))
			break;
		slept = sleeps ? slept + 1 : 0;
		nanosleep(&pause, NULL);
	}
	count_told(mine, level, hb__config.dir, &c);
	return c.n;
}

/* ---- in a replay ---- */

static size_t fitting(void)
{
	size_t n = 0;
	for (size_t i = 0; i < ntable; i++)
		n += table[i].fits;
	return n;
}

/* But for the first one: a replay may have another command. */
static bool same_way(const struct hb__place *a, const struct hb__place *b)
{
	bool same = a->n == b->n;
	for (unsigned i = 1; same && i < a->n; i++)
		same = !strcmp(a->at[i].name, b->at[i].name);
	return same;
}

static bool is_of(const struct known *k, const char *program)
{
	size_t n = strlen(program);
	return !k->forked && !strncmp(k->name, program, n) && (!k->name[n] || k->name[n] == '#');
}

int hb__claim_next(const char *program, size_t *at)
{
	char path[4300], which[16];
	hb__claim_ranks();
	while (*at < ntable) {
		const struct known *k = &table[(*at)++];
		snprintf(which, sizeof which, "%d", k->number);
		claim_path(path, sizeof path, which);
		if (is_of(k, program) && access(path, F_OK))
			return k->number;
	}
	return -1;
}

/* Leaves only those that fit which stand where the nth of their ancestors of this level, as they were made, does. */
static void keep_nth(unsigned level, size_t nth)
{
	const struct hb__ancestor *last = NULL;
	for (;;) {
		const struct hb__ancestor *next = NULL;
		for (size_t i = 0; i < ntable; i++) {
			const struct hb__ancestor *a = &table[i].place.at[level];
			if (table[i].fits && (!last || before(last, a)) && (!next || before(a, next)))
				next = a;
		}
		if (!next)
			break; /* there are not so many: the last one */
		last = next;
		if (!nth--)
			break;
	}
	for (size_t i = 0; last && i < ntable; i++)
		table[i].fits = table[i].fits && same_process(last, &table[i].place.at[level]);
}

static void find(const struct hb__place *mine, const char *program)
{
	size_t ways = 0;
	for (size_t i = 0; i < ntable; i++)
		table[i].fits = is_of(&table[i], program);
	if (fitting() < 2)
		return;
	for (size_t i = 0; i < ntable; i++)
		ways += table[i].fits && same_way(&table[i].place, mine);
	for (size_t i = 0; ways && i < ntable; i++)
		table[i].fits = table[i].fits && same_way(&table[i].place, mine);
	for (unsigned level = 0; ways && level < mine->n && fitting() > 1; level++) {
		const struct hb__ancestor *first = NULL;
		bool several = false;
		for (size_t i = 0; i < ntable; i++) {
			const struct hb__ancestor *a = &table[i].place.at[level];
			several |= table[i].fits && first && !same_process(first, a);
			first = table[i].fits && !first ? a : first;
		}
		if (several)
			keep_nth(level, made_before(mine, level));
	}
}

/* ---- leaving word ---- */

/* False: somebody was there before. */
static bool leave_word(const char *which, const struct hb__place *mine)
{
	char path[4300], text[HB__ANCESTORS_MOST * 80], *w = text;
	for (unsigned i = 0; i < mine->n; i++) {
		const struct hb__ancestor *a = &mine->at[i];
		w += snprintf(w, 40, "%" PRIu32 "/%" PRIu64 "/", a->pid, a->started);
		for (const char *c = a->name; *c; c++)
			w += snprintf(w, 3, "%02x", (unsigned char)*c);
		*w++ = ' ';
	}
	claim_path(path, sizeof path, which);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno != EEXIST; /* a folder that cannot be written: there is nobody to tell */
	ssize_t written = write(fd, text, (size_t)(w - text));
	(void)written;
	close(fd);
	return true;
}

static bool take(struct known *k, const struct hb__place *mine)
{
	char which[16];
	snprintf(which, sizeof which, "%d", k->number);
	if (!leave_word(which, mine))
		return false;
	hb__own_number = k->number;
	snprintf(hb__own_name, sizeof hb__own_name, "%s", k->name);
	return true;
}

int hb__claim_number(uint32_t pid)
{
	hb__claim_ranks();
	for (size_t i = 0; i < ntable; i++)
		if (table[i].forked && table[i].place.n && table[i].place.at[table[i].place.n - 1].pid == pid)
			return table[i].number;
	return -1;
}

static bool claim_promised(const struct hb__place *mine)
{
	for (size_t i = 0; i < ntable; i++)
		if (table[i].number == hb__promised && take(&table[i], mine))
			return true;
	hb__say("this process was made by fork once more than in the recorded run: it runs uncontrolled");
	return false;
}

static bool claim_record(const struct hb__place *mine, const char *program)
{
	bool any = false;
	if (hb__claim_ranks() < 0)
		return true; /* a recording of an earlier version */
	find(mine, program);
	for (size_t i = 0; i < ntable; i++)
		if (table[i].fits && take(&table[i], mine))
			return true;
	for (size_t i = 0; i < ntable; i++)
		if (is_of(&table[i], program)) {
			any = true;
			if (take(&table[i], mine))
				return true;
		}
	if (any)
		hb__say("the recording has fewer processes of %s: this one runs uncontrolled", program);
	return false;
}

static void claim_name(const struct hb__place *mine, const char *program)
{
	size_t nth = 1 + (mine->n ? made_before(mine, mine->n - 1) : 0);
	for (;; nth++) {
		snprintf(hb__own_name, sizeof hb__own_name, nth > 1 ? "%s#%zu" : "%s", program, nth);
		if (leave_word(hb__own_name, mine))
			return;
	}
}

/* One process alone: it may make others, which have no record here. */
static bool claim_alone(const struct hb__place *mine)
{
	hb__claim_ranks();
	for (size_t i = 0; i < ntable; i++)
		if (table[i].number == hb__config.alone)
			return hb__own_number == hb__config.alone || take(&table[i], mine);
	return true;
}

bool hb__claim(void)
{
	char path[4096], program[HB_PROGRAM_NAME];
	static struct hb__place mine;
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	hb_program_name(path, program);
	hb__place_now(&mine);
	if (hb__config.mode == HB__REPLAY && hb__promised >= 0)
		return claim_promised(&mine);
	if (hb__config.mode == HB__REPLAY && hb__config.alone >= 0)
		return claim_alone(&mine);
	if (hb__config.mode == HB__REPLAY)
		return claim_record(&mine, program);
	if (getenv(HB_CONTROL_ENV))
		claim_name(&mine, program);
	return true;
}
