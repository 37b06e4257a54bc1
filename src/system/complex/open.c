/* Opening and making the database; statements of SQL. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "system/complex/inside.h"

#define APPLICATION 0x68626462
#define VERSION 4
#define TABLES 7

int64_t hb_complex_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

hb_status hb__complex_fail(hb_error *err, hb_status status, const char *format, ...)
{
	if (!err)
		return status;
	*err = (hb_error){.status = status};
	va_list ap;
	va_start(ap, format);
	vsnprintf(err->message, sizeof err->message, format, ap);
	va_end(ap);
	return status;
}

hb_status hb__complex_wrong(hb_complex *c, hb_error *err)
{
	int code = sqlite3_errcode(c->db);
	hb_status status = code == SQLITE_NOTADB    ? HB_E_FOREIGN
			   : code == SQLITE_CORRUPT ? HB_E_DAMAGED
			   : code == SQLITE_NOMEM   ? HB_E_MEMORY
						    : HB_E_SYSTEM;
	if (status == HB_E_FOREIGN)
		return hb__complex_fail(err, status, "%.150s: this is no database of hbdb manager", c->path);
	if (status == HB_E_DAMAGED)
		return hb__complex_fail(err, status,
			"%.150s: is damaged; when you move it away, hbdb manager makes a new one", c->path);
	return hb__complex_fail(err, status, "%.120s: %.100s", c->path, sqlite3_errmsg(c->db));
}

/* ---- statements ---- */

static void bind_json(sqlite3_stmt *s, int i, char type, const cJSON *json)
{
	char *text;
	if (type == 'f' && cJSON_IsNumber(json) && json->valuedouble == (double)(int64_t)json->valuedouble)
		sqlite3_bind_int64(s, i, (int64_t)json->valuedouble);
	else if (type == 'f' && cJSON_IsNumber(json))
		sqlite3_bind_double(s, i, json->valuedouble);
	else if (type == 't' && cJSON_IsString(json))
		sqlite3_bind_text(s, i, json->valuestring, -1, SQLITE_TRANSIENT);
	else if (type == 'j' && json && (text = cJSON_PrintUnformatted(json)))
		sqlite3_bind_text(s, i, text, -1, free);
}

static void bind(sqlite3_stmt *s, const char *types, va_list ap)
{
	for (int i = 1; types[i - 1]; i++) {
		char type = types[i - 1];
		if (type == 'i')
			sqlite3_bind_int64(s, i, va_arg(ap, int64_t));
		else if (type == 'I') {
			int64_t value = va_arg(ap, int64_t);
			if (value)
				sqlite3_bind_int64(s, i, value);
		} else if (type == 's') {
			const char *text = va_arg(ap, const char *);
			if (text)
				sqlite3_bind_text(s, i, text, -1, SQLITE_TRANSIENT);
		} else
			bind_json(s, i, type, va_arg(ap, const cJSON *));
	}
}

static sqlite3_stmt *prepare(hb_complex *c, hb_error *err, const char *sql, const char *types, va_list ap)
{
	sqlite3_stmt *s = NULL;
	if (sqlite3_prepare_v2(c->db, sql, -1, &s, NULL) != SQLITE_OK) {
		hb__complex_wrong(c, err);
		return NULL;
	}
	bind(s, types, ap);
	return s;
}

sqlite3_stmt *hb__db_ask(hb_complex *c, hb_error *err, const char *sql, const char *types, ...)
{
	va_list ap;
	va_start(ap, types);
	sqlite3_stmt *s = prepare(c, err, sql, types, ap);
	va_end(ap);
	return s;
}

hb_status hb__db_do(hb_complex *c, hb_error *err, const char *sql, const char *types, ...)
{
	va_list ap;
	va_start(ap, types);
	sqlite3_stmt *s = prepare(c, err, sql, types, ap);
	va_end(ap);
	if (!s)
		return hb__complex_wrong(c, err);
	int code = sqlite3_step(s);
	hb_status status = code == SQLITE_DONE || code == SQLITE_ROW ? HB_OK : hb__complex_wrong(c, err);
	sqlite3_finalize(s);
	return status;
}

int64_t hb__db_number(hb_complex *c, int64_t none, const char *sql, const char *types, ...)
{
	va_list ap;
	va_start(ap, types);
	sqlite3_stmt *s = prepare(c, NULL, sql, types, ap);
	va_end(ap);
	if (s && sqlite3_step(s) == SQLITE_ROW)
		none = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return none;
}

char *hb__db_words(hb_complex *c, const char *sql, const char *types, ...)
{
	va_list ap;
	va_start(ap, types);
	sqlite3_stmt *s = prepare(c, NULL, sql, types, ap);
	va_end(ap);
	const char *text = s && sqlite3_step(s) == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
	char *copy = text ? strdup(text) : NULL;
	sqlite3_finalize(s);
	return copy;
}

