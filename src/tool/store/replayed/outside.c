/* Who talks to the processes of a replay and is none of them: whoever was not recorded, and is not there now. What came from there is given
 * back where the recording has it; so each event that such a one is at the other side of is told to its process (calls/sockets/shared.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "calls/calls.h"
#include "calls/sockets/datagrams.h"
#include "inside.h"
#include "model/event.h"

#define NAME 1024

struct keys {
	uint64_t *at;
	size_t n, room;
};
/* A connection that was made here, as both of its ends can call it. */
struct made {
	uint64_t here, there, path;
};
struct mades {
	struct made *at;
	size_t n, room;
};
struct looking {
	hb__shared_list *told;
	struct mades connected, accepted;
	struct keys sent; /* datagrams, by where they were left and their key there */
	struct keys
		doubtful; /* paths of Unix sockets from which connections were accepted whose other end is not known */
	struct keys outside; /* ends of connections to nobody here */
	const hb_log *log;
	uint32_t process, lane;
	bool marks; /* the second pass */
	hb__outside *found;
};

static uint64_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * 0x100000001b3u;
	return h ^ h >> 29;
}

static void put(struct looking *l, struct keys *k, uint64_t key)
{
	if (!l->told->no_memory && HB_GROW(k->at, k->room, k->n + 1))
		k->at[k->n++] = key;
	else
		l->told->no_memory = true;
}

