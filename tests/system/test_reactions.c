/* Reactions: what is refused and where, and when rules are due. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "system/reactions/reactions.h"

struct wrong {
	const char *text, *wanted;
};

static void are_refused(const struct wrong *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		hb_reactions *re;
		hb_error err = {0};
		hb_status status = hb_reactions_parse("f", all[i].text, &re, &err);
		check(status == HB_E_ARGUMENT && strstr(err.message, all[i].wanted), "%s", err.message);
		if (!strstr(err.message, all[i].wanted))
			printf("    wanted: %s\n", all[i].wanted);
		if (!status)
			hb_reactions_close(re);
	}
}

static void test_errors(void)
{
	static const struct wrong all[] = {
		{"when", "f:1:5: the file ends where one of these should follow: any, rank"},
		{"if rank 3 dies do note", "f:1:1: 'if' makes no sense here; possible: when"},
		{"when rank 3 of solver\n  dyes do note", "f:2:3: 'dyes' makes no sense here; possible: dies, exits"},
		{"when rank three dies do note", "a rank is a number, not 'three'"},
		{"when rank dies do note", "here should be a rank, not 'dies'"},
		{"when rank 3 dies do", "f:1:20: the file ends where"},
		{"when rank 3 dies do note \"a", "f:1:26: this text has no end on its line"},
		{"when rank 3 dies do note \"\\q\"", "a text \\ stands before"},
		{"when rank 3 dies and rank 4 dies do note", "need 'within TIME'"},
		{"when rank 3 dies and rank 4 dies within 10 do note",
			"here should be a time, as 500ms, 10s, 5min or 2h, not '10'"},
		{"when rate of deaths over x per minute do note", "here should be a limit, a number, not 'x'"},
		{"when rate of deaths per minute do note", "'per' makes no sense here; possible: over, under"},
		{"when rank 3 dies do run shell \"echo {text}\"", "nothing of an event is put into what a shell reads"},
		{"when rank 3 dies do run {text}", "which program is run is not for an event to say"},
		{"when rank 3 dies do run mail {colour}", "an event has no {colour}"},
		{"when rank 3 dies do run\nwhen rank 4 dies do note", "f:2:1: here should be a command"},
		{"when rank 3 dies do notify datagram file:/x", "a datagram goes to unix:/PATH or udp:HOST:PORT"},
		{"when rank 3 dies do note when rank 4 dies do note", "each 'when' begins on a line of its own"},
		{"when rank 3 dies do stop everybody in its future", "possible: past"},
		{"when node n1 is dead do note", "possible: down, up, unknown"},
		{"when rank 3 dies do note,", "the file ends where"},
	};
	are_refused(all, sizeof all / sizeof *all);
}

/* What can never be, or be done. */
static void test_impossible(void)
{
	static const struct wrong all[] = {
		{"when rank 3 dies by signal 0 do note", "f:1:28: a signal is a whole number from 1 to 64, not '0'"},
		{"when rank 3 dies by signal 99 do note", "f:1:28: a signal is a whole number from 1 to 64, not '99'"},
		{"when rank 3 dies by signal 9.5 do note", "f:1:28: a signal is a whole number"},
		{"when rank 3 exits with status 300 do note",
			"f:1:31: a status is a whole number from 0 to 255, not '300'"},
		{"when rank 03 dies do note", "f:1:11: a rank is a number without a 0 before it, not '03'"},
		{"when\n rank -1\ndies do note", "f:2:7: a rank is a number, not '-1'"},
		{"when process any dies do note", "a name that is a word of the language stands in quotes"},
		{"when node \"a b\" is up do note", "f:1:11: no node is called 'a b'"},
		{"when any process of x:y dies do note", "f:1:21: no program is called 'x:y'"},
		{"when program x is running and program x is failed do note",
			"conditions 1 and 2 of this rule never hold together"},
		{"when load of node n over 5 and disk of node n over 1 and load of node n under 3 do note",
			"conditions 1 and 3 of this"},
		{"when rate of deaths under 0 per second do note", "condition 1 of this rule is never so"},
		{"when memory of any node over -1 do note", "condition 1 of this rule is always so"},
		{"when node n is up within 10s do note", "'within TIME' is for what happens"},
		{"when rank 3 dies within 10s do note", "'within TIME' is for what happens"},
		{"when node n is down do stop it", "f:1:29: this rule is about nodes alone"},
		{"when load of any node over 3 do note, restart it", "f:1:47: this rule is about nodes alone"},
		{"when rank 3 dies do run \"\"", "an empty word is no command"},
		{"when rank 3 dies do note\n  , note hello", "f:2:10: here should be a text in quotes"},
		{"when rank 3 dies do notify datagram udp:host:99999\n", "f:1:37: a datagram goes to"},
		{"when rank 3 dies do notify datagram udp:host:\n", "f:1:37: a datagram goes to"},
	};
	are_refused(all, sizeof all / sizeof *all);
}

