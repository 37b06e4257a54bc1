/* Remarks of the recorder: of all logs, each as the structure of its kind. */
#include "model/remark/remark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/remark/table.h"
#include "model/internal.h"
#include "model/remark/internal.h"

/* ---- memory ---- */

#define PIECE 65536

struct hb__remark_memory {
	struct hb__remark_memory *next;
	size_t used, size;
	max_align_t at[];
};

void *hb__remark_memory(hb_remarks *r, size_t bytes)
{
	struct hb__remark_memory *m = r->memory;
	bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!m || m->size - m->used < bytes) {
		size_t size = bytes > PIECE ? bytes : PIECE;
		m = malloc(sizeof *m + size);
		if (!m)
			return NULL;
		m->next = r->memory;
		m->used = 0;
		m->size = size;
		r->memory = m;
	}
	m->used += bytes;
	return (char *)m->at + m->used - bytes;
}

void hb_remarks_free(hb_remarks *remarks)
{
	if (!remarks)
		return;
	for (struct hb__remark_memory *m = remarks->memory, *next; m; m = next) {
		next = m->next;
		free(m);
	}
	free(remarks->at);
	free(remarks);
}

/* ---- kinds and their fields ---- */

enum hb_remark_word hb__remark_word(const char *word, size_t n)
{
	for (unsigned i = 0; i < HB_REMARKS; i++)
		if (strlen(hb_remark_kinds[i].word) == n && !memcmp(hb_remark_kinds[i].word, word, n))
			return (enum hb_remark_word)i;
	return HB_REMARKS;
}

const struct hb_remark_shape *hb__remark_shape(enum hb_remark_word word) { return &hb_remark_kinds[word]; }

static const struct hb_remark_column *named(
	const struct hb_remark_column *column, unsigned columns, const char *name, size_t n)
{
	for (unsigned i = 0; i < columns; i++)
		if (strlen(column[i].name) == n && !memcmp(column[i].name, name, n))
			return &column[i];
	return NULL;
}

const struct hb_remark_column *hb__remark_column(const hb_remark *r, const char *name, size_t n, void **ret_structure)
{
	const struct hb_remark_shape *shape = &hb_remark_kinds[r->word];
	const struct hb_remark_column *c = shape->of_call ? named(hb_columns_call, HB_CALL_COLUMNS, name, n) : NULL;
	*ret_structure = (void *)r->call;
	if (!c) {
		c = named(shape->field, shape->fields, name, n);
		*ret_structure = (void *)r->fields;
	}
	return c;
}

/* Sets a field to its default, or to nothing. */
static void clear(const struct hb_remark_column *c, void *structure)
{
	void *at = (char *)structure + c->offset;
	if (c->type <= HB_FIELD_DIGEST || c->type == HB_FIELD_ADDRESS)
		*(int64_t *)at = c->otherwise;
	else if (c->type == HB_FIELD_FLAG)
		*(bool *)at = c->otherwise;
	else if (c->type == HB_FIELD_TEXT || c->type == HB_FIELD_FUNCTION)
		*(const char **)at = "";
}

static void *cleared(hb_remarks *all, const struct hb_remark_column *column, unsigned columns, size_t size)
{
	void *structure = hb__remark_memory(all, size);
	if (!structure)
		return NULL;
	memset(structure, 0, size);
	for (unsigned i = 0; i < columns; i++)
		clear(&column[i], structure);
	return structure;
}

bool hb__remark_new(hb_remarks *all, hb_remark *r)
{
	static const struct hb_remark_call nobody = {.fn = "", .event = true};
	const struct hb_remark_shape *shape = &hb_remark_kinds[r->word];
	r->call = &nobody;
	if (shape->of_call)
		r->call = cleared(all, hb_columns_call, HB_CALL_COLUMNS, sizeof *r->call);
	r->fields = cleared(all, shape->field, shape->fields, shape->size);
	return r->call && r->fields;
}

