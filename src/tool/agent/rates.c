/* How many events a process records per second, and how many messages it sends. */
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "base/clock.h"
#include "calls/meaning.h"

#define SAMPLE_S 1.0 /* a rate is over so long at least */
#define FUNCTIONS 2016u

enum { UNKNOWN, SILENT, SENDS };

/* Whether it sends a message: by what it does, or, of combined calls, by a destination. The starts of persistent requests are not told apart, and do not count. */
static bool sends(const hb_function *f)
{
	const hb_meaning *m = f && f->name ? hb_meaning_of(f->name, f->cls) : NULL;
	if (!m || m->flags & HB_PERSISTENT)
		return false;
	bool found = m->does == HB_DOES_SEND || m->does == HB_DOES_KEYED_SEND || m->does == HB_DOES_BYTES_OUT ||
		     m->does == HB_DOES_DATAGRAM_OUT;
	for (uint32_t i = 0; m->does == HB_DOES_RECEIVE && i < f->nargs; i++)
		found |= !strcmp(f->arg_name[i], "dest");
	return found;
}

/* Of functions that were called for the first time: what they are stands in the log. */
static void learn(hb_rates *r, const hb_process_now *p, const uint64_t *calls)
{
	hb_log *log;
	size_t i = 0;
	if (!r->kind)
		r->kind = memset(hb__alloc(FUNCTIONS), UNKNOWN, FUNCTIONS);
	while (i < FUNCTIONS && (!calls[i] || r->kind[i]))
		i++;
	if (i == FUNCTIONS || hb_log_open(p->path, &log, NULL))
		return;
	for (; i < FUNCTIONS; i++) {
		const hb_function *f = calls[i] && !r->kind[i] ? hb_log_function(log, (uint32_t)i) : NULL;
		if (f && f->name)
			r->kind[i] = sends(f) ? SENDS : SILENT;
	}
	hb_log_close(log);
}

void hb__rates_look(hb_rates *r, const hb_process_now *p)
{
	double now = hb_seconds(), passed = now - r->when;
	uint64_t calls[FUNCTIONS], events = 0, messages = 0;
	if (passed < SAMPLE_S)
		return;
	for (size_t i = 0; i < p->nlanes; i++)
		events += p->lane[i].is.events;
	if (!p->log.head.sealed && !hb_growing_calls(&p->log, p->path, calls, FUNCTIONS, NULL)) {
		learn(r, p, calls);
		for (size_t i = 0; i < FUNCTIONS; i++)
			messages += r->kind[i] == SENDS ? calls[i] : 0;
	} else {
		messages = r->messages;
	}
	/* of the first look nothing is known; a log that was begun anew goes backwards */
	if (r->when && events >= r->events && messages >= r->messages) {
		r->event_rate = (double)(events - r->events) / passed;
		r->message_rate = (double)(messages - r->messages) / passed;
	}
	r->when = now;
	r->events = events;
	r->messages = messages;
}

void hb__rates_free(hb_rates *r)
{
	free(r->kind);
	*r = (hb_rates){0};
}
