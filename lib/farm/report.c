#include "report.h"

#include <stdio.h>
#include <string.h>

#include "state.h"
#include "wire/said.h"
#include "work/lost.h"

static const char *const role_names[] = {"generator", "receiver", "spare", "dead"};

static const char *name_of(const struct counts *c, char *text, size_t room)
{
	if (c->node < 0)
		return role_names[-1 - c->node];
	snprintf(text, room, "%lld", (long long)c->node);
	return text;
}

struct sums {
	int64_t generated, received, untaken, computed, timed, timed_ns, run_ns, dead, aside;
};

static struct sums sums(void)
{
	struct sums s = {0};
	for (int i = 0; i < farm.processes; i++) {
		const struct counts *c = &farm.all[i];
		s.generated += c->generated;
		s.received += c->received;
		s.untaken += c->node == NODE_RECEIVER || farm.settings.number[KEY_HOST] == HOST_ONE ? c->untaken : 0;
		s.computed += c->computed;
		s.dead += c->node == NODE_DEAD;
		s.aside += c->aside;
		s.timed += c->timed;
		s.timed_ns += c->timed_ns;
		s.run_ns = c->run_ns > s.run_ns ? c->run_ns : s.run_ns;
	}
	return s;
}

static double granularity_us(int64_t timed, int64_t ns) { return timed ? (double)ns / (double)timed / 1000 : 0; }

static void write_text(FILE *to)
{
	const struct settings *s = &farm.settings;
	struct sums all = sums();
	const int64_t *n = s->number;
	char name[24];
	fprintf(to, "farm: %s, %s", n[KEY_MACHINE] == MACHINE_DCVM ? "divide and conquer" : "processor farm",
		settings_topology(s));
	if (n[KEY_TOPOLOGY] == TOPOLOGY_TREE)
		fprintf(to, " of arity %lld", (long long)n[KEY_ARITY]);
	fprintf(to, ", %lld nodes, %s", (long long)n[KEY_NODES],
		n[KEY_HOST] == HOST_TWO ? "generator and receiver in processes of their own"
					: "generator and receiver in that of node 0");
	if (n[KEY_MACHINE] == MACHINE_DCVM)
		fprintf(to, ", degree %lld, depth %lld", (long long)n[KEY_DEGREE], (long long)n[KEY_DEPTH]);
	fprintf(to, "\ntasks: %lld generated", (long long)all.generated);
	if (n[KEY_TASKS] >= 0 && n[KEY_TASKS] != all.generated)
		fprintf(to, " (%lld were to be)", (long long)n[KEY_TASKS]);
	fprintf(to, ", %lld results received", (long long)all.received);
	if (all.untaken > 0)
		fprintf(to, ", %lld results that nobody took", (long long)all.untaken);
	if (all.dead)
		fprintf(to, "\n%lld nodes died; their tasks were handed out again", (long long)all.dead);
	if (all.aside)
		fprintf(to, "\n%lld tasks were put aside", (long long)all.aside);
	fprintf(to, "\ngranularity: %.3f us a call of compute; buffers: ", granularity_us(all.timed, all.timed_ns));
	if (n[KEY_CREDITS] > 0)
		fprintf(to, "%lld tasks for each node\n", (long long)n[KEY_CREDITS]);
	else
		fprintf(to, "as each node needs\n");
	fprintf(to, "time: %.6f s\n", (double)all.run_ns / 1e9);
	fprintf(to, "%9s %10s %8s %8s %10s %8s %9s %12s %8s\n", "node", "computed", "split", "joined", "passed",
		"buffer", "messages", "compute/us", "idle/s");
	for (int i = 0; i < farm.processes; i++) {
		const struct counts *c = &farm.all[i];
		if (c->node == NODE_SPARE)
			continue;
		fprintf(to, "%9s %10lld %8lld %8lld %10lld %8lld %9lld %12.3f %8.3f\n", name_of(c, name, sizeof name),
			(long long)c->computed, (long long)c->split, (long long)c->joined, (long long)c->passed,
			(long long)c->window, (long long)c->messages, granularity_us(c->timed, c->timed_ns),
			(double)c->idle_ns / 1e9);
	}
}

