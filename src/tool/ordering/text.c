/* The order of two events as text. */
#include <stdio.h>
#include <stdlib.h>

#include "../run/next.h"
#include "../show/inert.h"
#include "ordering.h"

#define ENDS 20 /* steps shown at each end of a long chain */

static void print_answer(const struct hb_ordering *o)
{
	const char *a = o->a_name, *b = o->b_name;
	switch (o->relation) {
	case HB_SAME:
		printf("%s and %s are the same event\n", a, b);
		break;
	case HB_BEFORE:
		printf(o->strict ? "%s is strictly before %s: it had to return before %s could be called\n"
				 : "%s is before %s: it had to begin before %s could return\n",
			a, b, b);
		break;
	case HB_AFTER:
		printf(o->strict ? "%s is strictly after %s: it could not be called before %s had returned\n"
				 : "%s is after %s: it could not return before %s had begun\n",
			a, b, b);
		break;
	case HB_TOGETHER:
		printf("%s and %s are together: each had to begin before the other could return\n", a, b);
		break;
	case HB_CONCURRENT:
		printf("%s and %s are concurrent: neither had to happen before the other%s\n", a, b,
			o->whole ? "" : ", as far as this recording shows");
		break;
	}
}

static void print_known(const char *event, uint32_t knows, const char *line)
{
	if (knows)
		printf("  %s depends on %u %s of %s%s, the last is %s:%u\n", event, knows,
			hb__plural(knows, "event", "events"), hb_rank_word(line), line, line, knows);
	else
		printf("  %s depends on no event of %s%s\n", event, hb_rank_word(line), line);
}

static void print_message(const struct hb_ordering *o, const char *what, const hb_link_fact *f)
{
	const char *word = hb_model_tag_word(o->run.model, f->group);
	printf("%s: ", what);
	if (word)
		printf("%s %lld, ", word, (long long)hb_model_tag(o->run.model, f->group, f->tag));
	printf("%llu bytes, %s%s\n", (unsigned long long)f->bytes,
		hb__tame(hb_model_group_title(o->run.model, f->group)),
		f->ambiguous ? " (may be another message)" : "");
}

const char *hb__ordering_collective(const struct hb_ordering *o, const hb_link_fact *f)
{
	hb_log *log = hb_model_processes(o->run.model)[f->process].log;
	const hb_function *called = log ? hb_log_function(log, f->function) : NULL;
	return called && called->name ? called->name : "collective";
}

static void print_link(const struct hb_ordering *o, const hb_link *l, const hb_link_fact *f)
{
	uint32_t between = l->to.event - l->from.event - 1;
	printf("   | ");
	switch (l->kind) {
	case HB_LINK_PROGRAM:
		if (between)
			printf("... %u more %s\n", between, hb__plural(between, "call", "calls"));
		else
			printf("the next call\n");
		break;
	case HB_LINK_MESSAGE:
		print_message(o, "message", f);
		break;
	case HB_LINK_PROBE:
		print_message(o, "message, seen by a probe", f);
		break;
	case HB_LINK_SYNC:
		print_message(o, "receive posted, so that the synchronous send could complete", f);
		break;
	case HB_LINK_COLLECTIVE:
		printf("%s, number %u of %s%s\n", hb__tame(hb__ordering_collective(o, f)), f->number + 1,
			hb__tame(hb_model_group_title(o->run.model, f->group)),
			f->differs ? " (the processes called different functions)" : "");
		break;
	case HB_LINK_EDGE:
	case HB_LINK_EXIT:
		printf("%s\n", hb_edge_meanings[f->edge].sentence);
		break;
	case HB_LINK_START:
		printf("MPI_Init, before the other threads\n");
		break;
	case HB_LINK_REQUEST:
		printf("receive posted by the first, completed by another thread\n");
		break;
	}
}

/* The events at the ends of the links: the first one's from, then each one's to. */
hb_at *hb__ordering_events(const struct hb_ordering *o, size_t first, size_t n)
{
	hb_at *at = hb__alloc((n + 1) * sizeof *at);
	at[0] = o->chain[first].from;
	for (size_t i = 0; i < n; i++)
		at[i + 1] = o->chain[first + i].to;
	return at;
}

static void print_links(struct hb_ordering *o, size_t first, size_t n)
{
	hb_at *at = hb__ordering_events(o, first, n);
	char **texts = hb__event_texts(&o->run, at, n + 1, false);
	for (size_t i = 0; i <= n; i++) {
		printf("  %s\n", texts[i]);
		if (i < n)
			print_link(o, &o->chain[first + i], &o->fact[first + i]);
	}
	hb__free_texts(texts, n + 1);
	free(at);
}

static void print_chain(struct hb_ordering *o, bool all)
{
	printf("\n");
	if (all || o->n <= 2 * ENDS + 1)
		print_links(o, 0, o->n);
	else {
		print_links(o, 0, ENDS);
		printf("   | ... %zu more steps (--all)\n", o->n - 2 * ENDS);
		print_links(o, o->n - ENDS, ENDS);
	}
}

void hb__ordering_text(struct hb_ordering *o, bool all)
{
	print_answer(o);
	if (o->relation == HB_CONCURRENT) {
		print_known(o->a_name, o->a_knows, o->b_line);
		print_known(o->b_name, o->b_knows, o->a_line);
	}
	if (o->n)
		print_chain(o, all);
	printf("\n"); /* the later one: where it is to be seen, the other one is in its past */
	hb__put_next(stdout, o->run.path, o->name, o->relation == HB_BEFORE ? o->b_name : o->a_name, NULL);
	printf("\n");
}
