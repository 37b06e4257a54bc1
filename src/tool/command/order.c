/* hbdb order */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../options.h"
#include "../run/events.h"
#include "../run/next.h"
#include "../show/inert.h"
#include "../store/find.h"
#include "../terminal.h"

const hb_option hb__order_options[] = {
	{"all", 'a', HB_OPTION_FLAG, NULL, "print every step of a long chain"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object"},
	{0},
};

#define ENDS 20 /* steps shown at each end of a long chain */

struct order {
	hb_run run;
	const char *name; /* as the user gave it, NULL: not */
	hb_at a, b;
	hb_relation relation;
	bool strict, whole;
	hb_link *chain;
	size_t n;
	uint32_t a_knows, b_knows; /* events of the other's line in the PAST */
	char a_name[HB_EVENT_NAME], b_name[HB_EVENT_NAME], a_line[HB_EVENT_NAME], b_line[HB_EVENT_NAME];
};

static const char *const words[] = {"same", "before", "after", "together", "concurrent"};

/* ---- text ---- */

static void print_answer(const struct order *o)
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

static void print_message(const struct order *o, const char *what, uint32_t id)
{
	const hb_send *s = &hb_model_sends(o->run.model)[id];
	const hb_channel *c = &hb_model_channels(o->run.model)[s->channel];
	char tag[HB_TAG_WORDS];
	printf("%s: %s%llu bytes, %s%s\n", what, hb__tag_words(o->run.model, s->channel, tag),
		(unsigned long long)hb_send_bytes(o->run.model, id),
		hb__tame(hb_model_group_title(o->run.model, c->group)),
		s->flags & HB_AMBIGUOUS ? " (may be another message)" : "");
}

static const char *collective_name(const hb_run *run, uint32_t id)
{
	const hb_collective *c = &hb_model_collectives(run->model)[id];
	hb_log *log = hb_model_processes(run->model)[c->process].log;
	const hb_function *f = log ? hb_log_function(log, c->function) : NULL;
	return f && f->name ? f->name : "collective";
}

static void print_link(const struct order *o, const hb_link *l)
{
	const hb_collective *c;
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
		print_message(o, "message", l->id);
		break;
	case HB_LINK_PROBE:
		print_message(o, "message, seen by a probe", l->id);
		break;
	case HB_LINK_SYNC:
		print_message(o, "receive posted, so that the synchronous send could complete", l->id);
		break;
	case HB_LINK_COLLECTIVE:
		c = &hb_model_collectives(o->run.model)[l->id];
		printf("%s, number %u of %s%s\n", hb__tame(collective_name(&o->run, l->id)), c->number + 1,
			hb__tame(hb_model_group_title(o->run.model, c->group)),
			c->differs ? " (the processes called different functions)" : "");
		break;
	case HB_LINK_EDGE:
	case HB_LINK_EXIT:
		printf("%s\n", hb_edge_meanings[hb_model_edges(o->run.model)[l->id].kind].sentence);
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
static hb_at *events_of(const struct order *o, size_t first, size_t n)
{
	hb_at *at = hb__alloc((n + 1) * sizeof *at);
	at[0] = o->chain[first].from;
	for (size_t i = 0; i < n; i++)
		at[i + 1] = o->chain[first + i].to;
	return at;
}

static void print_links(struct order *o, size_t first, size_t n)
{
	hb_at *at = events_of(o, first, n);
	char **texts = hb__event_texts(&o->run, at, n + 1, false);
	for (size_t i = 0; i <= n; i++) {
		printf("  %s\n", texts[i]);
		if (i < n)
			print_link(o, &o->chain[first + i]);
	}
	hb__free_texts(texts, n + 1);
	free(at);
}

static void print_chain(struct order *o, bool all)
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

static void print_text(struct order *o, bool all)
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

/* ---- JSON ---- */

static void put_link(const struct order *o, hb_output *out, const hb_link *l)
{
	static const char *const kinds[] = {
		"program", "message", "probe", "synchronous", "collective", "request", "start"};
	bool message = l->kind == HB_LINK_MESSAGE || l->kind == HB_LINK_PROBE || l->kind == HB_LINK_SYNC;
	hb__put_text(out, ",\"link\":\"");
	bool edge = l->kind == HB_LINK_EDGE || l->kind == HB_LINK_EXIT;
	hb__put_text(out, edge ? hb_edge_meanings[hb_model_edges(o->run.model)[l->id].kind].link : kinds[l->kind]);
	hb__put_text(out, "\"");
	if (l->kind == HB_LINK_PROGRAM) {
		hb__put_text(out, ",\"calls_between\":");
		hb__put_int(out, (int64_t)l->to.event - l->from.event - 1);
	}
	if (l->kind == HB_LINK_COLLECTIVE) {
		const hb_collective *c = &hb_model_collectives(o->run.model)[l->id];
		hb__put_text(out, ",\"function\":");
		hb__put_json(out, collective_name(&o->run, l->id));
		hb__put_text(out, ",\"number\":");
		hb__put_int(out, c->number);
		hb__put_text(out, ",\"communicator\":");
		hb__put_json(out, hb_model_groups(o->run.model)[c->group].name);
	}
	if (!message)
		return;
	const hb_send *s = &hb_model_sends(o->run.model)[l->id];
	const hb_channel *c = &hb_model_channels(o->run.model)[s->channel];
	if (hb_model_tag_word(o->run.model, c->group)) {
		hb__put_text(out, ",\"tag\":");
		hb__put_int(out, hb_model_tag(o->run.model, c->group, c->tag));
	}
	hb__put_text(out, ",\"bytes\":");
	hb__put_int(out, (int64_t)hb_send_bytes(o->run.model, l->id));
	hb__put_text(out, s->flags & HB_AMBIGUOUS ? ",\"ambiguous\":true" : ",\"ambiguous\":false");
}

static void print_json(struct order *o)
{
	hb_output *out = hb__alloc(sizeof *out);
	out->fd = 1;
	hb__put_text(out, "{\"a\":");
	hb__put_json(out, o->a_name);
	hb__put_text(out, ",\"b\":");
	hb__put_json(out, o->b_name);
	hb__put_text(out, ",\"order\":");
	hb__put_json(out, words[o->relation]);
	hb__put_text(out, o->strict ? ",\"strict\":true" : ",\"strict\":false");
	hb__put_text(out, o->whole ? ",\"complete\":true" : ",\"complete\":false");
	hb__put_text(out, ",\"a_knows\":");
	hb__put_int(out, o->a_knows);
	hb__put_text(out, ",\"b_knows\":");
	hb__put_int(out, o->b_knows);
	hb__put_text(out, ",\"chain\":[");
	if (o->n) {
		hb_at *at = events_of(o, 0, o->n);
		char **texts = hb__event_texts(&o->run, at, o->n + 1, true);
		for (size_t i = 0; i <= o->n; i++) {
			hb__put_text(out, i ? ",{\"event\":" : "{\"event\":");
			hb__put_text(out, texts[i]);
			if (i < o->n)
				put_link(o, out, &o->chain[i]);
			hb__put_text(out, "}");
		}
		hb__free_texts(texts, o->n + 1);
		free(at);
	}
	hb__put_text(out, "]}\n");
	hb__flush(out);
	free(out);
}

/* ---- the command ---- */

/* How many events of the other's line are in the PAST of each. */
static hb_status ask_cuts(struct order *o, hb_error *err)
{
	uint32_t lines = hb_model_get_info(o->run.model)->lines;
	uint32_t *event = hb__alloc(lines * sizeof *event);
	hb_stop *stop = hb__alloc(lines * sizeof *stop);
	hb_status status = hb_cut(o->run.model, o->a, event, stop, err);
	o->a_knows = status ? 0 : event[o->b.line];
	status = status ? status : hb_cut(o->run.model, o->b, event, stop, err);
	o->b_knows = status ? 0 : event[o->a.line];
	free(event);
	free(stop);
	return status;
}

static int answer(struct order *o, const hb_args *args)
{
	hb_error err = {0};
	int code = hb__read_event(&o->run, args->word[0], &o->a);
	int other = hb__read_event(&o->run, args->word[1], &o->b);
	if (code || other)
		return code ? code : other;
	hb__event_name(&o->run, o->a, o->a_name);
	hb__event_name(&o->run, o->b, o->b_name);
	hb__line_name(&o->run, o->a.line, o->a_line);
	hb__line_name(&o->run, o->b.line, o->b_line);
	if (hb_order_of(o->run.model, o->a, o->b, &o->relation, &o->strict, &o->chain, &o->n, &err) ||
		ask_cuts(o, &err))
		return hb__fail_log(o->run.path, &err);
	hb__say_troubles(&o->run);
	hb__page();
	if (hb__option_value(args, "json"))
		print_json(o);
	else
		print_text(o, hb__option_value(args, "all") != NULL);
	return 0;
}

int hb__order(const hb_args *args)
{
	struct order o = {0};
	char *recording = NULL;
	signal(SIGPIPE, SIG_IGN);
	if (args->nwords < 2 || args->nwords > 3)
		return hb__fail_with(HB_EXIT_USAGE,
			"order takes two events and then the recording, as in 'hbdb order 0:17 2:5 farm.hbdb'");
	int code = hb__check_event(args->word[0]) || hb__check_event(args->word[1]) ? HB_EXIT_USAGE : 0;
	code = code ? code : hb__find_recording(args->nwords > 2 ? args->word[2] : NULL, &recording);
	if (code) {
		free(recording);
		return code;
	}
	code = hb__open_run(recording, &o.run);
	if (o.run.model) {
		o.whole = !code && hb__is_whole(&o.run);
		o.name = args->nwords > 2 ? args->word[2] : NULL;
		int failed = answer(&o, args);
		code = failed ? failed : code;
	}
	free(o.chain);
	hb__close_run(&o.run);
	free(recording);
	return code;
}
