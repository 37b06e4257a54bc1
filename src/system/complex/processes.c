/* Processes: what agents tell of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/complex/inside.h"

#define FIELD(name) cJSON_GetObjectItemCaseSensitive(process, name)

/* An agent that was begun when a process had ended already knows its log, and not when it began: then its log tells which one it is. */
static int64_t find(hb_complex *c, int64_t node, const cJSON *process)
{
	const cJSON *began = FIELD("began");
	if (cJSON_IsNumber(began) && began->valuedouble == 0)
		return hb__db_number(c, 0,
			"SELECT max(process) FROM process WHERE node = ?1 AND boot = ?2 AND pid = ?3 AND recording = ?4 AND log = ?5",
			"itftt", node, FIELD("boot"), FIELD("pid"), FIELD("recording"), FIELD("log"));
	return hb__db_number(c, 0,
		"SELECT process FROM process WHERE node = ?1 AND boot = ?2 AND pid = ?3 AND began = ?4", "itff", node,
		FIELD("boot"), FIELD("pid"), FIELD("began"));
}

hb_status hb_complex_process_find(
	hb_complex *c, int64_t node, const cJSON *process, int64_t *ret_process, hb_error *err)
{
	*ret_process = find(c, node, process);
	return *ret_process ? HB_OK : hb__complex_fail(err, HB_E_ARGUMENT, "this process is not known");
}

/* The states that there are; what an agent says beside them is taken for running. */
static const char *state_of(const cJSON *process, hb_complex_end_kind kind)
{
	static const char *const known[] = {"running", "waiting", "stopped", "held", "ended", "gone"};
	const char *state = hb__db_text_of(process, "state");
	for (size_t i = 0; kind == HB_ENDS_NOT && state && i < sizeof known / sizeof *known; i++)
		if (!strcmp(state, known[i]))
			return known[i];
	return kind == HB_ENDS_NOT ? "running" : "ended";
}

static hb_status insert(
	hb_complex *c, int64_t node, const cJSON *process, const char *state, int64_t *ret, hb_error *err)
{
	char name[32];
	const cJSON *pid = FIELD("pid");
	snprintf(name, sizeof name, "%lld", (long long)pid->valuedouble);
	const char *its = hb__db_text_of(process, "name");
	hb_status status = hb__db_do(c, err,
		"INSERT INTO process(node, boot, pid, began, name, state, since) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
		"itffssi", node, FIELD("boot"), pid, FIELD("began"), its && *its ? its : name, state, hb_complex_now());
	*ret = sqlite3_last_insert_rowid(c->db);
	return status;
}

/* How long an agent may not know a process before it is gone, in microseconds: one that was begun anew has to find recordings first. */
#define MISSING 10000000

/* What the news has replaces what is there; what it does not have stays. Nobody comes back from his end; who is gone may turn out to be there, or to have ended. */
static hb_status update(hb_complex *c, int64_t number, const cJSON *process, const char *state, hb_error *err)
{
	hb_status status = hb__db_do(c, err,
		"UPDATE process SET name = coalesce(?2, name), file = coalesce(?3, file), "
		/* a name of a program, which was not known at first, is of nobody with a rank */
		"rank = iif(?2 GLOB '[^0-9]*', NULL, coalesce(?4, rank)), "
		"world = coalesce(?5, world), machine = coalesce(?6, machine), recording = coalesce(?7, recording), "
		"log = coalesce(?8, log), events = coalesce(?9, events), threads = coalesce(?10, threads), "
		"used = coalesce(?11, used), memory = coalesce(?12, memory), status = coalesce(?13, status), "
		"signal = coalesce(?14, signal), messages = coalesce(?15, messages), event_rate = coalesce(?16, event_rate), "
		"message_rate = coalesce(?17, message_rate), missing = NULL WHERE process = ?1",
		"ittfftttfffffffff", number, FIELD("name"), FIELD("program"), FIELD("rank"), FIELD("world"),
		FIELD("machine"), FIELD("recording"), FIELD("log"), FIELD("events"), FIELD("threads"), FIELD("used"),
		FIELD("memory"), FIELD("status"), FIELD("signal"), FIELD("messages"), FIELD("event_rate"),
		FIELD("message_rate"));
	status =
		status ? status
		       : hb__db_do(c, err,
				 "UPDATE process SET since = iif(state = ?2, since, ?3), state = ?2, call = ?4 WHERE process = ?1 "
				 "AND state <> 'ended'",
				 "isit", number, state, hb_complex_now(), FIELD("call"));
	/* it belongs to the program that writes this recording, wherever it runs */
	return status ? status
		      : hb__db_do(c, err,
				"UPDATE process SET program = (SELECT program FROM program WHERE process.recording IN (recording, part)) "
				"WHERE process = ?1 AND program IS NULL AND recording IS NOT NULL",
				"i", number);
}

/* How people call it. */
static char *called(hb_complex *c, int64_t number)
{
	return hb__db_words(c,
		"SELECT iif(p.rank IS NULL, 'process ' || p.name || iif(p.name = p.pid, '', ' (' || p.pid || ')'), "
		"'rank ' || p.name) || coalesce(' of ' || g.name, '') || ' on ' || n.name FROM process p JOIN node n ON "
		"p.node = n.node LEFT JOIN program g ON p.program = g.program WHERE p.process = ?",
		"i", number);
}

