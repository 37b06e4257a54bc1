/* gdb for one process that stands by SIGSTOP, or by one of those that a terminal sends (SIGTSTP, SIGTTIN, SIGTTOU), from there on.
 *
 * gdbserver 13.1, asked by a gdb in non-stop mode to attach, lets the process go until gdb says that it is to stop. One that was stopped before then stops twice
 * (ptrace(2): once for the stop that it is in, once for the SIGSTOP of PTRACE_ATTACH), and gdb dies of the news of the second stop, which comes before it knows a thread
 * (an internal error in inferior_thread); threads besides the first run meanwhile. gdbserver that attaches before gdb is there, and gdb's mode of stopping all threads at
 * once, leave every thread where it is. So each such process has a gdb of its own.
 *
 * What is still to be delivered to it is taken up then, by one thread after the other. Each has a SIGSTOP of PTRACE_ATTACH before it. Where the process stood by SIGSTOP,
 * gdbserver tells that one when the thread goes, or has seen it already and kept it; where it stood by a signal of a terminal, gdbserver keeps it for itself and lets the
 * thread go on. So the process gets one more, which a thread meets behind its own and before its next instruction, whichever it was. What is left (a thread that is
 * begun may stop for the stop of its process) gdb goes on over by itself: SIGSTOP stops the process for gdb only while hbdb waits for one that it sent.
 * As nobody but SIGCONT ends the stop of a whole process, it stands again once it is let go of. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session/gdb/inside.h"

bool hb_gdb_stands(hb_gdb_place *place, int32_t pid)
{
	place = place ? place : hb_gdb_here();
	char *text = place->file(place, pid, -1, "status");
	const char *at = text ? strstr(text, "State:") : NULL;
	bool stands = at && at[6 + strspn(at + 6, " \t")] == 'T';
	free(text);
	return stands;
}

bool hb_gdb_is_standing(const hb_gdb *gdb, bool *ret_stands)
{
	if (ret_stands)
		*ret_stands = gdb->standing && !gdb->let_go;
	return gdb->standing;
}

void hb__gdb_others_go(hb_gdb *gdb, bool go)
{
	if (gdb->standing)
		hb__gdb_send(gdb, "-gdb-set scheduler-locking %s", go ? "off" : "on");
}

void hb__gdb_stops_by(hb_gdb *gdb, bool stops)
{
	if (gdb->standing)
		hb__gdb_ask(gdb, NULL, "-interpreter-exec console \"handle SIGSTOP %s nopass\"",
			stops ? "stop print" : "nostop noprint");
}

/* Those of a terminal: as gdb has them for any process, or as ones that belong to its standing. */
static void terminal_stops(hb_gdb *gdb, bool any)
{
	hb__gdb_send(gdb, "-interpreter-exec console \"handle SIGTSTP SIGTTIN SIGTTOU %s\"",
		any ? "stop print pass" : "nostop noprint nopass");
}

void hb__gdb_wake(hb_gdb *gdb, const struct hb__inferior *inf)
{
	if (!gdb->standing)
		return;
	if (gdb->let_go) /* it has stopped since: what was kept of its standing was met */
		terminal_stops(gdb, true);
	else
		gdb->place->kill(gdb->place, inf->pid, inf->life, SIGCONT);
	gdb->let_go = true;
}

/* Whether SIGSTOP is still to be delivered: to the first thread, or to the process. */
static bool stop_is_pending(hb_gdb *gdb, const struct hb__inferior *inf)
{
	static const char *const fields[] = {"SigPnd:", "ShdPnd:"};
	char *text = gdb->place->file(gdb->place, inf->pid, inf->life, "status");
	bool pending = false;
	for (size_t i = 0; text && i < 2; i++) {
		const char *at = strstr(text, fields[i]);
		pending |= at && (strtoull(at + strlen(fields[i]), NULL, 16) >> (SIGSTOP - 1) & 1);
	}
	free(text);
	return pending;
}

