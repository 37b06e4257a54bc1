/* Conditions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "system/reactions/inside.h"

/* of PROGRAM, on NODE: in any order. */
static void read_where(hb__when_reader *r, hb__when_condition *c)
{
	for (;;) {
		if (!c->program && hb__when_takes_word(r, "of"))
			c->program = hb__when_named(r, "program");
		else if (!c->node && hb__when_takes_word(r, "on"))
			c->node = hb__when_named(r, "node");
		else
			return;
	}
}

/* over N, under N. */
static bool read_limit(hb__when_reader *r, hb__when_condition *c)
{
	if (hb__when_takes_word(r, "over"))
		c->over = 1;
	else if (hb__when_takes_word(r, "under"))
		c->over = -1;
	else
		return false;
	c->limit = hb__when_number_here(r, "a limit");
	return true;
}

static char *read_rank(hb__when_reader *r)
{
	char *rank = hb__when_name(r, "a rank");
	if (strspn(rank, "0123456789") != strlen(rank) || (*rank == '0' && rank[1]))
		hb__when_wrong_before(r, "a rank is a number%s, not '%.40s'; other processes: process NAME",
			*rank == '0' ? " without a 0 before it" : "", rank);
	return rank;
}

static void read_state(hb__when_reader *r, hb__when_condition *c, hb__when_kind kind, const char *const *states)
{
	c->kind = kind;
	r->wanted[0] = 0;
	for (; *states; states++)
		if (hb__when_takes_word(r, *states)) {
			c->what = strdup(*states);
			return;
		}
	hb__when_none(r);
}

static void read_process_verb(hb__when_reader *r, hb__when_condition *c)
{
	static const char *const states[] = {"running", "waiting", "stopped", "held", "ended", "gone", NULL};
	c->kind = HB__EVENT;
	r->wanted[0] = 0;
	if (hb__when_takes_word(r, "dies")) {
		c->kinds = HB__DEATH;
		if (hb__when_takes_word(r, "by")) {
			hb__when_need(r, "signal");
			c->signal = hb__when_whole(r, "a signal", 1, 64);
		}
	} else if (hb__when_takes_word(r, "exits")) {
		c->kinds = HB__EXIT;
		if (hb__when_takes_word(r, "with")) {
			hb__when_need(r, "status");
			c->has_status = true;
			c->not_status = hb__when_takes_word(r, "not");
			c->status = hb__when_whole(r, "a status", 0, 255);
		}
	} else if (hb__when_takes_word(r, "fails")) {
		c->kinds = HB__DEATH | HB__EXIT;
		c->fails = true;
	} else if (hb__when_takes_word(r, "starts")) {
		c->kinds = HB__START;
	} else if (hb__when_takes_word(r, "stops")) {
		c->kinds = HB__STOP;
	} else if (hb__when_takes_word(r, "goes")) {
		hb__when_need(r, "on");
		c->kinds = HB__GO;
	} else if (hb__when_takes_word(r, "is")) {
		read_state(r, c, HB__PROCESS_IS, states);
	} else {
		hb__when_none(r);
	}
}

static void read_program_verb(hb__when_reader *r, hb__when_condition *c)
{
	static const char *const states[] = {"running", "stopped", "hangs", "failed", "ended", NULL};
	c->kind = HB__PROGRAM_ENDS;
	r->wanted[0] = 0;
	if (hb__when_takes_word(r, "ends"))
		c->kinds = HB__DEATH | HB__EXIT | HB__GONE;
	else if (hb__when_takes_word(r, "fails")) {
		c->kinds = HB__DEATH | HB__EXIT | HB__GONE;
		c->fails = true;
	} else if (hb__when_takes_word(r, "hangs")) {
		c->kind = HB__EVENT;
		c->kinds = HB__HANG;
	} else if (hb__when_takes_word(r, "moves")) {
		c->kind = HB__EVENT;
		c->kinds = HB__MOVES;
	} else if (hb__when_takes_word(r, "is"))
		read_state(r, c, HB__PROGRAM_IS, states);
	else
		hb__when_none(r);
}

