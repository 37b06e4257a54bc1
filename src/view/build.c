/* Building in the background. */
#include <stdlib.h>

#include "answer/races.h"
#include "answer/sources.h"
#include "build.h"
#include "control/live.h"

/* ---- the lock ---- */

void hb__view_lock(struct hb_view_lock *l)
{
	pthread_mutex_lock(&l->mutex);
	for (uint64_t mine = l->next++; mine != l->serving;)
		pthread_cond_wait(&l->turn, &l->mutex);
	pthread_mutex_unlock(&l->mutex);
}

void hb__view_unlock(struct hb_view_lock *l)
{
	pthread_mutex_lock(&l->mutex);
	l->serving++;
	pthread_cond_broadcast(&l->turn);
	pthread_mutex_unlock(&l->mutex);
}

/* ---- the thread ---- */

/* One phase: its part of the whole. */
struct phase {
	hb_view_server *server;
	double from, share;
};

/* The only place where the thread can be ended: what it was making is left to the end of the process, which is near. */
static void step(void *user, double share)
{
	struct phase *p = user;
	pthread_mutex_lock(&p->server->mutex);
	bool ending = p->server->ending;
	p->server->progress = p->from + p->share * share;
	pthread_cond_broadcast(&p->server->changed);
	pthread_mutex_unlock(&p->server->mutex);
	if (ending)
		pthread_exit(NULL);
}

static hb_status build(hb_view_server *s, hb_error *err)
{
	struct phase p = {s, 0, 0.5};
	const hb_view_source *from = &s->o.source;
	hb_status status = from->build(from->user, step, &p, &s->model, err);
	p = (struct phase){s, 0.5, 0.3};
	status = status ? status : hb_layout_build(s->model, s->o.shift_ns, step, &p, &s->layout, err);
	p = (struct phase){s, 0.8, 0.1};
	status = status ? status : hb__races_find(s, step, &p, err);
	p = (struct phase){s, 0.9, 0.1};
	status = status ? status : hb_totals_build(s->model, s->layout, step, &p, &s->totals, err);
	return status;
}

static void *builder(void *user)
{
	hb_view_server *s = user;
	hb_error err = {0};
	hb_status status = build(s, &err);
	pthread_mutex_lock(&s->mutex);
	s->ready = !status;
	s->failed = status;
	s->err = err;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->mutex);
	hb__live_wake(s);
	return NULL;
}

hb_status hb__build_overview(hb_view_server *s, hb_error *err)
{
	return hb_overview_open(s->o.sources, s->o.nsources, s->o.shift_ns, &s->overview, err);
}

hb_status hb__build_begin(hb_view_server *s, hb_error *err)
{
	s->files = hb__sources_new();
	int failed = s->files ? pthread_create(&s->builder, NULL, builder, s) : 1;
	if (failed) {
		if (err)
			*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
		return HB_E_MEMORY;
	}
	s->building = true;
	return HB_OK;
}

void hb__build_end(hb_view_server *s)
{
	if (s->building)
		pthread_join(s->builder, NULL);
	hb__races_free(s->races);
	hb__sources_free(s->files);
	hb_totals_close(s->totals);
	hb_layout_close(s->layout);
	hb_overview_close(s->overview);
}

bool hb__built(hb_view_server *s, double *ret_progress, hb_error *ret_failed)
{
	pthread_mutex_lock(&s->mutex);
	bool ready = s->ready;
	*ret_progress = ready ? 1 : s->progress;
	*ret_failed = s->err;
	ret_failed->status = s->failed;
	pthread_mutex_unlock(&s->mutex);
	return ready;
}

hb_status hb_view_wait(hb_view_server *s, hb_error *err)
{
	pthread_mutex_lock(&s->mutex);
	while (!s->ready && !s->failed)
		pthread_cond_wait(&s->changed, &s->mutex);
	hb_status status = s->failed;
	if (err)
		*err = s->err;
	pthread_mutex_unlock(&s->mutex);
	return status;
}

bool hb_view_ready(hb_view_server *s, hb_error *ret_err)
{
	double progress;
	return hb__built(s, &progress, ret_err);
}