static bool was_told(hb_complex *c, int64_t number, const char *kind)
{
	return hb__db_number(c, 0, "SELECT 1 FROM event WHERE process = ?1 AND kind = ?2", "is", number, kind);
}

/* What hangs on a process that has ended: holds of it, and the program whose command it was. */
static hb_status end_all_of_it(hb_complex *c, int64_t number, int64_t status, int64_t signal, bool known, hb_error *err)
{
	bool failed = !known || status || signal;
	hb_status done = hb__db_do(c, err, "DELETE FROM hold WHERE process = ?", "i", number);
	return done ? done
		    : hb__db_do(c, err,
			      /* who was told to end has not failed */
			      "UPDATE program SET state = iif(ending IS NULL, ?2, 'ended'), since = ?3, "
			      "failures = iif(?4 AND ending IS NULL, iif(?3 - since < 60000000, failures + 1, 1), 0), "
			      "failed = failed + (?4 AND ending IS NULL), ending = NULL, "
			      "status = iif(?7, ?5, NULL), "
			      "signal = iif(?6 > 0, ?6, NULL) WHERE process = ?1 AND state IN ('running', 'stopped', 'hangs')",
			      "isiiiii", number, failed ? "failed" : "ended", hb_complex_now(), (int64_t)failed, status,
			      signal, (int64_t)known);
}

/* With its program it was told to end. */
static bool was_asked(hb_complex *c, int64_t number)
{
	return hb__db_number(c, 0,
		"SELECT 1 FROM program g JOIN process p ON p.process = ?1 WHERE g.ending IS NOT NULL AND (g.process = ?1 OR "
		"(g.program = p.program AND p.recording IN (g.recording, g.part)))",
		"i", number);
}

static hb_status tell_end(hb_complex *c, int64_t number, const cJSON *process, hb_complex_end_kind kind, hb_error *err)
{
	int64_t signal = hb__db_number(c, 0, "SELECT signal FROM process WHERE process = ?", "i", number);
	int64_t status = hb__db_number(c, 0, "SELECT status FROM process WHERE process = ?", "i", number);
	bool known = signal > 0 ||
		     hb__db_number(c, 0, "SELECT status IS NOT NULL FROM process WHERE process = ?", "i", number);
	const char *said = hb__db_text_of(process, "how"); /* by its log: finalized, left, aborted, died */
	bool died = said && (!strcmp(said, "died") || !strcmp(said, "aborted"));
	bool death = kind == HB_ENDS_DEATH || (kind == HB_ENDS_NOT && (signal > 0 || died));
	/* a death may be told behind an exit, which then was only what could be seen at first; nothing is told twice */
	if (was_told(c, number, "death") || (!death && was_told(c, number, "exit")))
		return HB_OK;
	char *who = called(c, number);
	char how[64] = "ended without saying so";
	if (signal > 0)
		snprintf(how, sizeof how, "was killed by signal %lld (%s)", (long long)signal, strsignal((int)signal));
	else if (!death && known)
		snprintf(how, sizeof how, "exited with status %lld", (long long)status);
	else if (!death)
		snprintf(how, sizeof how, "ended");
	cJSON *data = cJSON_Duplicate(process, 1);
	bool asked = was_asked(c, number);
	if (asked)
		cJSON_AddBoolToObject(data, "asked", true);
	hb_status done = hb__db_tell(c, err, death ? "death" : "exit",
		asked    ? "note"
		: death  ? "error"
		: status ? "warning"
			 : "note",
		0, 0, number, data, "%s %s%s", who ? who : "a process", how, asked ? ", as it was told to end" : "");
	cJSON_Delete(data);
	free(who);
	return done ? done : end_all_of_it(c, number, status, signal, known, err);
}

static hb_status tell_gone(hb_complex *c, int64_t number, hb_error *err)
{
	if (was_told(c, number, "gone"))
		return HB_OK;
	char *who = called(c, number);
	hb_status done = hb__db_tell(c, err, "gone", "warning", 0, 0, number, NULL,
		"%s is gone: it ended while nobody looked", who ? who : "a process");
	free(who);
	return done ? done : end_all_of_it(c, number, 0, 0, false, err);
}

/* An agent knows it again. */
static hb_status tell_back(hb_complex *c, int64_t number, hb_error *err)
{
	char *who = called(c, number);
	hb_status done = hb__db_tell(
		c, err, "start", "note", 0, 0, number, NULL, "%s is there after all", who ? who : "a process");
	free(who);
	return done ? done
		    : hb__db_do(c, err,
			      "UPDATE program SET state = 'running', since = ?2, retry = NULL WHERE process = ?1 AND state = 'failed'",
			      "ii", number, hb_complex_now());
}

