/* All rules by several processes, each of which has the whole model. A rule is one member's, but for those that look at races: of these each
 * member looks at a share. What they have found is put together by the first in the order in which one process would have found it; the rules that ask what
 * was found before run there, in their place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/found.h"

enum { ONE, SHARED, LAST };

/* In the order of run_rules in check.c. weight: about how much of the work, of runs of many messages. */
static const struct part {
	hb_rule *rule;
	uint8_t how, weight;
} parts[] = {{hb_rule_deadlock, ONE, 1}, {hb_rule_potential, ONE, 6}, {hb_rule_other_order, SHARED, 0},
	{hb_rule_messages, ONE, 12}, {hb_rule_raced, SHARED, 0}, {hb_rule_collectives, ONE, 8},
	{hb_rule_lifecycle, LAST, 0}, {hb_rule_crash, ONE, 1}, {hb_rule_onesided, ONE, 2}, {hb_rule_arguments, LAST, 0},
	{hb_rule_declared, ONE, 3}};
#define PARTS (sizeof parts / sizeof *parts)

/* The heaviest first, each to whom has least; the first member prints besides. */
static void divide(uint32_t size, uint32_t member[PARTS], uint32_t *load)
{
	bool given[PARTS] = {false};
	memset(load, 0, size * sizeof *load);
	load[0] = 2;
	for (size_t k = 0; k < PARTS; k++) {
		size_t heavy = PARTS;
		uint32_t least = 0;
		for (size_t i = 0; i < PARTS; i++)
			if (!given[i] && (heavy == PARTS || parts[i].weight > parts[heavy].weight))
				heavy = i;
		for (uint32_t i = 1; i < size; i++)
			least = load[i] < load[least] ? i : least;
		given[heavy] = true;
		member[heavy] = least;
		load[least] += parts[heavy].weight;
	}
}

/* ---- what was found, as bytes ---- */

struct letter {
	char *at;
	size_t n, room;
};

static bool put(struct letter *l, const void *data, size_t bytes)
{
	if (!HB_GROW(l->at, l->room, l->n + bytes + 1))
		return false;
	if (bytes)
		memcpy(l->at + l->n, data, bytes);
	l->n += bytes;
	return true;
}

static bool put_text(struct letter *l, const char *text)
{
	bool there = text != NULL;
	return put(l, &there, 1) && (!there || put(l, text, strlen(text) + 1));
}

static void take(const char **from, void *to, size_t bytes)
{
	memcpy(to, *from, bytes);
	*from += bytes;
}

static const char *take_text(const char **from)
{
	const char *text = *from + 1;
	bool there = **from;
	*from += 1 + (there ? strlen(text) + 1 : 0);
	return there ? text : NULL;
}

static bool put_found(struct letter *l, const struct hb_found *found)
{
	bool good = put(l, &found->n, sizeof found->n);
	for (size_t i = 0; good && i < found->n; i++) {
		const hb_finding *f = &found->at[i];
		good = put(l, f, sizeof *f) && put_text(l, f->sentence) && put_text(l, f->advice) &&
		       put_text(l, f->key) && put(l, f->point, f->npoints * sizeof *f->point);
	}
	return good && put(l, &found->nwaiting, sizeof found->nwaiting) &&
	       put(l, found->waiting, found->nwaiting * sizeof *found->waiting);
}

static hb_status take_found(hb_case *c, const char **from, hb_error *err)
{
	hb_status status = HB_OK;
	size_t n;
	take(from, &n, sizeof n);
	for (size_t i = 0; i < n; i++) {
		hb_finding f;
		take(from, &f, sizeof f);
		f.sentence = take_text(from);
		f.advice = take_text(from);
		f.key = take_text(from);
		hb_point *point = malloc((f.npoints + 1) * sizeof *point);
		if (!point) {
			if (err)
				*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
			return HB_E_MEMORY;
		}
		take(from, point, f.npoints * sizeof *point);
		f.point = point;
		status = status ? status : hb__report_finding(c, &f, err);
		free(point);
	}
	take(from, &n, sizeof n);
	for (size_t i = 0; i < n; i++) {
		struct waiting w;
		take(from, &w, sizeof w);
		for (uint64_t k = 0; !status && k < w.times; k++)
			status = hb__told_waiting(c, w.process, w.site, err);
	}
	return status;
}

