/* The run against a model that the user gave. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../contents/files.h"
#include "../show/progress.h"
#include "findings.h"

struct hb_by_model {
	hb_pattern *pattern;
	hb_judgement *judgement;
};

/* What is set of the model's parameters. */
struct sets {
	char *words;
	uint32_t n;
	const char **name;
	int64_t *value;
};

static int read_sets(const char *list, struct sets *ret)
{
	*ret = (struct sets){.words = hb__copy(list ? list : "")};
	char *rest = list ? ret->words : NULL;
	for (char *word; (word = strsep(&rest, ","));) {
		char *equals = strchr(word, '='), *end = NULL;
		errno = 0;
		long long value = equals ? strtoll(equals + 1, &end, 10) : 0;
		if (!equals || equals == word || end == equals + 1 || *end || errno)
			return hb__fail_with(
				HB_EXIT_USAGE, "--set takes NAME=NUMBER, as in --set degree=2, but got '%s'", word);
		*equals = 0;
		ret->name = hb__resize(ret->name, (ret->n + 1) * sizeof *ret->name);
		ret->value = hb__resize(ret->value, (ret->n + 1) * sizeof *ret->value);
		ret->name[ret->n] = word;
		ret->value[ret->n++] = value;
	}
	return 0;
}

static void free_sets(struct sets *s)
{
	free(s->words);
	free(s->name);
	free(s->value);
}

int hb__model_check_wish(const hb_model_wish *wish)
{
	struct sets sets;
	if (!wish->file)
		return wish->set ? hb__fail_with(HB_EXIT_USAGE, "--set is about a model: give --model FILE, too") : 0;
	if (access(wish->file, R_OK))
		return hb__fail_with(HB_EXIT_USAGE, "--model %s: %s", wish->file, strerror(errno));
	int code = read_sets(wish->set, &sets);
	free_sets(&sets);
	return code;
}

/* ---- what the judge asks for ---- */

struct contents {
	const hb_run *run;
	hb_data **of; /* by process */
	bool *asked;
	int code;
};

static hb_data *contents_of(void *user, uint32_t process)
{
	struct contents *c = user;
	uint32_t log = c->run->log_of[process];
	if (!c->asked[process] && log != HB_NO) {
		int code = hb__open_contents(&c->run->logs.at[log], &c->of[process]);
		c->code = c->code ? c->code : code;
	}
	c->asked[process] = true;
	return c->of[process];
}

static uint32_t who_died(const hb_run *run)
{
	hb_manifest m = {0};
	char *path = hb__format("%s/manifest.json", run->path);
	uint32_t died = HB_NO;
	if (!access(path, F_OK) && !hb__manifest_read(run->path, &m) && m.finished && m.died_first)
		for (uint32_t i = 0; i < hb_model_get_info(run->model)->processes; i++)
			if (!strcmp(hb_model_processes(run->model)[i].name, m.died_first))
				died = i;
	free(path);
	hb__manifest_free(&m);
	return died;
}

static bool goes_on(const hb_run *run)
{
	bool some = false;
	for (size_t i = 0; i < run->logs.n && !run->ended; i++) {
		const hb_log_info *info = run->logs.at[i].log ? hb_log_get_info(run->logs.at[i].log) : NULL;
		some |= info && info->state == HB_STATE_RUNNING && hb__still_runs(info);
	}
	return some;
}

static int fail(const hb_model_wish *wish, const hb_error *err)
{
	if (err->status == HB_E_MEMORY)
		return hb__fail_with(HB_EXIT_RECORDING, "%s: out of memory", wish->file);
	return hb__fail_with(HB_EXIT_USAGE, "%s", err->message);
}

static hb_status read_pattern(hb_findings *f, const hb_model_wish *wish, const struct sets *sets, hb_error *err)
{
	uint32_t n = hb_model_get_info(f->run->model)->processes;
	const char **name = hb__alloc(((size_t)n + 1) * sizeof *name);
	for (uint32_t i = 0; i < n; i++)
		name[i] = hb_model_processes(f->run->model)[i].name;
	hb_pattern_world world = {n, name, sets->n, sets->name, sets->value};
	hb_status status = hb_pattern_read(wish->file, &world, &f->model->pattern, err);
	free(name);
	return status;
}

static hb_status judge(hb_findings *f, struct contents *c, hb_error *err)
{
	uint32_t n = hb_model_get_info(f->run->model)->processes;
	hb_judge_options options = {.contents = contents_of,
		.contents_user = c,
		.died = who_died(f->run),
		/* what hangs does not go on */
		.running = !(f->flags & HB_CHECK_HANGING) && goes_on(f->run)};
	hb_bar bar;
	c->run = f->run;
	c->of = hb__alloc(((size_t)n + 1) * sizeof(hb_data *));
	c->asked = hb__alloc((size_t)n + 1);
	hb__bar_begin(&bar, "model");
	hb_status status =
		hb_judge(f->run->model, f->model->pattern, &options, hb__bar_step, &bar, &f->model->judgement, err);
	hb__bar_end(&bar);
	for (uint32_t i = 0; i < n; i++)
		hb_data_close(c->of[i]);
	free(c->of);
	free(c->asked);
	return status;
}

int hb__model_read(hb_findings *f, const hb_model_wish *wish)
{
	struct sets sets;
	struct contents contents = {0};
	hb_error err = {0};
	f->model = hb__alloc(sizeof *f->model);
	int code = read_sets(wish->set, &sets);
	hb_status status = code ? HB_OK : read_pattern(f, wish, &sets, &err);
	if (!code && !status)
		status = judge(f, &contents, &err);
	free_sets(&sets);
	if (status)
		return contents.code ? contents.code : fail(wish, &err);
	return code;
}

void hb__model_findings(hb_findings *f, bool notes)
{
	const hb_judgement *j = hb__model_judgement(f);
	for (size_t i = 0; j && i < j->findings; i++)
		if ((hb_severity_of(j->finding[i].id, j->finding[i].possible, f->flags) == HB_SEVERITY_NOTE) == notes)
			hb__keep_finding(f, &j->finding[i]);
}

const hb_judgement *hb__model_judgement(const hb_findings *f) { return f->model ? f->model->judgement : NULL; }

void hb__model_free(hb_findings *f)
{
	if (!f->model)
		return;
	hb_judgement_free(f->model->judgement);
	hb_pattern_close(f->model->pattern);
	free(f->model);
}