/* Any beginning of a file, and any byte changed, is read or refused, and nothing else. */
static void test_mutations(void)
{
	const char *good =
		"when rank 3 of solver on n1 dies by signal 9 and node n2 is down within 10s at most once per 5min do # why\n"
		"  note \"it {text}\", notify command mail -s {process} root\nwhen any program fails do restart it\n";
	int read = 0, n = (int)strlen(good);
	for (int i = 0; i <= n; i++)
		for (int c = 0; c < 12; c++) {
			char *text = strndup(good, (size_t)(c ? n : i));
			hb_reactions *re;
			if (c && i < n)
				text[i] = " \n\",#{}\\a0\x80\x1f"[c];
			if (!hb_reactions_parse("f", text, &re, NULL)) {
				hb_reactions_close(re);
				read++;
			}
			free(text);
		}
	check(read > 100, "of %d changed files %d are read", 12 * (n + 1), read);
}

/* ---- when they are due ---- */

static char fired[256], last_text[256];
static hb_reactions *now_read;

static void due(void *user, size_t index, const cJSON *event)
{
	(void)user;
	size_t n = strlen(fired);
	snprintf(fired + n, sizeof fired - n, "%s%d", n ? " " : "", hb_reactions_at(now_read, index)->line);
	char *text = hb_reactions_fill("{kind}/{process}/{rank}/{program}/{node}/{value}/{nothing", event);
	snprintf(last_text, sizeof last_text, "%s", text);
	free(text);
}

static bool fired_is(const char *wanted)
{
	bool same = !strcmp(fired, wanted);
	if (!same)
		printf("    due: %s\n    wanted: %s\n", fired, wanted);
	fired[0] = 0;
	return same;
}

static void feed(hb_complex *c, double seconds, const char *kind, const char *rest)
{
	char text[512];
	snprintf(text, sizeof text,
		"{\"time\":%.0f,\"kind\":\"%s\",\"node_name\":\"n1\",\"program_name\":\"solver\"%s}",
		1e15 + seconds * 1e6, kind, rest);
	cJSON *event = cJSON_Parse(text);
	hb_reactions_event(now_read, c, event, due, NULL);
	cJSON_Delete(event);
}

static hb_complex *begin(const char *text)
{
	static int count;
	char name[16];
	hb_complex *c;
	hb_error err;
	snprintf(name, sizeof name, "db%d", count++);
	if (hb_complex_open(check_path(name), &c, &err) || hb_reactions_parse("f", text, &now_read, &err)) {
		check(false, "%s", err.message);
		exit(1);
	}
	return c;
}

static void end(hb_complex *c)
{
	hb_reactions_close(now_read);
	hb_complex_close(c);
}

#define RANK3 ",\"process\":5,\"process_name\":\"3\",\"rank\":3"

