/* Makes calls of src/session/gdb/gdb.h by lines of its input, for run.py: words with blanks between, the rest of the line last.
 * Each command prints what it got, events that came (`! ID REASON ...`), and a line `ok`, or `error STATUS MESSAGE`. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session/gdb/gdb.h"
#include "system/place/place.h"

static hb_gdb *gdb;
static unsigned told;
static hb_error err;

static void print_text(const char *text)
{
	for (; text && *text; text++)
		if (*text == '\n')
			fputs("\\n", stdout);
		else
			putchar(*text);
}

static void print_frame(const hb_frame *f)
{
	printf("%s %s:%d [%s]%s%s", f->function[0] ? f->function : "??", f->file[0] ? f->file : "-", f->line, f->module,
		f->fullname[0] ? " full" : "", f->ours ? " ours" : "");
}

static void visit(void *user, int32_t id, const hb_gdb_stop *s)
{
	static const char *const names[] = {
		"asked", "breakpoint", "watchpoint", "stepped", "signal", "exited", "killed", "running", "lost"};
	(void)user;
	told++;
	printf("! %d %s number=%d status=%d signal=%d %s old=%s new=%s expression=%s meaning=%s at ", id,
		names[s->reason], s->number, s->status, s->signal, s->signal_name, s->old_value, s->new_value,
		s->expression, s->meaning);
	print_frame(&s->frame);
	putchar('\n');
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for something to be told, through hb_gdb_fd. */
static hb_status await(double seconds)
{
	double until = now() + seconds;
	for (told = 0; !told && now() < until;) {
		struct pollfd fd = {hb_gdb_fd(gdb), POLLIN, 0};
		poll(&fd, 1, (int)((until - now()) * 1000) + 1);
		hb_gdb_poll(gdb, visit, NULL);
	}
	return HB_OK;
}

static hb_status attach(const char *rest)
{
	int32_t ids[64], pids[64];
	bool failed[64];
	size_t n = 0;
	for (int used; n < 64 && sscanf(rest, "%d=%d %n", &ids[n], &pids[n], &used) == 2; n++)
		rest += used;
	double start = now();
	hb_status status = hb_gdb_attach(gdb, ids, pids, n, failed, &err);
	for (size_t i = 0; i < n; i++)
		if (failed[i])
			printf("failed %d\n", ids[i]);
	fprintf(stderr, "attached %zu in %.3f s\n", n, now() - start);
	return status;
}

static hb_status stack(int32_t id, unsigned most)
{
	hb_frame *frames;
	size_t n;
	hb_status status = hb_gdb_stack(gdb, id, most, &frames, &n, &err);
	for (size_t i = 0; !status && i < n; i++) {
		printf("#%u ", frames[i].level);
		print_frame(&frames[i]);
		putchar('\n');
	}
	if (!status)
		free(frames);
	return status;
}

static hb_status variables(int32_t id, unsigned level)
{
	hb_variable *v;
	size_t n;
	hb_status status = hb_gdb_variables(gdb, id, level, &v, &n, &err);
	for (size_t i = 0; !status && i < n; i++) {
		printf("%s%s %s = ", v[i].argument ? "arg " : "", v[i].type ? v[i].type : "?", v[i].name);
		print_text(v[i].value ? v[i].value : "(none)");
		putchar('\n');
	}
	if (!status)
		hb_gdb_free_variables(v, n);
	return status;
}

static hb_status text(hb_status (*ask)(hb_gdb *, int32_t, uint32_t, const char *, char **, hb_error *), int32_t id,
	unsigned level, const char *rest)
{
	char *value;
	hb_status status = ask(gdb, id, level, rest, &value, &err);
	if (status)
		return status;
	print_text(value);
	putchar('\n');
	free(value);
	return HB_OK;
}

/* break ID IGNORE TEMPORARY LOCATION [if CONDITION] */
static hb_status set_break(int32_t id, unsigned ignore, char *rest)
{
	hb_gdb_breakpoint b = {.ignore = ignore, .temporary = *rest == 't', .location = rest + 2};
	char *condition = strstr(rest, " if ");
	int number;
	hb_frame where;
	if (condition) {
		*condition = 0;
		b.condition = condition + 4;
	}
	hb_status status = hb_gdb_break(gdb, id, &b, &number, &where, &err);
	if (status)
		return status;
	printf("number %d at ", number);
	print_frame(&where);
	putchar('\n');
	return HB_OK;
}

static hb_status go(int32_t id, unsigned level, const char *rest)
{
	static const char *const names[] = {"continue", "step", "next", "finish", "stepi", "nexti"};
	char word[16] = "";
	unsigned times = 1;
	sscanf(rest, "%15s %u", word, &times);
	for (unsigned i = 0; i < 6; i++)
		if (!strcmp(word, names[i]))
			return hb_gdb_go(gdb, id, (hb_gdb_step)i, level, times, &err);
	return HB_E_ARGUMENT;
}

