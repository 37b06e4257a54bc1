/* Attaching to processes and letting go of them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/gdb/inside.h"

/* ---- why not ---- */

/* A number of /proc/PID/status (`Uid:`, `TracerPid:`); -1: it is not there. */
static long in_status(const char *text, const char *field)
{
	const char *at = text ? strstr(text, field) : NULL;
	return at ? atol(at + strlen(field)) : -1;
}

bool hb__gdb_hindered(hb_gdb *gdb, int32_t id, int32_t pid, hb_error *err)
{
	char *text = gdb->place->file(gdb->place, pid, -1, "status"), *at = text ? strstr(text, "State:") : NULL;
	long tracer = in_status(text, "TracerPid:"), owner = in_status(text, "Uid:");
	bool ended = !at || strchr("ZX", at[6 + strspn(at + 6, " \t")]);
	free(text);
	errno = EPERM;
	if (owner < 0 || ended) {
		errno = ESRCH;
		hb__gdb_fail(err, HB_E_SYSTEM, "process %d (pid %d) is gone", id, pid);
	} else if (!gdb->place->host && pid == getpid())
		hb__gdb_fail(err, HB_E_ARGUMENT, "process %d (pid %d) is hbdb itself", id, pid);
	else if (tracer > 0)
		hb__gdb_fail(err, HB_E_SYSTEM,
			"process %d (pid %d) is already traced by a debugger or strace (pid %ld): end that first", id,
			pid, tracer);
	else if (!gdb->place->host && geteuid() && (uid_t)owner != geteuid())
		hb__gdb_fail(err, HB_E_SYSTEM, "process %d (pid %d) belongs to another user (%ld): gdb may not attach",
			id, pid, owner);
	else
		return gdb->place->forbids && gdb->place->forbids(gdb->place, id, pid, err);
	return true;
}

static hb_status not_attached(hb_gdb *gdb, const struct hb__inferior *inf, const hb_error *gdbs, hb_error *err)
{
	if (hb__gdb_hindered(gdb, inf->id, inf->pid, err))
		return HB_E_SYSTEM;
	errno = EPERM;
	return hb__gdb_fail(
		err, HB_E_SYSTEM, "gdb cannot attach to process %d (pid %d): %s", inf->id, inf->pid, gdbs->message);
}

/* ---- attaching ---- */

/* A place for a process, with an inferior of gdb's that nothing is attached to. */
static struct hb__inferior *new_place(hb_gdb *gdb, int32_t id, int32_t pid, hb_error *err)
{
	struct hb__inferior *inf = NULL;
	for (size_t i = 0; i < HB_GDB_MOST && !inf; i++)
		if (!gdb->at[i].used)
			inf = &gdb->at[i];
	if (!inf) {
		hb__gdb_fail(err, HB_E_ARGUMENT, "one gdb can attach to at most %d processes", HB_GDB_MOST);
		return NULL;
	}
	if (hb__gdb_ask(gdb, err, "-add-inferior"))
		return NULL;
	const char *name = hb__mi_text(&gdb->answer, &gdb->answer.values[0], "inferior");
	*inf = (struct hb__inferior){.id = id, .pid = pid, .group = name && *name == 'i' ? atoi(name + 1) : 0};
	inf->used = inf->attaching = inf->asking = true;
	inf->state = HB__STOPPING;
	inf->stop.reason = HB_GDB_RUNNING;
	inf->life = gdb->place->watch(gdb->place, pid);
	if (inf->life >= 0)
		hb__gdb_watch(gdb, inf->life);
	if (inf->group > 0)
		return inf;
	hb__gdb_forget(gdb, inf);
	hb__gdb_fail(err, HB_E_SYSTEM, "gdb could not add another process");
	return NULL;
}

static void drop(hb_gdb *gdb, struct hb__inferior *inf)
{
	int group = inf->group;
	hb__gdb_forget(gdb, inf);
	hb__gdb_send(gdb, "-remove-inferior i%d", group);
}

/* Waits until every thread of a process stands. */
static hb_status await_stop(hb_gdb *gdb, int32_t id, hb_error *err)
{
	double seconds = gdb->patience * HB__GDB_WORK, until = hb_seconds() + seconds;
	struct hb__inferior *inf;
	while ((inf = hb__gdb_find(gdb, id)) && inf->state != HB__STOPPED)
		if (!hb__gdb_take(gdb, until) && !gdb->lost) {
			errno = ETIMEDOUT;
			return hb__gdb_fail(err, HB_E_SYSTEM, "process %d did not stop within %.3g s", id, seconds);
		}
	if (gdb->lost)
		return hb__gdb_fail(err, HB_E_SYSTEM, "gdb has ended, so no process is attached any more");
	errno = ESRCH;
	return inf ? HB_OK : hb__gdb_fail(err, HB_E_SYSTEM, "process %d has ended", id);
}

