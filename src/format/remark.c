/* Remarks as a log has them: typed records of kinds that the log itself defines. What they mean, model/remark/ knows. */
#include "format/remark/remark.h"

#include <string.h>

#include "base/grow.h"
#include "format/internal.h"

bool hb__remark_add(hb_log *log, uint32_t lane, uint64_t event, uint64_t kind, const uint8_t *at, uint64_t bytes)
{
	uint8_t *copy = hb__arena_get(&log->defs.arena, bytes + 1);
	if (!copy || !HB_GROW(log->remark, log->remarks_cap, log->remarks + 1))
		return false;
	if (bytes)
		memcpy(copy, at, bytes);
	log->remark[log->remarks++] =
		(hb_remark_row){.lane = lane, .event = event, .kind = kind, .bytes = bytes, .at = copy};
	return true;
}

const hb_remark_row *hb_log_remark(const hb_log *log, uint64_t index)
{
	return index < log->remarks ? &log->remark[index] : NULL;
}

const hb_remark_kind *hb_log_remark_kind(const hb_log *log, uint64_t number)
{
	return number < log->defs.remark.n ? log->defs.remark.at[number] : NULL;
}

static bool list(struct hb__in *in, hb_remark_value *ret)
{
	ret->n = hb__in_uv(in);
	if (in->bad || ret->n > (uint64_t)(in->end - in->p))
		return false;
	ret->list = in->p;
	for (uint64_t i = 0; i < ret->n; i++)
		hb__in_sv(in);
	ret->list_end = in->p;
	return !in->bad;
}

static bool value(struct hb__in *in, const hb_remark_field *field, hb_remark_value *ret)
{
	if (field->type <= HB_FIELD_DIGEST + 1u) {
		ret->number = hb__in_sv(in);
		return !in->bad;
	}
	switch (field->type) {
	case HB_FIELD_SITE:
	case HB_FIELD_FUNCTION:
	case HB_FIELD_ADDRESS:
		ret->number = (int64_t)hb__in_uv(in);
		return !in->bad;
	case HB_FIELD_WORD:
		ret->number = (int64_t)hb__in_uv(in);
		return !in->bad && (uint64_t)ret->number < field->words;
	case HB_FIELD_FLAG:
		ret->number = !field->otherwise;
		return true;
	case HB_FIELD_TEXT:
		ret->bytes = hb__in_uv(in);
		ret->text = (const char *)hb__in_bytes(in, ret->bytes);
		return ret->text;
	case HB_FIELD_REQUEST:
		ret->lane = (uint32_t)hb__in_uv(in);
		ret->number = (int64_t)hb__in_uv(in);
		return !in->bad;
	case HB_FIELD_LIST:
	case HB_FIELD_RUNS:
		return list(in, ret);
	default:
		return false;
	}
}

int hb_remark_read(const hb_log *log, const hb_remark_row *remark, hb_remark_value ret_value[HB_REMARK_FIELDS_MOST])
{
	const hb_remark_kind *kind = hb_log_remark_kind(log, remark->kind);
	struct hb__in in = {remark->at, remark->at + remark->bytes, false};
	uint64_t told = hb__in_uv(&in);
	if (!kind || in.bad || (kind->fields < 64 && told >> kind->fields))
		return false;
	for (uint32_t i = 0; i < kind->fields; i++) {
		ret_value[i] = (hb_remark_value){.told = told >> i & 1, .number = kind->field[i].otherwise};
		if (ret_value[i].told && !value(&in, &kind->field[i], &ret_value[i]))
			return false;
	}
	return in.p == in.end;
}

uint64_t hb_remark_numbers(const hb_remark_value *v, int64_t *ret_number, uint64_t most)
{
	struct hb__in in = {v->list, v->list_end, false};
	uint64_t n = v->n < most ? v->n : most;
	for (uint64_t i = 0; i < n; i++)
		ret_number[i] = hb__in_sv(&in);
	return n;
}
