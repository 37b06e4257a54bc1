/* What all tables have in common towards SQLite: their declaration, conditions handed down, cursors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"

struct table {
	sqlite3_vtab base;
	struct hb_sql *sql;
	const hb_sql_table *what;
	int number;
};

struct registered {
	struct hb_sql *sql;
	int number;
};

static int columns(const hb_sql_table *t)
{
	int n = 0;
	while (t->columns[n].name)
		n++;
	return n;
}

static int connect_table(
	sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret, char **ret_error)
{
	(void)argc, (void)argv, (void)ret_error;
	const struct registered *r = aux;
	const hb_sql_table *what = hb__sql_tables[r->number];
	sqlite3_str *text = sqlite3_str_new(db);
	for (const hb_sql_column *c = what->columns; c->name; c++)
		sqlite3_str_appendf(text, "%s\"%w\" %s%s", c == what->columns ? "CREATE TABLE x(" : ", ", c->name,
			c->type, c->flags & HB_SQL_HIDDEN ? " HIDDEN" : "");
	sqlite3_str_appendall(text, ")");
	char *sql = sqlite3_str_finish(text);
	int status = sql ? sqlite3_declare_vtab(db, sql) : SQLITE_NOMEM;
	sqlite3_free(sql);
	if (status)
		return status;
	struct table *t = hb__alloc(sizeof *t);
	*t = (struct table){.sql = r->sql, .what = what, .number = r->number};
	*ret = &t->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *t)
{
	free(t);
	return SQLITE_OK;
}

/* ---- conditions ---- */

static const struct {
	unsigned char op;
	const char *text;
} operators[] = {
	{SQLITE_INDEX_CONSTRAINT_EQ, "=?"},
	{SQLITE_INDEX_CONSTRAINT_GE, ">=?"},
	{SQLITE_INDEX_CONSTRAINT_LE, "<=?"},
	{SQLITE_INDEX_CONSTRAINT_GT, ">?"},
	{SQLITE_INDEX_CONSTRAINT_LT, "<?"},
};
enum { NOPERATORS = sizeof operators / sizeof *operators };

static const char *operator_text(sqlite3_index_info *info, int i, const hb_sql_column *c)
{
	unsigned char op = info->aConstraint[i].op;
	if (c->key == HB_SQL_NO_KEY)
		return NULL;
	if (c->key == HB_SQL_BY_TEXT &&
		(op != SQLITE_INDEX_CONSTRAINT_EQ || strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0))
		return NULL;
	for (int k = 0; k < NOPERATORS; k++)
		if (operators[k].op == op)
			return operators[k].text;
	return NULL;
}

static double share(const struct table *t, const hb_sql_column *c, bool equal)
{
	const struct hb_sql *sql = t->sql;
	if (!equal)
		return 0.3;
	switch (c->key) {
	case HB_SQL_BY_RANK:
		return 1.0 / (sql->processes + 1.0);
	case HB_SQL_BY_LANE:
		return (double)sql->processes / (sql->lanes + 1.0);
	case HB_SQL_BY_EVENT:
		return 1.0 / (sql->longest + 1.0);
	default:
		return 0.1;
	}
}

