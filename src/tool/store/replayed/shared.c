/* What processes of a replay have to know of each other's records to repeat what they did with one stream, or one socket that listens, that
 * several of them have: in which order they wrote and read, and which of them accepted which connection. */
#include "inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "calls/calls.h"
#include "model/event.h"

/* Something that was done at an end. */
struct done {
	uint64_t end; /* a hash of its name, and of what was done */
	double time;  /* ticks of the process; then nanoseconds of the host's clock */
	uint32_t process, lane, event;
	uint64_t peer; /* of an accept: a hash of the name that its connection has for who connected */
	bool used;
};
struct list {
	struct done *at;
	size_t n, room;
};
struct clock {
	const hb_log_info *info; /* NULL: nothing is read of it */
	double tick;             /* nanoseconds */
	uint64_t last;           /* the latest tick that was read */
};
struct found {
	struct clock *clock; /* by number of the process */
	struct list moved, accepted, connected, listened;
	hb__shared_list shared;
	uint32_t channels;
	bool no_memory;
};

enum { OUT = 1, IN, END };

static uint64_t hash_of(uint64_t h, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)text[i]) * 0x100000001b3u;
	return h ^ h >> 29;
}

/* Pipes have their numbers on the whole machine. */
static uint64_t end_of(const hb_log *log, const char *name, int what)
{
	uint64_t network = strncmp(name, "pipe", 4) && strncmp(name, "fifo", 4) ? hb_log_network(log) : 0;
	return hash_of(0xcbf29ce484222325u ^ network * 31 ^ (uint64_t)what << 56, name, strlen(name));
}

/* "tcp OWN > PEER" as the other side calls it: PEER > OWN. */
static uint64_t other_end(const hb_log *log, const char *name)
{
	char turned[1024];
	const char *own = strchr(name, ' '), *to = own ? strstr(own, " > ") : NULL;
	if (!to)
		return 0;
	int peer = (int)strcspn(to + 3, " ");
	snprintf(turned, sizeof turned, "%.*s %.*s > %.*s", (int)(own - name), name, peer, to + 3, (int)(to - own - 1),
		own + 1);
	return end_of(log, turned, END);
}

/* Without the path of a Unix socket. */
static uint64_t own_end(const hb_log *log, const char *name)
{
	char cut[1024];
	const char *to = strstr(name, " > ");
	if (!to)
		return 0;
	snprintf(cut, sizeof cut, "%.*s", (int)(to + 3 + strcspn(to + 3, " ") - name), name);
	return end_of(log, cut, END);
}

static void add(struct found *f, struct list *l, struct done d)
{
	if (!d.end || f->no_memory)
		return;
	if (HB_GROW(l->at, l->room, l->n + 1))
		l->at[l->n++] = d;
	else
		f->no_memory = true;
}

struct reading {
	struct found *f;
	const hb_log *log;
	uint32_t process, lane;
};

static void on_event(const struct reading *r, const hb_event *e)
{
	int64_t text = hb_event_argument(e, "end"), new = hb_event_value(e, "new");
	const char *name = text < 0 ? NULL : hb_log_text(r->log, (uint32_t)text);
	if (!name || e->row->exit == UINT64_MAX)
		return;
	struct clock *clock = &r->f->clock[r->process];
	clock->last = e->row->exit > clock->last ? e->row->exit : clock->last;
	struct done d = {0, (double)e->row->exit, r->process, r->lane, (uint32_t)e->row->number, 0, false};
	int64_t bytes = hb_event_value(e, "bytes"), result = hb_event_value(e, "result");
	switch (e->means->does) {
	case HB_DOES_BYTES_OUT: /* it may have been interrupted when it had written, and have waited before it read */
		d.time = (double)e->row->enter;
		d.end = bytes > 0 ? end_of(r->log, name, OUT) : 0;
		add(r->f, &r->f->moved, d);
		return;
	case HB_DOES_BYTES_IN:
		d.end = bytes >= 0 ? end_of(r->log, name, IN) : 0;
		add(r->f, &r->f->moved, d);
		return;
	case HB_DOES_LISTEN:
		d.end = result == 0 ? end_of(r->log, name, END) : 0;
		add(r->f, &r->f->listened, d);
		return;
	case HB_DOES_CONNECT:
		d.time = (double)e->row->enter;
		d.end = result == 0 || result == -EINPROGRESS ? own_end(r->log, name) : 0;
		add(r->f, &r->f->connected, d);
		return;
	case HB_DOES_ACCEPT:
		name = result || new < 0 ? NULL : hb_log_text(r->log, (uint32_t) new);
		d.peer = name ? other_end(r->log, name) : 0;
		d.end = name ? end_of(r->log, hb_log_text(r->log, (uint32_t)text), END) : 0;
		add(r->f, &r->f->accepted, d);
		return;
	default:
		return;
	}
}

