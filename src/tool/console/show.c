/* Rows of the complex, shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../show/inert.h"
#include "../terminal.h"
#include "console.h"

const char *hb__field(const cJSON *row, const char *name)
{
	static char text[16][32];
	static unsigned next;
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
	if (cJSON_IsString(item))
		return item->valuestring;
	if (!cJSON_IsNumber(item))
		return "";
	char *to = text[next++ % 16];
	snprintf(to, sizeof text[0], "%.15g", item->valuedouble);
	return to;
}

void hb__print_rows(const cJSON *rows)
{
	const cJSON *row;
	cJSON_ArrayForEach(row, rows)
	{
		char *text = hb_wire_line(row);
		printf("%s\n", text ? text : "{}");
		cJSON_free(text);
	}
}

/* In characters, as far as one is one cell. */
static size_t width(const char *text)
{
	size_t n = 0;
	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

void hb__print_table(const cJSON *rows, const hb_table_column *columns)
{
	size_t ncolumns = 0, nrows = (size_t)cJSON_GetArraySize(rows), k = 0;
	while (columns[ncolumns].head)
		ncolumns++;
	char **cell = hb__alloc((nrows + 1) * ncolumns * sizeof *cell);
	size_t *wide = hb__alloc(ncolumns * sizeof *wide);
	const cJSON *row;
	for (size_t i = 0; i < ncolumns; i++)
		cell[i] = hb__copy(columns[i].head);
	cJSON_ArrayForEach(row, rows)
	{
		k++;
		for (size_t i = 0; i < ncolumns; i++)
			cell[k * ncolumns + i] = hb__inert(columns[i].text(row));
	}
	for (size_t i = 0; i < ncolumns; i++) {
		wide[i] = 0;
		for (size_t r = 0; r <= nrows; r++)
			wide[i] = width(cell[r * ncolumns + i]) > wide[i] ? width(cell[r * ncolumns + i]) : wide[i];
	}
	for (size_t r = 0; r <= nrows; r++)
		for (size_t i = 0; i < ncolumns; i++) {
			char *text = cell[r * ncolumns + i];
			bool last = i + 1 == ncolumns;
			printf("%s%*s", text, last ? 0 : (int)(wide[i] - width(text)) + 2, "");
			if (last)
				putchar('\n');
			free(text);
		}
	free(cell);
	free(wide);
}

const char *hb__ago(double since)
{
	static char text[8][24];
	static unsigned next;
	char *to = text[next++ % 8];
	double s = (double)time(NULL) - since / 1e6;
	s = s < 0 ? 0 : s;
	if (!since)
		return "";
	if (s < 120)
		snprintf(to, sizeof text[0], "%.0f s", s);
	else if (s < 7200)
		snprintf(to, sizeof text[0], "%.0f min", s / 60);
	else if (s < 172800)
		snprintf(to, sizeof text[0], "%.0f h", s / 3600);
	else
		snprintf(to, sizeof text[0], "%.0f d", s / 86400);
	return to;
}

void hb__print_event(const cJSON *event)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, "time");
	time_t when = cJSON_IsNumber(item) ? (time_t)(item->valuedouble / 1e6) : 0;
	struct tm parts;
	char stamp[32] = "";
	const char *weight = hb__field(event, "weight");
	if (localtime_r(&when, &parts))
		strftime(stamp, sizeof stamp, "%F %T", &parts);
	const char *colour = !hb__colour(1)               ? ""
			     : !strcmp(weight, "error")   ? "\033[1;31m"
			     : !strcmp(weight, "warning") ? "\033[33m"
							  : "";
	const char *node = hb__field(event, "node_name"), *program = hb__field(event, "program_name");
	char *text = hb__inert(hb__field(event, "text")),
	     *where = hb__format("%s%s%s", node, *node && *program ? "/" : "", program);
	char *shown = hb__inert(where);
	printf("%6s  %s  %s%-8s%s  %s%s%s\n", hb__field(event, "event"), stamp, colour,
		hb__tame(hb__field(event, "kind")), *colour ? "\033[0m" : "", shown, *shown ? "  " : "", text);
	free(text);
	free(where);
	free(shown);
}

int hb__list_rows(
	const hb_args *args, hb_asker *console, const char *what, const hb_table_column *columns, const char *none)
{
	cJSON *rows;
	int code = hb__asker_rows(console, what, NULL, &rows);
	if (code)
		return code;
	hb__page();
	if (hb__option_value(args, "json"))
		hb__print_rows(rows);
	else if (cJSON_GetArraySize(rows))
		hb__print_table(rows, columns);
	else
		hb__say("%s", none);
	cJSON_Delete(rows);
	return 0;
}
