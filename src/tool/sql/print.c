/* What a query answers, as an aligned table, tab or comma separated, or as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "../terminal.h"
#include "sql.h"

#define HELD 1000 /* rows of a table that are held back to find the widths of its columns */

struct cell {
	char *text;   /* NULL: NULL */
	int decimals; /* -1: no fraction */
	bool number;
};

struct hb_sql_printer {
	hb_output out;
	hb_sql_form form;
	bool header, again; /* again: something was printed before */
	int columns;
	char **names;
	char **keys; /* the names as JSON, with what stands around them */
	bool *texts; /* a column with a text in it: to the left */
	int *width, *decimals;
	struct cell *cells;
	size_t rows; /* held back */
	bool started;
};

hb_sql_printer *hb__sql_printer_open(hb_sql_form form, bool header)
{
	hb_sql_printer *p = hb__alloc(sizeof *p);
	p->out.fd = 1;
	p->form = form;
	p->header = header;
	return p;
}

bool hb__sql_print_broken(const hb_sql_printer *p) { return p->out.broken; }

int hb__sql_printer_close(hb_sql_printer *p)
{
	hb__flush(&p->out);
	int error = p->out.broken ? p->out.error : 0;
	free(p);
	return error;
}

/* ---- values ---- */

/* Nanoseconds in decimal digits, from the end of `end` to the front; returns the beginning. */
static char *digits(char *end, uint64_t n, int least)
{
	for (; n || least > 0; n /= 10, least--)
		*--end = (char)('0' + n % 10);
	return end;
}

/* Nine decimals are nanoseconds: of those, the ones that say something. Most numbers are times, and many. */
static const char *number_text(double value, char *room, size_t size, int *ret_decimals)
{
	double magnitude = fabs(value);
	*ret_decimals = -1;
	if (!isfinite(value) || magnitude >= 1e15 || (magnitude > 0 && magnitude < 5e-10)) {
		snprintf(room, size, isinf(value) ? (value > 0 ? "Infinity" : "-Infinity") : "%.15g", value);
		return room;
	}
	char *end = room + size - 1, *text;
	*end = 0;
	if (magnitude < 4e6) {
		uint64_t n = (uint64_t)(magnitude * 1e9 + 0.5);
		text = digits(end, n % 1000000000, 9);
		*--text = '.';
		text = digits(text, n / 1000000000, 1);
		if (value < 0 && n)
			*--text = '-';
	} else {
		end = room + snprintf(room, size, "%.9f", value);
		text = room;
	}
	*ret_decimals = 9;
	for (; *ret_decimals > 1 && end[-1] == '0'; --*ret_decimals)
		*--end = 0;
	return text;
}

static char *hexadecimal(const unsigned char *bytes, int n)
{
	size_t room = 2 * (size_t)n + 4;
	char *text = hb__alloc(room);
	int at = snprintf(text, room, "x'");
	for (int i = 0; i < n; i++)
		at += snprintf(text + at, room - (size_t)at, "%02x", bytes[i]);
	snprintf(text + at, room - (size_t)at, "'");
	return text;
}

static struct cell cell_of(sqlite3_stmt *statement, int column)
{
	char text[400];
	struct cell cell = {NULL, -1, false};
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		break;
	case SQLITE_FLOAT:
		cell.text = hb__copy(
			number_text(sqlite3_column_double(statement, column), text, sizeof text, &cell.decimals));
		cell.number = true;
		break;
	case SQLITE_BLOB:
		cell.text =
			hexadecimal(sqlite3_column_blob(statement, column), sqlite3_column_bytes(statement, column));
		break;
	default:
		cell.number = sqlite3_column_type(statement, column) == SQLITE_INTEGER;
		cell.text = hb__inert((const char *)sqlite3_column_text(statement, column));
	}
	return cell;
}

/* ---- an aligned table ---- */

