/* hbdb minimize */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../options.h"
#include "../racing/distil.h"
#include "../run/run.h"
#include "../show/inert.h"
#include "../show/progress.h"
#include "../store/find.h"
#include "../store/manifest.h"
#include "rules/race.h"

const hb_option hb__minimize_options[] = {
	{"output", 'o', HB_OPTION_RECORDING, "OUT.hbdb",
		"the recording to write; default: NAME-min.hbdb next to NAME.hbdb"},
	{0},
};

struct minimize {
	char *from, *to;
	hb_run run;
	hb_manifest manifest;
	hb_racers **racers; /* by process; NULL: all is kept of it */
	hb_distilled sum;
	uint64_t threaded, raced_there, processes,
		failed;   /* receives kept for several threads; of these raced; of how many processes; failed ones */
	uint64_t shorter; /* receives that are kept as that takes fewer bytes */
	uint64_t ordered; /* processes of which all events are kept */
	bool dropped;     /* there were contents of messages */
	bool whole;       /* nothing could be left out, which has been said */
	uint64_t before, after; /* bytes */
};

/* Why nothing can be left out, or NULL: a race that is not seen must not be one that is not there. */
static const char *whole(const struct minimize *m)
{
	const hb_model_info *info = hb_model_get_info(m->run.model);
	for (uint32_t p = 0; p < info->processes; p++) {
		const hb_process *process = &hb_model_processes(m->run.model)[p];
		if (!process->log)
			return "a process has no log";
		if (process->world)
			return "the program started processes";
		if (process->cut)
			return "a log ends before its process did";
	}
	return info->ambiguous ? "it is not known which message some receives got"
	       : info->open    ? "some messages or collectives are not recorded"
			       : NULL;
}

static bool note_race(void *user, const hb_race *race)
{
	struct minimize *m = user;
	if (race->kind != HB_RACE_RECEIVE)
		return true;
	const hb_line *line = &hb_model_lines(m->run.model)[race->done.line];
	if (m->racers[line->process])
		hb_racers_add(m->racers[line->process], line->lane, race->done.event);
	else
		m->raced_there++;
	return true;
}

/* Finds what raced. 0, or an exit code after having said why. */
static int find_races(struct minimize *m)
{
	const hb_model_info *info = hb_model_get_info(m->run.model);
	hb_error err = {0};
	hb_race_sum sum;
	hb_bar bar;
	m->racers = hb__alloc(((size_t)info->processes + 1) * sizeof(hb_racers *));
	const char *why = whole(m);
	if (why) {
		hb__say("every wildcard receive is kept: %s", why);
		m->whole = true;
		return 0;
	}
	for (uint32_t p = 0; p < info->processes; p++) {
		const hb_process *process = &hb_model_processes(m->run.model)[p];
		if (process->nlines > 1) /* the order between threads is not in the recording */
			continue;
		m->racers[p] = hb_racers_create(process->log);
		if (!m->racers[p])
			return hb__fail_with(HB_EXIT_USAGE, "out of memory");
	}
	hb__bar_begin(&bar, "looking for races");
	hb_status status = hb_races(m->run.model, HB_RACES_REPLAY, note_race, m, &sum, hb__bar_step, &bar, &err);
	hb__bar_end(&bar);
	return status ? hb__fail_log(m->from, &err) : 0;
}

/* The order between threads is told by how many events each had made: it holds only where all of these are kept. */
static bool ordered(const hb_log *log)
{
	return hb_log_get_info(log)->level == HB_LEVEL_EVENTS && hb__orders_threads(log);
}

static hb_status copy_log(const char *from, const char *to, hb_error *err)
{
	char part[65536];
	FILE *in = fopen(from, "rbe"), *out = in ? fopen(to, "wbe") : NULL;
	bool good = out != NULL;
	for (size_t n = 1; good && n;) {
		n = fread(part, 1, sizeof part, in);
		good = !ferror(in) && fwrite(part, 1, n, out) == n;
	}
	int e = errno;
	if (out && fclose(out) && good) {
		good = false;
		e = errno;
	}
	if (in)
		fclose(in);
	if (!good)
		snprintf(err->message, sizeof err->message, "%s: %s", out ? to : from, strerror(e));
	return good ? HB_OK : HB_E_SYSTEM;
}

static int write_log(struct minimize *m, uint32_t process, uint32_t number)
{
	hb_log_file *f = &m->run.logs.at[number];
	const char *name = strrchr(f->path, '/') + 1;
	char *to = hb__format("%s/%s", m->to, name);
	hb_error err = {0};
	hb_distilled sum = {0};
	hb_log_info rows;
	hb_log *log = NULL;
	hb_status status = hb__seal_racing(f->log, m->racers[process], to, NULL, NULL, &rows, &sum, &err);
	if (!status && ordered(f->log)) {
		status = copy_log(f->path, to, &err);
		m->ordered++;
	}
	status = status ? status : hb_log_verify(to, NULL, &err);
	status = status ? status : hb_log_open(to, &log, &err);
	m->before += hb_log_get_info(f->log)->bytes;
	m->after += log ? hb_log_get_info(log)->bytes : 0;
	m->sum.kept += sum.kept;
	m->sum.skipped += sum.skipped;
	m->sum.raced += sum.raced;
	m->sum.bound += sum.bound;
	m->sum.failed += sum.failed;
	m->failed += sum.failed > 0;
	m->shorter += m->racers[process] ? sum.kept - sum.raced - sum.bound - sum.failed : 0;
	m->threaded += m->racers[process] || m->whole ? 0 : sum.kept;
	m->processes += !m->racers[process] && !m->whole && sum.kept;
	hb_log_close(log);
	int code = status ? hb__fail_log(status == HB_E_SYSTEM ? to : f->path, &err) : 0;
	free(to);
	return code;
}

