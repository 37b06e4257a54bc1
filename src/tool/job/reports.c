/* Watches the reports of a replay and prints them. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "../show/source.h"
#include "reports.h"

#define OTHERS_S 0.3   /* what the other processes get to report, too */
#define PRINTED_MAX 16 /* reports of a kind; the rest is counted */
#define CONTENTS_MAX 3 /* differences of contents: the others follow from the first */

static const char *const names[HB_REPORT_KINDS] = {
	"divergence.", "contents.", "end.", "done.", "note.", "suspect.", "inputs.", "looked."};

static bool read_name(const char *name, hb_report_kind *ret_kind, int32_t *ret_rank)
{
	for (int k = 0; k < HB_REPORT_KINDS; k++) {
		size_t n = strlen(names[k]);
		char *end;
		if (strncmp(name, names[k], n))
			continue;
		*ret_kind = (hb_report_kind)k;
		*ret_rank = (int32_t)strtol(name + n, &end, 10);
		return end != name + n && !*end;
	}
	return false;
}

void hb__look_for_reports(hb_reports *r)
{
	DIR *dir = opendir(r->folder);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		hb_report_kind kind;
		int32_t rank;
		if (!read_name(e->d_name, &kind, &rank))
			continue;
		if (rank < 0 || rank >= r->size) {
			r->foreign = rank;
			continue;
		}
		if (r->seen[rank] & 1 << kind)
			continue;
		r->seen[rank] |= (unsigned char)(1 << kind);
		r->count[kind]++;
	}
	if (dir)
		closedir(dir);
}

bool hb__is_replayed(const hb_reports *r, int32_t rank) { return r->only < 0 || r->only == rank; }

bool hb__report_seen(const hb_reports *r, int32_t rank, hb_report_kind kind)
{
	return rank >= 0 && rank < r->size && r->seen[rank] & 1 << kind;
}

bool hb__watch_reports(void *user)
{
	hb_reports *r = user;
	hb__look_for_reports(r);
	if (r->stalled) /* what ended the job stays what ended it */
		return true;
	bool stopped = r->stop && r->count[HB_REPORT_DIVERGENCE];
	if (stopped && !r->divergence_seen)
		r->divergence_seen = hb_seconds();
	if (!r->stop && r->count[HB_REPORT_DIVERGENCE] != r->divergences_told) {
		r->divergences_told = r->count[HB_REPORT_DIVERGENCE];
		hb__print_reports(r, HB_REPORT_DIVERGENCE);
	}
	if (stopped)
		return hb_seconds() - r->divergence_seen >= OTHERS_S;
	int32_t finished = 0;
	for (int32_t i = 0; i < r->size; i++) {
		r->over[i] = (r->seen[i] & (1 << HB_REPORT_END | 1 << HB_REPORT_DONE)) != 0 || !hb__is_replayed(r, i);
		finished += r->over[i];
	}
	r->stalled = finished < r->size && hb__stalled(&r->stall, r->over);
	r->record_ended = (r->count[HB_REPORT_END] && finished == r->size) ||
			  (r->stalled && (r->count[HB_REPORT_END] || r->stall.used_up));
	return r->record_ended || r->stalled;
}

void hb__reports_ending(void *user)
{
	hb_reports *r = user;
	char *path = hb__format("%s/ending", r->folder);
	hb__look_for_reports(r);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	free(path);
}

struct report {
	int32_t rank;
	struct timespec time;
	char *text;
};

