/* Programs: what is to run. */
#include <stdlib.h>
#include <string.h>

#include "system/complex/inside.h"

#define FIELD(name) cJSON_GetObjectItemCaseSensitive(program, name)
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

hb_status hb_complex_program_find(hb_complex *c, const char *name, int64_t *ret_program, hb_error *err)
{
	*ret_program = hb__db_number(c, 0, "SELECT program FROM program WHERE name = ?", "s", name);
	return *ret_program ? HB_OK
			    : hb__complex_fail(
				      err, HB_E_ARGUMENT, "there is no program '%.80s'; hbdb program lists them", name);
}

static bool is_words(const cJSON *array, bool needed)
{
	const cJSON *word;
	if (!array || cJSON_IsNull(array))
		return !needed;
	cJSON_ArrayForEach(word, array) if (!cJSON_IsString(word)) return false;
	return cJSON_IsArray(array) && (!needed || cJSON_GetArraySize(array));
}

static bool is_environment(const cJSON *object)
{
	const cJSON *value;
	cJSON_ArrayForEach(value,
		object) if (!cJSON_IsString(value) || !*value->string || strchr(value->string, '=')) return false;
	return !object || cJSON_IsNull(object) || cJSON_IsObject(object);
}

static hb_status look(hb_complex *c, const cJSON *program, int64_t *ret_node, hb_error *err)
{
	const char *name = hb__db_text_of(program, "name"), *node = hb__db_text_of(program, "node"),
		   *restart = hb__db_text_of(program, "restart"), *cwd = hb__db_text_of(program, "cwd");
	if (!name || !*name || strspn(name, LETTERS) != strlen(name) || strlen(name) > 63 || *name == '-')
		return hb__complex_fail(err, HB_E_ARGUMENT,
			"a program's name is letters, digits and . _ -, 63 at most, but not '%.80s'", name ? name : "");
	if (!is_words(FIELD("command"), true))
		return hb__complex_fail(err, HB_E_ARGUMENT, "program %.80s needs a command", name);
	if (!is_words(FIELD("record"), false) || !is_environment(FIELD("environment")))
		return hb__complex_fail(err, HB_E_ARGUMENT, "program %.80s: record has words, environment texts", name);
	if (restart && strcmp(restart, "never") != 0 && strcmp(restart, "failed") != 0 &&
		strcmp(restart, "always") != 0)
		return hb__complex_fail(err, HB_E_ARGUMENT,
			"program %.80s: restart is never, failed or always, not '%.40s'", name, restart);
	if (cwd && *cwd != '/')
		return hb__complex_fail(
			err, HB_E_ARGUMENT, "program %.80s: cwd is an absolute path, not '%.80s'", name, cwd);
	if (!node)
		return hb__complex_fail(
			err, HB_E_ARGUMENT, "program %.80s needs the node where its command is begun", name);
	if (hb__db_number(c, 0,
		    "SELECT 1 FROM program WHERE name = ? AND state IN ('begins', 'running', 'stopped', 'hangs')", "s",
		    name))
		return hb__complex_fail(
			err, HB_E_ARGUMENT, "program %.80s runs; hbdb program end %.80s goes before", name, name);
	return hb_complex_node_find(c, node, ret_node, err);
}

hb_status hb_complex_program(hb_complex *c, const cJSON *program, hb_error *err)
{
	int64_t node;
	hb_status status = look(c, program, &node, err);
	if (status)
		return status;
	const cJSON *environment = FIELD("environment"), *record = FIELD("record");
	const char *restart = hb__db_text_of(program, "restart");
	return hb__db_do(c, err,
		"INSERT INTO program(name, node, command, cwd, environment, record, restart, since) "
		"VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT(name) DO UPDATE SET node = ?2, command = ?3, cwd = ?4, "
		"environment = ?5, record = ?6, restart = ?7",
		"tijtjjsi", FIELD("name"), node, FIELD("command"), FIELD("cwd"),
		cJSON_IsNull(environment) ? NULL : environment, cJSON_IsNull(record) ? NULL : record,
		restart ? restart : "never", hb_complex_now());
}

hb_status hb_complex_program_remove(hb_complex *c, const char *name, hb_error *err)
{
	int64_t program;
	hb_status status = hb_complex_program_find(c, name, &program, err);
	if (status)
		return status;
	if (hb__db_number(c, 0,
		    "SELECT 1 FROM program WHERE program = ? AND state IN ('begins', 'running', 'stopped', 'hangs')",
		    "i", program))
		return hb__complex_fail(
			err, HB_E_ARGUMENT, "program %.80s runs; hbdb program end %.80s goes before", name, name);
	status = hb_complex_begin(c, err);
	if (status)
		return status;
	status = hb__db_do(c, err, "UPDATE process SET program = NULL WHERE program = ?", "i", program);
	status = status ? status : hb__db_do(c, err, "DELETE FROM hold WHERE program = ?", "i", program);
	status = status ? status : hb__db_do(c, err, "DELETE FROM program WHERE program = ?", "i", program);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}