/* Over or under N per second: the end of each rate. */
static void read_per(hb__when_reader *r, hb__when_condition *c)
{
	r->wanted[0] = 0;
	if (!read_limit(r, c))
		hb__when_none(r);
	hb__when_need(r, "per");
	r->wanted[0] = 0;
	c->window = hb__when_takes_word(r, "second")   ? 1000000
		    : hb__when_takes_word(r, "minute") ? 60000000
		    : hb__when_takes_word(r, "hour")   ? 3600000000
						       : 0;
	if (!c->window)
		hb__when_none(r);
}

/* Of a program, all of it together; or of a process. */
static void read_speed(hb__when_reader *r, hb__when_condition *c, const char *column)
{
	c->kind = HB__SPEED;
	c->what = strdup(column);
	if (!hb__when_takes_word(r, "of")) {
		read_where(r, c);
	} else if (hb__when_takes_word(r, "rank")) {
		c->each = c->ranked = true;
		c->process = read_rank(r);
	} else if (hb__when_takes_word(r, "process")) {
		c->each = true;
		c->process = hb__when_name(r, "the name of a process");
	} else if (hb__when_takes_word(r, "any")) {
		c->each = true;
		hb__when_need(r, "process");
	} else {
		c->program = hb__when_name(r, "rank, process, any process, or the name of a program");
	}
	read_where(r, c);
	read_per(r, c);
}

static void read_rate(hb__when_reader *r, hb__when_condition *c)
{
	static const struct {
		const char *word;
		unsigned kinds;
	} all[] = {{"deaths", HB__DEATH}, {"exits", HB__EXIT}, {"starts", HB__START}, {"stops", HB__STOP},
		{"findings", HB__FOUND}, {"hangs", HB__HANG}};
	hb__when_need(r, "of");
	r->wanted[0] = 0;
	c->kind = HB__RATE;
	for (size_t i = 0; i < sizeof all / sizeof *all && !c->kinds; i++)
		if (hb__when_takes_word(r, all[i].word))
			c->kinds = all[i].kinds;
	if (!c->kinds && hb__when_takes_word(r, "sensor")) {
		c->kinds = HB__SENSED;
		c->what = hb__when_name(r, "the name of a sensor");
	} else if (!c->kinds && hb__when_takes_word(r, "events")) {
		read_speed(r, c, "events");
		return;
	} else if (!c->kinds && hb__when_takes_word(r, "messages")) {
		read_speed(r, c, "messages");
		return;
	} else if (!c->kinds)
		hb__when_none(r);
	read_where(r, c);
	read_per(r, c);
}

static void read_node(hb__when_reader *r, hb__when_condition *c)
{
	static const char *const states[] = {"down", "up", "unknown", NULL};
	hb__when_need(r, "is");
	read_state(r, c, HB__NODE_IS, states);
}

/* load of node N over X */
static void read_node_value(hb__when_reader *r, hb__when_condition *c, const char *column)
{
	c->kind = HB__NODE_HAS;
	c->what = strdup(column);
	hb__when_need(r, "of");
	r->wanted[0] = 0;
	if (hb__when_takes_word(r, "any"))
		hb__when_need(r, "node");
	else if (hb__when_takes_word(r, "node"))
		c->node = hb__when_named(r, "node");
	else
		hb__when_none(r);
	r->wanted[0] = 0;
	if (!read_limit(r, c))
		hb__when_none(r);
}

