/* Whether two logs say the same, whatever their forms. */
#ifndef TESTS_UNIT_COMPARE_H
#define TESTS_UNIT_COMPARE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <hbdb/format.h>

static inline bool same_text(const char *a, const char *b) { return (!a && !b) || (a && b && strcmp(a, b) == 0); }

#define DIFFER(...) return printf("  differ: " __VA_ARGS__), putchar('\n'), false

static inline bool same_call(const hb_row *a, const hb_row *b)
{
	return a->function == b->function && a->site == b->site && a->nargs == b->nargs &&
	       !a->has_digest == !b->has_digest &&
	       (a->nargs == 0 || memcmp(a->arg, b->arg, a->nargs * sizeof *a->arg) == 0);
}

static inline bool same_row(const hb_row *a, const hb_row *b)
{
	return same_call(a, b) && a->number == b->number && a->lane == b->lane && a->enter == b->enter &&
	       a->exit == b->exit && a->polls == b->polls && a->skipped == b->skipped && a->result == b->result &&
	       a->digest == b->digest && a->nresults == b->nresults &&
	       (a->nresults == 0 || memcmp(a->results, b->results, a->nresults * sizeof *a->results) == 0);
}

/* The rows of a lane from event `from` on, and the call it is inside of. */
static inline bool same_rows(hb_log *a, hb_log *b, uint32_t lane, uint64_t from)
{
	hb_cursor *x = NULL, *y = NULL;
	hb_row p, q;
	hb_lane_info i, j;
	hb_error e = {0};
	bool same = !hb_cursor_open(a, lane, from, &x, &e) && !hb_cursor_open(b, lane, from, &y, &e);
	int more = same;
	while (same && more > 0) {
		more = hb_cursor_next(x, &p, &e);
		same = more == hb_cursor_next(y, &q, &e) && more >= 0 && (more == 0 || same_row(&p, &q));
	}
	if (same && !hb_log_lane(a, lane, &i) && !hb_log_lane(b, lane, &j) && i.inside)
		same = j.inside && hb_cursor_slot(x, i.inside_slot, &p) == hb_cursor_slot(y, j.inside_slot, &q) &&
		       same_call(&p, &q);
	if (!same)
		printf("  differ: lane %u from %" PRIu64 " at event %" PRIu64 " %s\n", lane, from, p.number, e.message);
	hb_cursor_close(x);
	hb_cursor_close(y);
	return same;
}

static inline bool same_comm(const hb_comm *a, const hb_comm *b)
{
	return a->parent == b->parent && a->index == b->index && a->leader == b->leader && a->rank == b->rank &&
	       a->flags == b->flags && a->size == b->size && a->remote_size == b->remote_size &&
	       memcmp(a->member, b->member, a->size * sizeof *a->member) == 0 &&
	       (a->remote_size == 0 || memcmp(a->remote, b->remote, a->remote_size * sizeof *a->remote) == 0);
}

static inline bool same_functions(const hb_log *a, const hb_log *b)
{
	for (uint32_t i = 0; i < hb_log_get_info(a)->functions; i++) {
		const hb_function *f = hb_log_function(a, i), *g = hb_log_function(b, i);
		if (!f != !g)
			DIFFER("function %u", i);
		if (!f)
			continue;
		if (f->cls != g->cls || f->nargs != g->nargs || f->calls != g->calls || !same_text(f->name, g->name))
			DIFFER("function %s", f->name);
		for (uint32_t k = 0; k < f->nargs; k++)
			if (f->arg_kind[k] != g->arg_kind[k] || !same_text(f->arg_name[k], g->arg_name[k]))
				DIFFER("argument %u of %s", k, f->name);
	}
	return true;
}