static hb_status read_log(struct found *f, hb_log *log, uint32_t process, hb_error *ret_err)
{
	const hb_log_info *info = hb_log_get_info(log);
	struct reading r = {f, log, process, 0};
	f->clock[process] = (struct clock){info, info->tick_ns, 0};
	for (; r.lane < info->lanes && !f->no_memory; r.lane++) {
		hb_events *events;
		hb_event e;
		int got;
		hb_status status = hb_events_open(log, r.lane, &events, ret_err);
		if (status)
			return status;
		while ((got = hb_events_next(events, &e, ret_err)) == 1)
			if (HB_IS_SOCKET(e.means->cls) && !e.malformed)
				on_event(&r, &e);
		hb_events_close(events);
		if (got < 0)
			return (hb_status)got;
	}
	return HB_OK;
}

/* ---- one clock ---- */

/* The counters of one machine run alike, and that process has measured best how fast which has run for the longest time: a short one is
 * wrong by microseconds, which is more than lies between two writes. */
static void set_clocks(struct found *f, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		const struct clock *best = &f->clock[i];
		for (int32_t k = 0; best->info && k < n; k++) {
			const struct clock *c = &f->clock[k];
			double apart = c->info ? c->info->tick_ns / f->clock[i].info->tick_ns : 0;
			if (c->info && c->last > best->last && apart > 0.999 && apart < 1.001 &&
				!strcmp(c->info->host, best->info->host))
				best = c;
		}
		f->clock[i].tick = best->info ? best->info->tick_ns : 0;
	}
}

static void set_times(const struct found *f, struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct clock *c = &f->clock[l->at[i].process];
		l->at[i].time = (double)c->info->origin_mono + l->at[i].time * c->tick;
	}
}

/* ---- what follows from it ---- */

static int by_end(const void *a, const void *b)
{
	const struct done *x = a, *y = b;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->process != y->process ? (x->process < y->process ? -1 : 1)
	       : x->lane != y->lane     ? (x->lane < y->lane ? -1 : 1)
	       : x->event < y->event    ? -1
					: x->event > y->event;
}

static void sort(struct list *l)
{
	if (l->n)
		qsort(l->at, l->n, sizeof *l->at, by_end);
}

/* The first one past those of the end of `from`. */
static size_t next_end(const struct list *l, size_t from)
{
	size_t to = from;
	while (to < l->n && l->at[to].end == l->at[from].end)
		to++;
	return to;
}