static void test_events(void)
{
	hb_complex *c = begin("when rank 3 of solver dies do note\n"
			      "when process worker#2 dies do note\n"
			      "when any process of other dies do note\n"
			      "when rank 3 on n1 dies by signal 11 do note\n"
			      "when any process exits with status not 0 do note\n"
			      "when program solver fails do note\n"
			      "when finding HB-DEADLOCK-CYCLE of solver do note\n"
			      "when program solver hangs do note\n"
			      "when rank 3 dies at most once per 10s do note\n");
	feed(c, 0, "death", RANK3 ",\"data\":{\"signal\":11}");
	check(fired_is("1 4 9"), "a death: by rank, by signal");
	check(!strcmp(last_text, "death/3/3/solver/n1//{nothing"), "what an event has is put in: %s", last_text);
	feed(c, 1, "death", RANK3 ",\"data\":{\"signal\":9}");
	check(fired_is("1"), "by another signal, and too soon after the first one");
	feed(c, 20, "death", ",\"process\":6,\"process_name\":\"worker#2\"");
	check(fired_is("2"), "by name");
	feed(c, 20, "exit", RANK3 ",\"data\":{\"status\":0}");
	check(fired_is(""), "an exit with 0 is no failure");
	feed(c, 20, "exit", ",\"process\":7,\"process_name\":\"7\",\"main\":7,\"data\":{\"status\":1}");
	check(fired_is("5 6"), "the program's own process fails");
	feed(c, 20, "exit", ",\"process\":7,\"process_name\":\"7\",\"main\":8,\"data\":{\"status\":1}");
	check(fired_is("5"), "another one of its processes fails");
	feed(c, 20, "finding", ",\"data\":{\"id\":\"HB-DEADLOCK-CYCLE\"}");
	feed(c, 20, "finding", ",\"data\":{\"id\":\"HB-OTHER\"}");
	check(fired_is("7"), "a finding by its identifier");
	feed(c, 20, "hang", ",\"data\":{\"verdict\":\"moves\"}");
	feed(c, 20, "hang", ",\"data\":{\"verdict\":\"hangs\"}");
	check(fired_is("8"), "a hang, and not the end of one");
	end(c);
}

static void test_together(void)
{
	hb_complex *c = begin("when rank 3 dies and finding HB-X within 10s do note\n"
			      "when sensor heat over 80 do note\n"
			      "when rate of deaths over 2 per minute do note\n"
			      "when rank 3 dies and node n1 is down do note\n"
			      "when any node is down do note\n"
			      "when load of node n1 over 8 do note\n");
	int64_t node;
	hb_complex_node(c, "n1", "local", "n1", NULL);
	hb_complex_node_find(c, "n1", &node, NULL);
	feed(c, 0, "death", RANK3);
	feed(c, 11, "finding", ",\"data\":{\"id\":\"HB-X\"}");
	check(fired_is(""), "two happenings that are too far from each other");
	feed(c, 20, "death", RANK3);
	check(fired_is("1"), "near enough, in the other order");
	feed(c, 21, "finding", ",\"data\":{\"id\":\"HB-X\"}");
	check(fired_is(""), "what made a rule due is used up");
	feed(c, 22, "sensor", RANK3 ",\"data\":{\"name\":\"heat\",\"value\":79}");
	feed(c, 22, "sensor", RANK3 ",\"data\":{\"name\":\"heat\",\"value\":81}");
	feed(c, 22, "sensor", RANK3 ",\"data\":{\"name\":\"heat\",\"value\":82}");
	feed(c, 22, "sensor", ",\"process\":6,\"data\":{\"name\":\"heat\",\"value\":82}");
	check(fired_is("2 2"), "a limit counts once for each process while it is passed");
	cJSON *event = cJSON_Parse("{\"time\":1795736379338300,\"data\":{\"value\":0.5}}");
	char *time = hb_reactions_fill("{time} {value}", event);
	check(!strcmp(time, "1795736379338300 0.5"), "a time has all of its digits: %s", time);
	free(time);
	cJSON_Delete(event);
	feed(c, 22, "sensor", RANK3 ",\"data\":{\"name\":\"heat\",\"value\":1}");
	feed(c, 22, "sensor", RANK3 ",\"data\":{\"name\":\"heat\",\"value\":90.5}");
	check(fired_is("2") && strstr(last_text, "90.5"), "and again after it was not");
	hb_reactions_tick(now_read, c, 1000000000000000 + 23000000, due, NULL);
	check(fired_is(""), "two deaths in a minute are not over two");
	feed(c, 24, "death", RANK3 ",\"data\":{\"asked\":true}");
	fired[0] = 0;
	hb_reactions_tick(now_read, c, 1000000000000000 + 24000000, due, NULL);
	check(fired_is(""), "who was told to end with its program has not died, nor in a rate");
	feed(c, 24, "death", RANK3);
	fired[0] = 0;
	hb_reactions_tick(now_read, c, 1000000000000000 + 25000000, due, NULL);
	hb_reactions_tick(now_read, c, 1000000000000000 + 26000000, due, NULL);
	check(fired_is("3"), "three are, once");
	hb_complex_node_state(c, node, "down", "no answer", NULL, NULL);
	hb_reactions_tick(now_read, c, 1000000000000000 + 26000000, due, NULL);
	check(fired_is("5") && !strncmp(last_text, "state////n1", 11), "a node is down: %s", last_text);
	feed(c, 200, "death", RANK3);
	check(fired_is("4"), "a death while a node is down");
	cJSON *news = cJSON_Parse("{\"load\":9.5}");
	hb_complex_node_news(c, node, news, NULL);
	cJSON_Delete(news);
	hb_reactions_tick(now_read, c, 1000000000000000 + 201000000, due, NULL);
	hb_reactions_tick(now_read, c, 1000000000000000 + 202000000, due, NULL);
	check(fired_is("6") && strstr(last_text, "/n1/9.5"), "a load, and which: %s", last_text);
	end(c);
}