/* The answer to an attach. */
static hb_status finish_attach(hb_gdb *gdb, struct hb__inferior *inf, int64_t token, hb_error *err)
{
	hb_error why = {0};
	hb_status status = hb__gdb_answer(gdb, token, gdb->patience * HB__GDB_WORK, &why);
	if (status == HB_E_ARGUMENT) {
		status = not_attached(gdb, inf, &why, err);
		drop(gdb, inf);
	} else if (status) {
		/* neither attached nor not */
		hb__gdb_lose(gdb, "a process could not be attached in time");
		if (err)
			*err = why;
	} else if (!status) {
		inf->attaching = false;
		hb__gdb_settled(gdb, inf);
	}
	return status;
}

/* All are asked for at once; answers come in the same order, stops in any. */
static hb_status attach_all(
	hb_gdb *gdb, struct hb__inferior **inf, const int32_t *ids, size_t n, bool *failed, hb_error *err)
{
	hb_status first = HB_OK;
	int64_t token[HB_GDB_MOST];
	for (size_t i = 0; i < n; i++)
		if (inf[i])
			token[i] =
				hb__gdb_send(gdb, "-target-attach --thread-group i%d %d", inf[i]->group, inf[i]->pid);
	for (int stops = 0; stops < 2; stops++)
		for (size_t i = 0; i < n; i++) {
			hb_error *where = first ? NULL : err;
			hb_status status = failed[i] ? HB_OK
					   : stops   ? await_stop(gdb, ids[i], where)
						     : finish_attach(gdb, inf[i], token[i], where);
			failed[i] |= status != HB_OK;
			first = first ? first : status;
		}
	return first;
}

hb_status hb_gdb_attach(hb_gdb *gdb, const int32_t *ids, const int32_t *pids, size_t n, bool *ret_failed, hb_error *err)
{
	struct hb__inferior *inf[HB_GDB_MOST] = {0};
	bool failed[HB_GDB_MOST] = {0};
	hb_status first = HB_OK, status;
	if (n > HB_GDB_MOST)
		return hb__gdb_fail(err, HB_E_ARGUMENT, "one gdb can attach to at most %d processes", HB_GDB_MOST);
	for (size_t i = 0; i < n; i++) {
		hb_error *where = first ? NULL : err;
		status = HB_OK;
		if (gdb->lost)
			status = hb__gdb_fail(where, HB_E_SYSTEM, "gdb has ended");
		else if (hb__gdb_find(gdb, ids[i]))
			status = hb__gdb_fail(where, HB_E_ARGUMENT, "process %d is attached already", ids[i]);
		else if (hb__gdb_hindered(gdb, ids[i], pids[i], where))
			status = HB_E_SYSTEM;
		else if (hb_gdb_stands(gdb->place, pids[i]))
			status = hb__gdb_fail(where, HB_E_ARGUMENT,
				"process %d (pid %d) stands by SIGSTOP: it takes a gdb of its own", ids[i], pids[i]);
		else if (!(inf[i] = new_place(gdb, ids[i], pids[i], where)))
			status = HB_E_SYSTEM;
		failed[i] = status != HB_OK;
		first = first ? first : status;
	}
	status = attach_all(gdb, inf, ids, n, failed, first ? NULL : err);
	hb__gdb_narrow_all(gdb);
	for (size_t i = 0; ret_failed && i < n; i++)
		ret_failed[i] = failed[i] || !hb__gdb_find(gdb, ids[i]);
	return first ? first : status;
}

void hb_gdb_detach(hb_gdb *gdb, int32_t id)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, false, NULL);
	if (!inf)
		return;
	if (gdb->stub) {
		hb__gdb_leave_stub(gdb, inf);
		return;
	}
	/* one whose threads gdb stops at once is let go of where it stands */
	if (gdb->standing && inf->state != HB__STOPPED) {
		hb_gdb_interrupt(gdb, id, NULL);
		inf = hb__gdb_find(gdb, id);
		if (!inf)
			return;
	}
	if (gdb->standing)
		hb__gdb_calm(gdb, inf);
	inf->detaching = true;
	hb__gdb_forget_points(gdb, id);
	hb__gdb_ask(gdb, NULL, "-target-detach i%d", inf->group);
	inf = hb__gdb_find(gdb, id);
	if (inf)
		drop(gdb, inf);
	hb__gdb_untell(gdb, id);
}

/* ---- stopping ---- */

hb_status hb_gdb_halt(hb_gdb *gdb, int32_t id, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, false, err);
	if (!inf)
		return gdb->lost ? HB_E_SYSTEM : HB_E_ARGUMENT;
	if (inf->state != HB__STOPPED && !inf->asking)
		hb__gdb_ask_to_stop(gdb, inf);
	return HB_OK;
}

hb_status hb_gdb_interrupt(hb_gdb *gdb, int32_t id, hb_error *err)
{
	hb_status status = hb_gdb_halt(gdb, id, err);
	return status ? status : await_stop(gdb, id, err);
}