/* Rows come by rank, lane and event: an ORDER BY of these, from the left, needs no sorting. */
static bool is_ordered(const struct table *t, const sqlite3_index_info *info)
{
	hb_sql_key next = HB_SQL_BY_RANK;
	if (!t->what->ordered || !t->sql->ordered || info->nOrderBy > 3)
		return false;
	for (int i = 0; i < info->nOrderBy; i++) {
		int column = info->aOrderBy[i].iColumn;
		if (column < 0 || info->aOrderBy[i].desc || t->what->columns[column].key != next++)
			return false;
	}
	return true;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct table *t = (const struct table *)base;
	int n = columns(t->what);
	double rows = t->what->rows(t->sql) + 1, read = rows;
	sqlite3_str *text = sqlite3_str_new(NULL);
	for (int i = 0, taken = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		if (!info->aConstraint[i].usable || column < 0 || column >= n)
			continue;
		const hb_sql_column *c = &t->what->columns[column];
		const char *op = operator_text(info, i, c);
		if (!op)
			continue;
		/* not `omit`: SQLite checks again, for a table may give more than was asked for */
		info->aConstraintUsage[i].argvIndex = ++taken;
		sqlite3_str_appendf(text, "%s%s%s", taken > 1 ? " AND " : "", c->name, op);
		double keeps = share(t, c, !strcmp(op, "=?"));
		rows *= keeps;
		/* these are found, others are skipped on the way */
		read *= c->key == HB_SQL_BY_VALUE || c->key == HB_SQL_BY_TEXT ? 0.3 + 0.7 * keeps : keeps;
	}
	for (int i = 0; i < n; i++)
		if (info->colUsed & (1ull << (i < 63 ? i : 63)))
			info->idxNum |= t->what->columns[i].flags;
	info->orderByConsumed = info->nOrderBy && is_ordered(t, info);
	info->estimatedRows = (sqlite3_int64)(rows < 1 ? 1 : rows);
	info->estimatedCost = 20 + read + rows + (t->what->seek ? t->what->seek(t->sql) : 0);
	if (info->idxNum & HB_SQL_HISTORY)
		info->estimatedCost += t->sql->longest / 2.0;
	if (sqlite3_str_length(text)) {
		info->idxStr = sqlite3_str_finish(text);
		info->needToFreeIdxStr = 1;
	} else
		sqlite3_free(sqlite3_str_finish(text));
	return SQLITE_OK;
}

static void narrow(hb_sql_cursor *c, int column, const char *op, sqlite3_value *value)
{
	int type = sqlite3_value_type(value);
	bool whole = c->table->columns[column].type[0] == 'I';
	if (type == SQLITE_NULL) { /* nothing compares to it */
		c->low[column] = INFINITY;
		c->high[column] = -INFINITY;
		return;
	}
	if (c->table->columns[column].key == HB_SQL_BY_TEXT) {
		if (type == SQLITE_TEXT) {
			free(c->text[column]);
			c->text[column] = hb__copy((const char *)sqlite3_value_text(value));
		}
		return;
	}
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
		return;
	double v = sqlite3_value_double(value);
	bool more = op[0] == '>' || op[0] == '=', less = op[0] == '<' || op[0] == '=', strict = op[1] == '?';
	double low = whole && strict && !less ? floor(v) + 1 : v, high = whole && strict && !more ? ceil(v) - 1 : v;
	if (more && low > c->low[column])
		c->low[column] = low;
	if (less && high < c->high[column])
		c->high[column] = high;
}

static void narrow_all(hb_sql_cursor *c, const char *index, int argc, sqlite3_value **argv)
{
	for (int i = 0; i < argc && index; i++) {
		size_t length = strcspn(index, "=<>");
		int column = 0;
		while (c->table->columns[column].name && (strncmp(c->table->columns[column].name, index, length) != 0 ||
								 c->table->columns[column].name[length]))
			column++;
		if (c->table->columns[column].name)
			narrow(c, column, index + length, argv[i]);
		const char *and = strstr(index, " AND ");
		index = and? and+5 : NULL;
	}
}

bool hb__sql_within(const hb_sql_cursor *c, int column, double value)
{
	return value >= c->low[column] && value <= c->high[column];
}

void hb__sql_range(const hb_sql_cursor *c, int column, uint64_t *low, uint64_t *high)
{
	double l = ceil(c->low[column]), h = floor(c->high[column]);
	if (l > (double)*low)
		*low = l < 1e18 ? (uint64_t)l : UINT64_MAX;
	if (h < (double)*high) {
		if (h < 0)
			*low = UINT64_MAX;
		*high = h > 0 ? (uint64_t)h : 0;
	}
}

