/* A recording, opened by all processes, and its model, of which each has a part. */
#include <stdlib.h>

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

/* All see the same files, or none goes on. */
int hb__begin_together(const char *recording, const hb_team *team, hb_run *run)
{
	int code = hb__begin_run(recording, run);
	uint64_t n = run->views ? run->logs.n + 1 : 0, all = 0;
	size_t *bytes = hb__alloc(team->size * sizeof *bytes);
	uint64_t *each = team->gather(team->user, &n, sizeof n, bytes);
	for (uint32_t i = 0; each && i < team->size; i++)
		all += each[i] == n;
	free(each);
	free(bytes);
	if (hb__team_code(team, all != team->size)) {
		if (!code)
			code = hb__fail_with(HB_EXIT_RECORDING,
				"not every process sees the same logs in %s: it must stand in a file system that all of their nodes share",
				recording);
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
