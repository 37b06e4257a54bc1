/* What boards told becomes drafts: a process for each start of one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "calls/calls.h"
#include "foreign/boards/boards.h"
#include "format/row.h"

#define BEFORE 1000 /* nanoseconds from tick 0 to the first event: a tick of 0 says that there are no times */

struct writer {
	struct hb__boards *all;
	int64_t base;        /* nanoseconds since the epoch at tick 0 */
	uint64_t back, more; /* events whose times go back, and such with too many names */
};

struct process {
	hb_draft *draft;
	uint32_t (*function)[HB_BOARD_KINDS]; /* by the number of the name's text: 1 + its number; 0: not defined yet */
	size_t names, cap, defined;
	uint32_t sent, received;
	uint64_t exit; /* of the last event */
};

static uint32_t text_of(hb_draft *draft, struct hb__word w)
{
	char text[HB_BOARD_NAME + 1];
	snprintf(text, sizeof text, "%.*s", (int)w.n, w.at);
	return hb_draft_text(draft, text);
}

static int64_t time_of(const struct hb__board *b, const struct hb__board_event *e)
{
	return e->time + b->offset + b->forward;
}

static bool begin_process(struct writer *w, const struct hb__board *b, struct process *p)
{
	static const hb_draft_field channel[] = {{HB_RECORDED_TEXT, "channel"}};
	static const hb_draft_field values[] = {{HB_TYPE_UNSIGNED, "key"}, {HB_TYPE_UNSIGNED, "bytes"}};
	static const hb_draft_function sent = {HB_USER_SENT, "hb_sent", 1, 2, channel, values};
	static const hb_draft_function received = {HB_USER_RECEIVED, "hb_received", 1, 2, channel, values};
	char name[HB_BOARD_NAME + 1];
	snprintf(name, sizeof name, "%.*s", (int)b->name.n, b->name.at);
	for (char *c = name; *c; c++)
		*c = *c == '/' ? '_' : *c; /* the last part of the path is the name */
	p->draft = hb__import_process(w->all->import, name, w->base > 0 ? (uint64_t)w->base : 0, false);
	if (!p->draft)
		return false;
	hb_draft_layer(p->draft, "user");
	hb_draft_lane(p->draft);
	p->sent = hb_draft_define(p->draft, &sent);
	p->received = hb_draft_define(p->draft, &received);
	return true;
}

/* False: out of memory. */
static bool function_of(struct writer *w, struct process *p, const struct hb__board_event *e, uint32_t *ret)
{
	static const uint8_t classes[] = {HB_USER_EVENT, HB_USER_BEGIN, HB_USER_END};
	static const hb_draft_field value[] = {{HB_TYPE_INTEGER, "value"}};
	static const struct hb__word other = {"(more)", 6};
	uint32_t text = text_of(p->draft, e->name);
	bool known = text < p->names && p->function[text][e->kind];
	if (!known && p->defined >= HB_BOARD_NAMES) {
		w->more++;
		text = text_of(p->draft, other);
	}
	if (text >= p->names) {
		if (!HB_GROW(p->function, p->cap, (size_t)text + 1))
			return false;
		for (; p->names <= text; p->names++)
			for (unsigned i = 0; i < HB_BOARD_KINDS; i++)
				p->function[p->names][i] = 0;
	}
	uint32_t *function = &p->function[text][e->kind];
	if (!*function) {
		char name[HB_BOARD_NAME + 1];
		const struct hb__word called = p->defined++ < HB_BOARD_NAMES ? e->name : other;
		snprintf(name, sizeof name, "%.*s", (int)called.n, called.at);
		const hb_draft_function f = {classes[e->kind], name, 0, 1, NULL, value};
		*function = 1 + hb_draft_define(p->draft, &f);
	}
	*ret = *function - 1;
	return true;
}

static bool add(struct writer *w, struct process *p, const struct hb__board *b, const struct hb__board_event *e)
{
	bool message = e->kind == HB_BOARD_SEND || e->kind == HB_BOARD_RECEIVE;
	int64_t channel = message ? text_of(p->draft, e->name) : 0, result[] = {(int64_t)e->value, (int64_t)e->bytes};
	uint64_t tick = (uint64_t)time_of(b, e) - (uint64_t)w->base;
	w->back += tick < p->exit;
	p->exit = tick > p->exit ? tick : p->exit;
	hb_row row = {.function = e->kind == HB_BOARD_SEND ? p->sent : p->received,
		.nargs = message,
		.arg = &channel,
		.enter = p->exit,
		.exit = p->exit,
		.nresults = message ? 2 : 1,
		.results = result};
	if (!message && !function_of(w, p, e, &row.function))
		return false;
	hb_draft_row(p->draft, 0, &row);
	return true;
}

