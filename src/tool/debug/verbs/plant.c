/* Points of the user in the processes: each process has its own of gdb. */
#include <stdlib.h>
#include <string.h>

#include "../debug.h"

void hb__d_forget_planted(hb_debug *d)
{
	for (size_t i = 0; i < d->npoints; i++) {
		hb_point *p = &d->points[i];
		memset(p->planted, 0, ((size_t)d->size + 1) * sizeof *p->planted);
		for (int32_t k = 0; k < d->size; k++)
			hb_set_remove(&p->reached, k);
	}
}

/* Where it came to be, or what gdb says against it, is the answer of the process. */
static void plant(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	hb_point *p = user;
	hb_frame where = {0};
	hb_error err = {0};
	hb_status status;
	if (p->kind == HB_POINT_WATCH) {
		hb_frame frame;
		if (!hb__d_chosen(d, rank, gdb, &frame)) {
			p->planted[rank] = -1;
			return;
		}
		status = hb_gdb_watch(gdb, rank, frame.level, p->what, &p->planted[rank], &err);
	} else {
		hb_gdb_breakpoint b = {
			.location = p->what, .condition = p->condition, .ignore = p->count > 1 ? p->count - 1 : 0};
		status = hb_gdb_break(gdb, rank, &b, &p->planted[rank], &where, &err);
	}
	if (status) {
		p->planted[rank] = -1;
		hb__d_reply(d, rank, true, NULL, "%s: %s", p->what, err.message);
		return;
	}
	if (p->hits || d->quiet)
		return;
	char *place = p->kind == HB_POINT_WATCH ? hb__copy(p->what) : hb__d_frame_text(&where),
	     *quoted = hb__d_json(place);
	static const char *const names[] = {"breakpoint", "barrier", "watchpoint"};
	hb__d_reply(d, rank, false, hb__format("\"number\":%d,\"where\":%s", p->number, quoted), "%s %d: %s",
		names[p->kind], p->number, place);
	free(place);
	free(quoted);
}

void hb__d_plant_one(hb_debug *d, hb_point *p, const hb_set *set)
{
	hb_set todo;
	hb__d_init(d, &todo);
	for (int32_t i = hb_set_next(set, 0); i >= 0 && !p->disabled; i = hb_set_next(set, i + 1)) {
		const hb_proc *proc = hb_session_proc(hb__live_session(d->live), i);
		if (hb_set_has(&p->set, i) && !p->planted[i] && proc && hb__d_alive(proc))
			hb_set_add(&todo, i);
	}
	if (hb_set_count(&todo))
		hb__d_look(d, &todo, plant, p);
	hb_set_free(&todo);
}

void hb__d_plant(hb_debug *d, const hb_set *set)
{
	d->quiet = true; /* where they are has been said */
	for (size_t i = 0; i < d->npoints; i++)
		hb__d_plant_one(d, &d->points[i], set);
	d->quiet = false;
}

struct changing {
	hb_point *point;
	int how; /* 1 enable, 0 disable, -1 delete */
};

static void apply(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	struct changing *c = user;
	hb_error err = {0};
	int number = c->point->planted[rank];
	if (c->how < 0 ? hb_gdb_delete(gdb, number, &err) : hb_gdb_enable(gdb, number, c->how, &err))
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
}

void hb__d_change_planted(hb_debug *d, hb_point *p, int how)
{
	struct changing c = {p, how};
	hb_set set;
	hb__d_init(d, &set);
	for (int32_t i = 0; i < d->size; i++) {
		const hb_proc *proc = hb_session_proc(hb__live_session(d->live), i);
		if (p->planted[i] > 0 && proc && hb__d_alive(proc) && proc->attached)
			hb_set_add(&set, i);
	}
	if (hb_set_count(&set))
		hb__d_look(d, &set, apply, &c);
	hb_set_free(&set);
	if (how == 0)
		for (int32_t i = 0; i < d->size; i++)
			hb_set_remove(&p->reached, i);
}