/* ---- cursors ---- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	const struct table *t = (const struct table *)base;
	hb_sql_cursor *c = hb__alloc(t->what->size);
	c->sql = t->sql;
	c->table = t->what;
	*ret = &c->base;
	return SQLITE_OK;
}

static void forget_bounds(hb_sql_cursor *c)
{
	for (int i = 0; i < HB_SQL_COLUMNS_MAX; i++) {
		c->low[i] = -INFINITY;
		c->high[i] = INFINITY;
		free(c->text[i]);
		c->text[i] = NULL;
	}
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	hb_sql_cursor *c = (hb_sql_cursor *)base;
	if (c->table->stop)
		c->table->stop(c);
	forget_bounds(c);
	free(c);
	return SQLITE_OK;
}

static int step(sqlite3_vtab_cursor *base)
{
	hb_sql_cursor *c = (hb_sql_cursor *)base;
	int got = c->table->next(c);
	c->ended = got != 1;
	c->rowid++;
	if (got == 1)
		c->sql->rows[((const struct table *)base->pVtab)->number]++;
	return got < 0 ? SQLITE_ERROR : SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int flags, const char *index, int argc, sqlite3_value **argv)
{
	hb_sql_cursor *c = (hb_sql_cursor *)base;
	forget_bounds(c);
	c->flags = (unsigned)flags;
	narrow_all(c, index, argc, argv);
	c->rowid = 0;
	c->ended = false;
	for (int i = 0; c->table->columns[i].name; i++)
		c->ended = c->ended || c->low[i] > c->high[i];
	if (c->ended)
		return SQLITE_OK;
	return c->table->start(c) ? SQLITE_ERROR : step(base);
}

static int at_end(sqlite3_vtab_cursor *base) { return ((hb_sql_cursor *)base)->ended; }

static int give_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	hb_sql_cursor *c = (hb_sql_cursor *)base;
	return c->table->column(c, out, column) ? SQLITE_ERROR : SQLITE_OK;
}

static int give_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = ((hb_sql_cursor *)base)->rowid;
	return SQLITE_OK;
}

/* Without xCreate the tables are there by their names and cannot be made or dropped. */
static const sqlite3_module module = {
	.iVersion = 1,
	.xConnect = connect_table,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = step,
	.xEof = at_end,
	.xColumn = give_column,
	.xRowid = give_rowid,
};

int hb__sql_register(sqlite3 *db, struct hb_sql *sql)
{
	int status = SQLITE_OK;
	for (int i = 0; hb__sql_tables[i] && !status; i++) {
		struct registered *r = hb__alloc(sizeof *r);
		*r = (struct registered){sql, i};
		status = sqlite3_create_module_v2(db, hb__sql_tables[i]->name, &module, r, free);
	}
	return status;
}

/* ---- results ---- */

void hb__sql_number(sqlite3_context *out, int64_t value)
{
	if (value != HB_ABSENT)
		sqlite3_result_int64(out, value);
}

void hb__sql_text(sqlite3_context *out, const char *text)
{
	if (text)
		sqlite3_result_text(out, text, -1, SQLITE_STATIC);
}

double hb__sql_time(const struct hb_sql *sql, size_t log, uint64_t ticks)
{
	return (double)hb__view_ns(&sql->views[log], ticks) / 1e9;
}

void hb__sql_seconds(sqlite3_context *out, const struct hb_sql *sql, size_t log, uint64_t ticks)
{
	sqlite3_result_double(out, hb__sql_time(sql, log, ticks));
}

/* As hbdb dump prints it. */
void hb__sql_comm(sqlite3_context *out, int64_t number)
{
	char text[24];
	if (number == 0 || number == 1 || number == -1) {
		hb__sql_text(out, number == 0 ? "WORLD" : number == 1 ? "SELF" : "NULL");
		return;
	}
	if (number == HB_ABSENT)
		return;
	snprintf(text, sizeof text, "%lld", (long long)number);
	sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

void hb__sql_error(sqlite3_context *out, int64_t class)
{
	char text[32];
	const char *known = hb__error_class_name(class);
	if (!class)
		return;
	if (!known)
		snprintf(text, sizeof text, "ERR_%lld", (long long)class);
	sqlite3_result_text(out, known ? known : text, -1, SQLITE_TRANSIENT);
}
