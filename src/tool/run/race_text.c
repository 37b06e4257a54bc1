/* The answer of `hbdb races`: what can be asked for, and how it is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "../terminal.h"
#include "next.h"
#include "races.h"

const hb_option hb__races_options[] = {
	{"all", 'a', HB_OPTION_FLAG, NULL,
		"also list receives and messages that could differ only if an earlier race had turned out differently"},
	{"chunks", 0, HB_OPTION_FLAG, NULL, "also list reads of streams that could have got more bytes, or fewer"},
	{"limit", 'n', HB_OPTION_NUMBER, "N", "receives shown for each source line; default: 3; 0: all"},
	{"line", 'l', HB_OPTION_TEXT, "FILE[:LINE]", "only receives called at this place"},
	{"rank", 'r', HB_OPTION_TEXT, "R[,R...]", "only receives of these ranks; A-B means A to B"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object per line, one for each race"},
	{0},
};

struct hb_races hb__races_asked(const hb_args *args)
{
	return (struct hb_races){.flags = (hb__option_value(args, "all") ? HB_RACES_ALL : 0U) |
					  (hb__option_value(args, "chunks") ? HB_RACES_PARTS : 0U),
		.limit = hb__option_number(args, "limit", 3),
		.line = hb__option_value(args, "line"),
		.ranks = hb__option_value(args, "rank"),
		.name = args->operand};
}

/* ---- one race ---- */

static void put_send(FILE *to, struct hb_races *r, uint32_t send)
{
	char name[HB_EVENT_NAME];
	const hb_place *place = hb__send_place(r, send);
	fprintf(to, "%s", hb__event_name(&r->run, hb_send_at(r->run.model, send), name));
	if (place)
		fprintf(to, " (%s)", place->text);
}

static void put_alternative(FILE *to, struct hb_races *r, hb_race_kind kind, const hb_alternative *a)
{
	char name[HB_EVENT_NAME];
	fprintf(to, kind == HB_RACE_PART ? "         or more, with " : "         or ");
	put_send(to, r, a->send);
	if (a->receive == HB_NO)
		fprintf(to, r->whole ? ", which was never received" : ", which as far as is known was not received");
	else {
		hb_at at = hb_receive_done(r->run.model, a->receive);
		fprintf(to, at.event ? ", which %s received" : ", for which %s had posted a receive",
			hb__event_name(&r->run, at.event ? at : hb_receive_post(r->run.model, a->receive), name));
	}
	fprintf(to, "%s%s\n", a->same_sender ? " (of the same sender)" : "",
		a->dependent ? " (only if an earlier race had turned out differently)" : "");
}

void hb__put_race(FILE *to, struct hb_races *r, const struct hb_kept *k)
{
	char name[HB_EVENT_NAME], post[HB_EVENT_NAME];
	const hb_race *race = &k->race;
	if (k->text) {
		fputs(k->text, to);
		return;
	}
	static const char *const did[HB_RACE_KINDS] = {"got", "saw", "completed with", "was told of", "got a part, of"};
	fprintf(to, "  %s", hb__event_name(&r->run, race->done.event ? race->done : race->post, name));
	if (race->done.event && (race->post.event != race->done.event || race->post.line != race->done.line))
		fprintf(to, ", posted by %s,", hb__event_name(&r->run, race->post, post));
	if (race->kind == HB_RACE_CHOICE && race->id == HB_NO)
		fprintf(to, " completed a request that is not a receive");
	else if (race->kind == HB_RACE_READY && race->id == HB_NO)
		fprintf(to, " was told of something else, or that its time was over");
	else if (race->got == HB_NO)
		fprintf(to, " %s an unknown message", did[race->kind]);
	else {
		fprintf(to, " %s ", did[race->kind]);
		put_send(to, r, race->got);
	}
	fprintf(to, "%s%s\n", race->dependent ? " (a consequence of earlier races)" : "",
		race->uncertain ? " (uncertain)" : "");
	for (uint32_t i = 0; i < k->nalternatives; i++)
		put_alternative(to, r, race->kind, &k->alternative[i]);
	if (race->nalternatives > k->nalternatives)
		fprintf(to, "         or %u others\n", race->nalternatives - k->nalternatives);
	if (race->several)
		fprintf(to, "         or less: several calls had sent what it got\n");
}

/* ---- all of them ---- */

static void print_races(struct hb_races *r, const struct hb_kept *kept, size_t n, uint64_t all)
{
	for (size_t i = 0; i < n; i++)
		hb__put_race(stdout, r, &kept[i]);
	if (all > n)
		printf("  and %llu more (--limit 0 shows all)\n", (unsigned long long)(all - n));
}