static int order(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void sort(struct keys *k)
{
	if (k->n)
		qsort(k->at, k->n, sizeof *k->at, order);
}

static bool has(const struct keys *k, uint64_t key) { return k->n && bsearch(&key, k->at, k->n, sizeof *k->at, order); }

/* Unix sockets have a number each, on the whole machine; where it is 0 it was not known. */
static struct made made_of(const char *end)
{
	char own[NAME], peer[NAME], here[2 * NAME + 8], there[2 * NAME + 8];
	int word = (int)strcspn(end, " ");
	hb_end_parts(end, own, peer, NAME);
	char *path = strchr(peer, ' ');
	if (path)
		*path++ = 0;
	bool local = !strncmp(end, "unix ", 5);
	snprintf(here, sizeof here, local ? "%.*s %s" : "%.*s %s > %s", word, end, own, peer);
	snprintf(there, sizeof there, local ? "%.*s %s" : "%.*s %s > %s", word, end, peer, own);
	return (struct made){hash(here), local && !strcmp(peer, "0") ? 0 : hash(there), path ? hash(path) : 0};
}

static void put_made(struct looking *l, struct mades *m, struct made made)
{
	if (!l->told->no_memory && HB_GROW(m->at, m->room, m->n + 1))
		m->at[m->n++] = made;
	else
		l->told->no_memory = true;
}

static void tell(struct looking *l, const hb_event *e, uint32_t place, const char *word, const char *address)
{
	hb__shared_add(l->told,
		(struct hb_shared){l->process, l->lane, (uint32_t)e->row->number, HB_SHARED_OUTSIDE, place, 0});
	if (!l->found->n++)
		snprintf(l->found->first, sizeof l->found->first, "%.*s %s", (int)strcspn(word, " "), word, address);
}

/* ---- datagrams ---- */

static void on_datagrams(struct looking *l, const hb_event *e, const char *end)
{
	bool out = e->means->does == HB_DOES_DATAGRAM_OUT;
	for (uint32_t i = 0; 3 * i + 2 < e->row->nresults; i++) {
		const int64_t *told = e->row->results + 3 * (size_t)i;
		const char *named = told[2] < 0 ? NULL : hb_log_text(l->log, (uint32_t)told[2]);
		char own[NAME], peer[NAME], place[HB_DATAGRAM_PLACE];
		hb_end_parts(end, own, peer, NAME);
		if (named)
			snprintf(peer, NAME, "%s", named);
		hb_datagram_place(end, out ? peer : own, place);
		uint64_t key = hash(place) ^ hb_datagram_key(out ? own : peer, (uint64_t)told[1], (uint64_t)told[0]);
		if (told[0] < 0 || (out && l->marks))
			continue;
		if (out)
			put(l, &l->sent, key);
		else if (l->marks && !has(&l->sent, key))
			tell(l, e, i, end, *peer ? peer : own);
	}
}

/* ---- streams ---- */

static void on_connection(struct looking *l, const hb_event *e, const char *end)
{
	int64_t result = hb_event_value(e, "result"), new = hb_event_value(e, "new");
	if (strncmp(end, "tcp ", 4) && strncmp(end, "unix ", 5)) /* of datagrams each is looked at */
		return;
	if (e->means->does == HB_DOES_CONNECT && (result == 0 || result == -EINPROGRESS)) {
		put_made(l, &l->connected, made_of(end));
	} else if (e->means->does == HB_DOES_ACCEPT && !result && new >= 0) {
		const char *name = hb_log_text(l->log, (uint32_t) new);
		struct made made = name ? made_of(name) : (struct made){0};
		if (made.here && !made.there)
			put(l, &l->doubtful, made.path);
		else if (made.here)
			put_made(l, &l->accepted, made);
	}
}

/* Of ends with an address, and of events at them. */
static void mark(struct looking *l, const hb_event *e, const char *end)
{
	const char *name = end;
	if (e->means->does == HB_DOES_ACCEPT) {
		int64_t accepted = hb_event_value(e, "new");
		name = accepted < 0 ? NULL : hb_log_text(l->log, (uint32_t)accepted);
	}
	char own[NAME], peer[NAME];
	if (!name || !strstr(name, " > ") || !has(&l->outside, made_of(name).here))
		return;
	hb_end_parts(name, own, peer, NAME);
	char *path = strchr(peer, ' ');
	tell(l, e, 0, name, path ? path + 1 : peer);
}

/* Those that were made here and whose other side nobody here has. */
static void find_outside(struct looking *l)
{
	struct keys there = {0}, here = {0};
	for (size_t i = 0; i < l->accepted.n; i++)
		put(l, &there, l->accepted.at[i].there);
	for (size_t i = 0; i < l->connected.n; i++)
		put(l, &here, l->connected.at[i].here);
	sort(&there);
	sort(&here);
	sort(&l->doubtful);
	for (size_t i = 0; i < l->connected.n; i++)
		if (!has(&there, l->connected.at[i].here) && !has(&l->doubtful, l->connected.at[i].path))
			put(l, &l->outside, l->connected.at[i].here);
	for (size_t i = 0; i < l->accepted.n; i++)
		if (!has(&here, l->accepted.at[i].there))
			put(l, &l->outside, l->accepted.at[i].here);
	sort(&l->outside);
	sort(&l->sent);
	free(there.at);
	free(here.at);
}

/* ---- passes ---- */

static void on_event(struct looking *l, const hb_event *e)
{
	int64_t text = hb_event_argument(e, "end");
	const char *end = text < 0 ? NULL : hb_log_text(l->log, (uint32_t)text);
	if (!end || e->row->exit == UINT64_MAX)
		return;
	if (e->means->cls == HB_DATAGRAM)
		on_datagrams(l, e, end);
	else if (l->marks)
		mark(l, e, end);
	else if (e->means->cls == HB_CONNECTION)
		on_connection(l, e, end);
}

static hb_status read_log(struct looking *l, hb_log *log, hb_error *ret_err)
{
	const hb_log_info *info = hb_log_get_info(log);
	l->log = log;
	for (l->lane = 0; l->lane < info->lanes && !l->told->no_memory; l->lane++) {
		hb_events *events;
		hb_event e;
		int got;
		hb_status status = hb_events_open(log, l->lane, &events, ret_err);
		if (status)
			return status;
		while ((got = hb_events_next(events, &e, ret_err)) == 1)
			if ((e.means->cls == HB_STREAM || e.means->cls == HB_DATAGRAM ||
				    e.means->cls == HB_CONNECTION) &&
				!e.malformed)
				on_event(l, &e);
		hb_events_close(events);
		if (got < 0)
			return (hb_status)got;
	}
	return HB_OK;
}

static bool talks(const hb_log *log)
{
	static const uint8_t does[] = {HB_DOES_DATAGRAM_OUT, HB_DOES_DATAGRAM_IN, HB_DOES_ACCEPT, HB_DOES_CONNECT};
	bool yes = false;
	for (size_t i = 0; i < sizeof does && !yes; i++)
		yes = hb_log_calls(log, does[i]);
	return yes;
}

hb_status hb__find_outside(
	const hb_logs *logs, const int32_t *numbers, hb__shared_list *told, hb__outside *ret, hb_error *ret_err)
{
	struct looking l = {.told = told, .found = ret};
	hb_status status = HB_OK;
	*ret = (hb__outside){0};
	for (int pass = 0; pass < 2 && !status; pass++) {
		l.marks = pass;
		for (size_t i = 0; i < logs->n && !status; i++) {
			l.process = (uint32_t)numbers[i];
			if (numbers[i] >= 0 && logs->at[i].log && (pass || talks(logs->at[i].log)))
				status = read_log(&l, logs->at[i].log, ret_err);
		}
		if (!pass)
			find_outside(&l);
	}
	free(l.connected.at);
	free(l.accepted.at);
	free(l.sent.at);
	free(l.doubtful.at);
	free(l.outside.at);
	return status;
}
