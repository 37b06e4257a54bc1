/* hbdb diff */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../compare/compare.h"
#include "../../options.h"
#include "../../recorded/trust.h"
#include "../../show/progress.h"
#include "../../store/find.h"
#include "../../terminal.h"

const hb_option hb__diff_options[] = {
	{"all", 'a', HB_OPTION_FLAG, NULL, "also list the differences that stand behind others"},
	{"abs", 0, HB_OPTION_TEXT, "X",
		"real numbers that differ by no more than X are equal (recordings of level data)"},
	{"rel", 0, HB_OPTION_TEXT, "X", "... by no more than X times the larger one"},
	{"ulp", 0, HB_OPTION_TEXT, "N", "... by no more than N ulps: representable numbers between them, plus 1"},
	{"force", 0, HB_OPTION_FLAG, NULL,
		"run the program of B in the order of A, and compare that run with A: what differs still is no race"},
	{"output", 'o', HB_OPTION_RECORDING, "NEW.hbdb",
		"with --force: the recording of that run; default: B-forced.hbdb"},
	{"trust", 0, HB_OPTION_FLAG, NULL,
		"with --force: run the command of a recording that may come from somebody else, without asking"},
	{"json", 0, HB_OPTION_FLAG, NULL,
		"print one JSON object per line, one for each difference, and one for the sum"},
	{0},
};

/* ---- what is asked for ---- */

static int read_number(const hb_args *args, const char *option, double *ret, bool *ret_any)
{
	const char *text = hb__option_value(args, option);
	char *end;
	*ret = -1; /* nothing is that near */
	if (!text)
		return 0;
	*ret = strtod(text, &end);
	*ret_any = true;
	if (end == text || *end || !isfinite(*ret) || *ret < 0)
		return hb__fail_with(
			HB_EXIT_USAGE, "diff --%s takes a number that is not negative, but got '%s'", option, text);
	return 0;
}

static int read_tolerance(const hb_args *args, hb_tolerance *ret)
{
	*ret = (hb_tolerance){0};
	int code = read_number(args, "abs", &ret->absolute, &ret->any);
	code = code ? code : read_number(args, "rel", &ret->relative, &ret->any);
	return code ? code : read_number(args, "ulp", &ret->ulps, &ret->any);
}

static int check_arguments(const hb_args *args)
{
	bool force = hb__option_value(args, "force");
	if (args->nwords < 2)
		return hb__fail_with(HB_EXIT_USAGE,
			"diff takes the names of two recordings, as in 'hbdb diff right.hbdb wrong.hbdb'");
	if (!force && (args->rest || hb__option_value(args, "output") || hb__option_value(args, "trust")))
		return hb__fail_with(HB_EXIT_USAGE, "diff runs a command only with --force");
	return 0;
}

/* ---- --force ---- */

/* NEW.hbdb where none was given: B-forced.hbdb in this folder. */
static char *forced_name(const hb_args *args)
{
	const char *given = hb__option_value(args, "output"), *slash = strrchr(args->word[1], '/');
	char *base = hb__copy(slash && slash[1] ? slash + 1 : args->word[1]);
	size_t n = strlen(base);
	if (n > 5 && !strcmp(base + n - 5, ".hbdb"))
		base[n - 5] = 0;
	char *name = given ? hb__copy(given) : hb__format("%s-forced.hbdb", base);
	free(base);
	return name;
}

/* The command of B, which runs where it ran. */
static int command_of_b(const hb_args *args, const char *recording, hb_manifest *m)
{
	if (hb__manifest_read(recording, m))
		return HB_EXIT_RECORDING;
	int code = hb__trust(recording, m, hb__option_value(args, "trust") ? HB_TRUST_GIVEN : HB_TRUST_ASK);
	if (!code && m->folder && chdir(m->folder))
		return hb__fail_with(
			HB_EXIT_USAGE, "cannot run the command of %s in %s: %s", recording, m->folder, strerror(errno));
	return code;
}

static int replay(const char *recording, const char *output, char **command)
{
	hb_strings argv = {0};
	hb_args args;
	bool done;
	const char *const options[] = {
		"--on-divergence", "warn", "--contents", "ignore", "-o", output, recording, "--"};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		hb__push(&argv, options[i]);
	for (; *command; command++)
		hb__push(&argv, *command);
	int code = hb__parse(hb__command("replay"), argv.at, &args, &done);
	code = code ? code : hb__replay(&args);
	hb__strings_free(&argv);
	return code;
}

