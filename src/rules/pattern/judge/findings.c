/* A finding for each story. */
#include <stdio.h>
#include <string.h>

#include "rules/pattern/judge/internal.h"

#define POINTS_MOST 4u
#define NEXT_TOLD 3u

struct telling {
	struct hb__judging *g;
	const struct hb__story *story;
	const hb_pattern_verdict *v;
	hb_point point[POINTS_MOST];
	uint32_t points;
	char text[900];
	const char *advice;
};

/* The keys of a story: "task 49", "4 keys (task 49; task 50; ...): the first". */
static const char *who(const struct telling *t, char *to, size_t size)
{
	const struct hb__story *s = t->story;
	char key[160];
	size_t most = sizeof s->some / sizeof *s->some;
	if (s->times == 1)
		return hb__key_words(t->g, t->v, to, size);
	snprintf(to, size, "%llu keys (", (unsigned long long)s->times);
	for (size_t i = 0; i < s->times && i < most; i++) {
		size_t n = strlen(to);
		snprintf(to + n, size - n, "%s%s", i ? "; " : "",
			hb__key_words(t->g, &t->g->keep[s->some[i]].v, key, sizeof key));
	}
	size_t n = strlen(to);
	snprintf(to + n, size - n, "%s)", s->times > most ? "; ..." : "");
	return to;
}

static void point(struct telling *t, uint32_t process, hb_at at, const char *role)
{
	if (t->points == POINTS_MOST)
		return;
	hb_point *p = &t->point[t->points++];
	*p = (hb_point){.process = process, .at = at};
	snprintf(p->role, sizeof p->role, "%s", role);
}

/* An event of the history, with what it is in the model. */
static void point_at(struct telling *t, uint64_t id, const char *role)
{
	const hb_pattern_event *e = hb__seen_event(t->g, id, t->v);
	char words[160], text[160];
	bool exit;
	if (!e)
		return;
	hb__half_words(t->g, e->binding, e->half, e->process, e->peer, e->key, words, sizeof words);
	snprintf(text, sizeof text, "%s: %.120s", role, words);
	point(t, e->process, hb_history_at(id, &exit), text);
}

/* Behind a text: what could come next. */
static void put_next(const struct telling *t, char *to, size_t size)
{
	const hb_pattern_verdict *v = t->v;
	for (uint32_t i = 0; i < v->nnext && i < NEXT_TOLD; i++) {
		const hb_pattern_next *x = &v->next[i];
		char words[300];
		size_t n = strlen(to);
		hb__half_words(t->g, x->binding, x->half, x->process, x->peer, x->key, words, sizeof words);
		snprintf(to + n, size - n, "%s%s", i ? ", or " : "", words);
	}
	size_t n = strlen(to);
	if (v->nnext > NEXT_TOLD)
		snprintf(to + n, size - n, ", or %u more", v->nnext - NEXT_TOLD);
}

static const char *advice_of(const struct telling *t, const hb_pattern_next *x)
{
	switch (t->g->keep[t->story->first].rank) {
	case 0:
	case 1:
		return "Look at the process where it died: replay the run with hbdb debug, which stops there and shows stack and variables.";
	case 2:
		return "Look at what the process does there: replay the run with hbdb debug, up to the last event that fitted.";
	case 3:
		return "The message is under way: look at what its receiver does instead.";
	default:
		return t->g->fate[x->process].kind == HB__FATE_FINALIZED
			       ? "The process came to its end without it: look at the condition under which it does this."
			       : "Look at what the process waits for instead.";
	}
}

/* In what the process is, or before what: all that it could go on with, with "/" between. */
static const char *where(const struct telling *t, char *to, size_t size)
{
	const hb_pattern_next *first = t->v->next;
	bool before = first->half == HB_PATTERN_BEGIN;
	snprintf(to, size, "%s %s", before ? "before" : "in", hb__place_words(t->g, first));
	for (uint32_t i = 1; i < t->v->nnext; i++) {
		const hb_pattern_next *x = &t->v->next[i];
		const char *place = hb__place_words(t->g, x);
		size_t n = strlen(to);
		if (x->process == first->process && (x->half == HB_PATTERN_BEGIN) == before && !strstr(to, place))
			snprintf(to + n, size - n, "/%s", place);
	}
	return to;
}

