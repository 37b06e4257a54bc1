/* A recording, opened by all processes, and its model, of which each has a part. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "../store/find.h"
#include "together.h"

int hb__go_alone(hb_run *run, const hb_team *team, const char *why)
{
	hb_error err = {0};
	hb__say("%s: %s; the first process does it all", hb__short(run->path), why);
	hb_model_close(run->model);
	run->model = NULL;
	run->team = NULL;
	if (team->rank)
		return 0;
	hb_status status = hb__match_run(run, NULL, NULL, &err);
	return status ? hb__fail_log(run->path, &err) : hb__matched_run(run);
}

static int match(hb_run *run, const hb_team *team, bool *ret_alone)
{
	hb_error err = {0};
	run->team = team;
	hb_status status = hb__match_run(run, NULL, NULL, &err);
	if (status == HB_E_MEMORY)
		hb__team_abort(hb__fail_log(run->path, &err));
	*ret_alone = status == HB_E_ARGUMENT;
	if (*ret_alone)
		return hb__go_alone(run, team, err.message);
	return status ? hb__fail_log(run->path, &err) : hb__matched_run(run);
}

/* What a process sees, and where it is. */
struct seen {
	int64_t code;
	uint64_t logs, mark; /* mark: of which runs they are, and how much of them */
	char host[HOST_NAME_MAX + 1];
};

static struct seen *gather_seen(const hb_team *team, const struct seen *own)
{
	struct seen mine = *own;
	size_t *bytes = hb__alloc(team->size * sizeof *bytes);
	gethostname(mine.host, sizeof mine.host - 1);
	struct seen *all = team->gather(team->user, &mine, sizeof mine, bytes);
	free(bytes);
	return all;
}

#define SHARED "it must stand in a file system that all of their nodes share"

int hb__find_together(int before, const char *operand, const hb_team *team, char **ret)
{
	if ((before = hb__team_code(team, before)))
		return before;
	struct seen own = {.code = hb__find_recording(operand, ret)};
	struct seen *all = gather_seen(team, &own);
	int code = hb__team_code(team, (int)own.code);
	/* the first has said why it finds none; what the others say nobody hears */
	for (uint32_t i = 1; all && i < team->size; i++) {
		if (!all[i].code == !own.code)
			continue;
		if (own.code)
			hb__say("process %u on %s finds it: " SHARED, i, all[i].host);
		else
			hb__say("%s: process %u on %s finds no such recording: " SHARED, hb__short(*ret), i,
				all[i].host);
		break;
	}
	free(all);
	return code;
}

static uint64_t mix(uint64_t mark, const void *bytes, size_t n)
{
	for (const uint8_t *p = bytes; n--; p++)
		mark = (mark ^ *p) * 0x100000001b3u;
	return mark;
}

/* A process is known by when it began; what it has written so far differs from look to look while it runs. */
static uint64_t mark_of(const hb_run *run)
{
	uint64_t mark = 0xcbf29ce484222325u;
	for (size_t i = 0; i < run->logs.n; i++) {
		const hb_log_info *info = run->logs.at[i].log ? hb_log_get_info(run->logs.at[i].log) : NULL;
		const uint64_t words[] = {info ? (uint64_t)info->rank : 0, info ? info->pid : 0,
			info ? info->origin_real : 0, info ? info->origin_mono : 0,
			info && run->ended ? info->events : 0};
		mark = mix(mark, words, sizeof words);
	}
	return mark;
}

/* All see the same files, or none goes on. */
int hb__begin_together(const char *recording, const hb_team *team, hb_run *run)
{
	int code = hb__begin_run(recording, run);
	struct seen own = {.logs = run->views ? run->logs.n + 1 : 0};
	own.mark = run->views ? mark_of(run) : 0;
	struct seen *all = gather_seen(team, &own);
	uint32_t other = all ? 0 : team->size;
	while (all && other < team->size && all[other].logs == own.logs && all[other].mark == own.mark)
		other++;
	bool differ = hb__team_code(team, !all || other < team->size);
	if (differ && !code)
		code = hb__fail_with(HB_EXIT_RECORDING, "%s: process %u on %s sees other logs there: " SHARED,
			hb__short(recording), other, all && other < team->size ? all[other].host : "?");
	free(all);
	if (differ) {
		hb__free_views(run->views, run->logs.n);
		run->views = NULL;
		return hb__team_code(team, code);
	}
	return code;
}

int hb__open_together(const char *recording, const hb_team *team, hb_run *run, bool *ret_alone)
{
	*ret_alone = false;
	int code = hb__begin_together(recording, team, run);
	int matched = run->views ? match(run, team, ret_alone) : 0;
	return matched ? matched : code;
}
