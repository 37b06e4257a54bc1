/* races, all_races: a row for each message that a receive could have got and did not. The races are found once, when the
 * first row is asked for. */
#include <stdlib.h>

#include "../sql.h"
#include "rules/race.h"

enum {
	RACE,
	KIND,
	RANK,
	LANE,
	POST_EVENT,
	EVENT,
	CALL,
	PLACE,
	COMM,
	GOT_RANK,
	GOT_LANE,
	GOT_EVENT,
	GOT_TAG,
	GOT_PLACE,
	COULD_RANK,
	COULD_LANE,
	COULD_EVENT,
	COULD_TAG,
	COULD_PLACE,
	TAKEN_POST,
	TAKEN_EVENT,
	TAKEN_PLACE,
	DEPENDENT,
	UNCERTAIN,
};

static const hb_sql_column columns[] = {
	{"race", "INTEGER", 0, HB_SQL_NO_KEY, "the race: its alternatives have the same number"},
	{"kind", "TEXT", 0, HB_SQL_BY_TEXT, "receive, probe, or choice: of a call that chose among requests"},
	{"rank", "INTEGER", 0, HB_SQL_BY_RANK, "the receiver, by its rank in MPI_COMM_WORLD"},
	{"lane", "INTEGER", 0, HB_SQL_NO_KEY, "the thread that completed the receive, or chose"},
	{"post_event", "INTEGER", 0, HB_SQL_NO_KEY, "the event that posted the receive"},
	{"event", "INTEGER", 0, HB_SQL_BY_VALUE, "the event that completed it"},
	{"call", "TEXT", 0, HB_SQL_NO_KEY, "the function that posted it, or chose"},
	{"place", "TEXT", 0, HB_SQL_NO_KEY, "file and line of that"},
	{"comm", "TEXT", 0, HB_SQL_NO_KEY, "the communicator, by the name that all processes share"},
	{"got_rank", "INTEGER", 0, HB_SQL_NO_KEY, "who sent what it got"},
	{"got_lane", "INTEGER", 0, HB_SQL_NO_KEY, "the thread that sent it"},
	{"got_event", "INTEGER", 0, HB_SQL_NO_KEY, "the event of that send"},
	{"got_tag", "INTEGER", 0, HB_SQL_NO_KEY, "its tag"},
	{"got_place", "TEXT", 0, HB_SQL_NO_KEY, "file and line of it"},
	{"could_rank", "INTEGER", 0, HB_SQL_NO_KEY, "who sent what it could have got"},
	{"could_lane", "INTEGER", 0, HB_SQL_NO_KEY, "the thread that sent it"},
	{"could_event", "INTEGER", 0, HB_SQL_NO_KEY, "the event of that send"},
	{"could_tag", "INTEGER", 0, HB_SQL_NO_KEY, "its tag"},
	{"could_place", "TEXT", 0, HB_SQL_NO_KEY, "file and line of it"},
	{"taken_post", "INTEGER", 0, HB_SQL_NO_KEY,
		"the event, on the receiver, that posted the receive which got that message in this run; NULL: none did"},
	{"taken_event", "INTEGER", 0, HB_SQL_NO_KEY, "the event that completed that receive"},
	{"taken_place", "TEXT", 0, HB_SQL_NO_KEY, "file and line of the posting"},
	{"dependent", "INTEGER", 0, HB_SQL_NO_KEY, "1: only when another race turned out otherwise; in all_races only"},
	{"uncertain", "INTEGER", 0, HB_SQL_NO_KEY,
		"1: rests on an ambiguous match or on a log that is not whole, or both processes take locks of windows"},
	{0},
};

struct row {
	uint32_t race, got, could, taken;
	hb_at post, done;
	uint32_t spec;
	uint8_t kind;
	bool dependent, uncertain;
};

struct hb_sql_races {
	struct row *row;
	size_t n, room;
	uint32_t races;
};

struct cursor {
	hb_sql_cursor c;
	size_t next;
	const struct row *row;
};

static bool keep(void *user, const hb_race *race)
{
	struct hb_sql_races *r = user;
	r->races++;
	for (uint32_t i = 0; i < race->nalternatives; i++) {
		if (r->n == r->room) {
			r->room = r->room ? 2 * r->room : 64;
			r->row = hb__resize(r->row, r->room * sizeof *r->row);
		}
		const hb_alternative *a = &race->alternative[i];
		r->row[r->n++] = (struct row){.race = r->races,
			.got = race->got,
			.could = a->send,
			.taken = a->receive,
			.post = race->post,
			.done = race->done,
			.spec = race->spec,
			.kind = (uint8_t)race->kind,
			.dependent = race->dependent || a->dependent,
			.uncertain = race->uncertain};
	}
	return true;
}

void hb__sql_races_close(struct hb_sql *sql)
{
	for (int i = 0; i < 2; i++) {
		if (sql->races[i])
			free(sql->races[i]->row);
		free(sql->races[i]);
		sql->races[i] = NULL;
	}
}