#define HEAT(value) RANK3 ",\"data\":{\"name\":\"heat\",\"value\":" #value "}"

/* What happened before a manager began anew: nothing is due by it, and what comes behind it knows of it. */
static void test_remembered(void)
{
	static const char *const rules = "when rank 3 dies and program solver is running within 10s do note\n"
					 "when sensor heat over 50 do note\n"
					 "when rate of deaths over 2 per minute do note\n"
					 "when sensor heat and rank 3 dies within 10s do note\n";
	hb_complex *c = begin(rules);
	check(hb_reactions_look_back(now_read), "these rules look back");
	for (int i = 0; i < 3; i++) {
		char text[300];
		snprintf(text, sizeof text, "{\"time\":%.0f,\"kind\":\"%s\",\"program_name\":\"solver\"%s}",
			1e15 + i * 1e6, i < 2 ? "death" : "sensor", i < 2 ? RANK3 : HEAT(60));
		cJSON *event = cJSON_Parse(text);
		hb_reactions_event(now_read, c, event, NULL, NULL);
		cJSON_Delete(event);
	}
	check(fired_is(""), "what is remembered makes no rule due");
	feed(c, 3, "sensor", HEAT(61));
	check(fired_is(""), "a sensor that was beyond its limit counts when it was back");
	feed(c, 4, "sensor", HEAT(40));
	feed(c, 5, "sensor", HEAT(70));
	check(fired_is("2"), "then it does");
	feed(c, 6, "death", RANK3);
	check(fired_is("4"), "a happening from before and one from now are within ten seconds");
	hb_reactions_tick(now_read, c, 1000000000000000 + 7000000, due, NULL);
	check(fired_is("3"), "and so are deaths of a minute");
	end(c);
	c = begin("when program solver is failed do note\n");
	check(!hb_reactions_look_back(now_read) && !hb_reactions_holds(now_read, 0), "a state does not");
	hb_reactions_held(now_read, 0, true);
	check(hb_reactions_holds(now_read, 0), "whether it holds can be told");
	end(c);
}

/* A clock that is set back by an hour. */
static void test_clock(void)
{
	hb_complex *c = begin("when rate of deaths over 2 per minute do note\n");
	for (int i = 0; i < 3; i++)
		feed(c, 3600 + i, "death", RANK3);
	hb_reactions_tick(now_read, c, 1000000000000000 + 3603000000, due, NULL);
	check(fired_is("1"), "three deaths in a minute");
	hb_reactions_tick(now_read, c, 1000000000000000 + 1000000, due, NULL);
	hb_reactions_tick(now_read, c, 1000000000000000 + 70000000, due, NULL);
	for (int i = 0; i < 3; i++)
		feed(c, 80 + i, "death", RANK3);
	hb_reactions_tick(now_read, c, 1000000000000000 + 83000000, due, NULL);
	check(fired_is("1"), "are forgotten a minute later, though the clock was set back, and three more count");
	end(c);
}

