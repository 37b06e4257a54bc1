/* Events, and the news that are nothing else. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/complex/inside.h"

hb_status hb_complex_event(hb_complex *c, const hb_complex_happened *h, int64_t *ret_event, hb_error *err)
{
	/* a process brings its program and its node */
	hb_status status = hb__db_do(c, err,
		"INSERT INTO event(time, node, program, process, kind, weight, text, data) VALUES(?1, "
		"coalesce(?2, (SELECT node FROM process WHERE process = ?4)), "
		"coalesce(?3, (SELECT program FROM process WHERE process = ?4)), ?4, ?5, ?6, ?7, ?8)",
		"iIIIsssj", h->time ? h->time : hb_complex_now(), h->node, h->program, h->process, h->kind, h->weight,
		h->text, h->data);
	if (!status && ret_event)
		*ret_event = sqlite3_last_insert_rowid(c->db);
	return status;
}

hb_status hb__db_tell(hb_complex *c, hb_error *err, const char *kind, const char *weight, int64_t node, int64_t program,
	int64_t process, const cJSON *data, const char *format, ...)
{
	char *text;
	va_list ap;
	va_start(ap, format);
	int n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n < 0)
		return hb__complex_fail(err, HB_E_MEMORY, "out of memory");
	hb_status status = hb_complex_event(c,
		&(hb_complex_happened){.node = node,
			.program = program,
			.process = process,
			.kind = kind,
			.weight = weight,
			.text = text,
			.data = data},
		NULL, err);
	free(text);
	return status;
}

int64_t hb_complex_last_event(hb_complex *c) { return hb__db_number(c, 0, "SELECT max(event) FROM event", ""); }

/* The number of the process that news speak of; 0: of none, or of one that is not known. */
static int64_t process_of(hb_complex *c, int64_t node, const cJSON *news)
{
	const cJSON *process = cJSON_GetObjectItemCaseSensitive(news, "process");
	int64_t number = 0;
	if (cJSON_IsObject(process))
		hb_complex_process_find(c, node, process, &number, NULL);
	return number;
}

/* The program whose recording, or part of it on a node, this is. */
static int64_t program_of(hb_complex *c, int64_t node, const char *folder)
{
	return folder ? hb__db_number(c, 0,
				"SELECT program FROM program WHERE ?1 IN (recording, part) ORDER BY node = ?2 DESC",
				"si", folder, node)
		      : 0;
}

static hb_status put_finding(hb_complex *c, int64_t node, const cJSON *news, hb_error *err)
{
	const char *id = hb__db_text_of(news, "id"), *text = hb__db_text_of(news, "text"),
		   *folder = hb__db_text_of(news, "folder");
	if (!id || !text)
		return hb__complex_fail(err, HB_E_ARGUMENT, "news of a finding without id or text");
	if (hb__db_number(c, 0,
		    "SELECT 1 FROM event WHERE kind = 'finding' AND text = ?1 AND json_extract(data, '$.id') = ?2 "
		    "AND json_extract(data, '$.folder') IS ?3 AND node = ?4",
		    "sssi", text, id, folder, node))
		return HB_OK;
	return hb__db_tell(c, err, "finding", "error", node, program_of(c, node, folder), process_of(c, node, news),
		news, "%s", text);
}

static hb_status put_hang(hb_complex *c, int64_t node, const cJSON *news, hb_error *err)
{
	const char *verdict = hb__db_text_of(news, "verdict"), *text = hb__db_text_of(news, "text"),
		   *folder = hb__db_text_of(news, "folder");
	if (!verdict)
		return hb__complex_fail(err, HB_E_ARGUMENT, "news of a hang without a verdict");
	char *before = hb__db_words(c,
		"SELECT json_extract(data, '$.verdict') FROM event WHERE kind = 'hang' AND json_extract(data, '$.folder') IS ?1 "
		"AND node = ?2 ORDER BY event DESC LIMIT 1",
		"si", folder, node);
	bool moves = !strcmp(verdict, "moves"), same = before ? !strcmp(before, verdict) : moves;
	free(before);
	if (same)
		return HB_OK;
	int64_t program = program_of(c, node, folder);
	hb_status status = hb__db_do(c, err,
		"UPDATE program SET since = ?3, state = ?2 WHERE program = ?1 AND state IN ('running', 'hangs') AND state <> ?2",
		"isi", program, moves ? "running" : "hangs", hb_complex_now());
	return status ? status
		      : hb__db_tell(c, err, "hang", moves ? "note" : "error", node, program, process_of(c, node, news),
				news, "%s",
				text && *text ? text
				: moves       ? "it goes on after all"
					      : "it hangs");
}

static hb_status put_sensor(hb_complex *c, int64_t node, const cJSON *news, hb_error *err)
{
	const char *name = hb__db_text_of(news, "name"), *kind = hb__db_text_of(news, "kind"),
		   *text = hb__db_text_of(news, "text");
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(news, "value");
	if (!name)
		return hb__complex_fail(err, HB_E_ARGUMENT, "news of a sensor without a name");
	char number[32] = "";
	if (cJSON_IsNumber(value))
		snprintf(number, sizeof number, " is %.6g", value->valuedouble);
	return hb__db_tell(c, err, "sensor", kind && !strcmp(kind, "assertion") ? "warning" : "note", node, 0,
		process_of(c, node, news), news, "%s%s%s%s", name, number, text && *text ? ": " : "", text ? text : "");
}

/* The processes of a recording write elsewhere on each node. Believed of programs that were begun on this node. */
static hb_status put_part(hb_complex *c, int64_t node, const cJSON *news, hb_error *err)
{
	const char *folder = hb__db_text_of(news, "folder"), *part = hb__db_text_of(news, "part");
	if (!folder || !part || *part != '/')
		return hb__complex_fail(
			err, HB_E_ARGUMENT, "news of a recording without its folder, or that of a node");
	return hb__db_do(
		c, err, "UPDATE program SET part = ?1 WHERE recording = ?2 AND node = ?3", "ssi", part, folder, node);
}

hb_status hb_complex_news(hb_complex *c, int64_t node, const cJSON *news, hb_error *err)
{
	const char *name = hb__db_text_of(news, "news");
	hb_status status = hb_complex_begin(c, err);
	if (status)
		return status;
	if (name && !strcmp(name, "finding"))
		status = put_finding(c, node, news, err);
	else if (name && !strcmp(name, "hang"))
		status = put_hang(c, node, news, err);
	else if (name && !strcmp(name, "sensor"))
		status = put_sensor(c, node, news, err);
	else if (name && !strcmp(name, "recording"))
		status = put_part(c, node, news, err);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}

hb_status hb_complex_prune(hb_complex *c, int64_t event, int64_t time, hb_error *err)
{
	hb_status status = hb_complex_begin(c, err);
	if (status)
		return status;
	status = hb__db_do(c, err, "DELETE FROM event WHERE event < ?", "i", event);
	status = status ? status
			: hb__db_do(c, err,
				  "DELETE FROM process WHERE state IN ('ended', 'gone') AND since < ? "
				  "AND process NOT IN (SELECT process FROM program WHERE process IS NOT NULL) "
				  "AND process NOT IN (SELECT process FROM hold WHERE process IS NOT NULL)",
				  "i", time);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}

int64_t hb_complex_mark(hb_complex *c, const char *name)
{
	return hb__db_number(c, 0, "SELECT value FROM mark WHERE name = ?", "s", name);
}

hb_status hb_complex_set_mark(hb_complex *c, const char *name, int64_t value, hb_error *err)
{
	return hb__db_do(c, err, "INSERT INTO mark VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET value = ?2", "si",
		name, value);
}
