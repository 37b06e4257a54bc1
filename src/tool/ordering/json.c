/* The order of two events as one JSON object. */
#include <stdlib.h>

#include "ordering.h"

static const char *const words[] = {"same", "before", "after", "together", "concurrent"};

static void put_link(const struct hb_ordering *o, hb_output *out, const hb_link *l, const hb_link_fact *f)
{
	static const char *const kinds[] = {
		"program", "message", "probe", "synchronous", "collective", "request", "start"};
	bool message = l->kind == HB_LINK_MESSAGE || l->kind == HB_LINK_PROBE || l->kind == HB_LINK_SYNC;
	hb__put_text(out, ",\"link\":\"");
	bool edge = l->kind == HB_LINK_EDGE || l->kind == HB_LINK_EXIT;
	hb__put_text(out, edge ? hb_edge_meanings[f->edge].link : kinds[l->kind]);
	hb__put_text(out, "\"");
	if (l->kind == HB_LINK_PROGRAM) {
		hb__put_text(out, ",\"calls_between\":");
		hb__put_int(out, (int64_t)l->to.event - l->from.event - 1);
	}
	if (l->kind == HB_LINK_COLLECTIVE) {
		hb__put_text(out, ",\"function\":");
		hb__put_json(out, hb__ordering_collective(o, f));
		hb__put_text(out, ",\"number\":");
		hb__put_int(out, f->number);
		hb__put_text(out, ",\"communicator\":");
		hb__put_json(out, hb_model_groups(o->run.model)[f->group].name);
	}
	if (!message)
		return;
	if (hb_model_tag_word(o->run.model, f->group)) {
		hb__put_text(out, ",\"tag\":");
		hb__put_int(out, hb_model_tag(o->run.model, f->group, f->tag));
	}
	hb__put_text(out, ",\"bytes\":");
	hb__put_int(out, (int64_t)f->bytes);
	hb__put_text(out, f->ambiguous ? ",\"ambiguous\":true" : ",\"ambiguous\":false");
}

void hb__ordering_json(struct hb_ordering *o)
{
	hb_output *out = hb__alloc(sizeof *out);
	out->fd = 1;
	hb__put_text(out, "{\"a\":");
	hb__put_json(out, o->a_name);
	hb__put_text(out, ",\"b\":");
	hb__put_json(out, o->b_name);
	hb__put_text(out, ",\"order\":");
	hb__put_json(out, words[o->relation]);
	hb__put_text(out, o->strict ? ",\"strict\":true" : ",\"strict\":false");
	hb__put_text(out, o->whole ? ",\"complete\":true" : ",\"complete\":false");
	hb__put_text(out, ",\"a_knows\":");
	hb__put_int(out, o->a_knows);
	hb__put_text(out, ",\"b_knows\":");
	hb__put_int(out, o->b_knows);
	hb__put_text(out, ",\"chain\":[");
	if (o->n) {
		hb_at *at = hb__ordering_events(o, 0, o->n);
		char **texts = hb__event_texts(&o->run, at, o->n + 1, true);
		for (size_t i = 0; i <= o->n; i++) {
			hb__put_text(out, i ? ",{\"event\":" : "{\"event\":");
			hb__put_text(out, texts[i]);
			if (i < o->n)
				put_link(o, out, &o->chain[i], &o->fact[i]);
			hb__put_text(out, "}");
		}
		hb__free_texts(texts, o->n + 1);
		free(at);
	}
	hb__put_text(out, "]}\n");
	hb__flush(out);
	free(out);
}
