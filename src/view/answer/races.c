/* The list of races. */
#include <string.h>

#include "answer.h"
#include "races.h"

#define LISTED_MOST 10000

uint64_t hb__races_found(const struct hb_view_races *r) { return r ? r->found : 0; }

const struct hb_kept_race *hb__races_at(const struct hb_view_races *r, hb_at at, size_t *ret_n)
{
	size_t low = 0, high = r->n, n = 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		hb_at m = r->at[mid].at;
		if (m.line < at.line || (m.line == at.line && m.event < at.event))
			low = mid + 1;
		else
			high = mid;
	}
	while (low + n < r->n && r->at[low + n].at.line == at.line && r->at[low + n].at.event == at.event)
		n++;
	*ret_n = n;
	return &r->at[low];
}

static void put_race(struct hb_request *r, const struct hb_kept_race *race)
{
	const hb_view_server *s = r->server;
	hb_text_put(&r->out, "{\"at\":");
	hb__put_at(r, race->at);
	hb_text_format(&r->out, ",\"line\":%u,\"event\":%u,\"kind\":\"%s\",\"place\":", race->at.line, race->at.event,
		hb_race_words[race->kind]);
	if (race->place == HB_NO)
		hb_text_put(&r->out, "null");
	else
		hb_text_json(&r->out, s->races->place[race->place].text);
	hb_text_put(&r->out, ",\"got\":");
	hb__put_at(r, race->got == HB_NO ? (hb_at){0, 0} : hb_send_at(s->model, race->got));
	hb_text_format(&r->out, ",\"n\":%u,\"alternatives\":[", race->alternatives);
	for (uint32_t i = 0; i < race->kept; i++) {
		hb_text_put(&r->out, i ? "," : "");
		hb__put_at(r, hb_send_at(s->model, s->races->alternative[race->first + i].send));
	}
	hb_text_format(&r->out, "],\"uncertain\":%s}", race->uncertain ? "true" : "false");
}

void hb__answer_races(struct hb_request *r)
{
	const struct hb_view_races *all = r->server->races;
	int64_t limit, place;
	bool more = all->n < all->found;
	if (!hb__view_whole(r, "limit", 100, 0, LISTED_MOST, &limit) ||
		!hb__view_whole(r, "place", -1, -1, INT32_MAX, &place))
		return;
	hb_text_put(&r->out, "{\"places\":[");
	for (uint32_t i = 0; i < all->places; i++) {
		const struct hb_race_place *p = &all->place[i];
		hb_text_put(&r->out, i ? ",{\"place\":" : "{\"place\":");
		hb_text_json(&r->out, p->text);
		hb_text_put(&r->out, ",\"function\":");
		hb_text_json(&r->out, p->function);
		hb_text_format(&r->out, ",\"calls\":%llu,\"races\":%llu}",
			(unsigned long long)(p->calls > p->races ? p->calls : p->races), (unsigned long long)p->races);
	}
	hb_text_put(&r->out, "],\"races\":[");
	int64_t n = 0;
	for (size_t i = 0; i < all->n; i++) {
		if (place >= 0 && all->at[i].place != (uint32_t)place)
			continue;
		if (n == limit) {
			more = true;
			break;
		}
		hb_text_put(&r->out, n++ ? "," : "");
		put_race(r, &all->at[i]);
	}
	hb_text_format(
		&r->out, "],\"found\":%llu,\"more\":%s}", (unsigned long long)all->found, more ? "true" : "false");
}
