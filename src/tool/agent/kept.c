/* What a recording, or a node's part of one, holds now is kept, and the end of a recording whose processes go on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lasting/lasting.h"
#include "../stopping/kept.h"
#include "agent.h"
#include "format/raw/keep.h"

static _Noreturn void fail(int said, const hb_error *err)
{
	dprintf(said, "%s%s%s", err->message, err->sys ? ": " : "", err->sys ? strerror(err->sys) : "");
	_exit(HB_EXIT_RECORDING);
}

static _Noreturn void keep(const char *folder, const char *output, int said)
{
	char *to = output && *output != '/' ? hb__format("%s/../%s", folder, output) : NULL;
	hb_kept kept;
	hb_error err;
	if (hb__keep(folder, to ? to : output, false, &kept, &err))
		fail(said, &err);
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddStringToObject(answer, "recording", kept.recording);
	if (kept.missing)
		cJSON_AddStringToObject(answer, "missing", kept.missing);
	hb__work_done(said, answer);
}

static bool is_there(const char *folder)
{
	struct stat is;
	return !lstat(folder, &is) || errno != ENOENT;
}

static cJSON *gone(void)
{
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddBoolToObject(answer, "gone", true);
	return answer;
}

static _Noreturn void keep_part(const char *folder, const char *part, int said)
{
	char *to = hb__format("%s/kept", part);
	uint64_t logs;
	hb_error err = {0};
	hb_status status = hb_recording_keep(folder, to, &logs, &err);
	/* the job ended meanwhile, and its hbdb has fetched it: of what was copied something may be missing */
	if (!is_there(folder))
		hb__work_done(said, gone());
	if (status)
		fail(said, &err);
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddNumberToObject(answer, "logs", (double)logs);
	hb__work_done(said, answer);
}

/* Of a node's part: into a folder that is removed with this connection, as nobody else would. */
static void ask_part(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask, const char *part)
{
	const char *folder = hb_wire_text(ask, "folder"), *slash = strrchr(part, '/');
	if (*part != '/' || !hb__is_part_of_node(slash + 1)) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "'%s' is no path that ends with hbdb-ID", part);
		return;
	}
	if (folder && *folder == '/' && !is_there(folder)) {
		hb_wire_answer(wire, id, gone());
		return;
	}
	int said =
		hb__the_folder(wire, id, ask) && hb__lend_folder(wire, id, part) ? hb__work_for(agent, wire, id) : -1;
	if (said >= 0)
		keep_part(folder, part, said);
}

void hb__ask_keep(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *output = hb_wire_text(ask, "output"), *part = hb_wire_text(ask, "part");
	if (part) {
		ask_part(agent, wire, id, ask, part);
		return;
	}
	const char *folder = hb__the_folder(wire, id, ask);
	if (folder && output && (!*output || (*output != '/' && strchr(output, '/')))) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "'%s' is neither an absolute path nor a name without a folder",
			output);
		return;
	}
	int said = folder ? hb__work_for(agent, wire, id) : -1;
	if (said >= 0)
		keep(folder, output, said);
}

void hb__ask_unrecord(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *named = hb_wire_text(ask, "folder");
	if (named && *named == '/' && !is_there(named)) {
		hb_wire_answer(wire, id, gone());
		return;
	}
	const char *folder = hb__the_folder(wire, id, ask);
	int said = folder ? hb__work_for(agent, wire, id) : -1;
	if (said < 0)
		return;
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddNumberToObject(answer, "ended", (double)hb__tell_to_stop(folder));
	hb__work_done(said, answer);
}
