/* A raw log that is a ring: which units hold, and what stood before them. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/internal.h"
#include "format/raw/ring.h"
#include "format/row.h"

/* The unit of the account in force with this place in it; 0: it is not there whole. */
static uint64_t unit_of(const hb_log *log, uint32_t generation, uint32_t index, struct hb_unit_header *ret)
{
	for (uint64_t at = HB_UNIT_SIZE; log->size - at >= HB_UNIT_SIZE && at < log->size; at += HB_UNIT_SIZE) {
		memcpy(ret, log->map + at, sizeof *ret);
		if (ret->magic == HB_UNIT_MAGIC && ret->kind == HB_UNIT_ACCOUNT && ret->generation == generation &&
			ret->seq == index && ret->committed <= HB_UNIT_SIZE - HB_UNIT_PAYLOAD &&
			hb__sum_unit(ret, log->map + at + HB_UNIT_PAYLOAD, ret->committed))
			return at;
	}
	return 0;
}

/* The bytes of the account in force, to be freed; NULL: it is not there whole, or there is no memory. */
static uint8_t *gather(const hb_log *log, uint64_t account, size_t *ret_n)
{
	uint32_t units = (uint32_t)account;
	uint8_t *all = units <= log->size / HB_UNIT_SIZE ? malloc((size_t)units * HB_UNIT_SIZE + 1) : NULL;
	struct hb_unit_header h;
	*ret_n = 0;
	for (uint32_t i = 0; all && i < units; i++) {
		uint64_t at = unit_of(log, (uint32_t)(account >> 32), i, &h);
		if (!at) {
			free(all);
			return NULL;
		}
		memcpy(all + *ret_n, log->map + at + HB_UNIT_PAYLOAD, h.committed);
		*ret_n += h.committed;
	}
	return all;
}

static bool base_slots(struct hb__lane_rows *l, struct hb__in *in)
{
	uint64_t n = hb__in_uv(in);
	if (in->bad || n > (uint64_t)(in->end - in->p) || l->base)
		return false;
	l->base = calloc(n + 1, sizeof *l->base);
	for (uint64_t i = 0; l->base && i < n; i++) {
		uint64_t number = hb__in_uv(in);
		l->bases = i + 1;
		if (in->bad || number >= HB_NO || !hb__slotdef_read(in, &l->base[i].slot))
			return false;
		l->base[i].number = (uint32_t)number;
	}
	return l->base;
}

static bool lanes(hb_log *log, struct hb__in *in)
{
	uint64_t n = hb__in_uv(in);
	for (uint64_t i = 0; i < n && !in->bad; i++) {
		uint64_t number = hb__in_uv(in), first = hb__in_uv(in);
		struct hb__lane_rows *l = in->bad || number >= HB_LANE_DEFINITIONS || first > UINT32_MAX
						  ? NULL
						  : hb__log_lane(log, (uint32_t)number);
		if (!l || !base_slots(l, in))
			return false;
		l->first_unit = (uint32_t)first;
	}
	return !in->bad;
}

void hb__ring_open(hb_log *log)
{
	uint64_t account;
	size_t n;
	memcpy(&account, log->map + offsetof(struct hb_log_header, account), sizeof account);
	log->ring = true;
	if (!account)
		return;
	uint8_t *all = gather(log, account, &n);
	struct hb__in in = {all, all + n, !all};
	if (in.bad || !lanes(log, &in) || !hb__before_read(log, &in)) {
		hb__trouble(log, 0, "the account of what the ring gave up is damaged");
		log->lost_account = true;
	}
	free(all);
}

bool hb__base_slots_put(struct hb__slotdef **slot, size_t *slots, uint32_t *era, const struct hb__lane_rows *lane)
{
	for (size_t i = 0; i < lane->bases; i++) {
		const struct hb__slotdef *from = &lane->base[i].slot;
		uint32_t number = lane->base[i].number;
		size_t old = *slots;
		if (number >= old) {
			if (!HB_GROW(*slot, *slots, (size_t)number + 1))
				return false;
			memset(*slot + old, 0, (*slots - old) * sizeof **slot);
		}
		struct hb__slotdef *to = &(*slot)[number];
		free(to->arg);
		*to = *from;
		to->cap = from->nargs;
		to->arg = malloc((from->nargs + 1) * sizeof *to->arg);
		if (!to->arg)
			return false;
		memcpy(to->arg, from->arg, from->nargs * sizeof *to->arg);
		to->era = ++*era ? *era : ++*era;
	}
	return true;
}
