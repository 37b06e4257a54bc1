/* hbdb manager */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../console/console.h"
#include "../../memory/sockets.h"
#include "../../memory/state.h"
#include "../../options.h"
#include "rules/finding.h"
#include "system/manager/manager.h"
#include "system/platforms/platform.h"

const hb_option hb__manager_options[] = {
	{"reactions", 'r', HB_OPTION_TEXT, "FILE", "react to events as this file says: hbdb-reactions(5)"},
	{"check-only", 0, HB_OPTION_FLAG, NULL,
		"read the file of reactions, say what is wrong with it, and do nothing else"},
	{"database", 0, HB_OPTION_TEXT, "FILE",
		"what the manager knows; default: complex.db in hbdb's folder of state"},
	{"socket", 0, HB_OPTION_TEXT, "PATH",
		"where consoles connect; default: manager in $XDG_RUNTIME_DIR/hbdb, or what HBDB_MANAGER says"},
	{"allow", 0, HB_OPTION_EACH, "USER",
		"let this user in, too; may be given several times; the socket has to stand in a folder that he may enter"},
	{0},
};

/* As one block: pointers, then words. */
static char **in_one(char *const *from)
{
	size_t n = 0, bytes = 0;
	while (from[n])
		bytes += strlen(from[n++]) + 1;
	char **argv = malloc((n + 1) * sizeof *argv + bytes), *to = argv ? (char *)(argv + n + 1) : NULL;
	for (size_t i = 0; argv && i < n; i++) {
		argv[i] = memcpy(to, from[i], strlen(from[i]) + 1);
		to += strlen(from[i]) + 1;
	}
	if (argv)
		argv[n] = NULL;
	return argv;
}

/* Begins the agent on another machine: where this hbdb is here, as `hbdb record` over nodes has it, or else the one that is found. */
static const char find_agent[] =
	"\"$0\" --version >/dev/null 2>&1 && exec \"$0\" agent; command -v hbdb >/dev/null && exec hbdb agent; "
	"echo \"hbdb does not run here: install it as $0, or in the PATH of logins without a terminal, which is $PATH\" >&2; exit 127";

/* How the agent of a node is reached, by its platform. */
static char **reach(void *user, const char *name, const char *address, char *ret_why, size_t size)
{
	char why[HB_PLATFORM_WHY] = "", **words = NULL, **argv = NULL;
	hb_platform *platform = *address == '-' ? NULL : hb_platform_load(name, why);
	const char *const here[] = {user, "agent", NULL}, *const there[] = {"sh", "-c", find_agent, user, NULL};
	const char *const *agent = strcmp(name, "local") ? there : here;
	if (*address == '-')
		snprintf(why, sizeof why, "'%.80s' is no address", address);
	if (platform && (words = hb_platform_words(platform->reach, address, agent, why)))
		argv = in_one(words);
	hb_platform_words_free(words);
	hb_platform_free(platform);
	if (!argv)
		snprintf(ret_why, size, "%s", why);
	return argv;
}

static void say(void *user, const char *line)
{
	(void)user;
	hb__say("%s", line);
}

/* A finding that there is not would be waited for in vain. */
static int check_findings(const char *file, const hb_reactions *reactions)
{
	const char *id;
	int line, column;
	for (size_t i = 0; hb_reactions_finding(reactions, i, &id, &line, &column); i++) {
		hb_guess g = {.word = id};
		bool known = false;
		for (size_t k = 0; k < HB_FINDINGS; k++) {
			known |= !strcmp(hb_finding_kinds[k].id, id);
			hb__guess(&g, hb_finding_kinds[k].id);
		}
		if (!known)
			return hb__fail_with(HB_EXIT_USAGE,
				"%s:%d:%d: there is no finding %s, as 'hbdb help findings' lists them%s", file, line,
				column, id, hb__guessed(&g));
	}
	return 0;
}

static int read_reactions(const hb_args *args, hb_reactions **ret)
{
	const char *file = hb__option_value(args, "reactions");
	hb_error err;
	*ret = NULL;
	if (!file)
		return hb__option_value(args, "check-only")
			       ? hb__fail_with(HB_EXIT_USAGE, "manager --check-only needs --reactions FILE")
			       : 0;
	if (hb_reactions_read(file, ret, &err))
		return hb__fail_with(HB_EXIT_USAGE, "%s", err.message);
	int code = check_findings(file, *ret);
	if (code) {
		hb_reactions_close(*ret);
		*ret = NULL;
	}
	return code;
}

static char *database(const hb_args *args)
{
	const char *given = hb__option_value(args, "database");
	if (given)
		return hb__copy(given);
	char *path = hb__state_path("complex.db", true);
	if (!path)
		hb__say("there is no folder for what the manager knows: set XDG_STATE_HOME or HOME, or give --database");
	return path;
}

static int serve(const hb_args *args, hb_reactions *reactions)
{
	char self[PATH_MAX], file[PATH_MAX] = "";
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	const char *named = hb__option_value(args, "reactions"), *allowed = hb__option_value(args, "allow");
	char *base = database(args), *socket = hb__manager_socket(hb__option_value(args, "socket"));
	hb_strings users = {0};
	hb_error err;
	if (!base || !socket || n < 0) {
		free(base);
		free(socket);
		return HB_EXIT_USAGE;
	}
	self[n] = 0;
	if (named && !realpath(named, file))
		snprintf(file, sizeof file, "%s", named);
	char *list = hb__copy(allowed ? allowed : ""), *rest = list;
	for (char *user; allowed && (user = strsep(&rest, ","));)
		hb__push(&users, user);
	hb_manager_options options = {.database = base,
		.socket = socket,
		.program = self,
		.allow = (const char *const *)users.at,
		.reactions = reactions,
		.reactions_file = file,
		.reach = reach,
		.say = say,
		.user = self};
	hb_status status = hb_manager_serve(&options, &err);
	hb__strings_free(&users);
	free(list);
	free(base);
	free(socket);
	return status ? hb__fail_with(
				status == HB_E_ARGUMENT || status == HB_E_SYSTEM ? HB_EXIT_USAGE : HB_EXIT_RECORDING,
				"%s", err.message)
		      : HB_EXIT_OK;
}

int hb__manager(const hb_args *args)
{
	hb_reactions *reactions;
	if (args->nwords && (strcmp(args->word[0], "run") != 0 || args->nwords > 1))
		return hb__fail_with(
			HB_EXIT_USAGE, "manager takes 'run' or nothing, but got '%s'", args->word[args->nwords - 1]);
	int code = read_reactions(args, &reactions);
	if (code)
		return code;
	if (hb__option_value(args, "check-only"))
		hb__say("%s: %zu %s", hb__option_value(args, "reactions"), hb_reactions_count(reactions),
			hb__plural(hb_reactions_count(reactions), "reaction", "reactions"));
	else
		code = serve(args, reactions);
	hb_reactions_close(reactions);
	return code;
}
