/* All rules on one run, and what they found put in order. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/found.h"

const hb_finding_kind hb_finding_kinds[HB_FINDINGS] = {
#define HB_FINDING(name, id, category, severity, title) \
	[name] = {id, HB_CATEGORY_##category, HB_SEVERITY_##severity, title},
#include "rules/findings.def"
#undef HB_FINDING
};

const char *const hb_category_names[HB_CATEGORIES] = {
	"deadlock", "messages", "collectives", "lifecycle", "onesided", "arguments", "model"};

hb_severity hb_severity_of(hb_finding_id id, bool possible, unsigned flags)
{
	static const bool leak[HB_FINDINGS] = {[HB_LEAK_COMM] = true,
		[HB_LEAK_DATATYPE] = true,
		[HB_LEAK_GROUP] = true,
		[HB_LEAK_OP] = true,
		[HB_LEAK_WIN] = true,
		[HB_LEAK_OTHER] = true,
		[HB_LEAK_PERSISTENT] = true};
	hb_severity severity = hb_finding_kinds[id].severity;
	if (leak[id] && flags & HB_CHECK_LEAKS)
		return HB_SEVERITY_WARNING;
	return possible && severity == HB_SEVERITY_ERROR ? HB_SEVERITY_WARNING : severity;
}

/* ---- keeping ---- */

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static uint32_t site_of(const hb_point *p) { return p->site; }

/* The same finding at the same lines of the program, or word for word the same. */
static bool alike(const hb_finding *a, const hb_finding *b)
{
	if (a->key || b->key)
		return a->id == b->id && a->key && b->key && !strcmp(a->key, b->key);
	if (a->id != b->id || a->possible != b->possible || a->npoints != b->npoints)
		return false;
	if (!a->npoints || !site_of(&a->point[0]))
		return same_text(a->sentence, b->sentence);
	for (uint32_t i = 0; i < a->npoints; i++)
		if (a->point[i].process != b->point[i].process || site_of(&a->point[i]) != site_of(&b->point[i]) ||
			strcmp(a->point[i].function, b->point[i].function) != 0)
			return false;
	return true;
}

static hb_status no_memory(hb_error *err)
{
	if (err) {
		*err = (hb_error){.status = HB_E_MEMORY};
		snprintf(err->message, sizeof err->message, "out of memory");
	}
	return HB_E_MEMORY;
}

static void drop(hb_finding *f)
{
	free((char *)f->sentence);
	free((char *)f->advice);
	free((char *)f->key);
	free((hb_point *)f->point);
}

static uint64_t mixed(uint64_t h, uint64_t value) { return (h ^ value) * 0x9e3779b97f4a7c15u ^ h >> 29; }

static uint64_t mixed_text(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = mixed(h, (unsigned char)*text);
	return h;
}

/* Of what alike() compares; by_place: the places, else the sentence. */
static uint64_t hash_of(const hb_finding *f, bool by_place)
{
	uint64_t h = f->key ? mixed_text(f->id, f->key) : mixed(mixed(f->id, f->possible), f->npoints);
	for (uint32_t i = 0; by_place && !f->key && i < f->npoints; i++)
		h = mixed_text(mixed(mixed(h, f->point[i].process), site_of(&f->point[i])), f->point[i].function);
	h = by_place ? h : mixed_text(h, f->sentence);
	return h ^ h >> 32;
}

static bool has_place(const hb_finding *f) { return f->key || (f->npoints && site_of(&f->point[0])); }

/* The last finding that is alike, of those with a place or of those without; HB_NO: none. */
static uint32_t find_alike(const struct hb_found *found, const hb_finding *f, bool by_place)
{
	size_t i = found->cells ? hash_of(f, by_place) & (found->cells - 1) : 0;
	for (; found->cells && found->cell[i]; i = (i + 1) & (found->cells - 1)) {
		const hb_finding *other = &found->at[found->cell[i] - 1];
		if (has_place(other) == by_place && alike(other, f))
			return found->cell[i] - 1;
	}
	return HB_NO;
}

static void put_cell(struct hb_found *found, uint32_t finding)
{
	const hb_finding *f = &found->at[finding];
	size_t i = hash_of(f, has_place(f)) & (found->cells - 1);
	while (found->cell[i])
		i = (i + 1) & (found->cells - 1);
	found->cell[i] = finding + 1;
}

