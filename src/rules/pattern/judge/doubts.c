/* What makes the answer uncertain, and what was not looked at: said, whatever the verdicts are. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rules/pattern/judge/internal.h"

static hb_status doubt(struct hb__judging *g, hb_error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static hb_status doubt(struct hb__judging *g, hb_error *err, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	hb_judgement *j = g->judgement;
	const char *kept = hb__judge_text(g, text);
	if (!kept || !HB_GROW(j->doubt, g->doubts_room, j->doubts + 1))
		return hb__judge_no_memory(err);
	j->doubt[j->doubts++] = (char *)kept;
	return HB_OK;
}

/* "1 message", "3 messages" */
typedef char counted[64];
static const char *count(uint64_t n, const char *one, const char *many, counted to)
{
	snprintf(to, sizeof(counted), "%llu %s", (unsigned long long)n, n == 1 ? one : many);
	return to;
}

static hb_status about_logs(struct hb__judging *g, hb_error *err)
{
	uint64_t cut = 0, missing = 0, lost = 0;
	counted some;
	hb_status status = HB_OK;
	for (uint32_t i = 0; i < g->info->processes; i++) {
		cut += g->process[i].log && g->process[i].cut;
		missing += !g->process[i].log;
		lost += g->process[i].log ? hb_log_get_info(g->process[i].log)->lost : 0;
	}
	g->uncertain = cut || missing || lost;
	if (cut)
		status = doubt(g, err, "%s before the process did: what came later is not known",
			count(cut, "log ends", "logs end", some));
	if (!status && missing)
		status = doubt(g, err, "%s missing", count(missing, "log is", "logs are", some));
	if (!status && lost)
		status =
			doubt(g, err, "%s lost where there was no room", count(lost, "event was", "events were", some));
	if (!status && g->options->running)
		status = doubt(g, err,
			"the run goes on: what has not come may come yet, so keys under way stand in the table alone");
	return status;
}

static hb_status about_messages(struct hb__judging *g, hb_error *err)
{
	const hb_history_sum *h = &g->judgement->history;
	counted some;
	hb_status status = HB_OK;
	g->uncertain |= h->uncertain || h->strangers || h->unread;
	if (h->uncertain)
		status = doubt(g, err, "%s have been received otherwise: threads or requests leave it open",
			count(h->uncertain, "message may", "messages may", some));
	if (!status && h->strangers)
		status = doubt(g, err, "%s in no log, and could not be looked at",
			count(h->strangers, "message was received that is", "messages were received that are", some));
	if (!status && h->unread)
		status = doubt(g, err, "%s by nobody, so what was in it is not known, and it was not looked at",
			count(h->unread, "message was received", "messages were received", some));
	return status;
}

static hb_status about_rest(struct hb__judging *g, hb_error *err)
{
	const hb_history_sum *h = &g->judgement->history;
	uint64_t messages = h->messages - h->named_messages, foreign = g->judgement->sum.foreign;
	counted some, others;
	hb_status status = HB_OK;
	if (foreign)
		status = doubt(g, err, "%s to none of the keys that the model looks at",
			count(foreign, "event belongs", "events belong", some));
	if (!status && h->named < h->events)
		status = doubt(g, err, "not looked at, as no declaration of the model names them: %s, among them %s",
			count(h->events - h->named, "event of the recording", "events of the recording", some),
			count(messages, "sent message", "sent messages", others));
	return status;
}

hb_status hb__judge_doubts(struct hb__judging *g, hb_error *err)
{
	hb_status status = about_logs(g, err);
	status = status ? status : about_messages(g, err);
	return status ? status : about_rest(g, err);
}