/* Runs the program of B as A was, and records that. *ret_path: the new recording. */
static int force(const hb_args *args, const char *a, const char *b, char **ret_path)
{
	hb_manifest m = {0};
	char *name = forced_name(args), *here = getcwd(NULL, 0);
	char *path = *name == '/' ? hb__copy(name) : hb__format("%s/%s", here ? here : ".", name);
	int code = 0;
	if (!access(path, F_OK))
		code = hb__fail_with(HB_EXIT_USAGE, "%s is there already: name the new recording with -o", name);
	if (!code && !args->rest)
		code = command_of_b(args, b, &m);
	char **command = args->rest ? args->rest : m.command.at;
	if (!code && (!command || !*command))
		code = hb__fail_with(
			HB_EXIT_RECORDING, "%s does not tell its command: give it behind --", args->word[1]);
	if (!code) {
		fflush(stdout);
		int status = replay(a, path, command);
		if (access(path, F_OK))
			code = status > HB_EXIT_FINDING ? status : HB_EXIT_RECORDING;
	}
	if (here && chdir(here))
		code = code ? code : hb__fail_with(HB_EXIT_USAGE, "cannot go back to %s: %s", here, strerror(errno));
	*ret_path = code ? NULL : hb__copy(path);
	hb__manifest_free(&m);
	free(path);
	free(name);
	free(here);
	return code;
}

/* ---- the comparison ---- */

static bool keep(void *user, const hb_difference *d)
{
	struct hb_comparison *c = user;
	c->at = hb__resize(c->at, (c->n + 1) * sizeof *c->at);
	c->at[c->n++] = *d;
	return true;
}

static hb_compare_run run_of(const struct hb_compared_side *s)
{
	return (hb_compare_run){.model = s->run.model,
		.contents = s->contents,
		.kept = s->kept,
		.whole = s->whole,
		.died_first = s->died_first};
}

static int compare(struct hb_comparison *c)
{
	hb_error err = {0};
	hb_bar bar;
	hb_compare_run a = run_of(&c->side[0]), b = run_of(&c->side[1]);
	hb__bar_begin(&bar, "comparing");
	hb_status status = hb_compare(&a, &b, &c->tolerance, keep, c, &c->sum, hb__bar_step, &bar, &err);
	hb__bar_end(&bar);
	if (status == HB_E_ARGUMENT)
		return hb__fail_with(HB_EXIT_USAGE,
			"%s and %s cannot be compared event by event: %s; runs with different numbers of processes are compared by points and arrays: hbdb compare record, hbdb compare run",
			c->side[0].name, c->side[1].name, err.message);
	return status ? hb__fail_log(c->side[0].run.path, &err) : 0;
}

static int say(struct hb_comparison *c, bool json)
{
	hb__page();
	if (json) {
		hb_output *out = hb__alloc(sizeof *out);
		out->fd = 1;
		hb__compared_json(c, out);
		hb__flush(out);
		bool broken = out->broken && out->error != EPIPE;
		int error = out->error;
		free(out);
		if (broken)
			return hb__fail_with(HB_EXIT_RECORDING, "cannot write the output: %s", strerror(error));
	} else
		hb__compared_text(c, stdout, hb__colour(1));
	return hb__is_same(c) ? 0 : HB_EXIT_FINDING;
}

static int look(struct hb_comparison *c, const char *a, const char *b, bool json)
{
	int missing = hb__open_compared(c->side[0].name, a, &c->side[0]);
	if (!c->side[0].run.model)
		return missing;
	int other = hb__open_compared(c->side[1].name, b, &c->side[1]);
	if (!c->side[1].run.model)
		return other;
	missing = missing > other ? missing : other;
	bool kept = c->side[0].level_data && c->side[1].level_data;
	if (c->tolerance.any && !kept)
		return hb__fail_with(HB_EXIT_USAGE,
			"diff --abs, --rel and --ulp need the values: record both runs with --level data");
	int code = compare(c);
	code = code ? code : say(c, json);
	/* a difference that was found is one, whatever is missing behind it */
	return code ? code : missing;
}

int hb__diff(const hb_args *args)
{
	struct hb_comparison c = {
		.all = hb__option_value(args, "all") != NULL, .forced = hb__option_value(args, "force") != NULL};
	char *a = NULL, *b = NULL, *forced = NULL;
	signal(SIGPIPE, SIG_IGN);
	int code = check_arguments(args);
	code = code ? code : read_tolerance(args, &c.tolerance);
	code = code ? code : hb__find_recording(args->word[0], &a);
	code = code ? code : hb__find_recording(args->word[1], &b);
	if (!code && c.forced)
		code = force(args, a, b, &forced);
	if (!code) {
		c.side[0].name = args->word[0];
		c.side[1].name = forced ? hb__short(forced) : args->word[1];
		char *second = hb__copy(c.side[1].name);
		c.side[1].name = second;
		code = look(&c, a, forced ? forced : b, hb__option_value(args, "json") != NULL);
		hb__close_compared(&c.side[0]);
		hb__close_compared(&c.side[1]);
		free(second);
	}
	free(c.at);
	free(a);
	free(b);
	free(forced);
	return code;
}
