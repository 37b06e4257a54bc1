/* Looking at a process that stands: its stack, its variables, expressions. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/gdb/inside.h"

#define VALUE_MOST 4096 /* bytes kept of the value of a variable */

static hb_status absent(const hb_gdb *gdb) { return gdb->lost ? HB_E_SYSTEM : HB_E_ARGUMENT; }

/* ---- the stack ---- */

hb_status hb_gdb_stack(hb_gdb *gdb, int32_t id, uint32_t most, hb_frame **ret_frames, size_t *ret_n, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, true, err);
	if (!inf)
		return absent(gdb);
	if (!most)
		return hb__gdb_fail(err, HB_E_ARGUMENT, "a stack has at least one frame");
	hb_status status = hb__gdb_ask(gdb, err, "-stack-list-frames --thread %d 0 %u", inf->thread, most - 1);
	if (status)
		return status;
	const struct hb__mi *mi = &gdb->answer;
	const struct hb__mi_value *list = hb__mi_get(mi, &mi->values[0], "stack");
	size_t n = 0, cap = 0;
	for (const struct hb__mi_value *v = hb__mi_first(mi, list); v; v = hb__mi_next(mi, v))
		cap++;
	hb_frame *frames = calloc(cap + 1, sizeof *frames);
	if (!frames)
		return hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
	for (const struct hb__mi_value *v = hb__mi_first(mi, list); v; v = hb__mi_next(mi, v))
		hb__gdb_read_frame(mi, v, &frames[n++]);
	hb__gdb_follow(gdb, inf);
	hb__gdb_place_frames(gdb, inf, frames, n, n < most);
	*ret_frames = frames;
	*ret_n = n;
	return HB_OK;
}

/* ---- variables ---- */

void hb_gdb_free_variables(hb_variable *variables, size_t n)
{
	for (size_t i = 0; variables && i < n; i++) {
		free(variables[i].name);
		free(variables[i].type);
		free(variables[i].value);
	}
	free(variables);
}

static char *cut_copy(const char *text)
{
	size_t n = text ? strlen(text) : 0;
	char *copy = NULL;
	if (n > VALUE_MOST) {
		n = VALUE_MOST;
		while (n && ((unsigned char)text[n] & 0xc0) == 0x80) /* not within a character */
			n--;
		return asprintf(&copy, "%.*s...", (int)n, text) < 0 ? NULL : copy;
	}
	return text ? strdup(text) : NULL;
}

static const struct hb__mi_value *variables_in(const hb_gdb *gdb)
{
	return hb__mi_first(&gdb->answer, hb__mi_get(&gdb->answer, &gdb->answer.values[0], "variables"));
}

/* gdb gives values with types only of what is simple, and values of all without types; in the same order. */
hb_status hb_gdb_variables(
	hb_gdb *gdb, int32_t id, uint32_t level, hb_variable **ret_variables, size_t *ret_n, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, true, err);
	if (!inf)
		return absent(gdb);
	int thread = inf->thread;
	const char *command = "-stack-list-variables --thread %d --frame %u %s";
	hb_status status = hb__gdb_ask(gdb, err, command, thread, level, "--all-values");
	if (status)
		return status;
	const struct hb__mi *mi = &gdb->answer;
	size_t n = 0, cap = 0;
	for (const struct hb__mi_value *v = variables_in(gdb); v; v = hb__mi_next(mi, v))
		cap++;
	hb_variable *all = calloc(cap + 1, sizeof *all);
	if (!all)
		return hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
	for (const struct hb__mi_value *v = variables_in(gdb); v; v = hb__mi_next(mi, v), n++) {
		all[n].name = cut_copy(hb__mi_text(mi, v, "name"));
		all[n].value = cut_copy(hb__mi_text(mi, v, "value"));
		all[n].argument = hb__mi_int(mi, v, "arg", 0);
	}
	if (!hb__gdb_ask(gdb, NULL, command, thread, level, "--simple-values")) {
		size_t i = 0;
		for (const struct hb__mi_value *v = variables_in(gdb); v && i < n; v = hb__mi_next(mi, v), i++)
			all[i].type = cut_copy(hb__mi_text(mi, v, "type"));
	}
	*ret_variables = all;
	*ret_n = n;
	return HB_OK;
}

/* ---- expressions and commands ---- */

/* A command that may call a function of the program. Afterwards the process stands again, or is gone. */
static hb_status ask_calling(
	hb_gdb *gdb, int32_t id, hb_error *err, const char *command, const char *quoted, uint32_t level)
{
	struct hb__inferior *inf = hb__gdb_find(gdb, id);
	hb__gdb_others_go(gdb, false);
	inf->calling = true;
	hb_status status = hb__gdb_ask(gdb, err, "%s --thread %d --frame %u %s%s", command, inf->thread, level,
		!strcmp(command, "-interpreter-exec") ? "console " : "", quoted);
	inf = hb__gdb_find(gdb, id);
	if (!inf)
		return status;
	inf->calling = false;
	for (size_t i = 0; i < inf->nthreads; i++)
		inf->threads[i].called |= inf->threads[i].number == inf->thread;
	/* threads that the function has started */
	if (inf->state == HB__STOPPED && !hb__gdb_all_stopped(inf))
		hb__gdb_ask_to_stop(gdb, inf);
	return status;
}