static void write_json(FILE *to)
{
	const struct settings *s = &farm.settings;
	const int64_t *n = s->number;
	struct sums all = sums();
	const char *comma = "";
	fprintf(to,
		"{\"machine\": \"%s\", \"topology\": \"%s\", \"arity\": %lld, \"nodes\": %lld, \"degree\": %lld, \"depth\": %lld, \"host\": \"%s\", ",
		n[KEY_MACHINE] == MACHINE_DCVM ? "dcvm" : "pfvm", settings_topology(s), (long long)n[KEY_ARITY],
		(long long)n[KEY_NODES], (long long)n[KEY_DEGREE], (long long)n[KEY_DEPTH],
		n[KEY_HOST] == HOST_TWO ? "two" : "one");
	fprintf(to,
		"\"credits\": %lld, \"generated\": %lld, \"received\": %lld, \"untaken\": %lld, \"dead\": %lld, \"aside\": %lld, \"granularity_us\": %.3f, \"seconds\": %.6f,\n\"processes\": [",
		(long long)(n[KEY_CREDITS] > 0 ? n[KEY_CREDITS] : 0), (long long)all.generated, (long long)all.received,
		(long long)all.untaken, (long long)all.dead, (long long)all.aside,
		granularity_us(all.timed, all.timed_ns), (double)all.run_ns / 1e9);
	for (int i = 0; i < farm.processes; i++) {
		const struct counts *c = &farm.all[i];
		const char *role = c->node < 0 ? role_names[-1 - c->node] : "node";
		fprintf(to,
			"%s\n{\"rank\": %d, \"role\": \"%s\", \"node\": %lld, \"taken\": %lld, \"computed\": %lld, \"split\": %lld, \"joined\": %lld, \"passed\": %lld, ",
			comma, i, role, (long long)c->node, (long long)c->taken, (long long)c->computed,
			(long long)c->split, (long long)c->joined, (long long)c->passed);
		fprintf(to,
			"\"buffer\": %lld, \"messages\": %lld, \"bytes\": %lld, \"granularity_us\": %.3f, \"idle_s\": %.6f, \"run_s\": %.6f}",
			(long long)c->window, (long long)c->messages, (long long)c->bytes,
			granularity_us(c->timed, c->timed_ns), (double)c->idle_ns / 1e9, (double)c->run_ns / 1e9);
		comma = ",";
	}
	fprintf(to, "\n]}\n");
}

/* A file that cannot be written is an error of the run, though its results are right. */
static void write_to(enum key key, void (*writer)(FILE *))
{
	const char *path = settings_text(&farm.settings, key);
	if (!*path || !strcmp(path, "none"))
		return;
	int standard = !strcmp(path, "-");
	FILE *to = standard ? stderr : fopen(path, "w");
	if (to)
		writer(to);
	int failed = !to || ferror(to);
	if (to && !standard && fclose(to))
		failed = 1;
	if (failed && farm.status >= 0) {
		farm.status = HB_FARM_BAD_SPECIFICATION;
		snprintf(farm.error, sizeof farm.error, "%s: %.800s: %m\n", farm.settings.origin[key], path);
	}
}

/* What could not be computed is an error of the run, and the first of it is named. */
static void tell_of_aside(void)
{
	int64_t aside = sums().aside;
	for (int i = 0; i < farm.processes && aside; i++) {
		const struct counts *c = &farm.all[i];
		if (!c->aside)
			continue;
		char sub[SUB_ROOM];
		sub_text(sub, c->aside_task[0].level, c->aside_task[0].part);
		farm.status = HB_FARM_LOST;
		snprintf(farm.error, sizeof farm.error,
			"task %lld%s%s was put aside: %d nodes died with it, or none was left to try it%s\n",
			(long long)c->aside_task[0].task, *sub ? ", subtask " : "", sub, DEATHS_MOST,
			aside > 1 ? "; others, too" : "");
		return;
	}
}

void report(void)
{
	write_to(KEY_REPORT, write_text);
	write_to(KEY_REPORT_JSON, write_json);
	if (farm.status >= 0)
		tell_of_aside();
}