static void tell_stop(struct telling *t)
{
	struct hb__judging *g = t->g;
	const hb_pattern_next *x = t->v->nnext ? t->v->next : NULL;
	char keys[300], name[96], fate[160], place[160];
	who(t, keys, sizeof keys);
	if (!x) {
		snprintf(t->text, sizeof t->text, "%s stopped", keys);
		return;
	}
	hb_pattern_process(g->pattern, x->process, name, sizeof name);
	snprintf(t->text, sizeof t->text, "%s stopped%s %s at %s%s; next should come: ", keys,
		t->story->times > 1 ? ", the first" : "", where(t, place, sizeof place), name,
		hb__fate_words(g, x->process, fate, sizeof fate));
	put_next(t, t->text, sizeof t->text);
	point_at(t, x->after, "the last event that fitted");
	const struct hb__fate *f = x->process < g->info->processes ? &g->fate[x->process] : NULL;
	if (f && f->at.line != HB_NO && f->kind != HB__FATE_FINALIZED)
		point(t, x->process, f->at,
			f->kind == HB__FATE_CRASHED || f->kind == HB__FATE_DIED ? "its last call before it died"
			: *f->function                                          ? "it is in this call"
										: "its last call");
	else if (!t->points && f)
		point(t, x->process, f->at, "its last call");
	t->advice = advice_of(t, x);
}

static void tell_wrong(struct telling *t)
{
	struct hb__judging *g = t->g;
	const hb_pattern_event *e = hb__seen_event(g, t->v->wrong, t->v);
	char keys[300], words[300];
	who(t, keys, sizeof keys);
	snprintf(words, sizeof words, "an event");
	if (e)
		hb__half_words(g, e->binding, e->half, e->process, e->peer, e->key, words, sizeof words);
	if (t->story->id == HB_MODEL_ORDER) {
		const hb_pattern_event *o = hb__seen_event(g, t->v->misordered_by, t->v);
		char other[300] = "what comes before it";
		if (o)
			hb__half_words(g, o->binding, o->half, o->process, o->peer, o->key, other, sizeof other);
		snprintf(t->text, sizeof t->text,
			"%s%s: \"%s\" has to come after \"%s\" and nothing orders them: it came right by luck", keys,
			t->story->times > 1 ? ", of the first" : "", words, other);
		point_at(t, t->v->wrong, "must come later");
		point_at(t, t->v->misordered_by, "than this");
		t->advice =
			"Let a message or a collective order them, or ask for less in the model (; in the place of >>).";
		return;
	}
	snprintf(t->text, sizeof t->text, "%s%s: \"%s\" is not allowed by the model here%s", keys,
		t->story->times > 1 ? ", of the first" : "", words,
		t->v->nnext ? "; it allows: " : ", where nothing more may come");
	put_next(t, t->text, sizeof t->text);
	point_at(t, t->v->wrong, "not allowed");
	if (t->v->nnext)
		point_at(t, t->v->next[0].after, "the last event that fitted");
}

static void tell_doubt(struct telling *t)
{
	char keys[300];
	who(t, keys, sizeof keys);
	if (t->story->id == HB_MODEL_UNDECIDED) {
		snprintf(t->text, sizeof t->text, "%s: the model is ambiguous in so many ways that it was given up",
			keys);
		t->advice = "Give events more keys, or choices a condition (when), so that an event fits in one way.";
		return;
	}
	snprintf(t->text, sizeof t->text,
		"%s: an event fits the model in more than one way, so what should come next has several answers", keys);
	point_at(t, t->v->ambiguous_at, "fits in more than one way");
}

static hb_status tell(struct hb__judging *g, const struct hb__story *story, hb_error *err)
{
	hb_judgement *j = g->judgement;
	struct telling t = {.g = g, .story = story, .v = &g->keep[story->first].v};
	if (story->id == HB_MODEL_STOPPED)
		tell_stop(&t);
	else if (story->id == HB_MODEL_WRONG || story->id == HB_MODEL_ORDER)
		tell_wrong(&t);
	else
		tell_doubt(&t);
	hb_point *points = hb__judge_alloc(g, (t.points + 1) * sizeof *points);
	const char *text = hb__judge_text(g, t.text);
	if (!points || !text || !HB_GROW(j->finding, g->findings_room, j->findings + 1))
		return hb__judge_no_memory(err);
	memcpy(points, t.point, t.points * sizeof *points);
	j->finding[j->findings++] = (hb_finding){.id = story->id,
		.possible = g->uncertain && story->id != HB_MODEL_AMBIGUOUS,
		.times = story->times,
		.sentence = text,
		.advice = t.advice,
		.npoints = t.points,
		.point = points};
	return HB_OK;
}

hb_status hb__judge_findings(struct hb__judging *g, hb_error *err)
{
	hb_status status = HB_OK;
	for (size_t i = 0; i < g->stories && !status; i++)
		status = tell(g, &g->story[i], err);
	return status;
}
