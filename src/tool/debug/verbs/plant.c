/* Points of the user in the processes: each process has its own of gdb. */
#include <stdlib.h>
#include <string.h>

#include "../debug.h"

void hb__d_forget_planted(hb_debug *d)
{
	for (size_t i = 0; i < d->npoints; i++) {
		hb_action_point *p = &d->points[i];
		if (p->once && hb_set_count(&p->reached)) {
			hb__d_drop_point(d, p);
			i--;
			continue;
		}
		memset(p->planted, 0, ((size_t)d->size + 1) * sizeof *p->planted);
		for (int32_t k = 0; k < d->size; k++)
			hb_set_remove(&p->reached, k);
	}
}

/* A line alone is one of the chosen frame's file: gdb would take the file of what it looked at last. NULL: as it is. */
static char *location_of(hb_debug *d, int32_t rank, hb_gdb *gdb, const char *what)
{
	hb_frame frame;
	if (hb__d_number(what) < 1 || !hb__d_chosen(d, rank, gdb, &frame) || !frame.line)
		return NULL;
	return hb__format("%s:%s", frame.file, what);
}

/* Where it came to be, or what gdb says against it, is the answer of the process. */
static void plant(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	hb_action_point *p = user;
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
		char *location = location_of(d, rank, gdb, p->what);
		hb_gdb_breakpoint b = {.location = location ? location : p->what,
			.condition = p->condition,
			.ignore = p->count > 1 ? p->count - 1 : 0,
			.temporary = p->once};
		status = hb_gdb_break(gdb, rank, &b, &p->planted[rank], &where, &err);
		free(location);
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
	hb__d_reply(d, rank, false, hb__format("\"number\":%d,\"where\":%s", p->number, quoted), "%s %d set at %s%s",
		names[p->kind], p->number, place, p->once ? ", once" : "");
	free(place);
	free(quoted);
}

void hb__d_plant_one(hb_debug *d, hb_action_point *p, const hb_set *set)
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

/* Those for once that all processes of their set have been at. */
static void drop_used(hb_debug *d)
{
	for (size_t i = d->npoints; i-- > 0;) {
		hb_action_point *p = &d->points[i];
		bool used = p->once;
		for (int32_t k = hb_set_next(&p->set, 0); used && k >= 0; k = hb_set_next(&p->set, k + 1)) {
			const hb_proc *proc = hb_session_proc(hb__live_session(d->live), k);
			used = hb_set_has(&p->reached, k) ||
			       (proc && !hb__d_alive(proc) && proc->life != HB_LIFE_ABSENT);
		}
		if (used)
			hb__d_drop_point(d, p);
	}
}

void hb__d_plant(hb_debug *d, const hb_set *set)
{
	drop_used(d);
	d->quiet = true; /* where they are has been said */
	for (size_t i = 0; i < d->npoints; i++)
		hb__d_plant_one(d, &d->points[i], set);
	d->quiet = false;
}

struct changing {
	hb_action_point *point;
	int how; /* 1 enable, 0 disable, -1 delete */
};

static void apply(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	struct changing *c = user;
	hb_error err = {0};
	int number = c->point->planted[rank];
	/* one for once gdb takes away itself when the process stops there, for another one, too */
	bool taken = c->point->once && c->how < 0;
	hb_status status = c->how < 0 ? hb_gdb_delete(gdb, number, &err) : hb_gdb_enable(gdb, number, c->how, &err);
	if (status && !taken)
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
}

void hb__d_change_planted(hb_debug *d, hb_action_point *p, int how)
{
	struct changing c = {p, how};
	hb_set set;
	hb__d_init(d, &set);
	for (int32_t i = 0; i < d->size; i++) {
		const hb_proc *proc = hb_session_proc(hb__live_session(d->live), i);
		bool gone = p->once && hb_set_has(&p->reached, i); /* gdb has taken it away */
		if (p->planted[i] > 0 && !gone && proc && hb__d_alive(proc) && proc->attached)
			hb_set_add(&set, i);
	}
	if (hb_set_count(&set))
		hb__d_look(d, &set, apply, &c);
	hb_set_free(&set);
	if (how == 0 && p->kind == HB_POINT_BARRIER)
		for (int32_t i = 0; i < d->size; i++)
			hb_set_remove(&p->reached, i);
}
