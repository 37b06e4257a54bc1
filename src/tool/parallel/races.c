/* hbdb races, by several processes: each finds the races of what it covers; the first prints those of all. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../run/races.h"
#include "../store/find.h"
#include "../terminal.h"
#include "together.h"

/* ---- what one tells the others of its races, as bytes ---- */

struct bytes {
	char *at;
	size_t n, room, next; /* next: read so far */
};

static void put(struct bytes *b, const void *data, size_t n)
{
	if (b->n + n > b->room)
		b->at = hb__resize(b->at, b->room = 2 * (b->n + n));
	memcpy(b->at + b->n, data, n);
	b->n += n;
}

static void put_text(struct bytes *b, const char *text) { put(b, text, strlen(text) + 1); }

static void take(struct bytes *b, void *to, size_t n)
{
	memcpy(to, b->at + b->next, n);
	b->next += n;
}

static const char *take_text(struct bytes *b)
{
	const char *text = b->at + b->next;
	b->next += strlen(text) + 1;
	return text;
}

static void put_kept(struct bytes *b, struct hb_races *r, const struct hb_kept *kept, size_t n)
{
	put(b, &n, sizeof n);
	for (size_t i = 0; i < n; i++) {
		char *text = NULL, name[HB_EVENT_NAME];
		size_t size;
		FILE *to = open_memstream(&text, &size);
		if (!to)
			hb__team_abort(HB_EXIT_RECORDING);
		hb__put_race(to, r, &kept[i]);
		fclose(to);
		const hb_race *race = &kept[i].race;
		put_text(b, hb__event_name(&r->run, race->done.event ? race->done : race->post, name));
		put_text(b, text);
		free(text);
	}
}

struct counts {
	uint64_t calls, races, dependent, uncertain, same_sender;
};

static void put_all(struct bytes *b, struct hb_races *r, const hb_race_sum *sum)
{
	put(b, sum, sizeof *sum);
	put(b, &r->found, sizeof r->found);
	put(b, &r->line_found, sizeof r->line_found);
	put(b, &r->nplaces, sizeof r->nplaces);
	for (size_t i = 0; i < r->nplaces; i++) {
		put(b, &r->phase[i], 1);
		put_text(b, r->places[i]);
	}
	put(b, &r->ngroups, sizeof r->ngroups);
	for (size_t i = 0; i < r->ngroups; i++) {
		const struct hb_raced *g = &r->groups[i];
		struct counts c = {g->calls, g->races, g->dependent, g->uncertain, g->same_sender};
		put_text(b, g->place);
		put_text(b, g->function);
		put(b, &c, sizeof c);
		put_kept(b, r, g->kept, g->nkept);
		put_kept(b, r, g->late, g->nlate);
	}
}

/* ---- all of them together ---- */

static void take_kept(struct bytes *b, const struct hb_races *r, struct hb_kept **kept, size_t *ret_n)
{
	size_t n;
	take(b, &n, sizeof n);
	for (size_t i = 0; i < n; i++) {
		const char *name = take_text(b), *text = take_text(b);
		if (r->limit && *ret_n >= r->limit)
			continue;
		*kept = hb__resize(*kept, (*ret_n + 1) * sizeof **kept);
		(*kept)[(*ret_n)++] = (struct hb_kept){.text = hb__copy(text), .name = hb__copy(name)};
	}
}

static void take_groups(struct bytes *b, struct hb_races *all)
{
	size_t n;
	take(b, &n, sizeof n);
	for (size_t i = 0; i < n; i++) {
		struct counts c;
		const char *place = take_text(b), *function = take_text(b);
		struct hb_raced *g = hb__raced_at(all, place, function);
		take(b, &c, sizeof c);
		g->calls += c.calls;
		g->races += c.races;
		g->dependent += c.dependent;
		g->uncertain += c.uncertain;
		g->same_sender += c.same_sender;
		take_kept(b, all, &g->kept, &g->nkept);
		take_kept(b, all, &g->late, &g->nlate);
	}
}

/* Places of calls that were not asked for: in the order in which one process would have met them. */
static void take_places(struct bytes *b, struct hb_races *all, uint8_t phase)
{
	size_t n;
	take(b, &n, sizeof n);
	for (size_t i = 0; i < n; i++) {
		uint8_t its;
		take(b, &its, 1);
		const char *place = take_text(b);
		bool known = its != phase;
		for (size_t k = 0; k < all->nplaces && !known; k++)
			known = !strcmp(all->places[k], place);
		if (known)
			continue;
		all->places = hb__resize(all->places, (all->nplaces + 1) * sizeof *all->places);
		all->places[all->nplaces++] = place;
	}
}

static void take_all(struct bytes *b, struct hb_races *all, hb_race_sum *sum, uint8_t phase)
{
	hb_race_sum one;
	uint64_t found;
	bool there;
	take(b, &one, sizeof one);
	take(b, &found, sizeof found);
	take(b, &there, sizeof there);
	take_places(b, all, phase);
	if (phase)
		return;
	all->found += found;
	all->line_found = all->line_found || there;
	sum->parts += one.parts;
	sum->racing_parts += one.racing_parts;
	take_groups(b, all);
}