static int by_time(const void *a, const void *b)
{
	const struct report *x = a, *y = b;
	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
	if (x->time.tv_nsec != y->time.tv_nsec)
		return x->time.tv_nsec < y->time.tv_nsec ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static bool read_report(const hb_reports *r, hb_report_kind kind, int32_t rank, struct report *ret)
{
	struct stat st;
	char *path = hb__format("%s/%s%d", r->folder, names[kind], rank);
	FILE *f = fopen(path, "re");
	free(path);
	if (!f)
		return false;
	size_t room = 65536;
	char *text = hb__alloc(room);
	size_t n = fread(text, 1, room - 1, f);
	/* under warn a report is rewritten with more behind it */
	size_t *printed = kind == HB_REPORT_DIVERGENCE ? &r->printed[rank] : NULL,
	       skip = printed && *printed < n ? *printed : 0;
	bool nothing_new = !n || (printed && *printed >= n);
	*ret = (struct report){.rank = rank, .text = hb__with_places(text + skip)};
	if (printed)
		*printed = n;
	if (!fstat(fileno(f), &st))
		ret->time = st.st_mtim;
	fclose(f);
	free(text);
	if (nothing_new) {
		free(ret->text);
		return false;
	}
	return true;
}

static void print_lines(const struct report *report)
{
	for (const char *p = report->text; *p;) {
		size_t n = strcspn(p, "\n");
		if (n)
			hb__say("%.*s", (int)n, p);
		p += n + (p[n] == '\n');
	}
}

void hb__print_reports(const hb_reports *r, hb_report_kind kind)
{
	struct report *all = hb__alloc((size_t)(r->size + 1) * sizeof *all);
	size_t n = 0, most = kind == HB_REPORT_CONTENTS || kind == HB_REPORT_SUSPECT ? CONTENTS_MAX : PRINTED_MAX;
	for (int32_t i = 0; i < r->size; i++)
		if (hb__report_seen(r, i, kind) && read_report(r, kind, i, &all[n]))
			n++;
	qsort(all, n, sizeof *all, by_time);
	for (size_t i = 0; i < n; i++) {
		bool again = false;
		/* a note is the same in many processes */
		for (size_t k = 0; kind == HB_REPORT_NOTE && k < i && !again; k++)
			again = !strcmp(all[k].text, all[i].text);
		if (!again && i < most)
			print_lines(&all[i]);
	}
	if (n > most && kind != HB_REPORT_NOTE)
		hb__say("%zu more %s reported the same kind of difference", n - most,
			hb__plural(n - most, "process", "processes"));
	for (size_t i = 0; i < n; i++)
		free(all[i].text);
	free(all);
}

/* ---- contents ---- */

enum { COMPARED, DIFFERENT, OWN_SAME = 8, OWN_MISSING, OWN_NEW, INPUTS_GIVEN, INPUTS_OTHER, COUNTS };

/* What is in the way of comparing, in the order of the report. */
static const char *const ways[COUNTS] = {NULL, NULL, "with datatypes that have holes", "of persistent sends",
	"in memory that only the MPI library reads", "without contents in the recording", "one-sided", "of files",
	NULL};

/* Sums over the processes. Returns how many of them did not come to tell: they were killed. */
static unsigned sum_up(const hb_reports *r, unsigned long long *ret)
{
	unsigned silent = 0;
	for (int32_t rank = 0; rank < r->size; rank++) {
		struct report report;
		if (!hb__is_replayed(r, rank))
			continue;
		if (!hb__report_seen(r, rank, HB_REPORT_LOOKED) || !read_report(r, HB_REPORT_LOOKED, rank, &report)) {
			silent++;
			continue;
		}
		char *at = report.text;
		for (int i = 0; i < COUNTS; i++)
			ret[i] += strtoull(at, &at, 10);
		free(report.text);
	}
	return silent;
}

static char *not_compared(const unsigned long long *n, unsigned silent)
{
	char *list = silent ? hb__format("those of %u %s before hbdb could ask for them", silent,
				      hb__plural(silent, "process that ended", "processes that ended"))
			    : hb__copy("");
	for (int i = DIFFERENT + 1; i < OWN_SAME; i++) {
		if (!n[i])
			continue;
		char *more = hb__format("%s%s%llu %s", list, *list ? ", " : "", n[i], ways[i]);
		free(list);
		list = more;
	}
	return list;
}

static bool own(const unsigned long long *n) { return n[OWN_SAME] || n[OWN_MISSING] || n[OWN_NEW]; }

/* What was compared of the calls; where there are events of the program, too, "no difference" alone
 * would speak of their values. */
static char *calls_words(const hb_reports *r, const unsigned long long *n, unsigned silent)
{
	char *list = not_compared(n, silent), *words;
	const char *rest = *list ? "; contents not compared: " : "";
	if (n[DIFFERENT] || r->count[HB_REPORT_CONTENTS])
		words = hb__format("no difference in the calls; %llu of %llu contents that were compared differ%s%s",
			n[DIFFERENT] ? n[DIFFERENT] : (unsigned long long)r->count[HB_REPORT_CONTENTS], n[COMPARED],
			rest, list);
	else if (*list && n[COMPARED])
		words = hb__format("no difference in the calls, nor in the %llu contents that were compared%s%s",
			n[COMPARED], rest, list);
	else if (*list || own(n))
		words = hb__format("no difference in the calls%s%s", rest, list);
	else
		words = hb__copy("no difference");
	free(list);
	return words;
}

/* `words`, and how the program's own events came; nothing in a replay decides about those. Takes `words`. */
static char *with_own(char *words, const unsigned long long *n)
{
	if (!own(n))
		return words;
	char *all = hb__format("%s; of the program's own events %llu came as recorded (their values are not compared)",
		words, n[OWN_SAME]);
	free(words);
	for (int i = OWN_MISSING; i <= OWN_NEW; i++)
		if (n[i]) {
			words = hb__format("%s, %llu %s", all, n[i],
				i == OWN_MISSING ? "did not come" : "came that were not recorded");
			free(all);
			all = words;
		}
	return all;
}

/* ... and what it was given of clocks, files and the like. Takes `words`. */
static char *with_inputs(char *words, const unsigned long long *n)
{
	if (!n[INPUTS_GIVEN] && !n[INPUTS_OTHER])
		return words;
	char *all = hb__format(
		"%s; %llu of the program's inputs (clocks, random numbers, files and the like) were given back%s",
		words, n[INPUTS_GIVEN],
		n[INPUTS_OTHER] ? ", but it did not ask for all of them as it did in the recording" : "");
	free(words);
	return all;
}

char *hb__contents_words(const hb_reports *r, const hb_manifest *recorded)
{
	unsigned long long n[COUNTS] = {0};
	unsigned silent = sum_up(r, n);
	bool contents = recorded->contents && hb__manifest_has_calls(recorded);
	char *words =
		contents ? calls_words(r, n, silent)
			 : hb__copy("no difference in the recorded calls; this recording has no contents to compare");
	return with_inputs(with_own(words, n), n);
}

void hb__print_contents(const hb_reports *r)
{
	hb__print_reports(r, HB_REPORT_CONTENTS);
	if (r->count[HB_REPORT_CONTENTS])
		hb__print_reports(r, HB_REPORT_SUSPECT);
	hb__print_reports(r, HB_REPORT_INPUTS);
}