static int start(hb_sql_cursor *c)
{
	struct cursor *r = (struct cursor *)c;
	struct hb_sql *sql = c->sql;
	int variant = c->table->variant;
	hb_race_sum sum;
	hb_bar bar;
	hb_error err = {0};
	r->next = 0;
	if (hb__sql_model(c))
		return -1;
	if (sql->races[variant])
		return 0;
	struct hb_sql_races *races = sql->races[variant] = hb__alloc(sizeof *races);
	hb__bar_begin(&bar, "races");
	hb_status status =
		hb_races(sql->model, variant ? HB_RACES_ALL : 0, keep, races, &sum, hb__bar_step, &bar, &err);
	hb__bar_end(&bar);
	if (!status) {
		hb__sql_say_troubles(sql);
		return 0;
	}
	free(races->row);
	free(races);
	sql->races[variant] = NULL;
	return hb__sql_fail_log(c, NULL, &err);
}

static const char *kind(const struct row *row)
{
	return row->kind < HB_RACE_KINDS ? hb_race_words[row->kind] : "unknown";
}

static int next(hb_sql_cursor *c)
{
	struct cursor *r = (struct cursor *)c;
	const struct hb_sql_races *races = c->sql->races[c->table->variant];
	while (r->next < races->n) {
		r->row = &races->row[r->next++];
		if (hb__sql_within(c, RANK, hb__sql_line_rank(c->sql, r->row->done.line)) &&
			hb__sql_within(c, EVENT, r->row->done.event) &&
			(!c->text[KIND] || !strcmp(c->text[KIND], kind(r->row))))
			return 1;
	}
	return 0;
}

/* lane, event, tag, place of a send; column counts from the rank of its process */
static void give_send(struct hb_sql *sql, sqlite3_context *out, uint32_t send, int column)
{
	if (send == HB_NO)
		return;
	hb_at at = hb_send_at(sql->model, send);
	if (column == 0)
		sqlite3_result_int(out, hb__sql_line_rank(sql, at.line));
	else if (column == 3) {
		const hb_channel *c = &hb_model_channels(sql->model)[hb_model_sends(sql->model)[send].channel];
		if (hb_model_tag_word(sql->model, c->group))
			sqlite3_result_int(out, c->tag);
	} else
		hb__sql_part(sql, out, at, column == 1 ? HB_SQL_LANE : column == 2 ? HB_SQL_EVENT : HB_SQL_PLACE);
}

static void give_taken(struct hb_sql *sql, sqlite3_context *out, uint32_t receive, int column)
{
	if (receive == HB_NO)
		return;
	hb__sql_part(sql, out,
		column == TAKEN_EVENT ? hb_receive_done(sql->model, receive) : hb_receive_post(sql->model, receive),
		column == TAKEN_PLACE ? HB_SQL_PLACE : HB_SQL_EVENT);
}

static void give_receive(struct hb_sql *sql, sqlite3_context *out, const struct row *row, int column)
{
	hb_at at = hb_race_is_choice(row->kind) ? row->done : row->post; /* what a user would look at */
	if (column == RANK)
		sqlite3_result_int(out, hb__sql_line_rank(sql, row->done.line));
	else if (column == COMM)
		hb__sql_text(out, hb_model_group_name(sql->model, hb_model_specs(sql->model)[row->spec].group));
	else if (column == LANE || column == EVENT)
		hb__sql_part(sql, out, row->done, column == LANE ? HB_SQL_LANE : HB_SQL_EVENT);
	else if (column == POST_EVENT)
		hb__sql_part(sql, out, row->post, HB_SQL_EVENT);
	else
		hb__sql_part(sql, out, at, column == CALL ? HB_SQL_CALL : HB_SQL_PLACE);
}

static int give(hb_sql_cursor *c, sqlite3_context *out, int column)
{
	const struct row *row = ((struct cursor *)c)->row;
	if (column == KIND)
		hb__sql_text(out, kind(row));
	else if (column == RACE)
		sqlite3_result_int64(out, row->race);
	else if (column == DEPENDENT || column == UNCERTAIN)
		sqlite3_result_int(out, column == DEPENDENT ? row->dependent : row->uncertain);
	else if (column >= TAKEN_POST)
		give_taken(c->sql, out, row->taken, column);
	else if (column >= COULD_RANK)
		give_send(c->sql, out, row->could, column - COULD_RANK);
	else if (column >= GOT_RANK)
		give_send(c->sql, out, row->got, column - GOT_RANK);
	else
		give_receive(c->sql, out, row, column);
	return 0;
}

static double rows(const struct hb_sql *sql) { return (double)sql->events / 4; }

const hb_sql_table hb__sql_races = {
	.name = "races",
	.help = "a row for each message that a receive could have got and did not, as hbdb races finds them",
	.columns = columns,
	.size = sizeof(struct cursor),
	.rows = rows,
	.start = start,
	.next = next,
	.column = give,
};

const hb_sql_table hb__sql_all_races = {
	.name = "all_races",
	.help = "the same with every alternative, and with receives that differ only as a consequence (hbdb races --all)",
	.columns = columns,
	.size = sizeof(struct cursor),
	.variant = 1,
	.rows = rows,
	.start = start,
	.next = next,
	.column = give,
};
