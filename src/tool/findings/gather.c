/* From the findings of the rules to what is shown. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../declared/declared.h"
#include "../options.h"
#include "../show/progress.h"
#include "findings.h"
#include "format/remark/remark.h"

const char *const hb__severity_names[3] = {"error", "warning", "note"};

static void look_up(hb_findings *f, const hb_point *p, hb_spot *ret)
{
	hb_fact fact = {0};
	const hb_process *process = &hb_model_processes(f->run->model)[p->process];
	uint32_t site = p->site;
	ret->rank = process->rank;
	ret->world = process->world;
	ret->name = process->name;
	snprintf(ret->function, sizeof ret->function, "%s", p->function);
	snprintf(ret->role, sizeof ret->role, "%s", p->role);
	if (p->at.line != HB_NO && p->at.event && hb__fact(f->facts, p->at, &fact)) {
		hb__event_name(f->run, p->at, ret->event);
		site = site ? site : fact.site;
		const hb_function *called = process->log ? hb_log_function(process->log, fact.function) : NULL;
		if (!*ret->function && called && called->name)
			snprintf(ret->function, sizeof ret->function, "%s", called->name);
	}
	ret->place = site && process->log ? hb__process_place(f->run, p->process, site) : NULL;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Which lines of which files, not which processes: the same in the next run, and for each process that does the same. */
static uint64_t print_of(const hb_told_finding *s)
{
	XXH3_state_t *state = XXH3_createState();
	XXH3_64bits_reset(state);
	XXH3_64bits_update(state, s->kind->id, strlen(s->kind->id) + 1);
	XXH3_64bits_update(state, &s->possible, sizeof s->possible);
	for (uint32_t i = 0; i < s->nspots; i++) {
		const hb_spot *p = &s->spot[i];
		const char *text = p->place ? p->place->file ? base(p->place->file) : p->place->text : "";
		int line = p->place ? p->place->line : 0;
		XXH3_64bits_update(state, p->function, strlen(p->function) + 1);
		XXH3_64bits_update(state, text, strlen(text) + 1);
		XXH3_64bits_update(state, &line, sizeof line);
	}
	if (!s->nspots || !s->spot[0].place)
		XXH3_64bits_update(state, s->sentence, strlen(s->sentence));
	uint64_t print = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return print;
}

static void drop(hb_told_finding *s)
{
	free(s->sentence);
	free(s->advice);
	free(s->spot);
	free(s->also);
}

static bool has_rank(const hb_told_finding *s, hb_ranked p)
{
	for (size_t i = 0; i < s->nalso; i++)
		if (s->also[i].rank == p.rank && s->also[i].world == p.world)
			return true;
	return s->spot[0].rank == p.rank && s->spot[0].world == p.world;
}

/* The same at the same lines in another process: counted with the first. */
static bool merge(hb_findings *f, hb_told_finding *s)
{
	for (size_t i = f->n; s->nspots && s->spot[0].place && s->kind->category != HB_CATEGORY_MODEL && i-- > 0;) {
		hb_told_finding *o = &f->at[i];
		if (o->print != s->print || o->id != s->id)
			continue;
		o->times += s->times;
		hb_ranked here = {s->spot[0].world, s->spot[0].rank, s->spot[0].name};
		if (has_rank(o, here))
			return true;
		o->also = hb__resize(o->also, (o->nalso + 1) * sizeof *o->also);
		o->also[o->nalso++] = here;
		return true;
	}
	return false;
}

bool hb__keep_finding(void *user, const hb_finding *found)
{
	hb_findings *f = user;
	hb_told_finding s = {.id = found->id,
		.kind = &hb_finding_kinds[found->id],
		.possible = found->possible,
		.times = found->times,
		.sentence = hb__copy(found->sentence),
		.advice = found->advice ? hb__copy(found->advice) : NULL,
		.nspots = found->npoints,
		.spot = hb__alloc(found->npoints * sizeof *s.spot)};
	s.severity = hb_severity_of(s.id, s.possible, f->flags);
	for (uint32_t i = 0; i < s.nspots; i++)
		look_up(f, &found->point[i], &s.spot[i]);
	if (s.advice && islower((unsigned char)s.advice[0]) &&
		(islower((unsigned char)s.advice[1]) || s.advice[1] == ' '))
		s.advice[0] = (char)toupper((unsigned char)s.advice[0]); /* a sentence of its own */
	s.print = print_of(&s);
	if (merge(f, &s)) {
		drop(&s);
		return true;
	}
	if (f->n == f->room)
		f->at = hb__resize(f->at, (f->room = f->room * 2 + 16) * sizeof *f->at);
	f->at[f->n++] = s;
	return true;
}