/* A change of state becomes an event, where it is more than a call that begins or ends. */
static hb_status tell(hb_complex *c, int64_t number, const char *before, const char *after, const cJSON *process,
	hb_complex_end_kind kind, hb_error *err)
{
	if (!strcmp(after, "ended"))
		return tell_end(c, number, process, kind, err);
	if (before && !strcmp(before, "ended"))
		return HB_OK;
	if (!strcmp(after, "gone"))
		return tell_gone(c, number, err);
	if (before && !strcmp(before, "gone"))
		return tell_back(c, number, err);
	bool stood = before && (!strcmp(before, "stopped") || !strcmp(before, "held"));
	bool stands = !strcmp(after, "stopped") || !strcmp(after, "held");
	if (before && stood == stands)
		return HB_OK;
	char *who = called(c, number);
	hb_status status = before ? HB_OK
				  : hb__db_tell(c, err, "start", "note", 0, 0, number, NULL, "%s was started",
					    who ? who : "a process");
	if (!status && (before || stands))
		status = hb__db_tell(c, err, stands ? "stop" : "go", stands ? "warning" : "note", 0, 0, number, NULL,
			"%s %s", who ? who : "a process", stands ? "was stopped" : "goes on");
	free(who);
	return status;
}

/* An agent that says `gone` may see the moment between an end and whoever tells how it ended: this counts as not knowing the process. */
static bool is_early(hb_complex *c, int64_t number, const char *before, const char *state)
{
	if (!number || strcmp(state, "gone") || !strcmp(before, "gone") || !strcmp(before, "ended"))
		return false;
	int64_t now = hb_complex_now();
	hb__db_do(c, NULL, "UPDATE process SET missing = min(coalesce(missing, ?2), ?2) WHERE process = ?1", "ii",
		number, now);
	return hb__db_number(c, now, "SELECT missing FROM process WHERE process = ?", "i", number) > now - MISSING;
}

static hb_status put(
	hb_complex *c, int64_t node, const cJSON *process, hb_complex_end_kind kind, int64_t *ret_number, hb_error *err)
{
	if (!cJSON_IsNumber(FIELD("pid")) || !cJSON_IsNumber(FIELD("began")) || !cJSON_IsString(FIELD("boot")))
		return hb__complex_fail(err, HB_E_ARGUMENT, "news of a process without pid, began or boot");
	const char *state = state_of(process, kind);
	int64_t number = find(c, node, process);
	char *before = number ? hb__db_words(c, "SELECT state FROM process WHERE process = ?", "i", number) : NULL;
	*ret_number = number;
	if (is_early(c, number, before ? before : "", state)) {
		free(before);
		return HB_OK;
	}
	hb_status status = number ? HB_OK : insert(c, node, process, state, &number, err);
	status = status ? status : update(c, number, process, state, err);
	status = status ? status : tell(c, number, before, state, process, kind, err);
	free(before);
	*ret_number = number;
	return status;
}

hb_status hb_complex_process(hb_complex *c, int64_t node, const cJSON *process, hb_complex_end_kind kind,
	int64_t *ret_process, hb_error *err)
{
	int64_t number = 0;
	hb_status status = hb_complex_begin(c, err);
	if (status)
		return status;
	status = put(c, node, process, kind, &number, err);
	hb_status ended = hb_complex_end(c, !status, err);
	if (ret_process)
		*ret_process = number;
	return status ? status : ended;
}

/* Those that were alive, and of which no agent has known anything for a while. */
static hb_status end_others(hb_complex *c, int64_t node, hb_error *err)
{
	int64_t now = hb_complex_now(), number;
	hb_status status = hb__db_do(c, err,
		"UPDATE process SET missing = ?2 WHERE node = ?1 AND (missing IS NULL OR missing > ?2) AND state NOT IN ('ended', 'gone') "
		"AND process NOT IN (SELECT process FROM temp.seen)",
		"ii", node, now);
	while (!status &&
		(number = hb__db_number(c, 0,
			 "SELECT process FROM process WHERE node = ?1 AND missing <= ?2 AND state NOT IN ('ended', 'gone')",
			 "ii", node, now - MISSING))) {
		status = hb__db_do(c, err,
			"UPDATE process SET state = 'gone', since = ?2, call = NULL WHERE process = ?1", "ii", number,
			now);
		status = status ? status : tell_gone(c, number, err);
	}
	return status;
}

hb_status hb_complex_ps(hb_complex *c, int64_t node, const cJSON *processes, hb_error *err)
{
	hb_status status = hb_complex_begin(c, err);
	if (status)
		return status;
	status = hb__db_do(c, err, "CREATE TEMP TABLE IF NOT EXISTS seen(process INTEGER PRIMARY KEY)", "");
	status = status ? status : hb__db_do(c, err, "DELETE FROM temp.seen", "");
	const cJSON *process;
	cJSON_ArrayForEach(process, processes)
	{
		int64_t number = 0;
		/* one that makes no sense does not hold up the others */
		if (!status && (status = put(c, node, process, HB_ENDS_NOT, &number, err)) == HB_E_ARGUMENT)
			status = HB_OK;
		if (!status && number)
			status = hb__db_do(c, err, "INSERT OR IGNORE INTO temp.seen VALUES(?)", "i", number);
	}
	status = status ? status : end_others(c, node, err);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}