/* By one thread, before its next instruction. The stop of each is one that was asked for. */
static hb_status take_up(hb_gdb *gdb, struct hb__inferior *inf, size_t k, hb_error *err)
{
	double until = hb_seconds() + gdb->patience * HB__GDB_WORK;
	hb__gdb_others_go(gdb, false);
	while (k < inf->nthreads && stop_is_pending(gdb, inf)) {
		inf->asking = true;
		inf->roused = 1;
		inf->threads[k].running = true;
		hb_status status = hb__gdb_ask(gdb, err, "-exec-continue --thread %d", inf->threads[k].number);
		while (!status && inf->used && !hb__gdb_all_stopped(inf))
			if (!hb__gdb_take(gdb, until) && !gdb->lost) {
				errno = ETIMEDOUT;
				status = hb__gdb_fail(err, HB_E_SYSTEM,
					"process %d does not take up the signal that it stands by", inf->id);
			}
		if (status)
			return status;
		inf->asking = false;
		inf->roused = 0;
	}
	return HB_OK;
}

void hb__gdb_calm(hb_gdb *gdb, struct hb__inferior *inf)
{
	inf->attaching = true; /* nobody is told of these stops */
	hb__gdb_stops_by(gdb, true);
	/* it had stopped for another reason when hbdb sent its signal, which would stop it for good */
	if (gdb->let_go && inf->roused)
		take_up(gdb, inf, 0, NULL);
	for (size_t k = 0; k < inf->nthreads; k++) {
		if (!inf->threads[k].called || !gdb->place->kill(gdb->place, inf->pid, inf->life, SIGSTOP))
			continue;
		inf->threads[k].called = false;
		if (take_up(gdb, inf, k, NULL))
			break;
	}
	inf->attaching = false;
}

static hb_status attach(hb_gdb *gdb, const char *server, int32_t id, int32_t pid, hb_error *err)
{
	static char once[] = "--once", word[] = "--attach", standard[] = "-";
	char number[16], *argv[] = {(char *)server, once, word, standard, number, NULL};
	struct hb__inferior *inf = &gdb->at[0];
	if (hb__gdb_hindered(gdb, id, pid, err))
		return HB_E_SYSTEM;
	snprintf(number, sizeof number, "%d", pid);
	*inf = (struct hb__inferior){.used = true,
		.id = id,
		.pid = pid,
		.group = 1,
		.attaching = true,
		.state = HB__STOPPING,
		.life = gdb->place->watch(gdb->place, pid)};
	if (inf->life >= 0)
		hb__gdb_watch(gdb, inf->life);
	/* those that have to do with its standing are for the system and for hbdb */
	hb__gdb_stops_by(gdb, true);
	terminal_stops(gdb, false);
	hb__gdb_send(gdb, "-interpreter-exec console \"handle SIGCONT nostop noprint pass\"");
	hb_status status = hb__gdb_connect_server(gdb, argv, "remote", err);
	for (size_t i = 0; i < inf->nthreads; i++)
		inf->threads[i].running = false;
	for (size_t i = 0; !status && inf->used && i < inf->nthreads; i++) {
		gdb->place->kill(gdb->place, inf->pid, inf->life, SIGSTOP);
		status = take_up(gdb, inf, i, err);
	}
	if (status)
		return status;
	if (!inf->used || !inf->nthreads) {
		errno = ESRCH;
		return hb__gdb_fail(err, HB_E_SYSTEM, "process %d (pid %d) is gone", id, pid);
	}
	inf->attaching = false;
	inf->stop.reason = HB_GDB_ASKED;
	inf->stop.signal = 0;
	inf->stop.signal_name[0] = inf->stop.meaning[0] = 0;
	hb__gdb_settled(gdb, inf);
	return HB_OK;
}

hb_status hb_gdb_open_standing(hb_gdb_place *place, const char *gdb_name, const char *gdbserver_name, int32_t id,
	int32_t pid, hb_gdb **ret_gdb, hb_error *err)
{
	const char *server = gdbserver_name ? gdbserver_name : "gdbserver";
	hb_gdb *gdb = hb__gdb_new(place, err);
	if (!gdb)
		return HB_E_MEMORY;
	gdb->one = gdb->standing = true;
	gdb->halts = SIGSTOP; /* gdbserver would signal a whole group of processes; and no process blocks this one */
	hb_status status = hb__gdb_start(gdb, gdb_name ? gdb_name : "gdb", server, err);
	status = status ? status : attach(gdb, server, id, pid, err);
	if (status)
		hb_gdb_close(gdb);
	else
		*ret_gdb = gdb;
	return status;
}
