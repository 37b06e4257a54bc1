/* The command that a recording is replayed with. */
#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../job/setup.h"

void hb__recorded_place(const hb_manifest *m)
{
	if (m->folder && chdir(m->folder))
		hb__say("cannot use %s, the folder where the command was recorded (%s); running it in the current folder",
			m->folder, strerror(errno));
	for (size_t i = 0; i < m->environment.n; i++) {
		char *name = hb__copy(m->environment.at[i]), *value = strchr(name, '=');
		*value++ = 0;
		if (strcmp(name, "LD_PRELOAD"))
			setenv(name, value, 1);
		free(name);
	}
}

static void compare_program(const hb_manifest *m, const hb_command_line *line)
{
	const hb_program_digest *old = &m->program;
	hb_program_digest now;
	hb__digest_program(hb__program_file(line), &now);
	if (old->path && now.path && (old->size != now.size || old->xxh3 != now.xxh3)) {
		if (!strcmp(old->path, now.path))
			hb__say("%s has changed since it was recorded", now.path);
		else
			hb__say("%s is not the recorded program, %s", now.path, old->path);
	}
	free(now.path);
}

int hb__recorded_command(const hb_manifest *m, char **given, const char *mpi, int32_t size, hb_command_line *ret_line,
	char ***ret_command)
{
	char **command = given ? given : m->command.at;
	if (!command || !*command)
		return hb__fail_with(HB_EXIT_USAGE,
			"the recording does not contain its command: give it after the name, as in NAME -- COMMAND");
	if (!given)
		hb__recorded_place(m);
	hb__clean_environment();
	/* what was asked for then holds for the same command now */
	hb_mpi wanted = hb__mpi_from_key(mpi);
	if (!wanted && !given)
		wanted = hb__mpi_from_key(m->mpi);
	int code = hb__read_command_line(command, wanted, hb__mpi_from_key(m->mpi), ret_line);
	if (code)
		return code;
	if (ret_line->processes > 1 && size == 1)
		return hb__fail_with(HB_EXIT_USAGE,
			"the command starts %ld processes, and only one is to be replayed: give the program without its launcher",
			ret_line->processes);
	if (ret_line->processes && ret_line->processes != size)
		return hb__fail_with(HB_EXIT_USAGE,
			"the recording has %d %s, but the command starts %ld: a replay needs the same number", size,
			hb__plural((uint64_t)size, "process", "processes"), ret_line->processes);
	compare_program(m, ret_line);
	*ret_command = command;
	return 0;
}

const char *hb__replay_level(const hb_manifest *m)
{
	/* no other word of a manifest gets into an environment */
	bool choices = m->level && (!strcmp(m->level, "racing") || !strcmp(m->level, "order"));
	return choices ? "order" : "events";
}
