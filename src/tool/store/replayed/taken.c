/* What wildcard receives of a run that came to no good end had taken, as far as their end is not in the record: in a replay they ask for that. With their
 * wildcards they could take what a later receive got, which then would wait for ever. */
#include "folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls/meaning.h"
#include "model/event.h"
#include "model/model.h"

struct taken {
	const hb_logs *logs;
	const int32_t *numbers;
	uint32_t *log_of; /* by process of the model */
	hb_model *model;
	hb_took *took;
	size_t n;
	FILE *f;
};

/* Requests that are under way when MPI is finalized are an error of the program, and few. */
static bool may_be_open(const hb_log *log)
{
	const hb_log_info *info = hb_log_get_info(log);
	return info->level == HB_LEVEL_EVENTS && info->library && info->state != HB_STATE_FINALIZED &&
	       (hb_log_calls(log, HB_DOES_RECEIVE) || hb_log_calls(log, HB_DOES_START));
}

/* The rank by which a process knows another one in a group; -1: it does not. */
static int32_t rank_in(const hb_group *g, uint32_t process, uint32_t other)
{
	bool remote = false;
	for (uint32_t i = 0; i < g->size && g->remote_size; i++)
		remote |= g->member[i] == process;
	const uint32_t *peer = remote ? g->remote : g->member;
	for (uint32_t i = 0; i < (remote ? g->remote_size : g->size); i++)
		if (peer[i] == other)
			return (int32_t)i;
	return -1;
}

static bool write_one(const struct taken *t, const hb_took *took, int32_t number, uint32_t lane, int64_t posting)
{
	const hb_channel *c = &hb_model_channels(t->model)[hb_model_sends(t->model)[took->send].channel];
	int32_t source = rank_in(&hb_model_groups(t->model)[c->group], c->dest, c->source);
	return source < 0 || fprintf(t->f, "%d %u %lld %d %d\n", number, lane, (long long)posting, source, c->tag) > 0;
}

/* Those from `i` on that are of one line, in one pass over its events, which are numbered by postings as they are read. False: it could not be written. */
static bool write_line_of(const struct taken *t, size_t *i)
{
	const hb_receive *receives = hb_model_receives(t->model);
	uint32_t line = receives[t->took[*i].receive].line;
	const hb_line *l = &hb_model_lines(t->model)[line];
	uint32_t log = t->log_of[l->process];
	int32_t number = log == HB_NO ? -1 : t->numbers[log];
	hb_events *events = NULL;
	hb_event e;
	bool good = true, open = number >= 0 && !hb_events_open(t->logs->at[log].log, l->lane, &events, NULL);
	while (*i < t->n && receives[t->took[*i].receive].line == line) {
		uint32_t post = receives[t->took[*i].receive].post;
		while (open && (open = hb_events_next(events, &e, NULL) == 1) && e.row->number < post)
			;
		bool alone = open && e.row->number == post && e.posts == 1;
		good = good && (!alone || write_one(t, &t->took[*i], number, l->lane, e.posting));
		(*i)++;
	}
	if (events)
		hb_events_close(events);
	return good;
}

static hb_status write_file(struct taken *t, const char *script, hb_error *ret_err)
{
	char *path = hb__format("%s/taken", script);
	t->f = fopen(path, "we");
	bool good = t->f != NULL;
	for (size_t i = 0; good && i < t->n;)
		good = write_line_of(t, &i);
	good = t->f && !fclose(t->f) && good;
	if (!good)
		*ret_err = (hb_error){.status = HB_E_SYSTEM, .sys = errno};
	free(path);
	return good ? HB_OK : HB_E_SYSTEM;
}

hb_status hb__write_taken(const hb_logs *logs, const int32_t *numbers, const hb_replay_folder *s, hb_error *ret_err)
{
	struct taken t = {.logs = logs, .numbers = numbers};
	bool any = false;
	for (size_t i = 0; s->only < 0 && i < logs->n && !any; i++)
		any = numbers[i] >= 0 && may_be_open(logs->at[i].log);
	if (!any)
		return HB_OK;
	size_t n;
	hb_error err = {0};
	hb_source *sources = hb__make_sources(logs, &n, &t.log_of);
	hb_status status = HB_OK;
	if (hb_model_build(sources, n, NULL, NULL, &t.model, &err))
		hb__say("what receives had taken that were never completed is not known (%s): in this replay they may take what others got",
			*err.message ? err.message : "there is no memory for it");
	else if (hb_model_took(t.model, &t.took, &t.n))
		*ret_err = (hb_error){.status = status = HB_E_MEMORY};
	else if (t.n)
		status = write_file(&t, s->script, ret_err);
	free(t.took);
	hb_model_close(t.model);
	free(sources);
	free(t.log_of);
	return status;
}
