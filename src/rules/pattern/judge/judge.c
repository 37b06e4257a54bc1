/* A run judged by a model, from its history to what is said. */
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/judge/internal.h"

/* ---- memory ---- */

#define BLOCK 65536u

struct hb__judge_block {
	struct hb__judge_block *next;
	size_t used, size;
	max_align_t at[];
};

hb_status hb__judge_no_memory(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

void *hb__judge_alloc(struct hb__judging *g, size_t bytes)
{
	struct hb__judge_block *b = g->blocks;
	bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!b || b->size - b->used < bytes) {
		size_t size = bytes > BLOCK ? bytes : BLOCK;
		b = calloc(1, sizeof *b + size);
		if (!b) {
			g->no_memory = true;
			return NULL;
		}
		*b = (struct hb__judge_block){.next = g->blocks, .size = size};
		g->blocks = b;
	}
	void *at = (char *)b->at + b->used;
	b->used += bytes;
	return at;
}

const char *hb__judge_text(struct hb__judging *g, const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = hb__judge_alloc(g, n);
	return copy ? memcpy(copy, text, n) : NULL;
}

static void free_blocks(struct hb__judging *g)
{
	for (struct hb__judge_block *b = g->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
}

void hb_judgement_free(hb_judgement *j)
{
	if (!j)
		return;
	struct hb__judging *g = j->own;
	if (g) {
		hb_history_close(g->history);
		free_blocks(g);
		free(g->fate);
		free(g->keep);
		free(g->story);
		free(g->see);
		free(g->event);
		free(g);
	}
	free(j->finding);
	free(j->row);
	free(j->doubt);
	free(j);
}

/* ---- judging ---- */

static hb_status check_history(struct hb__judging *g, hb_progress *progress, void *user, hb_error *err)
{
	hb_pattern_check *check = NULL;
	hb_judgement *j = g->judgement;
	hb_status status = hb_pattern_begin(g->pattern, hb_history_before, g->history, &check, err);
	if (!status)
		status = hb_history_feed(g->history, check, progress, user, err);
	if (!status)
		status = hb_pattern_end(check, false, hb__keep_verdict, g, &j->sum, err);
	if (!status && g->no_memory)
		status = hb__judge_no_memory(err);
	hb_pattern_check_close(check);
	j->history = *hb_history_get_sum(g->history);
	return status;
}

static hb_status judge(struct hb__judging *g, hb_progress *progress, void *user, hb_error *err)
{
	const hb_judge_options *o = g->options;
	hb_status status = hb_history_open(g->model, g->pattern, o->contents, o->contents_user, &g->history, err);
	status = status ? status : hb__judge_fates(g, err);
	status = status ? status : check_history(g, progress, user, err);
	status = status ? status : hb__see_events(g, err);
	status = status ? status : hb__judge_doubts(g, err);
	status = status ? status : hb__make_stories(g, err);
	status = status ? status : hb__judge_findings(g, err);
	return status ? status : hb__judge_rows(g, err);
}

hb_status hb_judge(hb_model *model, hb_pattern *pattern, const hb_judge_options *options, hb_progress *progress,
	void *user, hb_judgement **ret_judgement, hb_error *err)
{
	hb_judgement *j = calloc(1, sizeof *j);
	struct hb__judging *g = calloc(1, sizeof *g);
	*ret_judgement = NULL;
	if (!j || !g) {
		free(j);
		free(g);
		return hb__judge_no_memory(err);
	}
	*g = (struct hb__judging){.judgement = j,
		.model = model,
		.info = hb_model_get_info(model),
		.process = hb_model_processes(model),
		.line = hb_model_lines(model),
		.pattern = pattern,
		.options = options};
	g->binding = hb_pattern_bindings(pattern, &g->bindings);
	j->pattern = pattern;
	j->own = g;
	hb_status status = judge(g, progress, user, err);
	g->options = NULL; /* the caller's */
	if (status)
		hb_judgement_free(j);
	else
		*ret_judgement = j;
	return status;
}
