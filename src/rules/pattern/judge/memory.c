/* Memory that lasts as long as a judgement. */
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/judge/internal.h"

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