const char *hb_remark_show(const hb_remark *r, const char *field, char *ret, size_t size)
{
	void *structure;
	const struct hb_remark_column *c = hb__remark_column(r, field, strlen(field), &structure);
	*ret = 0;
	if (!c)
		return ret;
	void *at = (char *)structure + c->offset;
	if (c->type == HB_FIELD_TEXT || c->type == HB_FIELD_FUNCTION)
		snprintf(ret, size, "%s", *(const char **)at);
	else if (c->type == HB_FIELD_WORD)
		snprintf(ret, size, "%s", c->word[*(unsigned *)at]);
	else if (c->type <= HB_FIELD_DIGEST && *(int64_t *)at != c->otherwise)
		snprintf(ret, size, "%lld", *(long long *)at);
	return ret;
}

int64_t hb_remark_number(const hb_remark *r, const char *field, int64_t otherwise)
{
	void *structure;
	const struct hb_remark_column *c = hb__remark_column(r, field, strlen(field), &structure);
	return c && c->type <= HB_FIELD_DIGEST ? *(int64_t *)((char *)structure + c->offset) : otherwise;
}

/* ---- all remarks of a run ---- */

bool hb_remarked(const hb_log *log, bool on)
{
	static const char begin[] = HB_REMARK_BEGIN "on";
	const hb_log_info *info = hb_log_get_info(log);
	bool found = info->remarks && !on;
	for (uint64_t i = 0; i < info->remarks && !found; i++) {
		const hb_remark_kind *kind = hb_log_remark_kind(log, hb_log_remark(log, i)->kind);
		found = kind && !strcmp(kind->word, "on");
	}
	for (uint32_t i = 0; i < info->notes && !found; i++)
		found = !strncmp(hb_log_note(log, i)->text, begin, on ? sizeof begin - 1 : sizeof HB_REMARK_BEGIN - 1);
	return found;
}

/* Where it stands, now that it is known whether it is about the event before. */
static void place(const hb_process *p, uint32_t lane, uint64_t event, hb_remark *r)
{
	if (lane >= p->nlines)
		return;
	bool late = r->call->late && event > 1;
	r->at = (hb_at){p->first_line + lane, (uint32_t)event - late};
}

static bool read_process(hb_remarks *all, const hb_process *p, uint32_t process)
{
	const hb_log_info *info = hb_log_get_info(p->log);
	bool on = false, memory = false;
	for (uint64_t i = 0; i < info->notes + info->remarks && !memory; i++) {
		const hb_note *note = i < info->notes ? hb_log_note(p->log, (uint32_t)i) : NULL;
		const hb_remark_row *row = note ? NULL : hb_log_remark(p->log, i - info->notes);
		hb_remark *r = &all->at[all->n];
		*r = (hb_remark){.process = process, .at = {HB_NO, 0}};
		if (note ? !hb__remark_noted(all, note->text, r, &memory)
			 : !hb__remark_typed(all, p->log, row, r, &memory))
			continue; /* no remark, or one of a newer recorder */
		place(p, note ? note->lane : row->lane, note ? note->event : row->event, r);
		on |= r->word == HB_REMARK_ON;
		all->n++;
	}
	all->all &= on;
	return !memory;
}

hb_status hb_remarks_read(const hb_model *model, hb_remarks **ret_remarks, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(model);
	const hb_process *process = hb_model_processes(model);
	size_t n = 0;
	for (uint32_t p = 0; p < info->processes; p++) {
		const hb_log_info *log = process[p].log ? hb_log_get_info(process[p].log) : NULL;
		n += log ? log->notes + log->remarks : 0;
	}
	hb_remarks *r = calloc(1, sizeof *r);
	if (r)
		r->at = calloc(n + 1, sizeof *r->at);
	bool good = r && r->at;
	if (good)
		r->all = true;
	for (uint32_t p = 0; p < info->processes && good; p++)
		good = !process[p].log || read_process(r, &process[p], p);
	if (!good) {
		hb_remarks_free(r);
		return hb__no_memory(err);
	}
	*ret_remarks = r;
	return HB_OK;
}
