/* detrek: where the tasks of a farm stand, from PREFIX.spf and PREFIX.tvm. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../show/inert.h"
#include "rules/tasks/stamps.h"

static const char usage[] =
	"usage: detrek [-h] [-v] [-c] [-o] -p PREFIX\n"
	"Reads PREFIX.spf and PREFIX.tvm, prints where tasks stand still, and writes PREFIX.bug.\n"
	"  -p PREFIX  the files\n"
	"  -c         only check the trace against the specification\n"
	"  -o         print the events in an order that was possible, with time stamps, instead\n"
	"  -v         say what was read and what is done, at which event each task stands, and what the first one of them has\n"
	"  -h         this text\n"
	"Exit status: 0 nothing found, 1 errors found, 2 usage, 3 input that makes no sense. The manual page is detrek(1).\n";

typedef struct detrek {
	bool verbose, check, order;
	char *spec_path, *trace_path, *bug_path;
	hb_tasks_trace trace;
	hb_tasks tasks;
	hb_tasks_report report;
} detrek;

/* One line on stderr. */
__attribute__((format(printf, 2, 3))) static int fail(int code, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	char *text;
	if (vasprintf(&text, format, ap) >= 0) {
		char *inert = hb__inert(text);
		fflush(stdout);
		fprintf(stderr, "detrek: %s\n", inert);
		free(inert);
		free(text);
	}
	va_end(ap);
	return code;
}

static int bad_input(const hb_tasks_trouble *trouble) { return fail(HB_EXIT_RECORDING, "%s", trouble->text); }

/* ---- -v and -o ---- */

static const char *topology(const hb_tasks_spec *spec)
{
	static const char *const names[] = {"star", "chain", "binary tree", "ternary tree"};
	return spec->topology < 4 ? names[spec->topology] : "tree";
}

static void say_what_was_read(const detrek *d)
{
	const hb_tasks_spec *s = &d->trace.spec;
	fail(0, "%s: %s of %u processors (%u), %u tasks, degree %u, depth %u", d->spec_path, topology(s), s->processors,
		s->topology, s->tasks, s->degree, s->depth);
	fail(0, "%s: %zu events of %zu tasks, %s; %zu passages, each fits", d->trace_path, d->trace.n,
		d->tasks.histories,
		d->trace.hosts ? "generator and receiver with events of their own" : "generator and receiver in node 0",
		d->tasks.passages);
}

static void put_node(int32_t node, char ret[16]) { snprintf(ret, 16, "%d", node); }

/* The stamp of an event: as many components as there are processes. */
static void put_event(void *user, uint32_t event, const uint32_t *clock)
{
	const detrek *d = user;
	const hb_tasks_event *e = &d->trace.event[event];
	char sub[HB_TASKS_SUB_TEXT], node[16], other[16];
	put_node(e->node, node);
	put_node(e->other, other);
	hb_tasks_sub_text(&d->trace.spec, e->sub, true, sub);
	printf("%lld", (long long)(e->time / 1000));
	if (e->time % 1000)
		printf(".%03d", (int)(e->time % 1000));
	printf(" %s %s %s %lld %s", node, e->receive ? "recv" : "send", other, (long long)e->task, sub);
	for (uint32_t i = 0; i < hb_tasks_clocks(&d->trace); i++)
		printf("%c%u", i ? ',' : ' ', clock[i]);
	putchar('\n');
}

/* ---- what was found ---- */

static void put_task(const hb_tasks_error *e, char ret[48])
{
	int n = snprintf(ret, 48, "%lld", (long long)e->task);
	if (e->until != e->task)
		snprintf(ret + n, 48 - (size_t)n, "-%lld", (long long)e->until);
}

static void put_table(const detrek *d)
{
	char task[48], sub[HB_TASKS_SUB_TEXT];
	int task_width = 4, sub_width = 7;
	for (size_t i = 0; i < d->report.errors; i++) {
		put_task(&d->report.error[i], task);
		hb_tasks_sub_text(&d->trace.spec, d->report.error[i].sub, d->report.error[i].skips, sub);
		task_width = (int)strlen(task) > task_width ? (int)strlen(task) : task_width;
		sub_width = (int)strlen(sub) > sub_width ? (int)strlen(sub) : sub_width;
	}
	printf("%*s  %*s  NODE  PROCESS\n", task_width, "TASK", sub_width, "SUBTASK");
	for (size_t i = 0; i < d->report.errors; i++) {
		const hb_tasks_error *e = &d->report.error[i];
		put_task(e, task);
		hb_tasks_sub_text(&d->trace.spec, e->sub, e->skips, sub);
		printf("%*s  %*s  %4u  %s\n", task_width, task, sub_width, sub, e->node, e->process);
	}
}