/* pattern FILE of PROGRAM is wrong | stopped: what a check against the model finds. */
static void read_pattern(hb__when_reader *r, hb__when_condition *c)
{
	c->kind = HB__FINDING;
	c->model = hb__when_name(r, "the file of a model");
	if (*c->model && *c->model != '/')
		hb__when_wrong_before(r,
			"the file of a model is an absolute path, on the node of the program, not '%.60s'", c->model);
	hb__when_need(r, "of");
	c->program = hb__when_named(r, "program");
	hb__when_need(r, "is");
	r->wanted[0] = 0;
	if (hb__when_takes_word(r, "wrong"))
		c->what = strdup("HB-MODEL-WRONG");
	else if (hb__when_takes_word(r, "stopped"))
		c->what = strdup("HB-MODEL-STOPPED");
	else
		hb__when_none(r);
}

static void read_any(hb__when_reader *r, hb__when_condition *c)
{
	r->wanted[0] = 0;
	if (hb__when_takes_word(r, "process")) {
		read_where(r, c);
		read_process_verb(r, c);
	} else if (hb__when_takes_word(r, "program"))
		read_program_verb(r, c);
	else if (hb__when_takes_word(r, "node"))
		read_node(r, c);
	else
		hb__when_none(r);
}

static void read_finding(hb__when_reader *r, hb__when_condition *c)
{
	c->kind = HB__FINDING;
	if (r->word.text && !r->word.quoted && !strncmp(r->word.text, "HB-", 3)) {
		c->line = r->word.line;
		c->column = r->word.column;
		c->what = hb__when_name(r, "the identifier of a finding");
	}
	read_where(r, c);
}

static void read_one(hb__when_reader *r, hb__when_condition *c)
{
	r->wanted[0] = 0;
	if (hb__when_takes_word(r, "any"))
		read_any(r, c);
	else if (hb__when_takes_word(r, "rank")) {
		c->ranked = true;
		c->process = read_rank(r);
		read_where(r, c);
		read_process_verb(r, c);
	} else if (hb__when_takes_word(r, "process")) {
		c->process = hb__when_name(r, "the name of a process");
		read_where(r, c);
		read_process_verb(r, c);
	} else if (hb__when_takes_word(r, "program")) {
		c->program = hb__when_named(r, "program");
		read_program_verb(r, c);
	} else if (hb__when_takes_word(r, "node")) {
		c->node = hb__when_named(r, "node");
		read_node(r, c);
	} else if (hb__when_takes_word(r, "finding"))
		read_finding(r, c);
	else if (hb__when_takes_word(r, "sensor")) {
		c->kind = HB__SENSOR;
		c->what = hb__when_name(r, "the name of a sensor");
		read_where(r, c);
		read_limit(r, c);
	} else if (hb__when_takes_word(r, "rate"))
		read_rate(r, c);
	else if (hb__when_takes_word(r, "pattern"))
		read_pattern(r, c);
	else if (hb__when_takes_word(r, "load"))
		read_node_value(r, c, "load");
	else if (hb__when_takes_word(r, "memory"))
		read_node_value(r, c, "memory");
	else if (hb__when_takes_word(r, "disk"))
		read_node_value(r, c, "disk");
	else
		hb__when_none(r);
}

void hb__when_read_condition(hb__when_reader *r, hb__when_rule *rule)
{
	int happenings = 0;
	do {
		if (!HB_GROW(rule->condition, rule->condition_room, rule->nconditions + 1)) {
			hb__when_wrong(r, "out of memory");
			return;
		}
		hb__when_condition *c = &rule->condition[rule->nconditions++];
		*c = (hb__when_condition){0};
		read_one(r, c);
		happenings += c->kind < HB__PROCESS_IS;
	} while (hb__when_takes_word(r, "and"));
	if (hb__when_takes_word(r, "within"))
		rule->within = hb__when_time(r);
	else if (happenings > 1)
		hb__when_wrong(
			r, "two happenings joined by 'and' need 'within TIME': nothing happens at the same moment");
	hb__when_check_conditions(r, rule);
	if (hb__when_takes_word(r, "at")) {
		hb__when_need(r, "most");
		hb__when_need(r, "once");
		hb__when_need(r, "per");
		rule->pause = hb__when_time(r);
	}
}
