/* The picture of a key for the page: what stands where is the page's. */
#include "../../show/out.h"
#include "key.h"

static void text(hb_output *out, const char *name, const char *value)
{
	hb__put_text(out, name);
	if (value && *value)
		hb__put_json(out, value);
	else
		hb__put_text(out, "null");
}

static void number(hb_output *out, const char *name, size_t value)
{
	hb__put_text(out, name);
	hb__put_int(out, value == SIZE_MAX ? -1 : (int64_t)value);
}

void hb__key_json(const hb_key_picture *p, hb_output *out)
{
	char name[96];
	text(out, "{\"title\":", p->title);
	number(out, ",\"columns\":", p->columns);
	hb__put_text(out, ",\"rows\":[");
	for (size_t i = 0; i < p->graph->processes; i++) {
		hb_pattern_process(
			hb__model_judgement(p->found)->pattern, p->graph->process[i].process, name, sizeof name);
		hb__put_text(out, i ? "," : "");
		hb__put_json(out, name);
	}
	hb__put_text(out, "],\"boxes\":[");
	for (size_t i = 0; i < p->boxes; i++) {
		const hb_key_box *b = &p->box[i];
		number(out, i ? ",{\"row\":" : "{\"row\":", p->row[b->process]);
		number(out, ",\"column\":", b->column);
		text(out, ",\"words\":", b->words);
		text(out, ",\"more\":", b->more);
		text(out, ",\"at\":", b->event);
		number(out, ",\"before\":", b->before);
		hb__put_text(out, b->expected ? ",\"expected\":true" : ",\"expected\":false");
		hb__put_text(out, b->wrong ? ",\"wrong\":true}" : ",\"wrong\":false}");
	}
	hb__put_text(out, "],\"arrows\":[");
	for (size_t i = 0; i < p->lines; i++) {
		number(out, i ? ",{\"from\":" : "{\"from\":", p->line[i].from);
		number(out, ",\"to\":", p->line[i].to);
		text(out, ",\"words\":", p->line[i].words);
		hb__put_text(out, p->line[i].expected ? ",\"expected\":true}" : ",\"expected\":false}");
	}
	hb__put_text(out, "]}");
}