/* ---- together ---- */

/* How a member got on; the letter begins with it. */
struct end {
	hb_status status;
	uint32_t part; /* that failed */
	bool contradicted;
	hb_error err;
};

static struct end run_own(hb_case *c, const hb_team *team, const uint32_t *member, struct hb_found *of)
{
	struct end end = {.status = HB_OK};
	bool open = hb_model_get_info(c->model)->open;
	struct hb_found *all = c->found;
	c->share = team->rank;
	c->shares = team->size;
	for (uint32_t i = 0; i < PARTS && !end.status; i++) {
		if (parts[i].how == LAST || (parts[i].how == ONE && member[i] != team->rank))
			continue;
		c->found = &of[i];
		end.status = parts[i].rule(c, &end.err);
		end.part = i;
	}
	c->found = all;
	end.contradicted = hb_model_get_info(c->model)->open != open;
	return end;
}

/* What is wrong with any of them: of the part that one process would have come to first. */
static hb_status agree(const hb_team *team, char *const *letter, hb_error *err)
{
	struct end worst = {.status = HB_OK, .part = PARTS}, end;
	bool contradicted = false;
	for (uint32_t i = 0; i < team->size; i++) {
		memcpy(&end, letter[i], sizeof end);
		contradicted |= end.contradicted;
		if (end.status && (end.part < worst.part || end.status == HB_E_MEMORY))
			worst = end;
	}
	if (contradicted && worst.status != HB_E_MEMORY) {
		worst.status = HB_E_ARGUMENT;
		worst.err = (hb_error){.status = HB_E_ARGUMENT};
		snprintf(worst.err.message, sizeof worst.err.message,
			"the logs contradict each other in the order of events");
	}
	if (worst.status && err)
		*err = worst.err;
	return worst.status;
}

/* Of the first member: the parts in their order, each from all members. */
static hb_status put_together(hb_case *c, const hb_team *team, const uint32_t *member, const char **from, hb_error *err)
{
	hb_status status = HB_OK;
	c->share = 0;
	c->shares = 1;
	for (uint32_t i = 0; i < PARTS && !status; i++) {
		if (parts[i].how == LAST)
			status = parts[i].rule(c, err);
		for (uint32_t k = 0; k < team->size && !status; k++)
			if (parts[i].how == SHARED || (parts[i].how == ONE && member[i] == k))
				status = take_found(c, &from[k], err);
	}
	return status;
}

hb_status hb__rules_together(hb_case *c, const hb_team *team, hb_error *err)
{
	uint32_t member[PARTS], *load = malloc(team->size * sizeof *load);
	struct hb_found of[PARTS] = {0};
	struct letter own = {0};
	size_t *bytes = malloc(team->size * sizeof *bytes), at = 0;
	char **letter = malloc(team->size * sizeof *letter);
	bool good = load && bytes && letter;
	if (good)
		divide(team->size, member, load);
	struct end end = {.status = HB_OK};
	if (good)
		end = run_own(c, team, member, of);
	good = good && put(&own, &end, sizeof end);
	for (uint32_t i = 0; i < PARTS && good; i++)
		if (parts[i].how == SHARED || (parts[i].how == ONE && member[i] == team->rank))
			good = put_found(&own, &of[i]);
	char *all = good ? team->gather(team->user, own.at, own.n, bytes) : NULL;
	hb_status status = all ? HB_OK : HB_E_MEMORY;
	for (uint32_t i = 0; all && i < team->size; at += bytes[i++])
		letter[i] = all + at;
	if (all)
		status = agree(team, letter, err);
	else if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	for (uint32_t i = 0; all && i < team->size; i++)
		letter[i] += sizeof end;
	if (!status && !team->rank)
		status = put_together(c, team, member, (const char **)letter, err);
	for (uint32_t i = 0; i < PARTS; i++)
		hb__found_free(&of[i]);
	free(load);
	free(own.at);
	free(bytes);
	free(letter);
	free(all);
	return status;
}