static int width_of(const char *text)
{
	int n = 0;
	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static void pad(hb_sql_printer *p, int n)
{
	while (n-- > 0)
		hb__put_char(&p->out, ' ');
}

static void put_cell(hb_sql_printer *p, int column, const struct cell *cell)
{
	char longer[420];
	const char *text = cell->text ? cell->text : "";
	if (cell->decimals >= 0 && cell->decimals < p->decimals[column]) {
		snprintf(longer, sizeof longer, "%s%.*s", text, p->decimals[column] - cell->decimals, "000000000");
		text = longer;
	}
	int space = p->width[column] - width_of(text);
	if (!p->texts[column])
		pad(p, space);
	hb__put_text(&p->out, text);
	if (p->texts[column] && column + 1 < p->columns)
		pad(p, space);
	if (column + 1 < p->columns)
		hb__put_text(&p->out, "  ");
}

static void put_header(hb_sql_printer *p)
{
	if (!p->header)
		return;
	for (int i = 0; i < p->columns; i++) {
		struct cell name = {(char *)hb__tame(p->names[i]), -1, false};
		put_cell(p, i, &name);
	}
	hb__put_char(&p->out, '\n');
	for (int i = 0; i < p->columns; i++) {
		for (int k = 0; k < p->width[i]; k++)
			hb__put_char(&p->out, '-');
		hb__put_text(&p->out, i + 1 < p->columns ? "  " : "\n");
	}
}

/* The widths that what is held back needs; they stay as they are from then on. */
static void find_widths(hb_sql_printer *p)
{
	size_t n = p->rows * (size_t)p->columns;
	for (int i = 0; i < p->columns; i++) {
		p->width[i] = p->header ? width_of(hb__tame(p->names[i])) : 0;
		for (size_t k = (size_t)i; k < n; k += (size_t)p->columns) {
			p->texts[i] = p->texts[i] || (p->cells[k].text && !p->cells[k].number);
			if (p->cells[k].decimals > p->decimals[i])
				p->decimals[i] = p->cells[k].decimals;
		}
		for (size_t k = (size_t)i; k < n; k += (size_t)p->columns) {
			const struct cell *cell = &p->cells[k];
			int more = cell->decimals >= 0 ? p->decimals[i] - cell->decimals : 0;
			int width = cell->text ? width_of(cell->text) + more : 0;
			p->width[i] = width > p->width[i] ? width : p->width[i];
		}
	}
}

static void put_held(hb_sql_printer *p)
{
	size_t n = p->rows * (size_t)p->columns;
	if (!p->started) {
		find_widths(p);
		put_header(p);
	}
	for (size_t k = 0; k < n; k++) {
		put_cell(p, (int)(k % (size_t)p->columns), &p->cells[k]);
		if ((k + 1) % (size_t)p->columns == 0)
			hb__put_char(&p->out, '\n');
		free(p->cells[k].text);
	}
	p->rows = 0;
	p->started = true;
}

static void table_row(hb_sql_printer *p, sqlite3_stmt *statement)
{
	struct cell *row = &p->cells[p->rows * (size_t)p->columns];
	for (int i = 0; i < p->columns; i++)
		row[i] = cell_of(statement, i);
	p->rows++;
	if (p->rows == HELD || p->started)
		put_held(p);
}

/* ---- lines ---- */

static void put_separated(hb_sql_printer *p, const char *text)
{
	hb_output *out = &p->out;
	const char *special = p->form == HB_SQL_TSV ? "\t\n\r\\" : ",\"\r\n";
	text = hb__on_terminal(1) ? hb__tame(text) : text; /* a file gets it as it is */
	if (!strpbrk(text, special)) {
		hb__put_text(out, text);
	} else if (p->form == HB_SQL_TSV) {
		for (; *text; text++) {
			const char *which = strchr("\tt\nn\rr\\\\", *text); /* each before its name */
			if (strchr(special, *text)) {
				hb__put_char(out, '\\');
				hb__put_char(out, which[1]);
			} else
				hb__put_char(out, *text);
		}
	} else {
		hb__put_char(out, '"');
		for (; *text; text++) {
			if (*text == '"')
				hb__put_char(out, '"');
			hb__put_char(out, *text);
		}
		hb__put_char(out, '"');
	}
}

static void put_real(hb_sql_printer *p, double value)
{
	char text[400];
	int decimals;
	if (p->form == HB_SQL_JSON && !isfinite(value))
		hb__put_text(&p->out, "null");
	else
		hb__put_text(&p->out, number_text(value, text, sizeof text, &decimals));
}

static void put_blob(hb_sql_printer *p, sqlite3_stmt *statement, int column)
{
	char *text = hexadecimal(sqlite3_column_blob(statement, column), sqlite3_column_bytes(statement, column));
	if (p->form == HB_SQL_JSON)
		hb__put_json(&p->out, text);
	else
		hb__put_text(&p->out, text);
	free(text);
}

static void put_value(hb_sql_printer *p, sqlite3_stmt *statement, int column)
{
	const char *text;
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		if (p->form == HB_SQL_JSON)
			hb__put_text(&p->out, "null");
		break;
	case SQLITE_INTEGER:
		hb__put_int(&p->out, sqlite3_column_int64(statement, column));
		break;
	case SQLITE_FLOAT:
		put_real(p, sqlite3_column_double(statement, column));
		break;
	case SQLITE_BLOB:
		put_blob(p, statement, column);
		break;
	default:
		text = (const char *)sqlite3_column_text(statement, column);
		if (p->form == HB_SQL_JSON)
			hb__put_json(&p->out, text ? text : "");
		else
			put_separated(p, text ? text : "");
	}
}

