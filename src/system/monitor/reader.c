/* Reading the manager's database. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "reader.h"

#define VERSION 4        /* of src/system/complex/schema.sql */
#define PATIENCE_MS 2000 /* while the manager writes */

struct kept {
	const char *sql;
	sqlite3_stmt *statement;
};

struct hb_reader {
	char *path;
	sqlite3 *db;
	dev_t device;
	ino_t inode;
	uint64_t opened, counting; /* counting: the database in which events are counted */
	struct kept *kept;
	size_t n, room;
	char why[512];
};

hb_reader *hb_reader_new(const char *path)
{
	hb_reader *r = calloc(1, sizeof *r);
	if (r && !(r->path = strdup(path))) {
		free(r);
		return NULL;
	}
	return r;
}

static void close_database(hb_reader *r)
{
	for (size_t i = 0; i < r->n; i++)
		sqlite3_finalize(r->kept[i].statement);
	r->n = 0;
	sqlite3_close(r->db);
	r->db = NULL;
}

void hb_reader_free(hb_reader *r)
{
	if (!r)
		return;
	close_database(r);
	free(r->kept);
	free(r->path);
	free(r);
}

const char *hb_reader_why(const hb_reader *r) { return r->why; }
sqlite3 *hb_reader_database(hb_reader *r) { return r->db; }
uint64_t hb_reader_opened(const hb_reader *r) { return r->opened; }

static bool refuse(hb_reader *r, const char *why)
{
	snprintf(r->why, sizeof r->why, "%s: %s", r->path, why);
	close_database(r);
	return false;
}

void hb_reader_failed(hb_reader *r) { refuse(r, r->db ? sqlite3_errmsg(r->db) : "it is not open"); }

static int version_of(sqlite3 *db)
{
	sqlite3_stmt *s;
	int version = -1;
	if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &s, NULL) == SQLITE_OK) {
		if (sqlite3_step(s) == SQLITE_ROW)
			version = sqlite3_column_int(s, 0);
		sqlite3_finalize(s);
	}
	return version;
}

bool hb_reader_look(hb_reader *r)
{
	struct stat st;
	char text[160];
	/* without this SQLite would go on reading a file that has no name any more */
	if (stat(r->path, &st)) {
		snprintf(text, sizeof text, "%s; hbdb manager makes it", strerror(errno));
		return refuse(r, text);
	}
	if (r->db && st.st_dev == r->device && st.st_ino == r->inode)
		return true;
	close_database(r);
	if (sqlite3_open_v2(r->path, &r->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		return refuse(r, r->db ? sqlite3_errmsg(r->db) : "no memory");
	sqlite3_busy_timeout(r->db, PATIENCE_MS);
	int version = version_of(r->db);
	if (version < 0)
		return refuse(r, sqlite3_errmsg(r->db));
	if (version != VERSION) {
		snprintf(text, sizeof text, "its version is %d, and this hbdb reads version %d%s", version, VERSION,
			!version            ? "; is it the database of a manager?"
			: version < VERSION ? "; hbdb manager of this version brings it up to it"
					    : "");
		return refuse(r, text);
	}
	r->device = st.st_dev;
	r->inode = st.st_ino;
	r->opened++;
	r->why[0] = 0;
	return true;
}

sqlite3_stmt *hb_reader_query(hb_reader *r, const char *sql)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->kept[i].sql == sql)
			return r->kept[i].statement;
	if (!r->db || !HB_GROW(r->kept, r->room, r->n + 1))
		return NULL;
	struct kept new = {.sql = sql};
	if (sqlite3_prepare_v3(r->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &new.statement, NULL) != SQLITE_OK) {
		hb_reader_failed(r);
		return NULL;
	}
	r->kept[r->n++] = new;
	return new.statement;
}