hb_status hb_gdb_evaluate(
	hb_gdb *gdb, int32_t id, uint32_t level, const char *expression, char **ret_value, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, true, err);
	if (!inf)
		return absent(gdb);
	char *quoted = hb__mi_quote(expression);
	hb_status status = quoted ? ask_calling(gdb, id, err, "-data-evaluate-expression", quoted, level) : HB_E_MEMORY;
	free(quoted);
	if (status)
		return status;
	const char *value = hb__mi_text(&gdb->answer, &gdb->answer.values[0], "value");
	*ret_value = strdup(value ? value : "");
	return *ret_value ? HB_OK : hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
}

/* Commands that read further lines from the terminal, or that take the process away from here. */
static const char *refused(const char *command)
{
	static const char *const more_lines[] = {"commands", "define", "document", "python-interactive", "pi", "if",
		"while", "compile", "expression", NULL};
	static const char *const alone[] = {
		"python", "py", "guile", "gu", NULL}; /* without an argument they read lines */
	static const char *const away[] = {"quit", "q", "exit", "target", "detach", "disconnect", "kill", "k", "attach",
		"run", "r", "start", "starti", "file", "exec-file", "add-inferior", "remove-inferiors",
		"clone-inferior", "inferior", "interrupt", "shell", "make", "pipe", "edit", "tui", "layout",
		"interpreter-exec", "new-ui", NULL};
	size_t n = 0;
	while (isalpha((unsigned char)command[n]) || command[n] == '-')
		n++;
	bool argument = command[n + strspn(command + n, " \t")] != 0;
	if (*command == '!' || *command == '|')
		return "cannot be used here";
	for (size_t i = 0; more_lines[i]; i++)
		if (strlen(more_lines[i]) == n && !strncmp(command, more_lines[i], n))
			return "needs further lines of input, which cannot be given here";
	for (size_t i = 0; alone[i]; i++)
		if (!argument && strlen(alone[i]) == n && !strncmp(command, alone[i], n))
			return "needs further lines of input, which cannot be given here";
	for (size_t i = 0; away[i]; i++)
		if (strlen(away[i]) == n && !strncmp(command, away[i], n))
			return "would take gdb out of hbdb's control";
	return NULL;
}

hb_status hb_gdb_command(hb_gdb *gdb, int32_t id, uint32_t level, const char *command, char **ret_output, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, true, err);
	if (!inf)
		return absent(gdb);
	command += strspn(command, " \t\n");
	const char *why = refused(command);
	if (why)
		return hb__gdb_fail(
			err, HB_E_ARGUMENT, "gdb's command %.*s %s", (int)strcspn(command, " \t\n"), command, why);
	char *quoted = hb__mi_quote(command);
	gdb->collecting = true;
	gdb->said_n = 0;
	hb_status status = quoted ? ask_calling(gdb, id, err, "-interpreter-exec", quoted, level) : HB_E_MEMORY;
	gdb->collecting = false;
	free(quoted);
	if (status)
		return status;
	*ret_output = gdb->said_n ? strdup(gdb->said) : strdup("");
	return *ret_output ? HB_OK : hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
}

bool hb_gdb_begins_line(hb_gdb *gdb, int32_t id)
{
	/* only where the compiler says that a statement begins does gdb's `step` stop, too */
	static const char ask[] =
		"python f = gdb.newest_frame(); s = f.find_sal(); "
		"print(any(e.pc == f.pc() for e in s.symtab.linetable().line(s.line) or ()) if s.symtab else False)";
	char *answer = NULL;
	bool begins = !hb_gdb_command(gdb, id, 0, ask, &answer, NULL) && !strncmp(answer, "True", 4);
	free(answer);
	return begins;
}

/* ---- threads ---- */

uint32_t hb_gdb_threads(const hb_gdb *gdb, int32_t id, uint32_t *ret_chosen)
{
	const struct hb__inferior *inf = hb__gdb_find((hb_gdb *)gdb, id);
	if (ret_chosen)
		*ret_chosen = 0;
	for (size_t i = 0; inf && ret_chosen && i < inf->nthreads; i++)
		if (inf->threads[i].number == inf->thread)
			*ret_chosen = (uint32_t)i + 1;
	return inf ? (uint32_t)inf->nthreads : 0;
}

hb_status hb_gdb_choose_thread(hb_gdb *gdb, int32_t id, uint32_t thread, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, true, err);
	if (!inf)
		return gdb->lost ? HB_E_SYSTEM : HB_E_ARGUMENT;
	if (!thread || thread > inf->nthreads)
		return hb__gdb_fail(
			err, HB_E_ARGUMENT, "it has %zu thread%s", inf->nthreads, inf->nthreads == 1 ? "" : "s");
	inf->thread = inf->threads[thread - 1].number;
	return HB_OK;
}
