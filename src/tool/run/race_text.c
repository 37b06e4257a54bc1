/* A race in words. */
#include <stdio.h>

#include "races.h"

static void put_send(FILE *to, struct hb_races *r, uint32_t send)
{
	char name[HB_EVENT_NAME];
	const hb_place *place = hb__send_place(r, send);
	fprintf(to, "%s", hb__event_name(&r->run, hb_send_at(r->run.model, send), name));
	if (place)
		fprintf(to, " (%s)", place->text);
}

static void put_alternative(FILE *to, struct hb_races *r, hb_race_kind kind, const hb_alternative *a)
{
	char name[HB_EVENT_NAME];
	fprintf(to, kind == HB_RACE_PART ? "         or more, with " : "         or ");
	put_send(to, r, a->send);
	if (a->receive == HB_NO)
		fprintf(to, r->whole ? ", which was never received" : ", which as far as is known was not received");
	else {
		hb_at at = hb_receive_done(r->run.model, a->receive);
		fprintf(to, at.event ? ", which %s received" : ", for which %s had posted a receive",
			hb__event_name(&r->run, at.event ? at : hb_receive_post(r->run.model, a->receive), name));
	}
	fprintf(to, "%s%s\n", a->same_sender ? " (of the same sender)" : "",
		a->dependent ? " (only if an earlier race had turned out differently)" : "");
}

void hb__put_race(FILE *to, struct hb_races *r, const struct hb_kept *k)
{
	char name[HB_EVENT_NAME], post[HB_EVENT_NAME];
	const hb_race *race = &k->race;
	if (k->text) {
		fputs(k->text, to);
		return;
	}
	static const char *const did[HB_RACE_KINDS] = {"got", "saw", "completed with", "was told of", "got a part, of"};
	fprintf(to, "  %s", hb__event_name(&r->run, race->done.event ? race->done : race->post, name));
	if (race->done.event && (race->post.event != race->done.event || race->post.line != race->done.line))
		fprintf(to, ", posted by %s,", hb__event_name(&r->run, race->post, post));
	if (race->kind == HB_RACE_CHOICE && race->id == HB_NO)
		fprintf(to, " completed a request that is not a receive");
	else if (race->kind == HB_RACE_READY && race->id == HB_NO)
		fprintf(to, " was told of something else, or that its time was over");
	else if (race->got == HB_NO)
		fprintf(to, " %s an unknown message", did[race->kind]);
	else {
		fprintf(to, " %s ", did[race->kind]);
		put_send(to, r, race->got);
	}
	fprintf(to, "%s%s\n", race->dependent ? " (a consequence of earlier races)" : "",
		race->uncertain ? " (uncertain)" : "");
	for (uint32_t i = 0; i < k->nalternatives; i++)
		put_alternative(to, r, race->kind, &k->alternative[i]);
	if (race->nalternatives > k->nalternatives)
		fprintf(to, "         or %u others\n", race->nalternatives - k->nalternatives);
	if (race->several)
		fprintf(to, "         or less: several calls had sent what it got\n");
}
