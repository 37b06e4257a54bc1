/* One pass over all lines: which call is part of which collective, with which arguments. Calls are numbered as the
 * program made them: also those that their thread never returned from, but not those that returned at once with an error about
 * an argument: the others did not see them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/collectives/parts.h"

enum what { UNKNOWN, NOTHING, ON_COMM, MAKES_WIN, MAKES_FILE, ON_WIN, ON_FILE, STARTS, MAKES_GROUP };
enum { SLOTS_MOST = 65536 };
#define BY_OPENING (INT64_C(1) << 40)

struct known {
	enum what what;
	uint32_t object; /* place of the argument that is the window or file */
	bool persistent;
};

/* A call in its process, before it has a number. */
struct call {
	struct hb__collective_call part;
	enum what what;
	bool persistent, frees;
	int64_t comm, object; /* object: window, file */
	hb_reference request; /* the one made, or started */
	uint64_t enter, exit;
};

/* A window, a file or a persistent request of a process, or its side of a communicator. */
struct thing {
	int64_t number; /* -1: not known yet */
	uint32_t lane;  /* of requests */
	uint32_t scope, calls, windows, files;
	uint32_t line; /* of its last call, and when that returned */
	uint64_t exit;
};
struct things {
	struct thing *at;
	size_t n, room;
};

struct entry {
	uint32_t scope, number;
	struct hb__collective_call part;
};

struct reading {
	hb_model *m;
	struct hb__collective_calls *p;
	struct entry *entry;
	size_t entries, entries_room;
	bool remarked; /* windows are numbered as they are made */
	bool rings;    /* processes have given up events: only what is on communicators can be put together */
	/* of the process at hand */
	uint32_t process;
	struct known *known; /* by function */
	struct things comms, windows, files, requests;
	struct call *call; /* with threads: kept until all lanes are read */
	size_t calls, calls_room;
	bool threads;
	/* of the line at hand */
	uint32_t line;
	struct {
		uint32_t era, shape;
	} * slot;
	size_t slots;
};