const char *hb__db_text_of(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* ---- several as one ---- */

hb_status hb_complex_begin(hb_complex *c, hb_error *err)
{
	/* IMMEDIATE: the lock is taken now, so that nothing fails halfway */
	hb_status status = hb__db_do(c, err, c->depth ? "SAVEPOINT inner" : "BEGIN IMMEDIATE", "");
	if (!status)
		c->depth++;
	return status;
}

hb_status hb_complex_end(hb_complex *c, bool good, hb_error *err)
{
	c->depth--;
	if (c->depth) {
		if (!good)
			hb__db_do(c, NULL, "ROLLBACK TO inner", "");
		return hb__db_do(c, good ? err : NULL, "RELEASE inner", "");
	}
	hb_status status = hb__db_do(c, good ? err : NULL, good ? "COMMIT" : "ROLLBACK", "");
	if (status && good)
		hb__db_do(c, NULL, "ROLLBACK", "");
	return status;
}

/* ---- opening ---- */

static hb_status make(hb_complex *c, hb_error *err)
{
	hb_status status = hb_complex_begin(c, err);
	if (status)
		return status;
	/* another one may have made it meanwhile */
	if (!hb__db_number(c, 0, "PRAGMA application_id", "") &&
		sqlite3_exec(c->db, hb__complex_schema, NULL, NULL, NULL) != SQLITE_OK)
		status = hb__complex_wrong(c, err);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}

/* Tables of an older hbdb: what each version added. */
static hb_status bring_up(hb_complex *c, int64_t version, hb_error *err)
{
	static const char *const added[] = {
		[1] = "ALTER TABLE process ADD COLUMN messages INTEGER; ALTER TABLE process ADD COLUMN event_rate REAL; "
		      "ALTER TABLE process ADD COLUMN message_rate REAL; PRAGMA user_version = 2",
		[2] = "ALTER TABLE program ADD COLUMN part TEXT; PRAGMA user_version = 3",
		[3] = "ALTER TABLE program ADD COLUMN failed INTEGER NOT NULL DEFAULT 0; "
		      "ALTER TABLE program ADD COLUMN output TEXT; UPDATE program SET failed = failures; PRAGMA user_version = 4",
	};
	if (version < 1 || version >= VERSION)
		return HB_OK;
	hb_status status = hb_complex_begin(c, err);
	if (status)
		return status;
	/* another one may have done it meanwhile */
	version = hb__db_number(c, VERSION, "PRAGMA user_version", "");
	for (; !status && version < VERSION; version++)
		if (sqlite3_exec(c->db, added[version], NULL, NULL, NULL) != SQLITE_OK)
			status = hb__complex_wrong(c, err);
	hb_status ended = hb_complex_end(c, !status, err);
	return status ? status : ended;
}

static hb_status look(hb_complex *c, hb_error *err)
{
	sqlite3_busy_timeout(c->db, 5000);
	hb_status status = hb__db_do(c, err, "PRAGMA journal_mode = WAL", "");
	/* NORMAL: a death of the process loses nothing; one of the machine may lose what came last, and leaves the rest in order */
	status = status ? status : hb__db_do(c, err, "PRAGMA synchronous = NORMAL", "");
	status = status ? status : hb__db_do(c, err, "PRAGMA foreign_keys = ON", "");
	if (status)
		return status;
	int64_t application = hb__db_number(c, -1, "PRAGMA application_id", "");
	int64_t tables = hb__db_number(c, -1, "SELECT count(*) FROM sqlite_schema", "");
	if (tables < 0)
		return hb__complex_wrong(c, err);
	if (application == 0 && !tables)
		status = make(c, err);
	else if (application != APPLICATION)
		return hb__complex_fail(
			err, HB_E_FOREIGN, "%.150s: this is a database, but not one of hbdb manager", c->path);
	if (!status &&
		hb__db_number(c, 0,
			"SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('node', 'program', 'process', "
			"'event', 'reaction', 'hold', 'mark')",
			"") != TABLES)
		return hb__complex_fail(err, HB_E_DAMAGED,
			"%.150s: tables are missing in it; when you move it away, hbdb manager makes a new one",
			c->path);
	int64_t version = status ? VERSION : hb__db_number(c, 0, "PRAGMA user_version", "");
	if (version > VERSION)
		return hb__complex_fail(err, HB_E_VERSION,
			"%.150s: made by a newer hbdb (version %lld of its tables; this one knows %d)", c->path,
			(long long)version, VERSION);
	return status ? status : bring_up(c, version, err);
}

hb_status hb_complex_open(const char *path, hb_complex **ret_complex, hb_error *err)
{
	*ret_complex = NULL;
	if (strlen(path) >= sizeof((hb_complex *)0)->path)
		return hb__complex_fail(err, HB_E_ARGUMENT, "the database's path is too long: %.100s...", path);
	/* its owner's alone from the first moment on; the files beside it get the same rights */
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return hb__complex_fail(err, HB_E_SYSTEM, "%.150s: %s", path, strerror(errno));
	close(fd);
	hb_complex *c = calloc(1, sizeof *c);
	if (!c)
		return hb__complex_fail(err, HB_E_MEMORY, "out of memory");
	snprintf(c->path, sizeof c->path, "%s", path);
	hb_status status = HB_OK;
	if (sqlite3_open_v2(path, &c->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_PRIVATECACHE, NULL) != SQLITE_OK)
		status = hb__complex_wrong(c, err);
	status = status ? status : look(c, err);
	if (status)
		hb_complex_close(c);
	else
		*ret_complex = c;
	return status;
}

void hb_complex_close(hb_complex *c)
{
	if (!c)
		return;
	sqlite3_close_v2(c->db);
	free(c);
}
