/* What became of each process: a stop is told with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/event.h"
#include "model/remark/remark.h"
#include "rules/pattern/judge/internal.h"

static void name_call(const struct hb__judging *g, struct hb__fate *f)
{
	const hb_line *line = &g->line[f->at.line];
	hb_log *log = g->process[line->process].log;
	hb_events *events;
	hb_event event;
	int more;
	if (!log || hb_events_open_at(log, line->lane, line->events, &events, NULL))
		return;
	while ((more = hb_events_next(events, &event, NULL)) > 0)
		;
	if (!more && hb_events_inside(events, &event) > 0 && event.function && event.function->name)
		snprintf(f->function, sizeof f->function, "%s", event.function->name);
	hb_events_close(events);
}

static void look_at(const struct hb__judging *g, uint32_t process, struct hb__fate *f)
{
	const hb_process *p = &g->process[process];
	*f = (struct hb__fate){.kind = p->log ? HB__FATE_NONE : HB__FATE_MISSING, .at = {HB_NO, 0}};
	if (!p->log)
		return;
	f->kind = p->ending == HB_ENDING_FINALIZED ? HB__FATE_FINALIZED
		  : p->ending == HB_ENDING_LEFT    ? HB__FATE_LEFT
		  : p->ending == HB_ENDING_ABORTED ? HB__FATE_ABORTED
						   : HB__FATE_BROKEN;
	for (uint32_t i = 0; i < p->nlines; i++) {
		const hb_line *line = &g->line[p->first_line + i];
		if (line->inside && f->kind == HB__FATE_BROKEN) {
			f->kind = HB__FATE_INSIDE;
			f->at.line = HB_NO;
		}
		if (f->at.line == HB_NO && line->events && (f->kind != HB__FATE_INSIDE || line->inside))
			f->at = (hb_at){p->first_line + i, line->events};
	}
	if (process == g->options->died && f->kind != HB__FATE_FINALIZED)
		f->kind = HB__FATE_DIED;
	if (f->at.line != HB_NO && g->line[f->at.line].inside)
		name_call(g, f);
}

hb_status hb__judge_fates(struct hb__judging *g, hb_error *err)
{
	hb_remarks *remarks;
	g->fate = calloc((size_t)g->info->processes + 1, sizeof *g->fate);
	if (!g->fate)
		return hb__judge_no_memory(err);
	for (uint32_t i = 0; i < g->info->processes; i++)
		look_at(g, i, &g->fate[i]);
	hb_status status = hb_remarks_read(g->model, &remarks, err);
	if (status)
		return status;
	for (size_t i = 0; i < remarks->n; i++)
		if (remarks->at[i].word == HB_REMARK_CRASH) {
			g->fate[remarks->at[i].process].kind = HB__FATE_CRASHED;
			g->fate[remarks->at[i].process].signal = (int)remarks->at[i].crash->signal;
		}
	hb_remarks_free(remarks);
	return HB_OK;
}

const char *hb__fate_words(const struct hb__judging *g, uint32_t process, char *to, size_t size)
{
	const struct hb__fate *f = process < g->info->processes ? &g->fate[process] : NULL;
	const char *inside = f && *f->function ? f->function : NULL;
	*to = 0;
	switch (f ? f->kind : HB__FATE_NONE) {
	case HB__FATE_NONE:
		break;
	case HB__FATE_CRASHED:
		snprintf(to, size, ", which was killed by signal %d (%s)%s%s", f->signal, strsignal(f->signal),
			inside ? " inside " : "", inside ? inside : "");
		break;
	case HB__FATE_DIED:
		snprintf(to, size, ", which died first%s%s", inside ? ", inside " : "", inside ? inside : "");
		break;
	case HB__FATE_INSIDE:
		snprintf(to, size, g->options->running ? ", which is inside %s" : ", which never returned from %s",
			inside ? inside : "a call");
		break;
	case HB__FATE_BROKEN:
		snprintf(to, size, "%s", g->options->running ? "" : ", whose log just stops");
		break;
	case HB__FATE_FINALIZED:
		snprintf(to, size, ", which went on to its end");
		break;
	case HB__FATE_LEFT:
		snprintf(to, size, ", which left");
		break;
	case HB__FATE_ABORTED:
		snprintf(to, size, ", which called MPI_Abort");
		break;
	case HB__FATE_MISSING:
		snprintf(to, size, ", whose log is missing");
		break;
	}
	return to;
}