static inline bool same_remarks(const hb_log *a, const hb_log *b)
{
	hb_remark_value v[HB_REMARK_FIELDS_MOST], w[HB_REMARK_FIELDS_MOST];
	const hb_remark_row *r, *s;
	for (uint64_t k = 0; (r = hb_log_remark(a, k)) && (s = hb_log_remark(b, k)); k++) {
		if (r->lane != s->lane || r->event != s->event || r->kind != s->kind || r->bytes != s->bytes ||
			memcmp(r->at, s->at, r->bytes) != 0)
			DIFFER("remark %u", (unsigned)k);
		if (hb_remark_read(a, r, v) != hb_remark_read(b, s, w))
			DIFFER("whether remark %u can be read", (unsigned)k);
	}
	return true;
}

static inline bool same_definitions(const hb_log *a, const hb_log *b)
{
	const hb_log_info *i = hb_log_get_info(a), *j = hb_log_get_info(b);
	if (i->functions != j->functions || i->sites != j->sites || i->modules != j->modules || i->comms != j->comms ||
		i->datatypes != j->datatypes || i->ops != j->ops || i->notes != j->notes || i->remarks != j->remarks ||
		!same_functions(a, b))
		DIFFER("numbers of definitions");
	for (uint32_t k = 0; k < i->sites; k++) {
		const hb_site *s = hb_log_site(a, k), *t = hb_log_site(b, k);
		if (!s != !t || (s && (s->module != t->module || s->offset != t->offset)))
			DIFFER("site %u", k);
	}
	for (uint32_t k = 0; k < i->modules; k++) {
		const hb_module *s = hb_log_module(a, k), *t = hb_log_module(b, k);
		if (!s != !t || (s && (s->base != t->base || !same_text(s->path, t->path) ||
					      !same_text(s->build_id, t->build_id))))
			DIFFER("module %u", k);
	}
	for (uint32_t k = 0; k < i->comms; k++) {
		const hb_comm *s = hb_log_comm(a, k), *t = hb_log_comm(b, k);
		if (!s != !t || (s && !same_comm(s, t)))
			DIFFER("communicator %u", k);
	}
	for (uint32_t k = 0; k < i->datatypes; k++) {
		const hb_datatype *s = hb_log_datatype(a, k), *t = hb_log_datatype(b, k);
		if (!s != !t || (s && (s->size != t->size || !same_text(s->name, t->name))))
			DIFFER("datatype %u", k);
	}
	for (uint32_t k = 0; k < i->ops; k++)
		if (!same_text(hb_log_op(a, k), hb_log_op(b, k)))
			DIFFER("operation %u", k);
	for (uint32_t k = 0; k < i->notes; k++) {
		const hb_note *s = hb_log_note(a, k), *t = hb_log_note(b, k);
		if (s->lane != t->lane || s->event != t->event || !same_text(s->text, t->text))
			DIFFER("note %u", k);
	}
	return same_remarks(a, b);
}

static inline bool same_info(const hb_log *a, const hb_log *b)
{
	const hb_log_info *i = hb_log_get_info(a), *j = hb_log_get_info(b);
	return i->rank == j->rank && i->size == j->size && i->pid == j->pid && i->level == j->level &&
	       i->state == j->state && i->stopped == j->stopped && i->thread_level == j->thread_level &&
	       i->library == j->library && i->tick_ns == j->tick_ns && i->origin_real == j->origin_real &&
	       i->origin_mono == j->origin_mono && i->lost == j->lost && same_text(i->host, j->host) &&
	       same_text(i->version_text, j->version_text) && same_text(i->program, j->program) &&
	       i->lanes == j->lanes && i->events == j->events;
}

static inline bool same_logs(hb_log *a, hb_log *b)
{
	if (!same_info(a, b))
		DIFFER("what the headers say");
	if (!same_definitions(a, b))
		return false;
	for (uint32_t l = 0; l < hb_log_get_info(a)->lanes; l++) {
		hb_lane_info i, j;
		if (hb_log_lane(a, l, &i) || hb_log_lane(b, l, &j) || i.thread != j.thread || i.polls != j.polls ||
			i.skipped != j.skipped || i.inside != j.inside || i.inside_enter != j.inside_enter ||
			i.events != j.events)
			DIFFER("state of lane %u", l);
		if (!same_rows(a, b, l, 1))
			return false;
	}
	return true;
}

#endif