int64_t hb_reader_number(hb_reader *r, const char *sql, int64_t otherwise)
{
	sqlite3_stmt *s = hb_reader_query(r, sql);
	int64_t number = otherwise;
	int step = s ? sqlite3_step(s) : SQLITE_ERROR;
	if (step == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
		number = sqlite3_column_int64(s, 0);
	if (s)
		sqlite3_reset(s);
	if (s && step != SQLITE_ROW && step != SQLITE_DONE)
		hb_reader_failed(r);
	return number;
}

/* ---- counting ---- */

static const char begin_counting[] =
	"CREATE TEMP TABLE counted(program TEXT, kind TEXT, weight TEXT, n INTEGER, PRIMARY KEY(program, kind, weight)) WITHOUT ROWID;"
	"CREATE TEMP TABLE counted_to(event INTEGER);"
	"INSERT INTO counted_to VALUES(0);"
	"INSERT INTO counted SELECT '', k.column1, w.column1, 0 FROM (VALUES('death'), ('gone'), ('finding'), ('hang'), ('sensor'), "
	"('stop'), ('refused')) k, (VALUES('note'), ('warning'), ('error')) w";
static const char count[] =
	"INSERT INTO counted SELECT coalesce(g.name, '') AS of, e.kind, e.weight, count(*) FROM event e "
	"LEFT JOIN process p ON p.process = e.process LEFT JOIN program g ON g.program = coalesce(e.program, p.program) "
	"WHERE e.event > (SELECT event FROM counted_to) GROUP BY 1, 2, 3 ON CONFLICT DO UPDATE SET n = n + excluded.n;"
	"UPDATE counted_to SET event = max(event, coalesce((SELECT max(event) FROM main.event), 0))";

bool hb_reader_count(hb_reader *r)
{
	bool good = r->db != NULL;
	if (good && r->counting != r->opened) {
		good = sqlite3_exec(r->db, begin_counting, NULL, NULL, NULL) == SQLITE_OK;
		r->counting = good ? r->opened : 0;
	}
	/* both statements see the same events */
	good = good && sqlite3_exec(r->db, "SAVEPOINT counting", NULL, NULL, NULL) == SQLITE_OK &&
	       sqlite3_exec(r->db, count, NULL, NULL, NULL) == SQLITE_OK &&
	       sqlite3_exec(r->db, "RELEASE counting", NULL, NULL, NULL) == SQLITE_OK;
	if (!good && r->db)
		hb_reader_failed(r);
	return good;
}

/* ---- events ---- */

#define EVENT                                                                                                              \
	"SELECT e.event, e.time, e.kind, e.weight, e.text, n.name, n.host, g.name, p.name, "                               \
	"coalesce(iif(p.recording = g.part, g.recording, p.recording), g.recording), "                                     \
	"iif(p.recording = g.part, (SELECT name FROM node h WHERE h.node = g.node), n.name), p.file, "                     \
	"p.boot, p.state, coalesce(n.node, 0), coalesce(g.program, 0), coalesce(p.process, 0), p.pid, p.began, p.events, " \
	"coalesce(p.rank, -1) FROM event e LEFT JOIN process p ON p.process = e.process "                                  \
	"LEFT JOIN program g ON g.program = coalesce(e.program, p.program) LEFT JOIN node n ON n.node = coalesce(e.node, p.node) "
static const char event_sql[] = EVENT "WHERE e.event = ?1";
static const char behind_sql[] = EVENT "WHERE e.event > ?1 ORDER BY e.event LIMIT 1";

static char *text_at(sqlite3_stmt *s, int *column, bool *broken)
{
	const char *text = (const char *)sqlite3_column_text(s, (*column)++);
	char *copy = strdup(text ? text : "");
	*broken |= !copy;
	return copy;
}

static bool take(sqlite3_stmt *s, hb_told *t)
{
	bool broken = false;
	int column = 2;
	char **const texts[] = {&t->kind, &t->weight, &t->text, &t->node, &t->host, &t->program, &t->process,
		&t->recording, &t->home, &t->file, &t->boot, &t->state};
	int64_t *const numbers[] = {
		&t->node_number, &t->program_number, &t->process_number, &t->pid, &t->began, &t->events, &t->rank};
	t->event = sqlite3_column_int64(s, 0);
	t->time = sqlite3_column_int64(s, 1);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = text_at(s, &column, &broken);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		*numbers[i] = sqlite3_column_int64(s, column++);
	return !broken;
}

int hb_reader_event(hb_reader *r, int64_t event, bool behind, hb_told *ret)
{
	sqlite3_stmt *s = hb_reader_query(r, behind ? behind_sql : event_sql);
	*ret = (hb_told){0};
	if (!s)
		return -1;
	sqlite3_bind_int64(s, 1, event);
	int step = sqlite3_step(s);
	bool whole = step != SQLITE_ROW || take(s, ret);
	sqlite3_reset(s);
	if (step == SQLITE_DONE)
		return 0;
	if (step == SQLITE_ROW && whole)
		return 1;
	hb_told_free(ret);
	if (whole)
		hb_reader_failed(r);
	else
		refuse(r, "no memory");
	return -1;
}

void hb_told_free(hb_told *t)
{
	char *const texts[] = {t->kind, t->weight, t->text, t->node, t->host, t->program, t->process, t->recording,
		t->home, t->file, t->boot, t->state};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(texts[i]);
	*t = (hb_told){0};
}

void hb_told_command(const hb_told *t, char ret[64])
{
	snprintf(ret, 64, "hbdb debug --event %lld", (long long)t->event);
}