static void put_key(hb_output *out, const char *name, bool first)
{
	hb__put_text(out, first ? "{" : ",");
	hb__put_json(out, name);
	hb__put_char(out, ':');
}

static void line_row(hb_sql_printer *p, sqlite3_stmt *statement)
{
	for (int i = 0; i < p->columns; i++) {
		if (p->form == HB_SQL_JSON && p->keys[i])
			hb__put_text(&p->out, p->keys[i]);
		else if (p->form == HB_SQL_JSON)
			put_key(&p->out, p->names[i], !i);
		else if (i)
			hb__put_char(&p->out, p->form == HB_SQL_CSV ? ',' : '\t');
		put_value(p, statement, i);
	}
	hb__put_text(&p->out, p->form == HB_SQL_JSON ? "}\n" : "\n");
}

/* ---- a statement ---- */

/* NULL: longer than an output holds, as the name of an expression may be. */
static char *make_key(const char *name, bool first)
{
	hb_output *o = hb__alloc(sizeof *o);
	o->fd = -1;
	put_key(o, name, first);
	char *key = o->broken ? NULL : hb__format("%.*s", (int)o->n, o->at);
	free(o);
	return key;
}

void hb__sql_print_begin(hb_sql_printer *p, sqlite3_stmt *statement)
{
	p->columns = sqlite3_column_count(statement);
	size_t n = (size_t)p->columns;
	p->names = hb__alloc(n * sizeof *p->names);
	p->keys = hb__alloc(n * sizeof *p->keys);
	for (int i = 0; i < p->columns; i++) {
		p->names[i] = hb__copy(sqlite3_column_name(statement, i));
		if (p->form == HB_SQL_JSON)
			p->keys[i] = make_key(p->names[i], !i);
	}
	if (p->form == HB_SQL_TABLE) {
		if (p->again)
			hb__put_char(&p->out, '\n');
		p->texts = hb__alloc(n * sizeof *p->texts);
		p->width = hb__alloc(n * sizeof *p->width);
		p->decimals = hb__alloc(n * sizeof *p->decimals);
		p->cells = hb__alloc(n * HELD * sizeof *p->cells);
		p->started = false;
	} else if (p->header && p->form != HB_SQL_JSON)
		for (int i = 0; i < p->columns; i++) {
			put_separated(p, p->names[i]);
			hb__put_char(&p->out, i + 1 == p->columns ? '\n' : p->form == HB_SQL_CSV ? ',' : '\t');
		}
	p->again = true;
}

void hb__sql_print_row(hb_sql_printer *p, sqlite3_stmt *statement)
{
	if (p->form == HB_SQL_TABLE)
		table_row(p, statement);
	else
		line_row(p, statement);
}

void hb__sql_print_end(hb_sql_printer *p)
{
	if (p->form == HB_SQL_TABLE) {
		if (!p->started)
			put_held(p);
		free(p->texts);
		free(p->width);
		free(p->decimals);
		free(p->cells);
	}
	for (int i = 0; i < p->columns; i++) {
		free(p->names[i]);
		free(p->keys[i]);
	}
	free(p->names);
	free(p->keys);
}