/* Goes on, stops, and is let go, before anybody hears of the stop. */
static hb_status leave(int32_t id)
{
	hb_status status = hb_gdb_go(gdb, id, HB_GDB_CONTINUE, 0, 1, &err);
	status = status ? status : hb_gdb_interrupt(gdb, id, &err);
	hb_gdb_detach(gdb, id);
	return status;
}

static hb_status watch(int32_t id, unsigned level, const char *rest)
{
	int number;
	hb_status status = hb_gdb_watch(gdb, id, level, rest, &number, &err);
	if (!status)
		printf("number %d\n", number);
	return status;
}

/* HBDB_GDB_AGENT: a path of hbdb. gdb is then run by an agent, as on another node. standing: ID=PID of a process that it is for alone. */
static hb_status open_gdb(const char *program, const char *server, const char *standing)
{
	int32_t id, pid;
	static hb_link *link;
	static hb_gdb_place *place;
	const char *hbdb = getenv("HBDB_GDB_AGENT");
	char *const argv[] = {(char *)hbdb, (char *)"agent", NULL};
	const hb_link_options options = {.argv = argv, .error = -1, .seconds = 300};
	hb_status status = hbdb && !link ? hb_link_open(&options, &link, &err) : HB_OK;
	if (!status && link && !place)
		place = hb_link_place(link, "there");
	if (!status && standing && sscanf(standing, "%d=%d", &id, &pid) == 2)
		return hb_gdb_open_standing(place, program, server, id, pid, &gdb, &err);
	return status ? status : hb_gdb_open(place, program, server, &gdb, &err);
}

static hb_status run(const char *word, int32_t id, unsigned level, char *rest)
{
	if (!strcmp(word, "open")) {
		char *space = strchr(rest, ' ');
		if (space)
			*space++ = 0;
		return open_gdb(*rest ? rest : NULL, space, NULL);
	}
	if (!strcmp(word, "standing"))
		return open_gdb(NULL, NULL, rest);
	if (!gdb)
		return HB_E_ARGUMENT;
	if (!strcmp(word, "close")) {
		hb_gdb_close(gdb);
		gdb = NULL;
		return HB_OK;
	}
	if (!strcmp(word, "await"))
		return await(id);
	if (!strcmp(word, "patience"))
		return hb_gdb_patience(gdb, id), HB_OK;
	if (!strcmp(word, "attach"))
		return attach(rest);
	if (!strcmp(word, "detach"))
		return hb_gdb_detach(gdb, id), HB_OK;
	if (!strcmp(word, "leave"))
		return leave(id);
	if (!strcmp(word, "state"))
		return printf("%s\n", !hb_gdb_has(gdb, id)      ? "none"
				      : hb_gdb_stopped(gdb, id) ? "stopped"
								: "running"),
		       HB_OK;
	if (!strcmp(word, "interrupt"))
		return hb_gdb_interrupt(gdb, id, &err);
	if (!strcmp(word, "halt"))
		return hb_gdb_halt(gdb, id, &err);
	if (!strcmp(word, "go"))
		return go(id, level, rest);
	if (!strcmp(word, "stack"))
		return stack(id, level);
	if (!strcmp(word, "variables"))
		return variables(id, level);
	if (!strcmp(word, "evaluate"))
		return text(hb_gdb_evaluate, id, level, rest);
	if (!strcmp(word, "command"))
		return text(hb_gdb_command, id, level, rest);
	if (!strcmp(word, "break"))
		return set_break(id, level, rest);
	if (!strcmp(word, "watch"))
		return watch(id, level, rest);
	if (!strcmp(word, "delete"))
		return hb_gdb_delete(gdb, id, &err);
	if (!strcmp(word, "enable"))
		return hb_gdb_enable(gdb, id, level, &err);
	return HB_E_ARGUMENT;
}

/* COMMAND [ID [LEVEL [REST]]]; open, standing and attach take all as the rest */
int main(void)
{
	char *line = NULL, word[32];
	size_t cap = 0;
	while (getline(&line, &cap, stdin) > 0) {
		int32_t id = 0;
		unsigned level = 0;
		int at = 0, behind = 0;
		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%31s %n", word, &at) < 1)
			continue;
		if (strcmp(word, "open") != 0 && strcmp(word, "standing") != 0 && strcmp(word, "attach") != 0) {
			if (sscanf(line + at, "%d %n", &id, &behind) >= 1)
				at += behind;
			behind = 0;
			if (sscanf(line + at, "%u %n", &level, &behind) >= 1)
				at += behind;
		}
		err = (hb_error){.message = "the driver does not understand this"};
		hb_status status = run(word, id, level, line + at);
		if (gdb && strcmp(word, "await") != 0)
			hb_gdb_poll(gdb, visit, NULL);
		if (status)
			printf("error %d %s\n", status, err.message);
		else
			printf("ok\n");
		fflush(stdout);
	}
	hb_gdb_close(gdb);
	free(line);
	return 0;
}
