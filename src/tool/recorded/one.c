/* One process of a recording, ready to be started. */
#include "one.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../job/setup.h"
#include "../show/source.h"
#include "../store/find.h"
#include "alone.h"
#include "command.h"
#include "trust.h"

extern char **environ;

/* Its own command, where it may be run. */
static int find_command(const hb_one_wish *wish, hb_one *one, bool *ret_found)
{
	if (hb__manifest_read(one->recording, &one->manifest) && !wish->command)
		return HB_EXIT_RECORDING;
	int code = hb__manifest_runs(&one->manifest, one->recording, "run");
	if (code)
		return code;
	char *why = wish->command ? NULL : hb__trust_not(one->recording, &one->manifest);
	hb__alone_environment();
	*ret_found = wish->command != NULL;
	code = *ret_found ? 0 : hb__alone_command(one->recording, wish->process, &one->manifest, ret_found);
	if (!code && why && !wish->trust)
		code = hb__trust(one->recording, &one->manifest, wish->ask ? HB_TRUST_ASK : HB_TRUST_REFUSE);
	free(why);
	return code;
}

/* Our own variables, and behind them those that the recorder needs: the last one of a name counts for nobody, so ours go. */
static void join_environment(hb_one *one)
{
	size_t n = 0, m = 0;
	while (environ[n])
		n++;
	one->environment = hb__alloc((n + one->variables.n + 1) * sizeof *one->environment);
	for (size_t i = 0; i < n; i++) {
		bool again = false;
		size_t length = strcspn(environ[i], "=") + 1;
		for (size_t k = 0; k < one->variables.n && !again; k++)
			again = !strncmp(one->variables.at[k], environ[i], length);
		if (!again)
			one->environment[m++] = environ[i];
	}
	for (size_t k = 0; k < one->variables.n; k++)
		one->environment[m++] = one->variables.at[k];
}

static int set_up(hb_one *one)
{
	char only[16];
	snprintf(only, sizeof only, "%d", one->folder.only);
	bool given = hb__manifest_has_inputs(&one->manifest);
	int code = given ? hb__unpack_inputs(one->recording, &one->folder) : 0;
	const hb_setup setup = {.mpi = one->line.mpi,
		.mode = "replay",
		.folder = one->folder.folder,
		.level = hb__replay_level(&one->manifest),
		.digests = one->manifest.contents,
		.layers = hb__manifest_layers(&one->manifest),
		.files = given ? one->folder.files : NULL,
		.script = one->folder.script,
		.traced = one->folder.traced,
		.alone = only,
		.without_mpi = one->folder.only >= one->folder.ranks,
		.backwards = true,
		.sanitized = one->line.program.sanitized,
		.divergence = "stop",
		.contents = "warn"};
	code = code ? code : hb__setup(&setup, &one->variables);
	if (!code)
		join_environment(one);
	return code;
}

int hb__one_open(const hb_one_wish *wish, hb_one *ret)
{
	*ret = (hb_one){0};
	int code = hb__find_recording(wish->recording, &ret->recording);
	bool found = false;
	code = code ? code : find_command(wish, ret, &found);
	code = code ? code : hb__open_replay_folder(ret->recording, wish->process, UINT64_MAX, &ret->folder);
	if (!code && ret->folder.begins != ret->folder.only)
		code = hb__fail_with(HB_EXIT_USAGE,
			"%s was made by fork: it can be replayed alone (hbdb replay --alone %s), and not be gone back in",
			wish->process, wish->process);
	if (!code && !found)
		code = hb__fail_with(HB_EXIT_RECORDING,
			"the contents of %s%s do not have its command: they are damaged; give it after the name, as in NAME -- COMMAND",
			hb_rank_word(wish->process), wish->process);
	code = code ? code
		    : hb__recorded_command(&ret->manifest, wish->command, wish->mpi, 1, &ret->line, &ret->command);
	return code ? code : set_up(ret);
}

bool hb__one_differs(const hb_one *one)
{
	char *path = hb__format("%s/divergence.%d", one->folder.folder, one->folder.only);
	bool there = !access(path, F_OK);
	free(path);
	return there;
}

char *hb__one_report(const hb_one *one)
{
	static const char *const kinds[] = {"divergence", "end"};
	for (int i = 0; i < 2; i++) {
		char text[8192], *path = hb__format("%s/%s.%d", one->folder.folder, kinds[i], one->folder.only);
		FILE *f = fopen(path, "re");
		size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
		if (f)
			fclose(f);
		free(path);
		text[n] = 0;
		if (n)
			return hb__with_places(text);
	}
	return NULL;
}

void hb__one_close(hb_one *one)
{
	hb__close_replay_folder(&one->folder);
	hb__manifest_free(&one->manifest);
	hb__command_line_free(&one->line);
	hb__strings_free(&one->variables);
	free(one->environment);
	free(one->recording);
	*one = (hb_one){0};
}
