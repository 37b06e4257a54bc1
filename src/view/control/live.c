/* Wishes to the thread that has the session, and what it publishes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "live.h"

#define LOOK_EVERY 0.05 /* seconds: a run that moves changes all the time */

hb_status hb__live_new(hb_view_server *s, hb_error *err)
{
	struct hb_view_live *l = s->live = calloc(1, sizeof *l);
	pthread_condattr_t clock;
	if (l)
		l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!l || l->fd < 0) {
		*err = (hb_error){.status = HB_E_SYSTEM, .sys = errno, .message = "cannot make an event descriptor"};
		free(l);
		s->live = NULL;
		return HB_E_SYSTEM;
	}
	pthread_mutex_init(&l->mutex, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&l->published, &clock);
	pthread_cond_init(&l->answered, &clock);
	pthread_condattr_destroy(&clock);
	l->last = &l->first;
	l->change = 1;
	l->state.reached = l->state.seconds = -1;
	return HB_OK;
}

void hb__live_free(hb_view_server *s)
{
	struct hb_view_live *l = s->live;
	if (!l)
		return;
	pthread_cond_destroy(&l->answered);
	pthread_cond_destroy(&l->published);
	pthread_mutex_destroy(&l->mutex);
	close(l->fd);
	free(l->state.process);
	free(l);
}

void hb__live_end_waiting(hb_view_server *s)
{
	struct hb_view_live *l = s->live;
	if (!l)
		return;
	pthread_mutex_lock(&l->mutex);
	l->ending = true;
	pthread_cond_broadcast(&l->published);
	pthread_cond_broadcast(&l->answered);
	pthread_mutex_unlock(&l->mutex);
}

int hb_view_fd(const hb_view_server *s) { return s->live->fd; }

void hb__live_wake(hb_view_server *s)
{
	const uint64_t one = 1;
	/* full: it is awake anyway */
	if (write(s->live->fd, &one, sizeof one) < 0)
		return;
}

/* ---- wishes ---- */

void hb__live_wish(hb_view_server *s, struct hb_wish *w)
{
	struct hb_view_live *l = s->live;
	pthread_mutex_lock(&l->mutex);
	*l->last = w;
	l->last = &w->next;
	hb__live_wake(s);
	while (!w->done && (w->begun || !l->ending))
		pthread_cond_wait(&l->answered, &l->mutex);
	if (!w->done) {
		struct hb_wish **p = &l->first;
		while (*p != w)
			p = &(*p)->next;
		*p = w->next;
		l->last = w->next ? l->last : p;
	}
	pthread_mutex_unlock(&l->mutex);
	if (!w->done)
		hb__view_refuse(w->request, 503, "hbdb view is ending");
}

static bool carry_out(hb_view_server *s)
{
	struct hb_view_live *l = s->live;
	uint64_t count;
	bool some = false;
	if (read(l->fd, &count, sizeof count) < 0 && errno != EAGAIN)
		return false;
	pthread_mutex_lock(&l->mutex);
	for (struct hb_wish *w; (w = l->first) && !l->ending; some = true) {
		l->first = w->next;
		l->last = l->first ? l->last : &l->first;
		w->begun = true;
		pthread_mutex_unlock(&l->mutex);
		hb__live_act(s, w);
		pthread_mutex_lock(&l->mutex);
		w->done = true;
		pthread_cond_broadcast(&l->answered);
	}
	pthread_mutex_unlock(&l->mutex);
	return some;
}

/* ---- publishing ---- */

static void show(const hb_view_control *c, hb_session *session, int32_t rank, struct hb_shown *ret)
{
	const hb_proc *p = hb_session_proc(session, rank);
	*ret = (struct hb_shown){.life = HB_LIFE_ABSENT, .arrival = HB_UNDERWAY};
	if (!p)
		return;
	memcpy(ret->name, p->name, sizeof ret->name);
	ret->life = p->life;
	ret->signal = p->signal;
	ret->attached = p->attached;
	ret->changes = p->changes;
	ret->arrival = hb_session_arrival(session, rank);
	snprintf(ret->bye, sizeof ret->bye, "%s", p->bye);
	for (uint32_t i = 0; i < p->nthreads; i++) {
		if (i && !p->threads[i].held)
			continue;
		ret->lane = i;
		ret->event = p->threads[i].event;
		ret->inside = p->threads[i].inside;
		ret->why = p->threads[i].why;
		if (p->threads[i].held)
			break;
	}
	const char *call = ret->life == HB_LIFE_ABSENT || ret->life == HB_LIFE_EXITED ? NULL : c->inside(c->user, rank);
	snprintf(ret->call, sizeof ret->call, "%s", call ? call : "");
	if (p->life != HB_LIFE_BROKEN)
		return;
	ret->reason = p->broken.reason;
	ret->row = p->broken.frame.line;
	snprintf(ret->function, sizeof ret->function, "%s", p->broken.frame.function);
	snprintf(ret->file, sizeof ret->file, "%s", p->broken.frame.file);
}

static bool differ(const struct hb_state *a, const struct hb_state *b)
{
	if (a->running != b->running || (a->reached < 0) != (b->reached < 0) || a->size != b->size ||
		strcmp(a->target, b->target) != 0)
		return true;
	for (int32_t i = 0; i < a->size; i++) {
		const struct hb_shown *x = &a->process[i], *y = &b->process[i];
		if (x->changes != y->changes || x->life != y->life || x->arrival != y->arrival ||
			x->event != y->event || x->inside != y->inside || strcmp(x->call, y->call) != 0)
			return true;
	}
	return false;
}

static void publish(hb_view_server *s)
{
	struct hb_view_live *l = s->live;
	const hb_view_control *c = s->o.control;
	hb_session *session = c->session(c->user);
	struct hb_state new = {.at = hb_seconds()};
	memcpy(new.target, l->state.target, sizeof new.target);
	new.running = c->running(c->user, &new.seconds, &new.reached);
	new.size = session ? hb_session_size(session) : 0;
	new.size = new.size > 0 ? new.size : 0;
	new.process = calloc((size_t) new.size + 1, sizeof *new.process);
	if (!new.process)
		return;
	for (int32_t i = 0; i < new.size; i++)
		show(c, session, i, &new.process[i]);
	pthread_mutex_lock(&l->mutex);
	if (differ(&new, &l->state)) {
		l->change++;
		pthread_cond_broadcast(&l->published);
	}
	free(l->state.process);
	l->state = new;
	pthread_mutex_unlock(&l->mutex);
}

bool hb_view_turn(hb_view_server *s)
{
	bool some = carry_out(s);
	double now = hb_seconds();
	if (s->o.control && (some || now - s->live->looked >= LOOK_EVERY)) {
		s->live->looked = now;
		publish(s);
	}
	return some;
}
