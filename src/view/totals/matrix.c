/* The answer to `matrix`: who sent to whom, how much. Of many processes neighbours share a row and a column. */
#include <stdlib.h>

#include "parts.h"
#include "view/answer/answer.h"

#define ACROSS 64 /* rows and columns */

static void add(hb_traffic *cell, const hb_traffic *more)
{
	cell->messages += more->messages;
	cell->bytes += more->bytes;
	cell->unreceived += more->unreceived;
}

static void put_cells(struct hb_request *r, const hb_traffic *cell)
{
	bool first = true;
	hb_text_put(&r->out, ",\"cells\":[");
	for (uint32_t i = 0; i < ACROSS * ACROSS; i++) {
		if (!cell[i].messages)
			continue;
		hb_text_format(&r->out, "%s[%u,%u,%llu,%llu,%llu]", first ? "" : ",", i / ACROSS, i % ACROSS,
			(unsigned long long)cell[i].messages, (unsigned long long)cell[i].bytes,
			(unsigned long long)cell[i].unreceived);
		first = false;
	}
	hb_text_put(&r->out, "]}");
}

void hb__answer_matrix(struct hb_request *r)
{
	const hb_view_server *s = r->server;
	const hb_model_info *info = hb_model_get_info(s->model);
	const hb_channel *channel = hb_model_channels(s->model);
	const hb_traffic *traffic = hb_totals_traffic(s->totals);
	char text[32];
	int64_t tag, group;
	bool tagged = hb__view_parameter(r, "tag", text, sizeof text) && *text;
	bool grouped = hb__view_parameter(r, "group", text, sizeof text) && *text;
	if ((tagged && !hb__view_whole(r, "tag", 0, INT32_MIN, INT32_MAX, &tag)) ||
		(grouped && !hb__view_whole(r, "group", 0, 0, UINT32_MAX, &group)))
		return;
	hb_traffic *cell = calloc(ACROSS * ACROSS, sizeof *cell), all = {0};
	if (!cell) {
		hb__view_refuse(r, 500, "out of memory");
		return;
	}
	uint32_t each = (info->processes + ACROSS - 1) / ACROSS, n;
	each = each ? each : 1;
	n = (info->processes + each - 1) / each;
	for (uint32_t i = 0; i < info->channels; i++) {
		const hb_channel *c = &channel[i];
		if ((tagged && c->tag != tag) || (grouped && c->group != group))
			continue;
		add(&all, &traffic[i]);
		if (c->source < info->processes && c->dest < info->processes)
			add(&cell[c->source / each * ACROSS + c->dest / each], &traffic[i]);
	}
	hb_text_format(&r->out, "{\"size\":%u,\"each\":%u,\"messages\":%llu,\"bytes\":%llu,\"unreceived\":%llu", n,
		each, (unsigned long long)all.messages, (unsigned long long)all.bytes,
		(unsigned long long)all.unreceived);
	put_cells(r, cell);
	free(cell);
}