static bool room_for_one(struct hb_found *found)
{
	if (!HB_GROW(found->at, found->room, found->n + 1))
		return false;
	if (2 * (found->n + 1) <= found->cells)
		return true;
	size_t cells = found->cells ? 2 * found->cells : 64;
	uint32_t *cell = calloc(cells, sizeof *cell);
	if (!cell)
		return false;
	free(found->cell);
	found->cell = cell;
	found->cells = cells;
	for (uint32_t i = 0; i < found->n; i++)
		put_cell(found, i);
	return true;
}

hb_status hb__report_finding(hb_case *c, const hb_finding *finding, hb_error *err)
{
	struct hb_found *found = c->found;
	uint32_t same = has_place(finding) ? find_alike(found, finding, true) : HB_NO;
	uint32_t worded = find_alike(found, finding, false);
	if (worded != HB_NO && (same == HB_NO || worded > same))
		same = worded;
	if (same != HB_NO) {
		found->at[same].times += finding->times ? finding->times : 1;
		return HB_OK;
	}
	if (!room_for_one(found))
		return no_memory(err);
	hb_finding copy = *finding;
	hb_point *points = malloc((finding->npoints + 1) * sizeof *points);
	copy.times = finding->times ? finding->times : 1;
	copy.sentence = strdup(finding->sentence);
	copy.advice = finding->advice ? strdup(finding->advice) : NULL;
	copy.key = finding->key ? strdup(finding->key) : NULL;
	copy.point = points;
	if (!points || !copy.sentence || (finding->advice && !copy.advice) || (finding->key && !copy.key)) {
		drop(&copy);
		return no_memory(err);
	}
	if (finding->npoints)
		memcpy(points, finding->point, finding->npoints * sizeof *points);
	found->at[found->n++] = copy;
	put_cell(found, (uint32_t)found->n - 1);
	return HB_OK;
}

hb_status hb__finding(hb_case *c, hb_finding_id id, bool possible, const char *advice, const hb_point *point,
	uint32_t n, hb_error *err, const char *format, ...)
{
	char sentence[1000];
	va_list args;
	va_start(args, format);
	vsnprintf(sentence, sizeof sentence, format, args);
	va_end(args);
	hb_finding f = {
		.id = id, .possible = possible, .sentence = sentence, .advice = advice, .npoints = n, .point = point};
	return hb__report_finding(c, &f, err);
}

static struct waiting *waiting_at(const struct hb_found *f, uint32_t process, uint32_t site)
{
	for (size_t i = 0; i < f->nwaiting; i++)
		if (f->waiting[i].process == process && f->waiting[i].site == site)
			return &f->waiting[i];
	return NULL;
}

hb_status hb__told_waiting(hb_case *c, uint32_t process, uint32_t site, hb_error *err)
{
	struct hb_found *f = c->found;
	struct waiting *w = waiting_at(f, process, site);
	if (!site) /* not known: it could be any */
		return HB_OK;
	if (!w) {
		w = realloc(f->waiting, (f->nwaiting + 1) * sizeof *w);
		if (!w)
			return no_memory(err);
		f->waiting = w;
		w += f->nwaiting++;
		*w = (struct waiting){process, site, 0};
	}
	w->times++;
	return HB_OK;
}

uint64_t hb__waiting_told(const hb_case *c, uint32_t process, uint32_t site)
{
	const struct waiting *w = waiting_at(c->found, process, site);
	return w ? w->times : 0;
}

bool hb__found_here(const hb_case *c, uint32_t process, hb_at at, uint32_t site)
{
	for (size_t i = 0; i < c->found->n; i++) {
		const hb_finding *f = &c->found->at[i];
		/* what only may be wrong (a hang without a reason) does not silence what is */
		if (f->possible || hb_finding_kinds[f->id].severity != HB_SEVERITY_ERROR)
			continue;
		for (uint32_t k = 0; k < f->npoints; k++) {
			const hb_point *p = &f->point[k];
			bool same = (site && p->site == site) ||
				    (at.line != HB_NO && p->at.line == at.line && p->at.event == at.event);
			if (p->process == process && same)
				return true;
		}
	}
	return false;
}

/* ---- running ---- */

/* Errors first, then by category, then as they were found. */
static int rank_of(const hb_finding *f, unsigned flags)
{
	int severity = (int)hb_severity_of(f->id, f->possible, flags);
	return (severity * 2 + f->possible) * HB_CATEGORIES + (int)hb_finding_kinds[f->id].category;
}

