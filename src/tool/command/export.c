/* hbdb export */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../export/export.h"
#include "../options.h"
#include "../store/find.h"

struct format {
	const char *name;
	bool tables;
	int (*write)(hb_export *x);
};

static const struct format formats[] = {
#define EXPORT(name, tables) {#name, tables, hb__export_##name},
#include "../export/exports.def"
#undef EXPORT
};
#define FORMATS (sizeof formats / sizeof *formats)

/* "|otf2|perfetto|...": the first | is left away where it is used. */
static const char names[] =
#define EXPORT(name, tables) "|" #name
#include "../export/exports.def"
#undef EXPORT
	;

const hb_option hb__export_options[] = {
	{"to", 't', HB_OPTION_CHOICE, names + 1, "the format to write"},
	{"output", 'o', HB_OPTION_TEXT, "OUT", "the output file; - is standard output (not for otf2)"},
	{"force", 'f', HB_OPTION_FLAG, NULL, "replace an output that exists already"},
	{"table", 0, HB_OPTION_CHOICE, "events|messages", "csv: only this table"},
	{"rank", 'r', HB_OPTION_TEXT, "R[,R...]", "only these ranks; A-B is a range"},
	{"first", 0, HB_OPTION_NUMBER, "I", "start at this event of each process; the first is 1"},
	{"last", 0, HB_OPTION_NUMBER, "J", "stop after this event"},
	{0},
};

static volatile sig_atomic_t stopped; /* by this signal */

/* The second one ends the program at once. */
static void stop(int number) { stopped = number; }

bool hb__export_step(hb_export *x, uint64_t events)
{
	x->done += events;
	if (events && x->all)
		hb__bar_step(&x->bar, (double)x->done / (double)x->all);
	return !stopped;
}

void hb__export_wrote(hb_export *x, const char *path)
{
	hb__bar_end(&x->bar);
	hb__say("wrote %s", path);
}

/* ---- what is asked for ---- */

bool hb__export_wants(const hb_export *x, size_t log)
{
	return x->run.logs.at[log].log && x->run.views[log].log && (!x->run.model || x->process_of[log] != HB_NO) &&
	       hb__has_process(x->ranks, x->run.logs.at[log].rank, x->run.views[log].name);
}

bool hb__export_wants_process(const hb_export *x, uint32_t process)
{
	return process != HB_NO && hb__has_process(x->ranks, hb_model_processes(x->run.model)[process].rank,
					   hb_model_processes(x->run.model)[process].name);
}

bool hb__export_wants_event(const hb_export *x, hb_at at)
{
	return at.event && at.event >= x->first && at.event <= x->last &&
	       hb__export_wants_process(x, hb_model_lines(x->run.model)[at.line].process);
}

char *hb__export_line_name(const hb_export *x, size_t log, uint32_t lane)
{
	const hb_log_file *file = &x->run.logs.at[log];
	const hb_worlds *w = &x->run.logs.worlds;
	char *process = w->world[w->of[log]].outside ? hb__copy(w->name[log])
			: file->world                ? hb__format("rank %d of world %u", file->rank, file->world)
						     : hb__format("rank %d", file->rank);
	if (!lane)
		return process;
	char *name = hb__format("%s lane %u", process, lane);
	free(process);
	return name;
}

/* ---- the command ---- */

/* Events alone need no model, so any level will do. */
static int open_events(const char *recording, hb_export *x)
{
	int code = hb__open_logs(recording, &x->run.logs);
	x->run.path = hb__copy(recording);
	x->run.views = hb__make_views(&x->run.logs);
	if (!code && !hb__logs_whole(&x->run.logs))
		code = HB_EXIT_RECORDING;
	return code;
}

