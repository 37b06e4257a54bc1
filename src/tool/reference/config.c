/* hbdb compare config: a dry run writes a file of settings, which says what is traced of each construct; people edit it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../store/find.h"
#include "base/grow.h"
#include "verbs.h"

/* ---- from traces to settings ---- */

static void *roomy(void *at, size_t *room, size_t need, size_t size)
{
	if (!hb_grow(&at, room, need, size)) {
		hb__say("out of memory");
		exit(HB_EXIT_RECORDING);
	}
	return at;
}

static hb_construct_wanted *wanted_of(hb_trace_settings *s, const hb_trace_construct *c, uint32_t parent)
{
	for (size_t i = 0; i < s->constructs; i++) {
		hb_construct_wanted *w = &s->construct[i];
		if (w->parent == parent && w->type == c->type && w->line == c->line && !strcmp(w->name, c->name) &&
			!strcmp(w->file, c->file))
			return w;
	}
	s->construct = roomy(s->construct, &s->constructs_room, s->constructs + 1, sizeof *s->construct);
	s->construct[s->constructs] = (hb_construct_wanted){.number = (uint32_t)s->constructs + 1,
		.parent = parent,
		.type = c->type,
		.rank = c->rank,
		.name = hb__copy(c->name),
		.file = hb__copy(c->file),
		.line = c->line,
		.level = HB_TRACE_INHERITED};
	return &s->construct[s->constructs++];
}

static void add_array(hb_construct_wanted *w, const hb_trace_array *a, unsigned access)
{
	const char *file = a->id.file ? a->id.file : "";
	w->knows_arrays = true;
	for (size_t i = 0; i < w->arrays; i++) {
		const hb_array_id *id = &w->array[i].id;
		if (id->line == a->id.line && id->ordinal == a->id.ordinal && !strcmp(id->name, a->id.name) &&
			!strcmp(id->file, file)) {
			w->array[i].access |= (uint8_t)access;
			return;
		}
	}
	w->array = roomy(w->array, &w->arrays_room, w->arrays + 1, sizeof *w->array);
	w->array[w->arrays++] =
		(hb_array_wanted){{hb__copy(a->id.name), hb__copy(file), a->id.line, a->id.ordinal}, (uint8_t)access};
}

/* Constructs of one trace among those of all: by number in the trace, the number in the settings. */
struct reading {
	hb_trace_settings *settings;
	uint32_t *number;
	size_t numbers;
	uint64_t *open; /* numbers in the trace of those that are open */
	size_t opens, opens_room;
	uint64_t points;
};

static void take_construct(struct reading *r, const hb_trace_construct *c)
{
	size_t had = r->numbers;
	r->number = roomy(r->number, &r->numbers, c->number + 1, sizeof *r->number);
	memset(r->number + had, 0, (r->numbers - had) * sizeof *r->number);
	uint32_t parent = c->parent < r->numbers ? r->number[c->parent] : 0;
	r->number[c->number] = wanted_of(r->settings, c, parent)->number;
}

static hb_construct_wanted *of(struct reading *r, uint64_t number)
{
	uint32_t n = number < r->numbers ? r->number[number] : 0;
	return n ? &r->settings->construct[n - 1] : NULL;
}

static void take(struct reading *r, const hb_trace *t, const hb_trace_record *x)
{
	hb_construct_wanted *w;
	switch (x->kind) {
	case HB_TRACE_CONSTRUCT:
		take_construct(r, hb_trace_construct_of(t, x->number));
		break;
	case HB_TRACE_BEGIN:
		r->open = roomy(r->open, &r->opens_room, r->opens + 1, sizeof *r->open);
		r->open[r->opens++] = x->number;
		r->points += x->point.number != 0;
		break;
	case HB_TRACE_END:
		r->opens -= r->opens > 0;
		break;
	case HB_TRACE_CHECKED:
		w = r->opens ? of(r, r->open[r->opens - 1]) : NULL;
		/* where accesses are not seen nobody knows which were touched: then all are summed, and the file does not tell them */
		if (w && x->access)
			add_array(w, hb_trace_array_of(t, x->number), x->access);
		break;
	case HB_TRACE_COST:
		if ((w = of(r, x->number))) {
			w->times = x->cost[0] > w->times ? x->cost[0] : w->times;
			/* of a parallel loop processes do parts; through a sequential one each goes whole */
			if (w->type == HB_CONSTRUCT_SEQUENTIAL)
				w->iterations = x->cost[1] > w->iterations ? x->cost[1] : w->iterations;
			else
				w->iterations += x->cost[1];
			w->bytes += x->cost[4];
		}
		break;
	default:
		break;
	}
}

static int read_one(const char *path, hb_trace_settings *s, uint64_t *ret_points)
{
	hb_trace *t;
	hb_trace_record x;
	hb_error err = {0};
	struct reading r = {.settings = s};
	if (hb_trace_open(path, &t, &err))
		return hb__fail_log(path, &err);
	int got;
	while ((got = hb_trace_next(t, &x, &err)) > 0)
		take(&r, t, &x);
	int code = got < 0 ? hb__fail_log(path, &err) : 0;
	*ret_points = r.points > *ret_points ? r.points : *ret_points;
	hb_trace_close(t);
	free(r.number);
	free(r.open);
	return code;
}

/* ---- commands ---- */