static size_t first_of(const struct list *l, uint64_t end)
{
	size_t from = 0, to = l->n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (l->at[middle].end < end)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

void hb__shared_add(hb__shared_list *l, struct hb_shared t)
{
	if (!l->no_memory && HB_GROW(l->at, l->room, l->n + 1))
		l->at[l->n++] = t;
	else
		l->no_memory = true;
}

static void tell(struct found *f, const struct done *d, uint32_t kind, uint32_t a, uint32_t b)
{
	hb__shared_add(&f->shared, (struct hb_shared){d->process, d->lane, d->event, kind, a, b});
}

static bool several(const struct list *l, size_t from, size_t to, bool lines)
{
	for (size_t i = from + 1; i < to; i++)
		if (l->at[i].process != l->at[from].process || (lines && l->at[i].lane != l->at[from].lane))
			return true;
	return false;
}

static void order_streams(struct found *f)
{
	sort(&f->moved);
	for (size_t i = 0, next; i < f->moved.n; i = next) {
		next = next_end(&f->moved, i);
		if (!several(&f->moved, i, next, true))
			continue;
		for (size_t k = i; k < next; k++)
			tell(f, &f->moved.at[k], HB_SHARED_TURN, f->channels, (uint32_t)(k - i));
		f->channels++;
	}
}

static bool told_before(const struct list *l, size_t from, size_t i)
{
	for (size_t k = from; k < i; k++)
		if (l->at[k].process == l->at[i].process)
			return true;
	return false;
}

/* Of a socket whose connections several processes accept: who listens makes a queue for each of them, and who connects goes to the one
 * of the process that accepted him. */
static void share_out(struct found *f, size_t from, size_t to)
{
	size_t listens = first_of(&f->listened, f->accepted.at[from].end);
	for (size_t l = listens; l < f->listened.n && f->listened.at[l].end == f->accepted.at[from].end; l++)
		for (size_t i = from; i < to; i++)
			if (!told_before(&f->accepted, from, i))
				tell(f, &f->listened.at[l], HB_SHARED_QUEUE, f->accepted.at[i].process, 0);
	for (size_t i = from; i < to; i++) {
		const struct done *a = &f->accepted.at[i];
		size_t c = first_of(&f->connected, a->peer);
		while (c < f->connected.n && f->connected.at[c].end == a->peer && f->connected.at[c].used)
			c++;
		if (!a->peer || c == f->connected.n || f->connected.at[c].end != a->peer)
			continue;
		f->connected.at[c].used = true;
		tell(f, &f->connected.at[c], HB_SHARED_TO, a->process, 0);
	}
}

static void order_connections(struct found *f)
{
	sort(&f->accepted);
	sort(&f->connected);
	sort(&f->listened);
	for (size_t i = 0, next; i < f->accepted.n; i = next) {
		next = next_end(&f->accepted, i);
		if (several(&f->accepted, i, next, false))
			share_out(f, i, next);
	}
}

static int by_event(const void *a, const void *b)
{
	const struct hb_shared *x = a, *y = b;
	return x->process != y->process ? (x->process < y->process ? -1 : 1)
	       : x->lane != y->lane     ? (x->lane < y->lane ? -1 : 1)
	       : x->event != y->event   ? (x->event < y->event ? -1 : 1)
	       : x->kind != y->kind     ? (x->kind < y->kind ? -1 : 1) /* a turn is looked for at the first place */
	       : x->a < y->a            ? -1
					: x->a > y->a;
}

static hb_status write_file(const struct found *f, const hb_replay_folder *s, hb_error *ret_err)
{
	struct hb_shared_head head = {HB_SHARED_MAGIC, f->shared.n, f->channels};
	char *path = hb__format("%s/shared", s->script);
	FILE *to = fopen(path, "we");
	bool good = to && fwrite(&head, sizeof head, 1, to) == 1 &&
		    fwrite(f->shared.at, sizeof *f->shared.at, f->shared.n, to) == f->shared.n;
	good = to && !fclose(to) && good;
	if (!good)
		*ret_err = (hb_error){.status = HB_E_SYSTEM, .sys = errno};
	free(path);
	return good ? HB_OK : HB_E_SYSTEM;
}

static bool talks(const hb_log *log)
{
	static const uint8_t does[] = {
		HB_DOES_BYTES_OUT, HB_DOES_BYTES_IN, HB_DOES_LISTEN, HB_DOES_ACCEPT, HB_DOES_CONNECT};
	bool yes = false;
	for (size_t i = 0; i < sizeof does && !yes; i++)
		yes = hb_log_calls(log, does[i]);
	return yes;
}

hb_status hb__write_shared(const hb_logs *logs, const int32_t *numbers, hb_replay_folder *s, hb_error *ret_err)
{
	struct found f = {.clock = hb__alloc(((size_t)s->size + 1) * sizeof *f.clock)};
	hb_status status = HB_OK;
	for (size_t i = 0; i < logs->n && !status && s->only < 0; i++)
		if (numbers[i] >= 0 && logs->at[i].log && talks(logs->at[i].log))
			status = read_log(&f, logs->at[i].log, (uint32_t)numbers[i], ret_err);
	set_clocks(&f, s->size);
	struct list *const lists[] = {&f.moved, &f.accepted, &f.connected, &f.listened};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		set_times(&f, lists[i]);
	order_streams(&f);
	order_connections(&f);
	if (!status && s->only < 0)
		status = hb__find_outside(logs, numbers, &f.shared, &s->outside, ret_err);
	f.no_memory = f.no_memory || f.shared.no_memory;
	if (f.shared.n)
		qsort(f.shared.at, f.shared.n, sizeof *f.shared.at, by_event);
	if (f.no_memory)
		*ret_err = (hb_error){.status = HB_E_MEMORY};
	status = status ? status : f.no_memory ? HB_E_MEMORY : f.shared.n ? write_file(&f, s, ret_err) : HB_OK;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		free(lists[i]->at);
	free(f.clock);
	free(f.shared.at);
	return status;
}

void hb__say_outside(const hb_replay_folder *s, const hb_manifest *m, bool given)
{
	bool data = m->level && !strcmp(m->level, "data");
	if (!s->outside.n || (data && given))
		return;
	hb__say("%llu calls sent to, or got something from, processes that were not recorded (the first: %s): %s",
		(unsigned long long)s->outside.n, s->outside.first,
		data ? "without inputs nothing of that is given back, and the replay waits for them"
		     : "the recording has no contents, so they have to be there again and say the same, or the replay waits for them; record with --level data to have what came from them given back");
}