static hb_status no_memory(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

/* ---- functions ---- */

/* The place of the first argument of a kind; HB_NO: it has none. */
static uint32_t place_of(const hb_function *f, uint8_t kind)
{
	for (uint32_t i = 0; i < f->nargs; i++)
		if (f->arg_kind[i] == kind)
			return i;
	return HB_NO;
}

/* What a function takes part in. Those that not all processes of a communicator call are left out. */
static enum what what_of(const hb_event *e)
{
	switch (e->means->does) {
	case HB_DOES_COLLECTIVE:
	case HB_DOES_FREE_COMM:
		return ON_COMM;
	case HB_DOES_BIRTH:
		return place_of(e->function, HB_RECORDED_COMM) == HB_NO ? NOTHING : ON_COMM;
	case HB_DOES_BIRTH_OF_GROUP:
		return MAKES_GROUP;
	case HB_DOES_WINDOW_MAKE:
		return MAKES_WIN;
	case HB_DOES_WINDOW_FENCE:
	case HB_DOES_WINDOW_FREE:
		return ON_WIN;
	case HB_DOES_FILE_OPEN:
		return MAKES_FILE;
	case HB_DOES_START:
		return STARTS;
	default:
		return e->means->cls == HB_IO ? ON_FILE : NOTHING; /* those that are events are collective */
	}
}

static const struct known *know(struct reading *r, const hb_event *e)
{
	struct known *k = &r->known[e->row->function];
	if (k->what != UNKNOWN)
		return k;
	*k = (struct known){.what = what_of(e), .object = HB_NO};
	k->persistent = e->means->cls == HB_COLLECTIVE && e->means->flags & HB_PERSISTENT;
	if (k->what == ON_WIN || k->what == ON_FILE)
		k->object = place_of(e->function, k->what == ON_WIN ? HB_RECORDED_WIN : HB_RECORDED_FILE);
	return k;
}

/* ---- the calls of a line ---- */

/* The shape of an event; HB_NO without memory. */
static uint32_t shape_for(struct reading *r, const hb_event *e, bool inside)
{
	struct hb__collective_calls *p = r->p;
	uint32_t slot = e->row->slot < SLOTS_MOST && !inside ? e->row->slot : SLOTS_MOST;
	if (slot < SLOTS_MOST && slot < r->slots && r->slot[slot].era == e->row->era)
		return r->slot[slot].shape;
	size_t had = r->slots;
	if (!HB_GROW(p->shape, p->shapes_room, p->shapes + 1) || !HB_GROW(r->slot, r->slots, slot + 1))
		return HB_NO;
	if (r->slots > had)
		memset(r->slot + had, 0, (r->slots - had) * sizeof *r->slot);
	struct hb__call_shape *s = &p->shape[p->shapes];
	*s = (struct hb__call_shape){.process = r->process,
		.line = r->line,
		.site = e->row->site,
		.function = e->function,
		.means = e->means,
		.given = e->means->tells};
	bool peers_are_member = true;
	uint32_t group = hb_model_group(r->m, r->process, e->comm, &peers_are_member);
	s->remote = group != HB_NO && hb_model_groups(r->m)[group].remote_size && peers_are_member;
	for (uint32_t i = 0; i < HB__COLLECTIVE_ARGS; i++)
		s->arg[i] = i < e->row->nargs ? e->row->arg[i] : HB_ABSENT;
	r->slot[slot].era = slot < SLOTS_MOST ? e->row->era : 0;
	r->slot[slot].shape = (uint32_t)p->shapes;
	return (uint32_t)p->shapes++;
}

static bool number_call(struct reading *r, const struct call *call);

static bool keep(struct reading *r, const struct call *call)
{
	if (!r->threads)
		return number_call(r, call);
	if (!HB_GROW(r->call, r->calls_room, r->calls + 1))
		return false;
	r->call[r->calls++] = *call;
	return true;
}

static bool keep_maker(struct reading *r, const struct call *call)
{
	struct hb__collective_calls *p = r->p;
	bool unused;
	uint32_t group = hb_model_group(r->m, r->process, call->comm, &unused);
	if (group == HB_NO)
		return true;
	if (!HB_GROW(p->maker, p->makers_room, p->makers + 1))
		return false;
	p->maker[p->makers++] = (struct hb__maker){call->part, group};
	return true;
}

/* Remarks number files by their opening, other than arguments: these numbers are put apart. */
static void name_object(const struct reading *r, struct call *c)
{
	bool file = c->what == ON_FILE || c->what == MAKES_FILE;
	bool window = c->what == MAKES_WIN || (c->what == ON_WIN && c->object < 0);
	int64_t number = file || window ? hb__named_object(r->p, c->part.at, file) : -1;
	if (number >= 0)
		c->object = file ? number + BY_OPENING : number;
}

static bool read_call(struct reading *r, const hb_event *e, uint32_t number, bool inside)
{
	if (!e->function || e->row->function >= hb_log_get_info(hb_model_processes(r->m)[r->process].log)->functions)
		return true;
	const struct known *k = know(r, e);
	if (k->what == NOTHING || (r->rings && e->means->does == HB_DOES_BIRTH))
		return true;
	struct call c = {.what = k->what,
		.persistent = k->persistent,
		.comm = e->comm,
		.object = k->object != HB_NO && k->object < e->row->nargs ? e->row->arg[k->object] : -1,
		.enter = e->row->enter,
		.exit = inside ? UINT64_MAX : e->row->exit};
	c.part = (struct hb__collective_call){
		r->process, shape_for(r, e, inside), {r->line, number}, (int32_t)e->row->result};
	if (c.part.shape == HB_NO)
		return false;
	c.frees = e->means->does == HB_DOES_WINDOW_FREE || e->means->does == HB_DOES_FILE_CLOSE;
	name_object(r, &c);
	c.request = (hb_reference){e->row->lane, e->posting};
	if (k->what == MAKES_GROUP)
		return !inside || keep_maker(r, &c);
	if (k->what != STARTS)
		return keep(r, &c);
	for (uint32_t i = 0; i < e->nanswers && i < e->posts; i++) {
		c.request = e->answers[i].request;
		if (!keep(r, &c))
			return false;
	}
	return true;
}

static hb_status read_line(struct reading *r, hb_error *err)
{
	const hb_line *line = &hb_model_lines(r->m)[r->line];
	hb_events *events;
	hb_event e;
	int more = 0;
	if (r->slots)
		memset(r->slot, 0, r->slots * sizeof *r->slot);
	hb_status status = hb_events_open(hb_model_processes(r->m)[r->process].log, line->lane, &events, err);
	if (status)
		return status;
	if (!r->threads)
		hb_events_skip_times(events);
	uint32_t number = 0;
	bool memory = true;
	while (memory && (more = hb_events_next(events, &e, err)) == 1)
		memory = read_call(r, &e, ++number, false);
	if (memory && line->inside && hb_events_inside(events, &e) == 1)
		memory = read_call(r, &e, line->events, true);
	hb_events_close(events);
	return memory ? HB_OK : no_memory(err);
}

/* ---- numbers ---- */

static struct thing *add_thing(struct things *t, int64_t number, uint32_t scope)
{
	if (scope == HB_NO || !HB_GROW(t->at, t->room, t->n + 1))
		return NULL;
	t->at[t->n] = (struct thing){.number = number, .scope = scope, .line = HB_NO};
	return &t->at[t->n++];
}

/* Its first calls on the communicator may have been given up. */
static void begin_later(struct reading *r, struct thing *t, int64_t comm)
{
	struct hb__scope *a = &r->p->scope[t->scope];
	uint32_t before = hb_model_given_up(r->m, r->process, comm);
	t->calls = before == HB_NO ? 0 : before;
	if (before == HB_NO)
		a->begin = HB_NO;
	else if (a->begin < before)
		a->begin = before;
}

static struct thing *comm_of(struct reading *r, int64_t comm, bool *ret_memory)
{
	bool unused;
	uint32_t group = hb_model_group(r->m, r->process, comm, &unused);
	if (group == HB_NO)
		return NULL;
	while (r->comms.n <= (size_t)comm)
		if (!add_thing(&r->comms, -1, 0)) {
			*ret_memory = false;
			return NULL;
		}
	struct thing *t = &r->comms.at[comm];
	if (t->number < 0) {
		t->number = comm;
		t->scope = hb__scope_for(r->p, HB__ON_COMM, group, 0);
		*ret_memory = t->scope != HB_NO;
		if (r->rings && *ret_memory)
			begin_later(r, t, comm);
	}
	return *ret_memory ? t : NULL;
}

/* Files, and windows where there are no remarks, are numbered when they are first used: of several that were not used yet it is not
 * known which is meant. */
static struct thing *object_of(struct reading *r, struct things *t, int64_t number)
{
	struct thing *fresh = NULL;
	uint32_t n = 0;
	if (number < 0)
		return NULL;
	for (size_t i = t->n; i-- > 0;) {
		if (t->at[i].number == number)
			return &t->at[i];
		if (t->at[i].number < 0) {
			fresh = &t->at[i];
			n++;
		}
	}
	if (!fresh)
		return NULL;
	fresh->number = number;
	bool clear = n == 1 || (r->remarked && t == &r->windows);
	for (size_t i = 0; !clear && i < t->n; i++)
		if (&t->at[i] == fresh || t->at[i].number < 0)
			r->p->scope[t->at[i].scope].unsure = true;
	return fresh;
}

/* The handle that is freed is not recorded. */
static struct thing *only_one(struct reading *r, struct things *t)
{
	if (t->n == 1)
		return t->at;
	for (size_t i = 0; i < t->n; i++)
		r->p->scope[t->at[i].scope].unsure = true;
	return NULL;
}

/* Where a request made persistent stands, or would stand. */
static size_t request_place(const struct things *t, hb_reference ref)
{
	size_t low = 0, high = t->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct thing *at = &t->at[middle];
		if (at->lane < ref.lane || (at->lane == ref.lane && at->number < ref.posting))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool add_request(struct reading *r, hb_reference ref, uint32_t group, uint32_t number)
{
	struct things *t = &r->requests;
	size_t place = request_place(t, ref);
	if (!add_thing(t, ref.posting, hb__scope_for(r->p, HB__ON_START, group, number)))
		return false;
	struct thing made = t->at[t->n - 1];
	made.lane = ref.lane;
	memmove(&t->at[place + 1], &t->at[place], (t->n - 1 - place) * sizeof *t->at);
	t->at[place] = made;
	return true;
}

/* The program was told that an argument is wrong: the library did nothing. Of files and windows such an error may be the answer
 * to what the processes gave together. */
static bool refused(const struct hb__scope *a, const struct hb__collective_call *part)
{
	return a->kind == HB__ON_COMM && part->error > 0 && part->error <= 13;
}

static bool enter_call(struct reading *r, struct thing *t, const struct call *call)
{
	struct hb__scope *a = &r->p->scope[t->scope];
	if (!HB_GROW(r->entry, r->entries_room, r->entries + 1))
		return false;
	if (t->line != HB_NO && t->line != call->part.at.line && call->enter <= t->exit)
		a->unsure = true; /* calls of two threads at a time */
	t->line = call->part.at.line;
	t->exit = call->exit;
	if (refused(a, &call->part)) {
		a->refused = true;
		return true;
	}
	r->entry[r->entries++] = (struct entry){t->scope, t->calls++, call->part};
	if (a->calls < t->calls)
		a->calls = t->calls;
	return true;
}

static bool number_on_comm(struct reading *r, const struct call *call)
{
	bool memory = true;
	struct thing *t = comm_of(r, call->comm, &memory);
	if (!t)
		return memory;
	uint32_t group = r->p->scope[t->scope].group, number = t->calls;
	bool good = !call->part.error && call->exit != UINT64_MAX && !r->rings;
	if (!enter_call(r, t, call))
		return false;
	if (call->what == MAKES_WIN && good)
		return add_thing(&r->windows, call->object, hb__scope_for(r->p, HB__ON_WIN, group, t->windows++)) !=
		       NULL;
	if (call->what == MAKES_FILE && good)
		return add_thing(&r->files, call->object, hb__scope_for(r->p, HB__ON_FILE, group, t->files++)) != NULL;
	return !call->persistent || !good || add_request(r, call->request, group, number);
}

static bool number_call(struct reading *r, const struct call *call)
{
	struct things *t = call->what == ON_WIN ? &r->windows : &r->files;
	struct thing *object;
	switch (call->what) {
	case ON_WIN:
	case ON_FILE:
		object = call->object < 0 && call->frees ? only_one(r, t) : object_of(r, t, call->object);
		if (!object)
			return true;
		if (!enter_call(r, object, call))
			return false;
		if (call->frees) {
			memmove(object, object + 1, (size_t)(t->at + t->n - (object + 1)) * sizeof *object);
			t->n--;
		}
		return true;
	case STARTS: {
		size_t place = request_place(&r->requests, call->request);
		object = place < r->requests.n ? &r->requests.at[place] : NULL;
		bool it = object && object->lane == call->request.lane && object->number == call->request.posting;
		return !it || enter_call(r, object, call);
	}
	default:
		return number_on_comm(r, call);
	}
}

static int by_time(const void *x, const void *y)
{
	const struct call *a = x, *b = y;
	if (a->enter != b->enter)
		return a->enter < b->enter ? -1 : 1;
	if (a->part.at.line != b->part.at.line)
		return a->part.at.line < b->part.at.line ? -1 : 1;
	return a->part.at.event < b->part.at.event ? -1 : a->part.at.event > b->part.at.event;
}

static hb_status read_process(struct reading *r, hb_error *err)
{
	const hb_process *p = &hb_model_processes(r->m)[r->process];
	r->comms.n = r->windows.n = r->files.n = r->requests.n = r->calls = 0;
	r->threads = p->nlines > 1;
	r->known = calloc((size_t)hb_log_get_info(p->log)->functions + 1, sizeof *r->known);
	hb_status status = r->known ? HB_OK : no_memory(err);
	for (uint32_t i = 0; !status && i < p->nlines; i++) {
		r->line = p->first_line + i;
		status = read_line(r, err);
	}
	if (!status && r->calls)
		qsort(r->call, r->calls, sizeof *r->call, by_time);
	for (size_t i = 0; !status && i < r->calls; i++)
		if (!number_call(r, &r->call[i]))
			status = no_memory(err);
	free(r->known);
	return status;
}

/* ---- together ---- */

/* Entries stand in the order of processes: so do the parts of each collective, then. */
static hb_status sort(struct reading *r, hb_error *err)
{
	struct hb__collective_calls *p = r->p;
	uint64_t n = 0;
	for (size_t i = 0; i < p->scopes; i++) {
		p->scope[i].first = (uint32_t)n;
		n += p->scope[i].calls;
	}
	p->collectives = (uint32_t)n;
	p->first = calloc(n + 2, sizeof *p->first);
	p->part = malloc((r->entries + 1) * sizeof *p->part);
	if (!p->first || !p->part || n >= HB_NO)
		return no_memory(err);
	size_t kept = 0;
	for (size_t i = 0; i < r->entries; i++)
		if (r->entry[i].number >= p->scope[r->entry[i].scope].begin)
			r->entry[kept++] = r->entry[i];
	r->entries = kept;
	for (size_t i = 0; i < r->entries; i++)
		p->first[p->scope[r->entry[i].scope].first + r->entry[i].number + 2]++;
	for (uint64_t i = 2; i < n + 2; i++)
		p->first[i] += p->first[i - 1];
	for (size_t i = 0; i < r->entries; i++)
		p->part[p->first[p->scope[r->entry[i].scope].first + r->entry[i].number + 1]++] = r->entry[i].part;
	return HB_OK;
}

hb_status hb__parts_gather(const hb_case *c, struct hb__collective_calls *ret, hb_error *err)
{
	*ret = (struct hb__collective_calls){0};
	hb_model *m = c->model;
	struct reading r = {.m = m, .p = ret, .remarked = c->remarked, .rings = hb_model_rings(m) != 0};
	hb_status status = hb__given_gather(ret, c) ? HB_OK : no_memory(err);
	for (; !status && r.process < hb_model_get_info(m)->processes; r.process++)
		if (hb_model_processes(m)[r.process].log)
			status = read_process(&r, err);
	if (!status)
		status = sort(&r, err);
	free(r.entry);
	free(r.comms.at);
	free(r.windows.at);
	free(r.files.at);
	free(r.requests.at);
	free(r.call);
	free(r.slot);
	if (status)
		hb__parts_free(ret);
	return status;
}
