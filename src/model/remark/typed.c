/* A typed remark, by the names that its log gives to kinds and fields: a field that is not known here is left out. */
#include <string.h>

#include "format/remark/table.h"
#include "model/remark/internal.h"

static bool take_text(hb_remarks *all, const char *text, size_t n, const char **ret)
{
	char *copy = hb__remark_memory(all, n + 1);
	if (!copy)
		return false;
	memcpy(copy, text, n);
	copy[n] = 0;
	*ret = copy;
	return true;
}

static bool take_list(hb_remarks *all, const hb_remark_value *v, hb_numbers *ret)
{
	int64_t *at = hb__remark_memory(all, (v->n + 1) * sizeof *at);
	if (!at)
		return false;
	*ret = (hb_numbers){(uint32_t)hb_remark_numbers(v, at, v->n), at};
	return true;
}

/* The place among the words that are known here of a word of the log. */
static unsigned word_of(const struct hb_remark_column *c, const char *word)
{
	for (unsigned i = 0; i < c->words; i++)
		if (!strcmp(c->word[i], word))
			return i;
	return 0;
}

static const char *function_name(const hb_log *log, int64_t number)
{
	const hb_function *f = number >= 0 && number < HB_NO ? hb_log_function(log, (uint32_t)number) : NULL;
	return f && f->name ? f->name : "";
}

/* False: no memory. */
static bool take(hb_remarks *all, const hb_log *log, const hb_remark_field *f, const hb_remark_value *v,
	const struct hb_remark_column *c, void *at)
{
	if (f->type <= HB_FIELD_DIGEST || f->type == HB_FIELD_ADDRESS) {
		*(int64_t *)at = v->number;
		return true;
	}
	switch (f->type) {
	case HB_FIELD_SITE:
		*(uint32_t *)at = (uint32_t)v->number;
		return true;
	case HB_FIELD_FLAG:
		*(bool *)at = v->number;
		return true;
	case HB_FIELD_WORD:
		*(unsigned *)at = word_of(c, f->word[v->number]);
		return true;
	case HB_FIELD_FUNCTION:
		*(const char **)at = function_name(log, v->number);
		return true;
	case HB_FIELD_REQUEST:
		*(hb_request_name *)at = (hb_request_name){true, v->lane, v->number};
		return true;
	case HB_FIELD_TEXT:
		return take_text(all, v->text, v->bytes, at);
	default:
		return take_list(all, v, at);
	}
}

/* Types that are stored alike. */
static bool same_type(unsigned a, unsigned b)
{
	bool numbers = a <= HB_FIELD_DIGEST && b <= HB_FIELD_DIGEST;
	return a == b || numbers;
}

bool hb__remark_typed(hb_remarks *all, const hb_log *log, const hb_remark_row *row, hb_remark *ret, bool *ret_memory)
{
	const hb_remark_kind *kind = hb_log_remark_kind(log, row->kind);
	hb_remark_value value[HB_REMARK_FIELDS_MOST];
	if (!kind || (ret->word = hb__remark_word(kind->word, strlen(kind->word))) == HB_REMARKS ||
		!hb_remark_read(log, row, value))
		return false;
	bool good = hb__remark_new(all, ret);
	for (uint32_t i = 0; i < kind->fields && good; i++) {
		const hb_remark_field *f = &kind->field[i];
		void *structure;
		const struct hb_remark_column *c = hb__remark_column(ret, f->name, strlen(f->name), &structure);
		if (c && value[i].told && same_type(c->type, f->type))
			good = take(all, log, f, &value[i], c, (char *)structure + c->offset);
	}
	*ret_memory = !good;
	return good;
}
