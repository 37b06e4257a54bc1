/* Families of metrics: each is a query, families.def has them. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "metrics.h"

enum type { GAUGE, COUNTER, INFO, STATESET };
static const struct family {
	const char *name;
	enum type type;
	const char *unit, *help, *sql;
} families[] = {
#define FAMILY(name, type, unit, help, sql) {name, type, unit, help, sql},
#include "families.def"
#undef FAMILY
};

/* ---- what the database does not have ---- */

/* The bytes of a recording: a folder of files, without folders in it. */
static int64_t size_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int64_t sum = 0;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		struct stat st;
		if (!fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			sum += st.st_size;
	}
	closedir(dir);
	return sum;
}

static void recorded_bytes(sqlite3_context *c, int n, sqlite3_value **value)
{
	const char *path = n == 1 ? (const char *)sqlite3_value_text(value[0]) : NULL;
	int64_t size = path && *path == '/' ? size_of(path) : -1;
	if (size >= 0)
		sqlite3_result_int64(c, size);
}

/* What families.def asks for beside the database. */
static bool prepare(hb_metrics *m, sqlite3 *db)
{
	if (m->opened != hb_reader_opened(m->reader) && sqlite3_create_function(db, "recorded_bytes", 1, SQLITE_UTF8,
								NULL, recorded_bytes, NULL, NULL) != SQLITE_OK)
		return false;
	m->opened = hb_reader_opened(m->reader);
	return hb_reader_count(m->reader);
}

/* ---- text ---- */

static void put_label(hb_text *out, const char *name, const char *value, bool first)
{
	hb_text_format(out, "%c%s=\"", first ? '{' : ',', name);
	for (size_t n; *value; value += n ? n : 1) {
		n = hb_utf8_text(value);
		if (!n)
			hb_text_put(out, "\xef\xbf\xbd"); /* U+FFFD */
		else if (*value == '\n')
			hb_text_put(out, "\\n");
		else {
			if (*value == '"' || *value == '\\')
				hb_text_put(out, "\\");
			hb_text_add(out, value, n);
		}
	}
	hb_text_put(out, "\"");
}

static const char *ending(const struct family *f)
{
	return f->type == COUNTER ? "_total" : f->type == INFO ? "_info" : "";
}

static void put_head(hb_text *out, const struct family *f, bool openmetrics)
{
	static const char *const types[] = {"gauge", "counter", "info", "stateset"};
	/* 0.0.4 has neither units nor the two last types, and a family is named as its samples there */
	const char *type = openmetrics || f->type == COUNTER ? types[f->type] : "gauge",
		   *end = openmetrics ? "" : ending(f);
	hb_text_format(out, "# TYPE %s%s %s\n", f->name, end, type);
	if (openmetrics && *f->unit)
		hb_text_format(out, "# UNIT %s %s\n", f->name, f->unit);
	hb_text_format(out, "# HELP %s%s %s\n", f->name, end, f->help);
}

static void put_sample(hb_text *out, const struct family *f, sqlite3_stmt *s)
{
	int last = sqlite3_column_count(s) - 1;
	if (sqlite3_column_type(s, last) == SQLITE_NULL)
		return;
	hb_text_format(out, "%s%s", f->name, ending(f));
	for (int i = 0; i < last; i++) {
		const char *value = (const char *)sqlite3_column_text(s, i);
		put_label(out, sqlite3_column_name(s, i), value ? value : "", !i);
	}
	hb_text_put(out, last ? "} " : " ");
	if (sqlite3_column_type(s, last) == SQLITE_INTEGER)
		hb_text_format(out, "%lld", (long long)sqlite3_column_int64(s, last));
	else
		hb_text_number(out, sqlite3_column_double(s, last));
	hb_text_put(out, "\n");
}

static bool put_family(hb_metrics *m, const struct family *f, bool openmetrics, hb_text *out)
{
	sqlite3_stmt *s = hb_reader_query(m->reader, f->sql);
	int step = SQLITE_ERROR;
	put_head(out, f, openmetrics);
	while (s && (step = sqlite3_step(s)) == SQLITE_ROW)
		put_sample(out, f, s);
	if (s)
		sqlite3_reset(s);
	return step == SQLITE_DONE;
}

bool hb__metrics_text(hb_metrics *m, bool openmetrics, hb_text *out)
{
	if (!hb_reader_look(m->reader))
		return false;
	sqlite3 *db = hb_reader_database(m->reader);
	/* all of it as it was at one moment */
	bool good = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK && prepare(m, db);
	for (size_t i = 0; good && i < sizeof families / sizeof *families; i++)
		good = put_family(m, &families[i], openmetrics, out);
	if (!good || sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
		if (!*hb_reader_why(m->reader))
			hb_reader_failed(m->reader);
		return false;
	}
	if (openmetrics)
		hb_text_put(out, "# EOF\n");
	return !out->broken;
}