/* Of the dry run that was made in `recording`. */
static int collect(const char *recording, hb_trace_settings *s, uint64_t *ret_points)
{
	hb_traced t;
	int code = hb__begin_traced(hb__short(recording), recording, &t);
	code = code ? code : hb__more_traced(&t);
	for (uint32_t i = 0; !code && i < hb_points_processes(t.points); i++) {
		hb_traced_process p;
		hb_points_process(t.points, i, &p);
		code = read_one(p.path, s, ret_points);
	}
	hb__close_traced(&t);
	return code;
}

static int write_file(const char *path, const hb_trace_settings *s, uint64_t points)
{
	FILE *f = fopen(path, "wxe");
	if (!f)
		return hb__fail_with(HB_EXIT_USAGE, "cannot write %s: %s%s", path, strerror(errno),
			errno == EEXIST ? "; choose another name with -o" : "");
	fprintf(f,
		"# What hbdb compare traces: hbdb compare record --settings %s -- COMMAND; hbdb-compare(1), hbdb-trace(5)\n",
		path);
	hb_settings_write(s, f);
	bool good = !ferror(f);
	good = !fclose(f) && good;
	if (!good)
		return hb__fail_with(HB_EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
	printf("%s: %zu %s, %" PRIu64 " begins of constructs with points\n", path, s->constructs,
		hb__plural(s->constructs, "construct", "constructs"), points);
	return 0;
}

static int dry_run(const hb_args *args)
{
	char folder[] = "/tmp/hbdb-config-XXXXXX";
	const char *output = hb__option_value(args, "output");
	hb_trace_settings settings;
	hb_made made;
	uint64_t points = 0;
	if (!mkdtemp(folder))
		return hb__fail_with(HB_EXIT_USAGE, "cannot make a folder in /tmp: %s", strerror(errno));
	char *recording = hb__format("%s/dry.hbdb", folder);
	hb_making making = {.output = recording, .quiet = true, .raw = true};
	hb_settings_default(&settings);
	settings.dry = true;
	settings.checksum_accessed = true; /* the file tells what is read, too */
	int code = hb__make_traced(args, &settings, &making, &made);
	settings.dry = settings.checksum_accessed = false;
	if (!code && !made.recording)
		code = HB_EXIT_USAGE;
	code = code ? code : collect(made.recording, &settings, &points);
	if (!code && !settings.constructs)
		code = hb__fail_with(HB_EXIT_USAGE,
			"the program came by no construct: mark its loops with hb_loop and the like (hbdb/compare.h), or run one with OpenMP");
	if (!code && made.end.status)
		hb__say("the command ended with status %d: what it did not come to is not in the file",
			made.end.status);
	code = code ? code : write_file(output ? output : "compare.settings", &settings, points);
	free(made.recording);
	hb__remove_folder(recording);
	rmdir(folder);
	free(recording);
	hb_settings_free(&settings);
	return code;
}

static void explain_construct(const hb_trace_settings *s, const hb_construct_wanted *w)
{
	hb_trace_level level = w->level;
	int depth = 0;
	for (const hb_construct_wanted *p = w; p->parent && p->parent <= s->constructs && depth < 64; depth++) {
		p = &s->construct[p->parent - 1];
		level = level == HB_TRACE_INHERITED ? p->level : level;
	}
	bool inherited = w->level == HB_TRACE_INHERITED;
	level = level == HB_TRACE_INHERITED ? s->level : level;
	hb_trace_construct c = {.type = w->type, .name = w->name, .file = w->file, .line = w->line};
	printf("  %*s%u %s: %s%s", 2 * depth, "", w->number, hb__construct_words(&c), hb_trace_level_name(level),
		inherited ? " (inherited)" : "");
	if (w->type == HB_CONSTRUCT_SEQUENTIAL || !w->knows_arrays)
		printf("\n");
	else
		printf("; %zu %s told\n", w->arrays, hb__plural(w->arrays, "array", "arrays"));
}

static int explain(const char *path)
{
	hb_trace_settings s;
	hb_settings_default(&s);
	int code = hb__read_settings_file(path, &s);
	if (!code) {
		char a[HB_POINT_TEXT], b[HB_POINT_TEXT];
		printf("%s is right: %s", path, hb_trace_level_name(s.level));
		if (s.start.number || s.finish.number)
			printf(", in detail from %s to %s",
				s.start.number ? hb_point_text(&s.start, a) : "the beginning",
				s.finish.number ? hb_point_text(&s.finish, b) : "the end");
		printf(", tolerance %g, %zu %s\n", s.tolerance, s.constructs,
			hb__plural(s.constructs, "construct", "constructs"));
		for (size_t i = 0; i < s.constructs; i++)
			explain_construct(&s, &s.construct[i]);
	}
	hb_settings_free(&s);
	return code;
}

int hb__compare_config(const hb_args *args)
{
	if (args->rest && args->nwords == 1)
		return dry_run(args);
	if (!args->rest && args->nwords == 2 && !hb__option_value(args, "output") && !hb__option_value(args, "mpi"))
		return explain(args->word[1]);
	return hb__fail_with(HB_EXIT_USAGE,
		"compare config takes a command, and writes a file of settings, or such a file, and explains it: 'hbdb compare config -o lu.settings -- COMMAND', 'hbdb compare config lu.settings'");
}