hb_status hb_complex_program_wanted(hb_complex *c, int64_t program, bool wanted, hb_error *err)
{
	return hb__db_do(c, err, "UPDATE program SET wanted = ?2, retry = NULL WHERE program = ?1", "ii", program,
		(int64_t)wanted);
}

hb_status hb_complex_program_begins(hb_complex *c, int64_t program, hb_error *err)
{
	return hb__db_do(c, err,
		"UPDATE program SET state = 'begins', since = ?2, process = NULL, retry = NULL, ending = NULL WHERE program = ?1",
		"ii", program, hb_complex_now());
}

hb_status hb_complex_program_ends(hb_complex *c, int64_t program, hb_error *err)
{
	return hb__db_do(c, err, "UPDATE program SET ending = ?2 WHERE program = ?1", "ii", program, hb_complex_now());
}

hb_status hb_complex_program_begun(
	hb_complex *c, int64_t program, int64_t process, const char *recording, const char *output, hb_error *err)
{
	hb_status status = hb_complex_begin(c, err);
	if (status)
		return status;
	status = hb__db_do(c, err,
		"UPDATE program SET process = ?2, recording = ?3, output = ?5, part = NULL, state = 'running', since = ?4, runs = runs + 1, retry = NULL, ending = NULL, "
		"status = NULL, signal = NULL WHERE program = ?1",
		"iisis", program, process, recording, hb_complex_now(), output);
	status = status ? status
			: hb__db_do(
				  c, err, "UPDATE process SET program = ?1 WHERE process = ?2", "ii", program, process);
	/* those that were told of before the answer came */
	status = status ? status
			: hb__db_do(c, err, "UPDATE process SET program = ?1 WHERE recording = ?2 AND program IS NULL",
				  "is", program, recording);
	char *name = hb__db_words(c, "SELECT name FROM program WHERE program = ?", "i", program);
	status = status ? status
			: hb__db_tell(c, err, "program", "note", 0, program, process, NULL, "program %s was begun",
				  name ? name : "");
	free(name);
	/* it may have ended before we came to know it as the program */
	status =
		status ? status
		       : hb__db_do(c, err,
				 "UPDATE program SET state = iif(p.status = 0 AND coalesce(p.signal, 0) = 0, 'ended', 'failed'), status = p.status, "
				 "signal = p.signal, failures = failures + (coalesce(p.status, 1) <> 0 OR coalesce(p.signal, 0) <> 0), "
				 "failed = failed + (coalesce(p.status, 1) <> 0 OR coalesce(p.signal, 0) <> 0) "
				 "FROM process p WHERE program.program = ?1 AND p.process = program.process AND p.state IN ('ended', 'gone')",
				 "i", program);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}

hb_status hb_complex_program_failed(hb_complex *c, int64_t program, const char *why, int64_t retry, hb_error *err)
{
	hb_status status = hb_complex_begin(c, err);
	if (status)
		return status;
	status = hb__db_do(c, err,
		"UPDATE program SET state = 'failed', since = ?2, failures = failures + 1, failed = failed + 1, process = NULL, ending = NULL, retry = ?3 WHERE program = ?1",
		"iiI", program, hb_complex_now(), retry);
	char *name = hb__db_words(c, "SELECT name FROM program WHERE program = ?", "i", program);
	status = status ? status
			: hb__db_tell(c, err, "program", "error", 0, program, 0, NULL,
				  "program %s could not be begun: %s", name ? name : "", why);
	free(name);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}

hb_status hb_complex_program_retry(hb_complex *c, int64_t program, int64_t when, hb_error *err)
{
	return hb__db_do(c, err, "UPDATE program SET retry = ?2 WHERE program = ?1", "iI", program, when);
}

/* ---- reactions ---- */

hb_status hb_complex_reaction(hb_complex *c, const char *file, int line, const char *condition, const char *action,
	int64_t *ret_reaction, int64_t *ret_last, hb_error *err)
{
	/* one that stands at the same place and says something else is another one */
	hb_status status = hb__db_do(c, err,
		"DELETE FROM reaction WHERE file = ?1 AND line = ?2 AND (condition <> ?3 OR action <> ?4)", "siss",
		file, (int64_t)line, condition, action);
	status = status ? status
			: hb__db_do(c, err,
				  "INSERT INTO reaction(file, line, condition, action) VALUES(?1, ?2, ?3, ?4) "
				  "ON CONFLICT(file, line) DO UPDATE SET enabled = 1",
				  "siss", file, (int64_t)line, condition, action);
	*ret_reaction = hb__db_number(
		c, 0, "SELECT reaction FROM reaction WHERE file = ?1 AND line = ?2", "si", file, (int64_t)line);
	*ret_last = hb__db_number(c, 0, "SELECT last FROM reaction WHERE reaction = ?", "i", *ret_reaction);
	return status;
}

hb_status hb_complex_reactions_off(hb_complex *c, hb_error *err)
{
	return hb__db_do(c, err, "UPDATE reaction SET enabled = 0", "");
}

hb_status hb_complex_reaction_fired(hb_complex *c, int64_t reaction, int64_t time, hb_error *err)
{
	return hb__db_do(
		c, err, "UPDATE reaction SET fired = fired + 1, last = ?2 WHERE reaction = ?1", "ii", reaction, time);
}
