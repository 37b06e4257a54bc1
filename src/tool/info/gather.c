/* What a recording has, added up. */
#include <stdlib.h>
#include <string.h>

#include "../remarks/remarks.h"
#include "info.h"
#include "talked.h"

static void count_calls(hb_facts *f, const hb_log *log, const hb_log_info *info)
{
	for (uint32_t i = 0; i < info->functions; i++) {
		const hb_function *function = hb_log_function(log, i);
		size_t k = 0;
		if (!function || !function->name || !function->calls)
			continue;
		while (k < f->ncalled && strcmp(f->called[k].name, function->name))
			k++;
		if (k == f->ncalled) {
			f->called = hb__resize(f->called, (k + 1) * sizeof *f->called);
			f->called[f->ncalled++] = (hb_called){function->name, 0, function->cls};
		}
		f->called[k].calls += function->calls;
	}
}

static char *identity_of(const hb_facts *f, size_t at, int64_t number, int depth)
{
	const hb_log *log = f->logs.at[at].log;
	uint32_t world = f->logs.at[at].world;
	const hb_way *way = number >= 0 ? hb_worlds_way(&f->logs.worlds, at, (uint32_t)number) : NULL;
	if (way && way->crossing != HB_NO)
		return hb__format("between %u", way->crossing);
	const hb_comm *c = number > 1 && number < HB_NO && depth < 64 ? hb_log_comm(log, (uint32_t)number) : NULL;
	if (!c)
		return world ? hb__format("%lld@%u", (long long)number, world) : hb__format("%lld", (long long)number);
	char *parent = identity_of(f, at, c->parent, depth + 1);
	/* an intercommunicator has the same index and two leaders: its groups, ordered, are its identity */
	int32_t a = c->size && c->member ? c->member[0] : -1, b = c->remote_size && c->remote ? c->remote[0] : -1;
	char *identity =
		c->flags & 1 ? hb__format("%s/%llux%d,%d", parent, (unsigned long long)c->index, a < b ? a : b,
				       a < b ? b : a)
			     : hb__format("%s/%llu.%lld", parent, (unsigned long long)c->index, (long long)c->leader);
	free(parent);
	return identity;
}

/* With members of a world that comes before that of the log. */
static bool belongs_elsewhere(const hb_facts *f, size_t log, const hb_comm *c)
{
	const hb_worlds *w = &f->logs.worlds;
	for (uint32_t i = 0; i < c->size; i++)
		if (hb_worlds_member(w, log, c->member[i]).world < w->of[log])
			return true;
	for (uint32_t i = 0; i < c->remote_size; i++)
		if (hb_worlds_member(w, log, c->remote[i]).world < w->of[log])
			return true;
	return false;
}

/* Communicators of several worlds are counted in the first of these. */
static void count_comms(hb_facts *f, size_t at, const hb_log_info *info)
{
	const hb_log *log = f->logs.at[at].log;
	uint32_t world = f->logs.at[at].world;
	for (uint32_t i = 0; i < info->comms; i++) {
		const hb_comm *c = hb_log_comm(log, i);
		size_t k = 0;
		if (!c || i == 1 || belongs_elsewhere(f, at, c))
			continue;
		char *identity = identity_of(f, at, i, 0);
		while (k < f->ncomms && strcmp(f->comms[k].identity, identity))
			k++;
		if (k == f->ncomms) {
			f->comms = hb__resize(f->comms, (k + 1) * sizeof *f->comms);
			f->comms[f->ncomms++] = (hb_community){
				hb__copy(identity), 0, c->size, c->remote_size, i, c->parent, c->flags, world, NULL};
		}
		f->comms[k].processes++;
		if (!f->comms[k].name)
			f->comms[k].name = hb_log_name(log, HB_NAMED_COMM, i);
		free(identity);
	}
}

static int by_calls(const void *a, const void *b)
{
	const hb_called *x = a, *y = b;
	return x->calls != y->calls ? (x->calls < y->calls) - (x->calls > y->calls) : strcmp(x->name, y->name);
}

void hb__info_gather(hb_facts *f)
{
	for (size_t i = 0; i < f->logs.n; i++) {
		hb_log *log = f->logs.at[i].log;
		if (!log)
			continue;
		const hb_log_info *info = hb_log_get_info(log);
		hb__add_log(log, f->logs.worlds.name ? f->logs.worlds.name[i] : NULL, &f->sum);
		f->remarks += hb__count_remarks(log);
		f->sum.bytes += info->bytes;
		count_calls(f, log, info);
		count_comms(f, i, info);
		hb__talked_add(&f->talked, log, info);
		if (!f->version_text)
			f->version_text = info->version_text;
		f->mpi = f->mpi || info->library;
	}
	hb__add_missing(&f->logs.worlds, &f->sum);
	hb__talked_match(&f->talked, &f->logs);
	if (f->ncalled)
		qsort(f->called, f->ncalled, sizeof *f->called, by_calls);
}

void hb__info_release(hb_facts *f)
{
	for (size_t i = 0; i < f->ncomms; i++)
		free(f->comms[i].identity);
	free(f->comms);
	hb__talked_release(&f->talked);
	free(f->contents);
	free(f->called);
	hb__sum_free(&f->sum);
	hb__close_logs(&f->logs);
	hb__manifest_free(&f->manifest);
}
