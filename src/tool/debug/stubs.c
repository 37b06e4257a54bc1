/* Processes of other processors that wait for their gdb before their first instruction: nobody else lets them go on. */
#include <stdlib.h>

#include "../live/runner.h"
#include "debug.h"

static bool dialled_in(hb_debug *d, int32_t pid)
{
	for (int32_t i = 0; i < d->size; i++) {
		const hb_proc *p = hb_session_proc(hb__live_session(d->live), i);
		if (p && p->life != HB_LIFE_ABSENT && p->pid == pid)
			return true;
	}
	return false;
}

static void tell_once(hb_debug *d, int32_t pid)
{
	for (size_t i = 0; i < d->nstubs; i++)
		if (d->stubs[i] == pid)
			return;
	d->stubs = hb__resize(d->stubs, (d->nstubs + 1) * sizeof *d->stubs);
	d->stubs[d->nstubs++] = pid;
	char *command = hb__stub_command(pid);
	if (command)
		hb__d_note(d, "process %d waits for gdb before its first instruction; in another terminal: %s", pid,
			command);
	free(command);
}

bool hb__d_at_stubs(hb_debug *d)
{
	int32_t *pids;
	bool any = false;
	size_t n = hb__stubs(&pids);
	for (size_t i = 0; i < n; i++)
		if (!dialled_in(d, pids[i])) {
			any = true;
			tell_once(d, pids[i]);
		}
	free(pids);
	return any;
}