static int write_all(struct minimize *m)
{
	int code = 0;
	uint64_t n = 0;
	for (uint32_t p = 0; p < hb_model_get_info(m->run.model)->processes && !code; p++)
		if (m->run.log_of[p] != HB_NO) {
			code = write_log(m, p, m->run.log_of[p]);
			n++;
		}
	bool data = m->manifest.level && !strcmp(m->manifest.level, "data");
	free(m->manifest.level);
	m->manifest.level = hb__copy("racing");
	m->manifest.contents = false;
	m->dropped = data;
	free(m->manifest.data_ranks);
	m->manifest.data_ranks = NULL;
	m->manifest.processes = m->manifest.processes ? m->manifest.processes : n;
	if (!code && hb__manifest_write(&m->manifest, m->to))
		code = hb__fail_with(HB_EXIT_USAGE, "%s/manifest.json: %s", m->to, strerror(errno));
	return code;
}

/* NAME-min.hbdb beside NAME.hbdb. */
static char *default_name(const char *from)
{
	size_t n = strlen(from), ending = strlen(".hbdb");
	if (n > ending && !strcmp(from + n - ending, ".hbdb"))
		n -= ending;
	return hb__format("%.*s-min.hbdb", (int)n, from);
}

static void say_why(const struct minimize *m)
{
	const hb_distilled *s = &m->sum;
	if (m->whole || !s->kept)
		return;
	if (s->raced)
		printf("  %llu could have got another message\n", (unsigned long long)s->raced);
	if (m->threaded)
		printf("  %llu are those of %llu %s in which several threads call MPI: all are kept "
		       "(%llu could have got another message)\n",
			(unsigned long long)m->threaded, (unsigned long long)m->processes,
			hb__plural(m->processes, "process", "processes"), (unsigned long long)m->raced_there);
	if (s->failed)
		printf("  %llu others are in %llu %s in which a receive, a probe or a wait failed: all are kept there\n",
			(unsigned long long)s->failed, (unsigned long long)m->failed,
			hb__plural(m->failed, "process", "processes"));
	if (s->bound)
		printf("  %llu came with an answer that a replay needs for itself: which request completed first, a poll, a cancellation\n",
			(unsigned long long)s->bound);
	if (m->shorter)
		printf("  %llu could be left out, but fewer bytes keep them\n", (unsigned long long)m->shorter);
}

static int minimize(struct minimize *m, const char *output)
{
	if (hb__manifest_layers(&m->manifest) & HB_LAYER_SOCKETS)
		return hb__fail_with(HB_EXIT_USAGE,
			"minimize: %s has what went over sockets and pipes, and a replay of that needs every call: nothing can be left out",
			hb__short(m->from));
	int code = hb__open_run(m->from, &m->run);
	if (!m->run.model)
		return code;
	for (size_t i = 0; i < m->run.logs.n; i++)
		if (!m->run.logs.at[i].log || hb_log_get_info(m->run.logs.at[i].log)->recovered)
			return hb__fail_with(HB_EXIT_RECORDING, "%s is damaged: no reduced recording was written",
				m->run.logs.at[i].path);
	code = find_races(m);
	if (code)
		return code;
	char *name = output ? hb__copy(output) : default_name(m->from);
	code = hb__new_recording(name, "", &m->to);
	free(name);
	if (code)
		return code;
	code = write_all(m);
	if (code) {
		hb__remove_folder(m->to);
		return code;
	}
	printf("%s: %llu of %llu wildcard receives are kept, %llu of %llu bytes\n", hb__tame(hb__short(m->to)),
		(unsigned long long)m->sum.kept, (unsigned long long)(m->sum.kept + m->sum.skipped),
		(unsigned long long)m->after, (unsigned long long)m->before);
	say_why(m);
	if (m->ordered)
		printf("  all events of %llu %s are kept: the order between threads is told by them\n",
			(unsigned long long)m->ordered, hb__plural(m->ordered, "process", "processes"));
	if (m->dropped)
		printf("  what the messages contained is left out\n");
	return 0;
}

int hb__minimize(const hb_args *args)
{
	struct minimize m = {0};
	int code = hb__find_recording(args->operand, &m.from);
	if (code)
		return code;
	code = hb__manifest_read(m.from, &m.manifest) ? HB_EXIT_RECORDING
						      : hb__manifest_runs(&m.manifest, m.from, "replayed");
	code = code ? code : minimize(&m, hb__option_value(args, "output"));
	for (uint32_t p = 0; m.racers && p < hb_model_get_info(m.run.model)->processes; p++)
		hb_racers_free(m.racers[p]);
	free(m.racers);
	hb__close_run(&m.run);
	hb__manifest_free(&m.manifest);
	free(m.from);
	free(m.to);
	return code;
}
