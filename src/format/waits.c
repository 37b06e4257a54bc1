/* What the last call of a lane waits for: the requests of a completion, the call of a poll that was told no. Recorded
 * with remarks only; in the lane control of a raw log, in a section of its own of a sealed one. */
#include <stdlib.h>
#include <string.h>

#include "format/internal.h"
#include "format/row.h"

#define MOST ((HB_UNIT_SIZE - HB_LANE_WAITS) / sizeof(uint64_t))

bool hb__waits_take(struct hb__lane_rows *lane, const struct hb_lane_control *k)
{
	uint32_t n = k->waits < MOST ? (uint32_t)k->waits : (uint32_t)MOST;
	lane->asked = k->asked;
	if (!k->asked)
		return true;
	lane->info.polling = k->polling != 0 && k->polling <= HB_NO;
	lane->info.polling_slot = lane->info.polling ? (uint32_t)(k->polling - 1) : 0;
	lane->info.waits = k->waits;
	if (!n)
		return true;
	lane->wait = malloc(n * sizeof *lane->wait);
	if (!lane->wait)
		return false;
	memcpy(lane->wait, k->wait, n * sizeof *lane->wait);
	lane->info.wait = lane->wait;
	lane->info.nwait = n;
	return true;
}

void hb__waits_keep(struct hb__lane_rows *lane, uint64_t events, bool defined, bool damaged)
{
	hb_lane_info *info = &lane->info;
	bool holds = !damaged && lane->asked == events + 1 && (info->polling ? defined : info->inside);
	if (holds)
		return;
	info->polling = 0;
	info->polling_slot = 0;
	info->waits = info->nwait = 0;
	info->wait = NULL;
}

void hb__waits_write(const hb_lane_info *info, const hb_row *polling, struct hb__bytes *out)
{
	hb__bytes_uv(out, info->waits);
	hb__bytes_uv(out, info->nwait);
	for (uint32_t i = 0; i < info->nwait; i++)
		hb__bytes_uv(out, info->wait[i]);
	hb__bytes_u8(out, polling != NULL);
	if (!polling)
		return;
	hb__bytes_uv(out, polling->function);
	hb__bytes_uv(out, polling->site);
	hb__bytes_uv(out, polling->has_digest ? HB_SLOT_CHECK : 0);
	hb__bytes_uv(out, polling->nargs);
	for (uint32_t i = 0; i < polling->nargs; i++)
		hb__bytes_sv(out, polling->arg[i]);
}

bool hb__waits_read(struct hb__lane_rows *lane, struct hb__in *in)
{
	hb_lane_info *info = &lane->info;
	uint64_t waits = hb__in_uv(in), n = hb__in_uv(in);
	if (in->bad || lane->wait || n > waits || n > MOST || n > (uint64_t)(in->end - in->p))
		return false;
	lane->wait = malloc((n + 1) * sizeof *lane->wait);
	if (!lane->wait)
		return false;
	for (uint64_t i = 0; i < n; i++)
		lane->wait[i] = hb__in_uv(in);
	bool polling = hb__in_u8(in);
	if (in->bad || (polling && (lane->polling.defined || !hb__slotdef_read(in, &lane->polling))))
		return false;
	info->waits = waits;
	info->nwait = (uint32_t)n;
	info->wait = lane->wait;
	info->polling = polling;
	info->polling_slot = polling ? HB__SLOT_POLLING : 0;
	return true;
}
