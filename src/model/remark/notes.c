/* Remarks of version 1, which are notes: "check leak what=comm made=12 madefn=MPI_Comm_dup count=2". */
#include <stdlib.h>
#include <string.h>

#include "format/remark/table.h"
#include "model/remark/internal.h"

/* Numbers with anything between them; of runs of two numbers the other two are those of one piece. */
static bool take_list(hb_remarks *all, const char *text, size_t n, bool runs, hb_numbers *ret)
{
	int64_t *at = hb__remark_memory(all, (2 * n + 4) * sizeof *at);
	uint32_t used = 0;
	if (!at)
		return false;
	for (const char *p = text; p < text + n;) {
		char *end;
		at[used] = strtoll(p, &end, 10);
		if (end == p)
			break;
		used++;
		if (runs && *end != ':' && used % 4 == 2) {
			at[used++] = 1;
			at[used++] = 0;
		}
		p = end + (end < text + n);
	}
	*ret = (hb_numbers){runs ? used / 4 * 4 : used, at};
	return true;
}

/* False: no memory. */
static bool take(hb_remarks *all, const struct hb_remark_column *c, const char *text, size_t n, void *at)
{
	char *end, *copy;
	int64_t number = c->type == HB_FIELD_ADDRESS ? (int64_t)strtoull(text, &end, 10) : strtoll(text, &end, 10);
	bool is_number = end > text;
	switch (c->type) {
	case HB_FIELD_SITE:
		*(uint32_t *)at = (uint32_t)number;
		return true;
	case HB_FIELD_FLAG:
		*(bool *)at = is_number ? number != 0 : *(bool *)at;
		return true;
	case HB_FIELD_WORD:
		for (unsigned i = 0; i < c->words; i++)
			if (strlen(c->word[i]) == n && !memcmp(c->word[i], text, n))
				*(unsigned *)at = i;
		return true;
	case HB_FIELD_REQUEST:
		if (is_number && *end == '.')
			*(hb_request_name *)at = (hb_request_name){true, (uint32_t)number, strtoll(end + 1, NULL, 10)};
		return true;
	case HB_FIELD_LIST:
	case HB_FIELD_RUNS:
		return take_list(all, text, n, c->type == HB_FIELD_RUNS, at);
	case HB_FIELD_TEXT:
	case HB_FIELD_FUNCTION:
		copy = hb__remark_memory(all, n + 1);
		if (!copy)
			return false;
		memcpy(copy, text, n);
		copy[n] = 0;
		*(const char **)at = copy;
		return true;
	default:
		*(int64_t *)at = is_number ? number : *(int64_t *)at;
		return true;
	}
}

bool hb__remark_noted(hb_remarks *all, const char *text, hb_remark *ret, bool *ret_memory)
{
	if (strncmp(text, HB_REMARK_BEGIN, strlen(HB_REMARK_BEGIN)) != 0)
		return false;
	text += strlen(HB_REMARK_BEGIN);
	size_t n = strcspn(text, " ");
	if ((ret->word = hb__remark_word(text, n)) == HB_REMARKS)
		return false;
	bool good = hb__remark_new(all, ret);
	for (const char *p = text + n + strspn(text + n, " "); *p && good; p += strspn(p, " ")) {
		size_t name = strcspn(p, "= "), left = strlen(p);
		bool rest = p[name] == '=' && name == 4 && !memcmp(p, "text", 4);
		size_t value = p[name] == '=' ? name + 1 : name, whole = rest ? left : strcspn(p, " ");
		void *structure;
		const struct hb_remark_column *c = hb__remark_column(ret, p, name, &structure);
		if (c && p[name] == '=')
			good = take(all, c, p + value, whole - value, (char *)structure + c->offset);
		p += whole;
	}
	*ret_memory = !good;
	return good;
}
