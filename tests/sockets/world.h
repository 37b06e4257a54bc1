/* Synthetic processes that talk, their model, and what it found. */
#ifndef TESTS_SOCKETS_WORLD_H
#define TESTS_SOCKETS_WORLD_H

#include "model/model.h"
#include "rules/race.h"
#include "synthetic/network.h"
#include "unit/check.h"

#define WORLD_MOST 64

struct world {
	int n;
	bool sealed; /* its logs are read in their sealed form */
	struct net_process *p;
	hb_log *log[WORLD_MOST];
	hb_model *m;
};

/* n processes of one host and network, with the numbers 100, 101, ..., from the beginning of time. */
static inline void world_begin(struct world *w, int n)
{
	*w = (struct world){.n = n, .p = calloc((size_t)n, sizeof *w->p)};
	for (int i = 0; i < n; i++)
		net_begin(&w->p[i], 100u + (unsigned)i, "host", 1, 0);
}

/* The processes are written and read. */
static inline bool world_build(struct world *w)
{
	hb_source source[WORLD_MOST] = {0};
	hb_error err = {0};
	bool good = true;
	for (int i = 0; i < w->n; i++) {
		char name[32];
		snprintf(name, sizeof name, "rank.0.%d.log", 100 + i);
		net_save(&w->p[i], check_path(name));
		if (w->sealed)
			good = good && hb_log_seal(check_path(name), check_path("sealed"), NULL, NULL, &err) == HB_OK &&
			       rename(check_path("sealed"), check_path(name)) == 0;
		good = good && hb_log_open(check_path(name), &w->log[i], &err) == HB_OK;
		source[i] = (hb_source){.log = w->log[i], .rank = 0, .world = 100u + (unsigned)i};
	}
	good = good && hb_model_build(source, (size_t)w->n, NULL, NULL, &w->m, &err) == HB_OK;
	if (!good)
		printf("  %s\n", err.message);
	return good;
}

static inline void world_end(struct world *w)
{
	hb_model_close(w->m);
	for (int i = 0; i < w->n; i++)
		hb_log_close(w->log[i]);
	free(w->p);
}

static inline hb_at world_at(const struct world *w, int process, int lane, uint32_t event)
{
	return (hb_at){hb_model_processes(w->m)[process].first_line + (uint32_t)lane, event};
}

enum { NONE, SURE, DOUBTED };

/* Whether a message of one event came to the other, and whether that is sure. ret_bytes may be NULL. */
static inline int world_message(const struct world *w, hb_at from, hb_at to, uint64_t *ret_bytes)
{
	for (uint32_t i = 0; i < hb_model_get_info(w->m)->sends; i++) {
		const hb_send *s = &hb_model_sends(w->m)[i];
		if (s->line != from.line || s->event != from.event || s->receive == HB_NO)
			continue;
		hb_at done = hb_receive_done(w->m, s->receive);
		if (done.line != to.line || done.event != to.event)
			continue;
		if (ret_bytes)
			*ret_bytes = hb_send_bytes(w->m, i);
		return s->flags & HB_AMBIGUOUS ? DOUBTED : SURE;
	}
	return NONE;
}

static inline hb_relation world_order(const struct world *w, hb_at a, hb_at b)
{
	hb_relation relation = HB_CONCURRENT;
	bool strict;
	hb_link *chain;
	size_t n;
	hb_error err;
	if (hb_order_of(w->m, a, b, &relation, &strict, &chain, &n, &err) == HB_OK)
		free(chain);
	return relation;
}

/* So many messages were received. */
static inline uint32_t world_matched(const struct world *w) { return hb_model_get_info(w->m)->matched; }

static inline bool world_trouble(const struct world *w, const char *words)
{
	for (uint32_t i = 0; hb_model_trouble(w->m, i); i++)
		if (strstr(hb_model_trouble(w->m, i), words))
			return true;
	return false;
}

#endif