static void test_speed(void)
{
	hb_complex *c = begin("when rate of events of solver over 100 per second do note\n");
	int64_t node, program, process;
	hb_complex_node(c, "n1", "local", "n1", NULL);
	hb_complex_node_find(c, "n1", &node, NULL);
	cJSON *o = cJSON_Parse("{\"name\":\"solver\",\"node\":\"n1\",\"command\":[\"true\"]}");
	hb_complex_program(c, o, NULL);
	cJSON_Delete(o);
	hb_complex_program_find(c, "solver", &program, NULL);
	int due_at = -1;
	for (int i = 0; i < 60; i++) {
		char text[160];
		/* 50 a second for three seconds, then 200 a second */
		snprintf(text, sizeof text,
			"{\"pid\":7,\"began\":1,\"boot\":\"b\",\"state\":\"running\",\"events\":%d}",
			i < 30 ? 5 * i : 150 + 20 * (i - 30));
		o = cJSON_Parse(text);
		hb_complex_process(c, node, o, HB_ENDS_NOT, &process, NULL);
		cJSON_Delete(o);
		if (!i)
			hb_complex_program_begun(c, program, process, "/r.hbdb", NULL, NULL);
		hb_reactions_tick(now_read, c, 1000000000000000 + i * 100000, due, NULL);
		if (due_at < 0 && fired[0])
			due_at = i;
	}
	check(due_at > 30 && due_at < 42 && fired_is("1"),
		"the rate of recorded events passes its limit at 0.1 s number %d, once", due_at);
	end(c);
}

/* Of a process by itself: the other one is as fast as both are allowed to be together. */
static void test_speed_of_one(void)
{
	hb_complex *c = begin("when rate of messages of rank 1 of solver over 100 per second do note\n"
			      "when rate of messages of any process of solver under 20 per second do note\n"
			      "when rate of messages of process 2 over 1 per second do note\n"
			      "when rate of messages of any process on n2 over 1 per second do note\n");
	int64_t node, program, process[2];
	hb_complex_node(c, "n1", "local", "n1", NULL);
	hb_complex_node_find(c, "n1", &node, NULL);
	cJSON *o = cJSON_Parse("{\"name\":\"solver\",\"node\":\"n1\",\"command\":[\"true\"]}");
	hb_complex_program(c, o, NULL);
	cJSON_Delete(o);
	hb_complex_program_find(c, "solver", &program, NULL);
	int due_at[2] = {-1, -1};
	for (int i = 0; i < 90; i++) {
		/* rank 0: 500 a second; rank 1: 50 a second, from 3 s on 200, from 6 s on 10, and what it recorded is no message */
		int sent = i < 30 ? 5 * i : i < 60 ? 150 + 20 * (i - 30) : 750 + (i - 60);
		for (int rank = 0; rank < 2; rank++) {
			char text[240];
			snprintf(text, sizeof text,
				"{\"pid\":%d,\"began\":1,\"boot\":\"b\",\"state\":\"running\",\"rank\":%d,\"name\":\"%d\",\"recording\":\"/r.hbdb\",\"messages\":%d,\"events\":%d}",
				7 + rank, rank, rank, rank ? sent : 50 * i, 1000 * i);
			o = cJSON_Parse(text);
			hb_complex_process(c, node, o, HB_ENDS_NOT, &process[rank], NULL);
			cJSON_Delete(o);
		}
		if (!i)
			hb_complex_program_begun(c, program, process[0], "/r.hbdb", NULL, NULL);
		hb_reactions_tick(now_read, c, 1000000000000000 + i * 100000, due, NULL);
		for (int k = 0; k < 2; k++)
			if (due_at[k] < 0 && strchr(fired, '1' + k))
				due_at[k] = i;
	}
	check(due_at[0] > 30 && due_at[0] < 42, "the rate of messages of a rank passes its limit at 0.1 s number %d",
		due_at[0]);
	check(due_at[1] > 60 && due_at[1] < 72, "that of any process falls below its limit at number %d", due_at[1]);
	check(fired_is("1 2"), "each once, and of nobody else");
	end(c);
}

int main(void)
{
	test_errors();
	test_impossible();
	test_mutations();
	test_events();
	test_together();
	test_remembered();
	test_clock();
	test_speed();
	test_speed_of_one();
	check_clean();
	return check_end();
}
