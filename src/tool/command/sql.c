/* hbdb sql */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../options.h"
#include "../sql/sql.h"
#include "../store/find.h"
#include "../terminal.h"

const hb_option hb__sql_options[] = {
	{"file", 'f', HB_OPTION_TEXT, "FILE", "read the query from a file"},
	{"table", 0, HB_OPTION_FLAG, NULL, "print an aligned table (the default on a terminal)"},
	{"tsv", 0, HB_OPTION_FLAG, NULL, "print values separated by tabs (the default elsewhere)"},
	{"csv", 0, HB_OPTION_FLAG, NULL, "print values separated by commas"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object per row"},
	{"header", 0, HB_OPTION_FLAG, NULL, "print the names of the columns, also with --tsv"},
	{"no-header", 0, HB_OPTION_FLAG, NULL, "leave out the names of the columns"},
	{"columns", 0, HB_OPTION_FLAG, NULL, "list the tables and their columns"},
	{"stats", 0, HB_OPTION_FLAG, NULL, "print at the end how many rows of each table were read"},
	{0},
};

static int choose_form(const hb_args *args, hb_sql_form *ret_form, bool *ret_header)
{
	static const char *const names[] = {"table", "tsv", "csv", "json"};
	int given = 0;
	*ret_form = hb__on_terminal(1) ? HB_SQL_TABLE : HB_SQL_TSV;
	for (int i = 0; i < 4; i++)
		if (hb__option_value(args, names[i])) {
			*ret_form = (hb_sql_form)i;
			given++;
		}
	if (given > 1)
		return hb__fail_with(HB_EXIT_USAGE, "sql takes one of --table, --tsv, --csv and --json");
	if (hb__option_value(args, "header") && hb__option_value(args, "no-header"))
		return hb__fail_with(HB_EXIT_USAGE, "sql takes --header or --no-header, not both");
	*ret_header = hb__option_value(args, "header") ||
		      (!hb__option_value(args, "no-header") && (*ret_form == HB_SQL_TABLE || *ret_form == HB_SQL_CSV));
	return 0;
}

static int list_columns(void)
{
	for (int i = 0; hb__sql_tables[i]; i++) {
		const hb_sql_table *t = hb__sql_tables[i];
		printf("%s%s: %s\n", i ? "\n" : "", t->name, t->help);
		for (const hb_sql_column *c = t->columns; c->name; c++)
			printf("  %-13s %-8s %s%s\n", c->name, c->type, c->help,
				c->flags & HB_SQL_HIDDEN ? " (not in SELECT *)" : "");
	}
	return HB_EXIT_OK;
}

/* ---- the query ---- */

static char *read_all(FILE *f)
{
	size_t n = 0, room = 4096;
	char *text = hb__alloc(room);
	for (size_t got; (got = fread(text + n, 1, room - n - 1, f)) > 0;) {
		n += got;
		if (room - n < 2)
			text = hb__resize(text, room *= 2);
	}
	text[n] = 0;
	return text;
}

static int read_query(const char *path, char **ret)
{
	FILE *f = path ? fopen(path, "re") : stdin;
	struct stat st;
	if (f && path && !fstat(fileno(f), &st) && S_ISDIR(st.st_mode)) {
		fclose(f);
		f = NULL;
		errno = EISDIR;
	}
	if (!f)
		return hb__fail_with(HB_EXIT_USAGE, "sql: %s: %s", path, strerror(errno));
	if (!path && isatty(0))
		hb__say("reading the query from the terminal; end it with Ctrl-D");
	errno = 0;
	*ret = read_all(f);
	int failed = ferror(f) ? errno : 0;
	if (path)
		fclose(f);
	return failed ? hb__fail_with(HB_EXIT_USAGE, "sql: cannot read the query: %s", strerror(failed)) : 0;
}

/* No query is a single word, and no NAME that means something has a blank in it unless it is there. */
static bool is_query(const char *word)
{
	struct stat st;
	char *longer = hb__format("%s.hbdb", word);
	bool there = !stat(word, &st) || !stat(longer, &st);
	free(longer);
	return !there && strpbrk(word, " \t\n;(");
}

static int find_operands(const hb_args *args, const char **ret_name, char **ret_query)
{
	const char *file = hb__option_value(args, "file"), *query = NULL;
	*ret_name = NULL;
	if (args->nwords == 2) {
		bool swapped = is_query(args->word[0]) && !is_query(args->word[1]) && strcmp(args->word[1], "-") != 0;
		if (swapped)
			return hb__fail_with(HB_EXIT_USAGE,
				"sql: the recording goes before the query: did you mean hbdb sql %s '%s'?",
				args->word[1], args->word[0]);
		*ret_name = args->word[0];
		query = args->word[1];
	} else if (args->nwords == 1 && (!strcmp(args->word[0], "-") || is_query(args->word[0])))
		query = args->word[0];
	else if (args->nwords == 1)
		*ret_name = args->word[0];
	if (args->nwords > 2)
		return hb__fail_with(
			HB_EXIT_USAGE, "sql takes [NAME] and one query; '%s' is one too many", args->word[2]);
	if (file && query)
		return hb__fail_with(HB_EXIT_USAGE, "sql --file %s: there is a query on the command line, too", file);
	if (query && strcmp(query, "-") != 0) {
		*ret_query = hb__copy(query);
		return 0;
	}
	return read_query(file && strcmp(file, "-") != 0 ? file : NULL, ret_query);
}

static void say_stats(const struct hb_sql *sql)
{
	for (int i = 0; hb__sql_tables[i]; i++)
		if (sql->rows[i])
			hb__say("%s: %llu %s read", hb__sql_tables[i]->name, (unsigned long long)sql->rows[i],
				hb__plural(sql->rows[i], "row", "rows"));
}

int hb__sql(const hb_args *args)
{
	hb_sql_form form;
	bool header = false;
	const char *name;
	char *recording = NULL, *query = NULL;
	struct hb_sql sql;
	signal(SIGPIPE, SIG_IGN);
	if (hb__option_value(args, "columns"))
		return list_columns();
	int code = choose_form(args, &form, &header);
	code = code ? code : find_operands(args, &name, &query);
	code = code ? code : hb__find_recording(name, &recording);
	if (!code) {
		int whole = hb__sql_open(recording, &sql);
		if (form == HB_SQL_TABLE)
			hb__page();
		code = sql.logs.n ? hb__sql_run(&sql, query, form, header) : whole;
		code = code ? code : whole;
		if (hb__option_value(args, "stats"))
			say_stats(&sql);
		hb__sql_close(&sql);
	}
	free(query);
	free(recording);
	return code;
}