static bool write_board(struct writer *w, const struct hb__board *b)
{
	struct process p = {0};
	bool good = begin_process(w, b, &p);
	for (size_t i = 0; good && i < b->events; i++)
		good = add(w, &p, b, &b->event[i]);
	free(p.function);
	return good;
}

/* ---- what is not known ---- */

static bool note_board(const struct hb__boards *all, const struct hb__board *b)
{
	hb_import *m = all->import;
	int n = (int)b->name.n;
	const char *name = b->name.at;
	bool good = true;
	if (b->earlier)
		good = good && hb__import_note(m, "%.*s: %" PRIu64 " events happened before anybody listened", n, name,
				       b->earlier);
	if (b->dropped)
		good = good &&
		       hb__import_note(m, "%.*s: %" PRIu64 " events are not in it: the board had no room for them", n,
			       name, b->dropped);
	if (b->lost)
		good = good &&
		       hb__import_note(m, "%.*s: %" PRIu64 " events are not in it: their lines were lost, or spoiled",
			       n, name, b->lost);
	if (b->trip < 0)
		good = good &&
		       hb__import_note(m,
			       "%.*s: its clock was not asked for: its times are those at which the line was quickest",
			       n, name);
	else
		good = good && hb__import_note(m, "%.*s: its clock is known to %.6f s", n, name, (double)b->trip / 2e9);
	if (b->forward)
		good = good &&
		       hb__import_note(m,
			       "%.*s: its clock was set forward by %.6f s: else messages would have come before they were sent",
			       n, name, (double)b->forward / 1e9);
	return good;
}

static bool note_all(const struct writer *w)
{
	const struct hb__boards *all = w->all;
	hb_import *m = all->import;
	bool good = true;
	for (size_t i = 0; i < all->n && good; i++)
		good = note_board(all, &all->board[i]);
	if (all->contrary)
		good = good &&
		       hb__import_note(m,
			       "no times exist at which all messages came after they were sent, so no clock was set: clocks run apart");
	if (all->spoiled)
		good = good && hb__import_note(m, "%" PRIu64 " lines are spoiled, or of no board that said hello",
				       all->spoiled);
	if (all->strange)
		good = good && hb__import_note(m, "%" PRIu64 " lines are no lines of the protocol, and are left out",
				       all->strange);
	if (w->back)
		good = good && hb__import_note(m,
				       "%" PRIu64 " events have earlier times than the ones in front of them", w->back);
	if (w->more)
		good = good &&
		       hb__import_note(m,
			       "%" PRIu64
			       " events have other names than the first %u of their board, and are called (more)",
			       w->more, HB_BOARD_NAMES);
	return good;
}

/* ---- all ---- */

static hb_status write_all(struct writer *w, hb_error *err)
{
	const struct hb__boards *all = w->all;
	hb_import *m = all->import;
	int64_t first = INT64_MAX, last = 0;
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->board[i].events; k++) {
			int64_t time = time_of(&all->board[i], &all->board[i].event[k]);
			first = time < first ? time : first;
			last = time > last ? time : last;
		}
	if (first == INT64_MAX)
		return hb__import_fail(err, HB_E_DAMAGED, m->path, 0,
			"%s: no board told of an event in it (%" PRIu64 " lines are spoiled, %" PRIu64
			" are none of the protocol)",
			m->path, all->spoiled, all->strange);
	w->base = first - BEFORE;
	m->first = first > 0 ? (uint64_t)first : 0;
	m->last = (uint64_t)last > m->first ? (uint64_t)last : m->first;
	bool good = true;
	for (size_t i = 0; i < all->n && good; i++)
		good = write_board(w, &all->board[i]);
	return good && note_all(w) ? HB_OK : hb__import_no_memory(m, err);
}

hb_status hb__import_boards(hb_import *m, hb_error *err)
{
	struct hb__boards all = {.import = m};
	struct writer w = {.all = &all};
	m->from = "hbdb-board";
	m->spans = true;
	hb_status status =
		hb__boards_read(&all) && hb__boards_clocks(&all) ? write_all(&w, err) : hb__import_no_memory(m, err);
	for (size_t i = 0; i < all.n; i++)
		free(all.board[i].event);
	free(all.board);
	return status;
}