static void print_group(struct hb_races *r, const struct hb_raced *g)
{
	bool colour = hb__colour(1);
	printf("\n%s%s%s  %s: %llu of %llu raced", colour ? "\033[1m" : "", g->place, colour ? "\033[0m" : "",
		hb__tame(g->function), (unsigned long long)g->races,
		(unsigned long long)(g->calls > g->races ? g->calls : g->races));
	if (g->uncertain)
		printf(", %llu of them uncertain", (unsigned long long)g->uncertain);
	if (g->dependent)
		printf(", %llu only as a consequence", (unsigned long long)g->dependent);
	printf("\n");
	print_races(r, g->kept, g->nkept, g->races - g->same_sender);
	if (g->same_sender) {
		printf("  %llu %s only which of several requests for messages of one sender was complete first:\n",
			(unsigned long long)g->same_sender, hb__plural(g->same_sender, "decides", "decide"));
		print_races(r, g->late, g->nlate, g->same_sender);
	}
}

static int by_races(const void *a, const void *b)
{
	const struct hb_raced *x = *(struct hb_raced *const *)a, *y = *(struct hb_raced *const *)b;
	uint64_t of_x = x->races - x->same_sender, of_y = y->races - y->same_sender; /* the others matter less */
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	if (x->races != y->races)
		return x->races > y->races ? -1 : 1;
	int order = strcmp(x->place, y->place);
	return order ? order : strcmp(x->function, y->function);
}

/* What to type next: where the first race of the first place is to be seen. */
static void print_next(struct hb_races *r, const struct hb_raced *g)
{
	const struct hb_kept *k = g->nkept ? g->kept : g->nlate ? g->late : NULL;
	char name[HB_EVENT_NAME];
	if (!k)
		return;
	if (!k->text)
		hb__event_name(&r->run, k->race.done.event ? k->race.done : k->race.post, name);
	printf("\n");
	hb__put_next(stdout, r->run.path, r->name, k->text ? k->name : name, NULL);
	printf("\n");
}

/* How much a read of a stream gets is chance, and correct programs do not mind: a line is enough, unless it was asked for. */
static void print_chunks(const struct hb_races *r, const hb_race_sum *sum)
{
	if (sum->racing_parts && !(r->flags & HB_RACES_PARTS))
		printf("\n%llu of %llu reads of streams that got less than they had room for could have got more, or less (--chunks lists them)\n",
			(unsigned long long)sum->racing_parts, (unsigned long long)sum->parts);
}

void hb__put_races(struct hb_races *r, const hb_race_sum *sum)
{
	struct hb_raced **sorted = hb__alloc(r->ngroups * sizeof *sorted);
	uint64_t races = 0, calls = 0, places = 0;
	for (size_t i = 0; i < r->ngroups; i++) {
		sorted[i] = &r->groups[i];
		races += sorted[i]->races;
		calls += sorted[i]->calls > sorted[i]->races ? sorted[i]->calls : sorted[i]->races;
		places += sorted[i]->races > 0;
	}
	if (r->ngroups)
		qsort(sorted, r->ngroups, sizeof *sorted, by_races);
	bool ranks = hb__has_ranks(&r->run);
	const char *what =
		ranks ? "wildcard receives, probes and choices" : "receives, accepts and waits for readiness";
	if (!calls)
		printf("no races: no %s%s\n",
			ranks ? "wildcard receives, no wildcard probes, no choices among requests"
			      : "receives, accepts or waits for readiness that could have got something else",
			r->whole ? "" : ", as far as this recording shows");
	else if (!races)
		printf("no races: none of %llu %s could have got %s%s\n", (unsigned long long)calls, what,
			ranks ? "a different message" : "something else",
			r->whole ? "" : ", as far as this recording shows");
	else
		printf("%llu of %llu %s raced, at %llu %s%s\n", (unsigned long long)races, (unsigned long long)calls,
			what, (unsigned long long)places, hb__plural(places, "place", "places"),
			r->whole ? "" : "; there may be more");
	for (size_t i = 0; i < r->ngroups && sorted[i]->races; i++)
		print_group(r, sorted[i]);
	print_chunks(r, sum);
	if (r->ngroups && sorted[0]->races)
		print_next(r, sorted[0]);
	free(sorted);
}

/* No call that can race stands at --line. */
int hb__no_such_line(const struct hb_races *r)
{
	char *places = hb__copy("");
	for (size_t i = 0; i < r->nplaces && i < 8; i++) {
		char *more = hb__format("%s%s%s", places, i ? ", " : "", r->places[i]);
		free(places);
		places = more;
	}
	int code = hb__fail_with(HB_EXIT_USAGE,
		"races --line %s: no wildcard receive, probe or choice was called there%s%s%s", r->line,
		r->nplaces ? "; there are some at " : "", places, r->nplaces > 8 ? " and elsewhere" : "");
	free(places);
	return code;
}
