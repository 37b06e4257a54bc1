/* Remarks of the recorder: notes that are for a program to read. */
#include "model/remark/remark.h"

#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

static const char *const words[] = {
#define HB_REMARK(name, word, keys) word,
#include "format/remark.def"
#undef HB_REMARK
};

static bool word_of(const char **text, enum hb_remark_word *ret_word)
{
	size_t n = strcspn(*text, " ");
	for (unsigned i = 0; i < HB_REMARKS; i++)
		if (strlen(words[i]) == n && !strncmp(words[i], *text, n)) {
			*ret_word = (enum hb_remark_word)i;
			*text += n + ((*text)[n] == ' ');
			return true;
		}
	return false;
}

/* A remark of an unknown word is one of a newer recorder: left out. */
static bool parse(const hb_model *model, uint32_t process, const hb_note *note, hb_remark *ret)
{
	const hb_process *p = &hb_model_processes(model)[process];
	const char *text = note->text;
	if (strncmp(text, HB_REMARK_BEGIN, strlen(HB_REMARK_BEGIN)) != 0)
		return false;
	text += strlen(HB_REMARK_BEGIN);
	*ret = (hb_remark){.process = process, .at = {HB_NO, 0}};
	if (!word_of(&text, &ret->word))
		return false;
	ret->text = text;
	if (note->lane < p->nlines) {
		bool late = hb_remark_number(ret, "late", 0) && note->event > 1;
		ret->at = (hb_at){p->first_line + note->lane, (uint32_t)note->event - late};
	}
	return true;
}

hb_status hb_remarks_read(const hb_model *model, hb_remarks **ret_remarks, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(model);
	const hb_process *process = hb_model_processes(model);
	size_t n = 0;
	for (uint32_t p = 0; p < info->processes; p++)
		n += process[p].log ? hb_log_get_info(process[p].log)->notes : 0;
	hb_remarks *r = calloc(1, sizeof *r);
	if (r)
		r->at = calloc(n + 1, sizeof *r->at);
	if (!r || !r->at) {
		hb_remarks_free(r);
		return hb__no_memory(err);
	}
	r->all = true;
	for (uint32_t p = 0; p < info->processes; p++) {
		bool on = false;
		uint32_t notes = process[p].log ? hb_log_get_info(process[p].log)->notes : 0;
		for (uint32_t i = 0; i < notes; i++)
			if (parse(model, p, hb_log_note(process[p].log, i), &r->at[r->n]))
				on |= r->at[r->n++].word == HB_REMARK_ON;
		r->all &= on || !process[p].log;
	}
	*ret_remarks = r;
	return HB_OK;
}

void hb_remarks_free(hb_remarks *remarks)
{
	if (remarks)
		free(remarks->at);
	free(remarks);
}

/* ---- values ---- */

static const char *value_of(const hb_remark *remark, const char *key)
{
	size_t n = strlen(key);
	for (const char *p = remark->text; *p;) {
		if (!strncmp(p, key, n) && p[n] == '=')
			return p + n + 1;
		if (!strncmp(p, "text=", 5))
			return NULL;
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	return NULL;
}

int64_t hb_remark_number(const hb_remark *remark, const char *key, int64_t otherwise)
{
	const char *v = value_of(remark, key);
	char *end;
	if (!v)
		return otherwise;
	int64_t n = strtoll(v, &end, 10);
	return end == v ? otherwise : n;
}

const char *hb_remark_text(const hb_remark *remark, const char *key, char *ret, size_t size)
{
	const char *v = value_of(remark, key);
	size_t n = !v ? 0 : strcmp(key, "text") == 0 ? strlen(v) : strcspn(v, " ");
	n = n < size ? n : size - 1;
	if (n)
		memcpy(ret, v, n);
	ret[n] = 0;
	return ret;
}

bool hb_remark_request(const hb_remark *remark, const char *key, uint32_t *ret_lane, int64_t *ret_posting)
{
	const char *v = value_of(remark, key);
	char *end;
	if (!v)
		return false;
	unsigned long lane = strtoul(v, &end, 10);
	if (end == v || *end != '.')
		return false;
	*ret_lane = (uint32_t)lane;
	*ret_posting = strtoll(end + 1, NULL, 10);
	return true;
}
