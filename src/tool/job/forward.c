/* Hands environment variables on the way each launcher needs it, so that
 * processes on other machines get them, too, and the launcher itself does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launcher.h"

/* A value of LD_PRELOAD that the user hands on himself, `-x LD_PRELOAD=a`,
 * would replace ours: ours goes before it. Returns how many words were read. */
static size_t merge(hb_launcher_kind kind, char **argv, size_t i, const char *preload, hb_strings *out)
{
	const char *ours = strchr(preload, '=') + 1, *old = getenv("LD_PRELOAD");
	size_t own = strlen(ours) - (old && *old ? strlen(old) + 1 : 0); /* what the environment had stands behind it */
	if (kind == HB_LAUNCHER_ORTE && !strcmp(argv[i], "-x") && argv[i + 1] &&
		!strncmp(argv[i + 1], "LD_PRELOAD", 10)) {
		const char *value = argv[i + 1][10] == '=' ? argv[i + 1] + 11 : argv[i + 1][10] ? NULL : old ? old : "";
		if (!value)
			return 0;
		char *text = hb__format("LD_PRELOAD=%.*s%s%s", (int)own, ours, *value ? ":" : "", value);
		hb__push(out, "-x");
		hb__push(out, text);
		free(text);
		return 2;
	}
	if (kind == HB_LAUNCHER_HYDRA && (!strcmp(argv[i], "-genv") || !strcmp(argv[i], "-env")) && argv[i + 1] &&
		!strcmp(argv[i + 1], "LD_PRELOAD") && argv[i + 2]) {
		char *text = hb__format("%.*s%s%s", (int)own, ours, *argv[i + 2] ? ":" : "", argv[i + 2]);
		hb__push(out, argv[i]);
		hb__push(out, "LD_PRELOAD");
		hb__push(out, text);
		free(text);
		return 3;
	}
	return 0;
}

/* The same for what the address sanitizer is told: ours, which holds what the environment had, or theirs and ours. */
static size_t merge_sanitizer(hb_launcher_kind kind, char **argv, size_t i, char **variables, hb_strings *out)
{
	static const char name[] = "ASAN_OPTIONS", ours[] = "verify_asan_link_order=0";
	size_t n = sizeof name - 1;
	while (*variables && strncmp(*variables, name, n))
		variables++;
	if (!*variables || !argv[i + 1] || strncmp(argv[i + 1], name, n))
		return 0;
	if (kind == HB_LAUNCHER_ORTE && !strcmp(argv[i], "-x") && (!argv[i + 1][n] || argv[i + 1][n] == '=')) {
		if (argv[i + 1][n]) {
			char *text = hb__format("%s:%s", argv[i + 1], ours);
			hb__push(out, "-x");
			hb__push(out, text);
			free(text);
		}
		return 2;
	}
	if (kind == HB_LAUNCHER_HYDRA && (!strcmp(argv[i], "-genv") || !strcmp(argv[i], "-env")) && !argv[i + 1][n] &&
		argv[i + 2]) {
		char *text = hb__format("%s:%s", argv[i + 2], ours);
		hb__push(out, argv[i]);
		hb__push(out, name);
		hb__push(out, text);
		free(text);
		return 3;
	}
	return 0;
}

static void add_variables(hb_launcher_kind kind, char **variables, hb_strings *out)
{
	for (char **v = variables; *v; v++) {
		const char *equals = strchr(*v, '=');
		static const char *const option[] = {[HB_LAUNCHER_ORTE] = "-x",
			[HB_LAUNCHER_HYDRA] = "-genv",
			[HB_LAUNCHER_APRUN] = "-e",
			[HB_LAUNCHER_JSRUN] = "-E",
			[HB_LAUNCHER_RSH] = NULL};
		if (option[kind])
			hb__push(out, option[kind]);
		if (kind != HB_LAUNCHER_HYDRA) {
			hb__push(out, *v);
			continue;
		}
		char *name = hb__format("%.*s", (int)(equals - *v), *v);
		hb__push(out, name);
		hb__push(out, equals + 1);
		free(name);
	}
}

/* Open MPI does not take -x beside this variable: its content becomes -x, too. */
static void add_listed(hb_strings *out)
{
	const char *list = getenv("OMPI_MCA_mca_base_env_list");
	for (const char *p = list, *end; p && *p; p = *end ? end + 1 : NULL) {
		end = strchrnul(p, ';');
		char *one = hb__format("%.*s", (int)(end - p), p);
		if (*one) {
			hb__push(out, "-x");
			hb__push(out, one);
		}
		free(one);
	}
}

static const char *find_preload(char **variables)
{
	for (; *variables; variables++)
		if (!strncmp(*variables, "LD_PRELOAD=", 11))
			return *variables;
	return "LD_PRELOAD=";
}

/* srun reads one --export; a comma separates, so a value must not hold one. */
static bool forward_srun(const hb_command_line *line, char **argv, char **variables, hb_strings *out)
{
	char *list = hb__copy("");
	for (char **v = variables; *v; v++) {
		if (strchr(*v, ',')) {
			free(list);
			return false;
		}
		char *more = hb__format("%s,%s", list, *v);
		free(list);
		list = more;
	}
	bool merged = false;
	for (size_t i = 0; argv[i]; i++) {
		bool theirs = i > line->launcher_at && !strncmp(argv[i], "--export=", 9) &&
			      (!line->program_at || i < line->program_at);
		char *text = theirs ? hb__format("%s%s", argv[i], list) : hb__copy(argv[i]);
		hb__push(out, text);
		free(text);
		merged = merged || theirs;
	}
	if (!merged) {
		char *text = hb__format("--export=ALL%s", list);
		hb__insert(out, line->launcher_at + 1, text);
		free(text);
	}
	free(list);
	return true;
}

void hb__forward(const hb_command_line *line, char **argv, char **variables, hb_strings *ret_argv, bool *ret_plain)
{
	*ret_argv = (hb_strings){0};
	*ret_plain = line->launcher == HB_LAUNCHER_NONE;
	if (line->launcher == HB_LAUNCHER_SRUN) {
		*ret_plain = !forward_srun(line, argv, variables, ret_argv);
		if (!*ret_plain)
			return;
	}
	bool global = line->launcher != HB_LAUNCHER_ORTE;
	/* mpirun_rsh takes NAME=VALUE between its options and the program */
	size_t behind = line->launcher != HB_LAUNCHER_RSH ? line->launcher_at : line->program_at - 1;
	if (line->launcher == HB_LAUNCHER_RSH && !line->program_at)
		*ret_plain = true;
	for (size_t i = 0; argv[i];) {
		size_t used = *ret_plain || i <= line->launcher_at
				      ? 0
				      : merge(line->launcher, argv, i, find_preload(variables), ret_argv);
		if (!used && !*ret_plain && i > line->launcher_at)
			used = merge_sanitizer(line->launcher, argv, i, variables, ret_argv);
		if (used) {
			i += used;
			continue;
		}
		hb__push(ret_argv, argv[i]);
		/* Open MPI's -x holds for one context; contexts are separated by a colon */
		if (!*ret_plain && (i == behind || (!global && i > line->launcher_at && !strcmp(argv[i], ":")))) {
			if (line->launcher == HB_LAUNCHER_ORTE)
				add_listed(ret_argv);
			add_variables(line->launcher, variables, ret_argv);
		}
		i++;
	}
	if (line->launcher == HB_LAUNCHER_ORTE)
		unsetenv("OMPI_MCA_mca_base_env_list");
}