/* The coalesced graph of the first task that stands: how many of the events that it needs each process of it has. */
static void say_graph(const detrek *d)
{
	static const char *const names[] = {"generate", "split", "compute", "join", "receive", "split or compute"};
	hb_tasks_graph g = {0};
	size_t i = 0;
	while (i < d->tasks.histories && d->tasks.history[i].task != d->report.error[0].task)
		i++;
	if (i < d->tasks.histories && hb_tasks_graph_of(&d->tasks, i, &g))
		for (size_t v = 0; v < g.vertices; v++) {
			char sub[HB_TASKS_SUB_TEXT];
			hb_tasks_sub_text(&d->trace.spec, g.vertex[v].sub, d->tasks.history[i].skips, sub);
			fail(0, "task %lld: %s %s at node %d has %u of %u events", (long long)d->report.error[0].task,
				names[g.vertex[v].process], sub, g.vertex[v].node, g.vertex[v].events,
				g.vertex[v].needs);
		}
	hb_tasks_graph_free(&g);
}

static void say_more(const detrek *d)
{
	for (size_t i = 0; i < d->report.errors; i++) {
		const hb_tasks_error *e = &d->report.error[i];
		const char *what = e->fault == HB_TASKS_NOT_GENERATED
					   ? e->until != e->task ? "were not generated" : "was not generated"
				   : e->fault == HB_TASKS_GENERATED_TWICE ? "was generated twice"
				   : e->fault == HB_TASKS_WRONG_NUMBER    ? "is a number that no task has"
									  : NULL;
		char task[48];
		put_task(e, task);
		if (what)
			fail(0, "task %s %s", task, what);
		else if (d->verbose)
			fail(0, "task %s: %s after %s:%u", task, e->process, d->trace_path,
				d->trace.event[e->event].line);
	}
	if (d->report.not_generated >= 0)
		fail(0, "task %lld and all after it were not generated", (long long)d->report.not_generated);
	if (d->verbose && d->report.errors)
		say_graph(d);
	if (d->verbose)
		fail(0, "%llu tasks are complete, %llu are not", (unsigned long long)d->report.complete,
			(unsigned long long)d->report.incomplete);
}

static int write_bugs(const detrek *d)
{
	FILE *f = fopen(d->bug_path, "w");
	if (!f)
		return fail(HB_EXIT_RECORDING, "cannot write %s: %s", d->bug_path, strerror(errno));
	for (size_t i = 0; i < d->report.errors; i++) {
		const hb_tasks_error *e = &d->report.error[i];
		fprintf(f, "%d %lld %u %s\n", (int)e->fault, (long long)e->task, e->node, e->process);
	}
	bool bad = ferror(f);
	if (fclose(f) || bad)
		return fail(HB_EXIT_RECORDING, "cannot write %s: %s", d->bug_path, strerror(errno));
	if (d->verbose)
		fail(0, "%s: %zu errors", d->bug_path, d->report.errors);
	return 0;
}

static int report(detrek *d)
{
	if (!hb_tasks_check(&d->tasks, &d->report))
		return fail(HB_EXIT_RECORDING, "out of memory");
	if (d->report.errors)
		put_table(d);
	else
		printf("no errors: %llu tasks, each complete\n", (unsigned long long)d->report.complete);
	say_more(d);
	int code = write_bugs(d);
	return code ? code : d->report.errors ? HB_EXIT_FINDING : HB_EXIT_OK;
}

static int run(detrek *d)
{
	hb_tasks_trouble trouble = {0};
	hb_tasks_spec spec;
	if (!hb_tasks_read_spec(d->spec_path, &spec, &trouble) ||
		!hb_tasks_read_trace(d->trace_path, &spec, &d->trace, &trouble) ||
		!hb_tasks_open(&d->trace, &d->tasks, &trouble))
		return bad_input(&trouble);
	if (d->trace.cut_line)
		fail(0, "%s:%u: the last line is cut off: left out", d->trace_path, d->trace.cut_line);
	if (d->verbose)
		say_what_was_read(d);
	if (!hb_tasks_replay(&d->tasks, d->order && !d->check, d->order && !d->check ? put_event : NULL, d, &trouble))
		return bad_input(&trouble);
	if (d->verbose)
		fail(0, "an order of all events is possible");
	if (d->check || d->order)
		return HB_EXIT_OK;
	return report(d);
}

int main(int argc, char **argv)
{
	detrek d = {0};
	const char *prefix = NULL;
	for (int option; (option = getopt(argc, argv, "hvcop:")) != -1;)
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			return HB_EXIT_OK;
		case 'v':
			d.verbose = true;
			break;
		case 'c':
			d.check = true;
			break;
		case 'o':
			d.order = true;
			break;
		case 'p':
			prefix = optarg;
			break;
		default:
			fputs(usage, stderr);
			return HB_EXIT_USAGE;
		}
	if (!prefix || optind < argc) {
		fail(0, prefix ? "'%s' is no option" : "-p PREFIX is missing", argv[optind < argc ? optind : 0]);
		fputs(usage, stderr);
		return HB_EXIT_USAGE;
	}
	d.spec_path = hb__format("%s.spf", prefix);
	d.trace_path = hb__format("%s.tvm", prefix);
	d.bug_path = hb__format("%s.bug", prefix);
	int code = run(&d);
	hb_tasks_report_free(&d.report);
	hb_tasks_close(&d.tasks);
	hb_tasks_trace_free(&d.trace);
	free(d.spec_path);
	free(d.trace_path);
	free(d.bug_path);
	if (fclose(stdout) && !code)
		return fail(HB_EXIT_RECORDING, "cannot write to standard output: %s", strerror(errno));
	return code;
}