static bool remarked(const hb_run *run)
{
	bool all = true;
	for (size_t i = 0; all && i < run->logs.n; i++) {
		const hb_log *log = run->logs.at[i].log;
		all = !log || hb_remarked(log, true);
	}
	return all;
}

hb_status hb__findings_look(hb_run *run, const hb_team *team, unsigned flags, const hb_model_wish *wish,
	hb_findings *ret, int *ret_code, hb_error *err)
{
	hb_bar bar;
	*ret = (hb_findings){.run = run, .lines = 24};
	ret->facts = hb__facts_open(run->model);
	ret->flags = flags;
	ret->hanging = flags & HB_CHECK_HANGING;
	ret->remarked = remarked(run);
	int code = wish && wish->file ? hb__model_read(ret, wish) : 0;
	*ret_code = code;
	if (code)
		return HB_OK;
	bool first = !team || !team->rank; /* whose findings these are */
	if (first)
		hb__model_findings(ret, false);
	hb__bar_begin(&bar, "checking");
	hb_status status =
		hb_check(run->model, team, flags, hb__declared, hb__keep_finding, ret, hb__bar_step, &bar, err);
	hb__bar_end(&bar);
	if (first)
		hb__model_findings(ret, true);
	return status;
}

int hb__findings_read(hb_run *run, unsigned flags, const hb_model_wish *wish, hb_findings *ret)
{
	hb_error err = {0};
	int code = 0;
	hb_status status = hb__findings_look(run, NULL, flags, wish, ret, &code, &err);
	return status ? hb__fail_log(run->path, &err) : code;
}

void hb__findings_free(hb_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		drop(&f->at[i]);
	free(f->at);
	free(f->died);
	free(f->ending);
	hb__model_free(f);
	hb__facts_close(f->facts);
	*f = (hb_findings){0};
}

static bool begins_with_one(const char *id, const char *list)
{
	for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
		size_t n = strcspn(p, ",");
		if (n && !strncmp(id, p, n))
			return true;
	}
	return !list;
}

int hb__check_only(const char *list)
{
	char *words = hb__copy(list), *rest = words;
	int code = 0;
	for (char *word; !code && (word = strsep(&rest, ","));) {
		bool some = false;
		hb_guess g = {.word = word};
		for (int i = 0; i < HB_FINDINGS; i++) {
			some = some || (*word && begins_with_one(hb_finding_kinds[i].id, word));
			hb__guess(&g, hb_finding_kinds[i].id);
		}
		if (!some)
			code = hb__fail_with(HB_EXIT_USAGE,
				"check --only %s: no finding begins with '%s'%s; 'hbdb help findings' lists them all",
				list, word, hb__guessed(&g));
	}
	free(words);
	return code;
}

void hb__findings_choose(hb_findings *f, const hb_wanted *w)
{
	int least = HB_SEVERITY_NOTE;
	for (int i = 0; w->severity && i < 3; i++)
		if (!strcmp(w->severity, hb__severity_names[i]))
			least = i;
	memset(f->count, 0, sizeof f->count);
	f->suppressed = 0;
	f->chosen = w->only || w->category;
	for (size_t i = 0; i < f->n; i++) {
		hb_told_finding *s = &f->at[i];
		s->hidden = (int)s->severity > least || !begins_with_one(s->kind->id, w->only) ||
			    (w->category && strcmp(w->category, hb_category_names[s->kind->category]) != 0);
		f->count[s->severity] += hb__is_shown(s);
		f->suppressed += !s->hidden && s->quiet;
	}
}

char *hb__findings_sum(const hb_findings *f)
{
	static const char *const many[] = {"errors", "warnings", "notes"};
	char *text = hb__copy("");
	for (int i = 0; i < 3; i++)
		if (f->count[i]) {
			char *longer =
				hb__format("%s%s%llu %s", text, *text ? ", " : "", (unsigned long long)f->count[i],
					hb__plural(f->count[i], hb__severity_names[i], many[i]));
			free(text);
			text = longer;
		}
	if (f->count[0] + f->count[1])
		return text;
	/* of a ring the events are named that were looked at, and those that were not stand beside it */
	bool lacks = f->died || !f->run->ended || f->run->away;
	const hb_process *p = hb_model_processes(f->run->model);
	for (size_t i = 0; i < hb_model_get_info(f->run->model)->processes; i++)
		lacks = lacks || !p[i].log || p[i].cut;
	const char *words = f->chosen ? "nothing found of what was asked for"
			    : lacks   ? "no finding"
				      : "no errors found";
	char *none = hb__format("%s%s%s", words, *text ? ", " : "", text);
	free(text);
	return none;
}
