/* What is set becomes an ask of the manager (docs/agent.md), over a connection that is made for it: so the manager knows who asks, and may be
 * started again at any time. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/socket/unix.h"
#include "snmp.h"
#include "system/wire/wire.h"

#define PATIENCE 10.0 /* seconds for the manager's answer */

/* By the numbers of hbdbProgramAction and hbdbProcessAction. */
static const struct {
	const char *ask;
	int signal;
} program_asks[] = {{0}, {0}, {"begin", 0}, {"end", 0}, {"restart", 0}},
  process_asks[] = {{0}, {0}, {"stop", 0}, {"go", 0}, {"signal", SIGTERM}, {"signal", SIGKILL}};

bool hb__snmp_has_action(const hb_instance *instance, long action)
{
	size_t n = hb__snmp_is_program(instance) ? sizeof program_asks / sizeof *program_asks
						 : sizeof process_asks / sizeof *process_asks;
	return action > 1 && (size_t)action < n;
}

struct question {
	hb_snmp *snmp;
	bool answered, done;
};

static void answered(void *user, const cJSON *answer, const char *error, int status)
{
	struct question *q = user;
	(void)answer, (void)status;
	q->answered = true;
	q->done = !error;
	snprintf(q->snmp->answer, sizeof q->snmp->answer, "%s", error ? error : "");
}

/* The name of a program by its number, as the manager is asked. */
static bool name_program(hb_snmp *snmp, int64_t program, cJSON *ask)
{
	static const char sql[] = "SELECT name FROM program WHERE program = ?1";
	sqlite3_stmt *s = hb_reader_query(snmp->reader, sql);
	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, program);
	bool there = sqlite3_step(s) == SQLITE_ROW &&
		     cJSON_AddStringToObject(ask, "program", (const char *)sqlite3_column_text(s, 0));
	sqlite3_reset(s);
	return there;
}

static cJSON *ask_of(hb_snmp *snmp, const hb_instance *instance, long action)
{
	cJSON *ask = cJSON_CreateObject();
	bool good = ask && (hb__snmp_is_program(instance)
					   ? name_program(snmp, instance->row, ask)
					   : cJSON_AddNumberToObject(ask, "process", (double)instance->row) != NULL);
	if (good && !hb__snmp_is_program(instance) && process_asks[action].signal)
		good = cJSON_AddNumberToObject(ask, "signal", process_asks[action].signal) != NULL;
	if (good)
		return ask;
	cJSON_Delete(ask);
	return NULL;
}

static bool fail(hb_snmp *snmp, const char *what, const char *why)
{
	snprintf(snmp->answer, sizeof snmp->answer, "%s: %s", what, why);
	hb__say("%s", snmp->answer);
	return false;
}

bool hb__snmp_act(hb_snmp *snmp, const hb_instance *instance, long action)
{
	static const hb_wire_calls calls = {0};
	struct question q = {.snmp = snmp};
	hb_error err = {0};
	hb_wire *wire;
	double until = hb_seconds() + PATIENCE;
	int fd = hb_unix_connect(snmp->manager, SOCK_STREAM);
	if (fd < 0)
		return fail(snmp, snmp->manager, strerror(errno));
	if (hb_wire_open(fd, fd, true, "console", &calls, NULL, &wire, &err))
		return fail(snmp, snmp->manager, err.message);
	cJSON *ask = ask_of(snmp, instance, action);
	const char *name = hb__snmp_is_program(instance) ? program_asks[action].ask : process_asks[action].ask;
	if (ask)
		hb_wire_ask(wire, name, ask, answered, &q);
	bool open = ask != NULL;
	while (open && !q.answered && hb_seconds() < until) {
		struct pollfd p = {.fd = hb_wire_fd(wire), .events = POLLIN};
		open = hb_wire_turn(wire);
		if (open && !q.answered)
			poll(&p, 1, 100);
	}
	bool late = open && !q.answered;
	hb_wire_close(wire); /* answers what is not answered */
	if (!ask)
		return fail(snmp, "the database", "it is not there any more");
	if (late)
		return fail(snmp, snmp->manager, "the manager does not answer");
	return q.done;
}