static void describe(hb_case *c, unsigned flags)
{
	const hb_model_info *info = hb_model_get_info(c->model);
	const hb_process *p = hb_model_processes(c->model);
	c->complete = true;
	c->hanging = flags & HB_CHECK_HANGING;
	c->remarked = c->remarks->all;
	for (uint32_t i = 0; i < info->processes; i++) {
		c->complete &= p[i].log && !p[i].cut && p[i].ending == HB_ENDING_FINALIZED;
		c->died |= p[i].ending == HB_ENDING_ABORTED;
		const hb_line *line = &hb_model_lines(c->model)[p[i].first_line];
		/* the library ends the process by exit, in the call that it finds fault with */
		for (uint32_t k = 0; p[i].ending == HB_ENDING_LEFT && k < p[i].nlines; k++)
			c->died |= line[k].inside;
	}
	for (size_t i = 0; i < c->remarks->n; i++)
		c->died |= c->remarks->at[i].word == HB_REMARK_CRASH || c->remarks->at[i].word == HB_REMARK_LEFT_INSIDE;
	for (size_t i = 0; i < c->remarks->n; i++) /* an error that ended a process ends the others, too */
		if (c->remarks->at[i].word == HB_REMARK_CALL_FAILED)
			c->died |= c->remarks->at[i].failed->fatal;
}

static hb_status run_rules(hb_case *c, unsigned flags, hb_progress *progress, void *user, hb_error *err)
{
	static const struct {
		hb_rule *rule;
		unsigned only;
	} rules[] = {{hb_rule_deadlock, HB_CHECK_DEADLOCK_ONLY}, {hb_rule_potential, 0}, {hb_rule_other_order, 0},
		{hb_rule_messages, 0}, {hb_rule_collectives, 0}, {hb_rule_lifecycle, 0}, {hb_rule_crash, 0},
		{hb_rule_onesided, 0}, {hb_rule_arguments, HB_CHECK_ARGUMENTS_ONLY}, {hb_rule_declared, 0}};
	size_t n = sizeof rules / sizeof *rules;
	unsigned wanted = flags & (HB_CHECK_DEADLOCK_ONLY | HB_CHECK_ARGUMENTS_ONLY);
	for (size_t i = 0; i < n; i++) {
		if (progress)
			progress(user, (double)i / (double)n);
		if (wanted && !(rules[i].only & wanted))
			continue;
		hb_status status = rules[i].rule(c, err);
		if (status)
			return status;
	}
	return HB_OK;
}

static bool share_call(const hb_finding *a, const hb_finding *b)
{
	for (uint32_t i = 0; i < a->npoints; i++)
		for (uint32_t k = 0; k < b->npoints; k++)
			if (a->point[i].at.line != HB_NO && a->point[i].at.line == b->point[k].at.line &&
				a->point[i].at.event == b->point[k].at.event)
				return true;
	return false;
}

/* A hang without a reason, where an error is known in one of the calls that never returned: that is the reason. */
static bool explained(const struct hb_found *found, const hb_finding *f)
{
	bool other = false;
	for (size_t i = 0; f->id == HB_HANG && i < found->n && !other; i++) {
		const hb_finding *x = &found->at[i];
		other = x != f && !x->possible && hb_finding_kinds[x->id].severity == HB_SEVERITY_ERROR &&
			share_call(f, x);
	}
	return other;
}

void hb__found_free(struct hb_found *found)
{
	for (size_t i = 0; i < found->n; i++)
		drop(&found->at[i]);
	free(found->at);
	free(found->cell);
	free(found->waiting);
}

hb_status hb_check(hb_model *model, const hb_team *team, unsigned flags, hb_declared_ask *declared,
	hb_finding_visit *visit, void *user, hb_progress *progress, void *progress_user, hb_error *err)
{
	struct hb_found found = {0};
	hb_case c = {.model = model, .declared = declared, .shares = 1, .found = &found};
	team = team && team->size > 1 ? team : NULL;
	hb_status status = hb_remarks_read(model, &c.remarks, err);
	if (!status) {
		describe(&c, flags);
		status = team ? hb__rules_together(&c, team, err) : run_rules(&c, flags, progress, progress_user, err);
	}
	int last = 2 * (HB_SEVERITY_NOTE + 1) * HB_CATEGORIES;
	bool go = !status && (!team || !team->rank);
	for (int rank = 0; go && rank < last; rank++)
		for (size_t i = 0; go && i < found.n; i++)
			if (rank_of(&found.at[i], flags) == rank && !explained(&found, &found.at[i]))
				go = visit(user, &found.at[i]);
	hb__found_free(&found);
	hb_remarks_free(c.remarks);
	return status;
}