/* Prints what all have found. */
static int put_together(struct hb_races *r, const hb_team *team, const hb_race_sum *own)
{
	struct bytes b = {0};
	put_all(&b, r, own);
	size_t *bytes = hb__alloc(team->size * sizeof *bytes), at = 0;
	char *every = team->gather(team->user, b.at, b.n, bytes);
	free(b.at);
	if (!every)
		hb__team_abort(HB_EXIT_RECORDING);
	struct hb_races all = *r;
	hb_race_sum sum = {0};
	all.groups = NULL;
	all.places = NULL;
	all.ngroups = all.nplaces = all.found = 0;
	all.line_found = false;
	for (uint8_t phase = 0; phase < 3; phase++, at = 0)
		for (uint32_t i = 0; i < team->size; at += bytes[i++])
			take_all(&(struct bytes){.at = every + at, .n = bytes[i]}, &all, &sum, phase);
	int code = all.found ? HB_EXIT_FINDING : 0;
	if (r->line && !all.line_found)
		code = hb__no_such_line(&all);
	else if (!r->out && !team->rank)
		hb__put_races(&all, &sum);
	all.group_of_spec = NULL;
	all.by_site = NULL;
	all.facts = NULL;
	all.phase = NULL;
	hb__end_races(&all);
	free(every);
	free(bytes);
	return code;
}

/* JSON of the others waits in a file until those before are through. */
static void begin_output(struct hb_races *r, const hb_team *team)
{
	const char *folder = getenv("TMPDIR");
	r->out = hb__alloc(sizeof *r->out);
	r->out->fd = 1;
	if (!team->rank)
		return;
	char *path = hb__format("%s/hbdb-mpi-XXXXXX", folder && *folder ? folder : "/tmp");
	r->out->fd = mkstemp(path);
	if (r->out->fd >= 0)
		unlink(path);
	r->out->broken = r->out->fd < 0;
	r->out->error = errno;
	free(path);
}

static int end_output(struct hb_races *r, const hb_team *team)
{
	hb__flush(r->out);
	bool failed = r->out->broken && (team->rank || r->out->error != EPIPE);
	const char *why = team->rank ? "its own part of the output to a file in $TMPDIR" : "the output";
	int code = hb__team_code(team, failed ? HB_EXIT_RECORDING : 0);
	if (code) {
		if (failed)
			hb__say("cannot write %s: %s", why, strerror(r->out->error));
		else if (!team->rank)
			hb__say("a process cannot write its part of the output to a file in $TMPDIR");
		return code;
	}
	hb__team_pour(team, r->out->fd, r->out);
	if (!team->rank)
		hb__flush(r->out);
	else
		close(r->out->fd);
	return 0;
}

/* Only the first says something; a place that is wanted and not there is found out by all together. *ret_alone: what
 * the order of events turned out to be is not divided. */
static int look(struct hb_races *r, const hb_team *team, bool *ret_alone)
{
	hb_error err = {0};
	hb_race_sum sum;
	hb_status status = hb_races(r->run.model, r->flags, hb__keep_race, r, &sum, NULL, NULL, &err);
	if (status == HB_E_MEMORY)
		hb__team_abort(hb__fail_log(r->run.path, &err));
	*ret_alone = status != 0;
	if (status)
		return hb__go_alone(&r->run, team, err.message);
	hb__say_troubles(&r->run);
	int code = put_together(r, team, &sum);
	int bad = r->out && code <= HB_EXIT_FINDING ? end_output(r, team) : 0;
	return bad ? bad : code;
}

static int answer(struct hb_races *r, const hb_args *args, const hb_team *team, int code, bool *ret_alone)
{
	if (r->ranks && hb__check_run_ranks("races --rank", r->ranks, &r->run.logs))
		return HB_EXIT_USAGE;
	r->whole = !code && r->run.ended;
	if (hb__option_value(args, "json"))
		begin_output(r, team);
	hb__begin_races(r);
	int found = look(r, team, ret_alone);
	hb__end_races(r);
	free(r->out);
	return found > HB_EXIT_FINDING || !code ? found : code;
}

int hb__races_together(const hb_args *args, const hb_team *team)
{
	struct hb_races r = hb__races_asked(args);
	char *recording = NULL;
	bool alone;
	signal(SIGPIPE, SIG_IGN);
	int code = r.ranks ? hb__check_ranks(args->command->name, r.ranks) : 0;
	code = hb__find_together(code, args->operand, team, &recording);
	if (code) {
		free(recording);
		return code;
	}
	code = hb__open_together(recording, team, &r.run, &alone);
	if (r.run.model && !alone) {
		int found = answer(&r, args, team, code, &alone);
		if (!alone)
			code = found;
	}
	if (r.run.model && alone) {
		struct hb_races whole = hb__races_asked(args);
		whole.run = r.run;
		code = hb__races_answer(&whole, args, code);
		r.run = whole.run;
	}
	hb__close_run(&r.run);
	free(recording);
	return code;
}