static void look_around(hb_export *x)
{
	size_t n = x->run.logs.n;
	x->process_of = hb__alloc(n * sizeof *x->process_of);
	memset(x->process_of, 0xff, n * sizeof *x->process_of);
	for (uint32_t p = 0; x->run.model && p < hb_model_get_info(x->run.model)->processes; p++)
		if (x->run.log_of[p] != HB_NO)
			x->process_of[x->run.log_of[p]] = p;
	for (size_t i = 0; i < n; i++)
		if (hb__export_wants(x, i))
			x->all += x->run.views[i].info->events;
}

static const struct format *format_of(const char *name)
{
	for (size_t i = 0; name && i < FORMATS; i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

/* "export --to names the format: otf2, perfetto, shiviz or csv", or those that have tables alone. */
static int name_formats(const char *before, bool tables)
{
	char *text = hb__copy(before);
	size_t n = 0, all = 0;
	for (size_t i = 0; i < FORMATS; i++)
		all += formats[i].tables || !tables;
	for (size_t i = 0; i < FORMATS; i++) {
		if (tables && !formats[i].tables)
			continue;
		const char *between = !n ? " " : n + 1 < all ? ", " : " or ";
		char *more = hb__format("%s%s%s", text, between, formats[i].name);
		free(text);
		text = more;
		n++;
	}
	int code = hb__fail_with(HB_EXIT_USAGE, "%s", text);
	free(text);
	return code;
}

static int check(const hb_export *x, const struct format *to)
{
	if (!to)
		return name_formats("export --to names the format:", false);
	if (x->first > x->last)
		return hb__fail_with(HB_EXIT_USAGE, "export --first %llu lies after --last %llu",
			(unsigned long long)x->first, (unsigned long long)x->last);
	if (x->ranks && hb__check_ranks("export", x->ranks))
		return HB_EXIT_USAGE;
	if (x->table && !to->tables)
		return name_formats("export --table needs --to", true);
	return 0;
}

static int check_ranks(const hb_export *x)
{
	if (x->ranks && hb__check_run_ranks("export --rank", x->ranks, &x->run.logs))
		return HB_EXIT_USAGE;
	for (size_t i = 0; i < x->run.logs.n; i++)
		if (hb__export_wants(x, i))
			return 0;
	return hb__fail_with(HB_EXIT_RECORDING, "none of the logs asked for can be read in %s", hb__short(x->run.path));
}

static int write_out(hb_export *x, const struct format *to)
{
	struct sigaction act = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND}, old[3];
	const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &act, &old[i]);
	hb__bar_begin(&x->bar, "exporting");
	int code = to->write(x);
	hb__bar_end(&x->bar);
	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &old[i], NULL);
	return stopped ? 128 + stopped : code;
}

static char *base_name(const char *recording)
{
	const char *slash = strrchr(recording, '/');
	char *name = hb__copy(slash ? slash + 1 : recording);
	size_t n = strlen(name);
	if (n > 5 && !strcmp(name + n - 5, ".hbdb"))
		name[n - 5] = 0;
	return name;
}

int hb__export(const hb_args *args)
{
	hb_export x = {.out = hb__option_value(args, "output"),
		.ranks = hb__option_value(args, "rank"),
		.table = hb__option_value(args, "table"),
		.first = hb__option_number(args, "first", 1),
		.last = hb__option_number(args, "last", UINT64_MAX),
		.force = hb__option_value(args, "force") != NULL};
	const struct format *to = format_of(hb__option_value(args, "to"));
	char *recording = NULL;
	signal(SIGPIPE, SIG_IGN);
	int code = check(&x, to);
	code = code ? code : hb__find_recording(args->operand, &recording);
	if (code)
		return code;
	x.name = base_name(recording);
	bool model = !x.table || strcmp(x.table, "events") != 0;
	code = model ? hb__open_run(recording, &x.run) : open_events(recording, &x);
	if (x.run.views && (x.run.model || !model)) {
		look_around(&x);
		int bad = check_ranks(&x);
		bad = bad ? bad : write_out(&x, to);
		bad = bad ? bad : x.code;
		code = bad ? bad : code;
	}
	hb__close_run(&x.run);
	free(x.process_of);
	free(x.name);
	free(recording);
	return code;
}
