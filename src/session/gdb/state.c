/* What processes do: from gdb's news of threads to stops of processes. gdb stops threads one by one (non-stop); here a process
 * runs or stands as a whole: when one of its threads stops, the others are asked to, and when all stand the stop is told. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/grow.h"
#include "session/gdb/inside.h"

/* ---- telling ---- */

void hb__gdb_tell(hb_gdb *gdb, int32_t id, const hb_gdb_stop *stop)
{
	if (!HB_GROW(gdb->told, gdb->cap_told, gdb->ntold + 1))
		return;
	gdb->told[gdb->ntold++] = (struct hb__told){id, *stop};
	eventfd_write(gdb->news, 1);
}

void hb__gdb_untell(hb_gdb *gdb, int32_t id)
{
	size_t kept = 0;
	for (size_t i = 0; i < gdb->ntold; i++) {
		const struct hb__told *t = &gdb->told[i];
		if (t->id != id || t->stop.reason == HB_GDB_EXITED || t->stop.reason == HB_GDB_KILLED)
			gdb->told[kept++] = *t;
	}
	gdb->ntold = kept;
}

void hb_gdb_poll(hb_gdb *gdb, hb_gdb_visit *visit, void *user)
{
	eventfd_t count;
	while (hb__gdb_take(gdb, 0))
		;
	eventfd_read(gdb->news, &count);
	for (size_t i = 0; gdb->one && i < gdb->ntold; i++) {
		struct hb__inferior *inf = hb__gdb_find(gdb, gdb->told[i].id);
		if (!inf || inf->state != HB__STOPPED || gdb->told[i].stop.reason == HB_GDB_RUNNING)
			continue;
		hb__gdb_follow(gdb, inf);
		if (i < gdb->ntold)
			hb__gdb_place_frames(gdb, inf, &gdb->told[i].stop.frame, 1, false);
	}
	/* visit may ask gdb, whose answers may bring more, and may even come here again */
	while (gdb->ntold) {
		struct hb__told *told = gdb->told;
		size_t n = gdb->ntold;
		gdb->told = NULL;
		gdb->ntold = gdb->cap_told = 0;
		for (size_t i = 0; i < n; i++)
			visit(user, told[i].id, &told[i].stop);
		free(told);
	}
}

/* ---- processes ---- */

struct hb__inferior *hb__gdb_find(hb_gdb *gdb, int32_t id)
{
	for (size_t i = 0; i < HB_GDB_MOST; i++)
		if (gdb->at[i].used && gdb->at[i].id == id)
			return &gdb->at[i];
	return NULL;
}

struct hb__inferior *hb__gdb_process(hb_gdb *gdb, int32_t id, bool stopped, hb_error *err)
{
	while (hb__gdb_take(gdb, 0))
		;
	struct hb__inferior *inf = hb__gdb_find(gdb, id);
	if (gdb->lost)
		hb__gdb_fail(err, HB_E_SYSTEM, "gdb has ended, so no process is attached any more");
	else if (!inf)
		hb__gdb_fail(err, HB_E_ARGUMENT, "gdb is not attached to process %d", id);
	else if (stopped && inf->state != HB__STOPPED)
		hb__gdb_fail(err, HB_E_ARGUMENT, "process %d is running: interrupt it first", id);
	else
		return inf;
	return NULL;
}

bool hb_gdb_has(const hb_gdb *gdb, int32_t id) { return hb__gdb_find((hb_gdb *)gdb, id) != NULL; }

bool hb_gdb_stopped(const hb_gdb *gdb, int32_t id)
{
	const struct hb__inferior *inf = hb__gdb_find((hb_gdb *)gdb, id);
	return inf && inf->state == HB__STOPPED;
}

void hb__gdb_forget(hb_gdb *gdb, struct hb__inferior *inf)
{
	for (size_t i = 0; i < inf->nthreads; i++)
		free(inf->threads[i].kept);
	free(inf->threads);
	if (inf->used)
		gdb->place->unwatch(gdb->place, inf->life);
	*inf = (struct hb__inferior){0};
}

bool hb__gdb_all_stopped(const struct hb__inferior *inf)
{
	for (size_t i = 0; i < inf->nthreads; i++)
		if (inf->threads[i].running)
			return false;
	return inf->nthreads > 0;
}

static struct hb__inferior *by_group(hb_gdb *gdb, const char *group)
{
	int number = group && *group == 'i' ? atoi(group + 1) : 0;
	for (size_t i = 0; i < HB_GDB_MOST; i++)
		if (gdb->at[i].used && gdb->at[i].group == number)
			return &gdb->at[i];
	return NULL;
}

static struct hb__inferior *by_thread(hb_gdb *gdb, int number, struct hb__gdb_thread **ret_thread)
{
	for (size_t i = 0; i < HB_GDB_MOST; i++)
		for (size_t k = 0; gdb->at[i].used && k < gdb->at[i].nthreads; k++)
			if (gdb->at[i].threads[k].number == number) {
				*ret_thread = &gdb->at[i].threads[k];
				return &gdb->at[i];
			}
	return NULL;
}

static void add_thread(struct hb__inferior *inf, int number)
{
	if (!HB_GROW(inf->threads, inf->cap, inf->nthreads + 1))
		return;
	inf->threads[inf->nthreads++] = (struct hb__gdb_thread){.number = number, .running = true};
	if (!inf->thread)
		inf->thread = number;
}

/* ---- stops ---- */

/* All threads stand: the stop is told. */
void hb__gdb_settled(hb_gdb *gdb, struct hb__inferior *inf)
{
	if (inf->state == HB__STOPPED || inf->calling || inf->attaching || !hb__gdb_all_stopped(inf))
		return;
	inf->state = HB__STOPPED;
	inf->asking = false;
	inf->tries = 0;
	if (inf->muted)
		hb__gdb_mute(gdb, inf->id, false);
	inf->muted = false;
	if (inf->has_stop)
		inf->thread = inf->stop.thread;
	inf->has_stop = false;
	hb__gdb_place_frames(gdb, inf, &inf->stop.frame, 1, false);
	hb__gdb_tell(gdb, inf->id, &inf->stop);
}

/* gdb 13 forgets that it is to stop a thread that has just met a breakpoint whose condition does not hold. So it is asked
 * again and again, and breakpoints that may be met all the time are switched off meanwhile. A thread that steps through a line again and again, one
 * that spins, it does not stop at all: each stop is one of the steps to it. It gets a signal that gdb keeps for itself. */
#define AGAIN 100000000 /* nanoseconds */

void hb__gdb_ask_to_stop(hb_gdb *gdb, struct hb__inferior *inf)
{
	struct itimerspec soon = {.it_value.tv_nsec = AGAIN};
	inf->asking = true;
	if (gdb->halts) {
		int32_t id = inf->id;
		hb__gdb_stops_by(gdb, true);
		inf = hb__gdb_find(gdb, id);
		if (!inf || inf->state == HB__STOPPED)
			return; /* meanwhile */
		inf->roused += gdb->place->kill(gdb->place, inf->pid, inf->life, gdb->halts);
		return;
	}
	hb__gdb_send(gdb, "-exec-interrupt --thread-group i%d", inf->group);
	timerfd_settime(gdb->timer, 0, &soon, NULL);
}

static void ask_again(hb_gdb *gdb)
{
	for (size_t i = 0; i < HB_GDB_MOST && !gdb->lost; i++) {
		struct hb__inferior *inf = &gdb->at[i];
		if (!inf->used || !inf->asking || inf->attaching || inf->detaching || inf->state == HB__STOPPED ||
			gdb->one)
			continue;
		if (++inf->tries == 2) {
			inf->muted = true;
			hb__gdb_mute(gdb, inf->id, true);
		}
		/* one at a time, for a second one would be taken for the program's own; and once more where it met the wrong thread */
		if (inf->stepping && inf->tries > 2 && (!inf->roused || inf->tries % 16 == 0)) {
			inf->roused += gdb->place->rouse(gdb->place, inf->pid, inf->life, SIGINT);
		}
		hb__gdb_ask_to_stop(gdb, inf);
	}
}

void hb__gdb_noticed(hb_gdb *gdb, int fd)
{
	uint64_t times;
	if (fd == gdb->timer) {
		if (read(fd, &times, sizeof times) > 0)
			ask_again(gdb);
		return;
	}
	if (fd == gdb->server_life) {
		hb__gdb_lose(gdb, "gdbserver has ended");
		return;
	}
	for (size_t i = 0; i < HB_GDB_MOST; i++) {
		struct hb__inferior *inf = &gdb->at[i];
		if (!inf->used || inf->life != fd)
			continue;
		gdb->place->unwatch(gdb->place, inf->life);
		inf->life = -1;
		/* of the death of one that stands gdb learns when it is to go on */
		if (inf->state == HB__STOPPED && !inf->calling) {
			inf->state = HB__RUNNING;
			hb__gdb_send(gdb, "-exec-continue --thread-group i%d", inf->group);
		}
	}
}

static void stop_others(hb_gdb *gdb, struct hb__inferior *inf)
{
	if (!inf->asking && !hb__gdb_all_stopped(inf) && !inf->attaching && !gdb->one)
		hb__gdb_ask_to_stop(gdb, inf);
	if (inf->state == HB__RUNNING)
		inf->state = HB__STOPPING;
}

static void copy(char *to, size_t size, const char *from) { snprintf(to, size, "%s", from ? from : ""); }

static int signal_number(const char *name)
{
	for (int i = 1; name && i < NSIG; i++) {
		const char *known = sigabbrev_np(i);
		if (known && !strncmp(name, "SIG", 3) && !strcmp(name + 3, known))
			return i;
	}
	return 0;
}

/* A watchpoint: which one, and its values. */
static void read_watch(const struct hb__mi *mi, hb_gdb_stop *stop)
{
	static const char *const kinds[] = {"wpt", "hw-rwpt", "hw-awpt"};
	const struct hb__mi_value *root = &mi->values[0], *wpt = NULL, *value = hb__mi_get(mi, root, "value");
	for (size_t i = 0; i < 3 && !wpt; i++)
		wpt = hb__mi_get(mi, root, kinds[i]);
	stop->number = wpt ? hb__mi_int(mi, wpt, "number", 0) : hb__mi_int(mi, root, "wpnum", 0);
	copy(stop->expression, sizeof stop->expression, hb__mi_text(mi, wpt, "exp"));
	const char *now = hb__mi_text(mi, value, "new");
	copy(stop->old_value, sizeof stop->old_value, hb__mi_text(mi, value, "old"));
	copy(stop->new_value, sizeof stop->new_value, now ? now : hb__mi_text(mi, value, "value"));
}

static void read_stop(const struct hb__mi *mi, hb_gdb_stop *stop)
{
	const struct hb__mi_value *root = &mi->values[0];
	const char *reason = hb__mi_text(mi, root, "reason"), *signal = hb__mi_text(mi, root, "signal-name");
	reason = reason ? reason : "";
	*stop = (hb_gdb_stop){.reason = HB_GDB_ASKED};
	stop->thread = hb__mi_int(mi, root, "thread-id", 0);
	hb__gdb_read_frame(mi, hb__mi_get(mi, root, "frame"), &stop->frame);
	if (!strcmp(reason, "breakpoint-hit")) {
		stop->reason = HB_GDB_BREAKPOINT;
		stop->number = hb__mi_int(mi, root, "bkptno", 0);
	} else if (strstr(reason, "watchpoint")) {
		stop->reason = HB_GDB_WATCHPOINT;
		read_watch(mi, stop);
		if (strstr(reason, "scope"))
			copy(stop->meaning, sizeof stop->meaning, "out of scope");
	} else if (!strcmp(reason, "end-stepping-range") || !strcmp(reason, "location-reached")) {
		stop->reason = HB_GDB_STEPPED;
	} else if (!strcmp(reason, "function-finished")) {
		stop->reason = HB_GDB_STEPPED;
		copy(stop->new_value, sizeof stop->new_value, hb__mi_text(mi, root, "return-value"));
	} else if (!strcmp(reason, "signal-received") && signal && strcmp(signal, "0")) {
		stop->reason = HB_GDB_SIGNAL;
		stop->signal = signal_number(signal);
		copy(stop->signal_name, sizeof stop->signal_name, signal);
		copy(stop->meaning, sizeof stop->meaning, hb__mi_text(mi, root, "signal-meaning"));
	} else if (strcmp(reason, "signal-received") != 0)
		copy(stop->meaning, sizeof stop->meaning, reason);
}

/* Of one that went back gdb calls old what it saw first, which was there later. */
static void swap_values(hb_gdb_stop *stop)
{
	char later[sizeof stop->old_value];
	memcpy(later, stop->old_value, sizeof later);
	memcpy(stop->old_value, stop->new_value, sizeof later);
	memcpy(stop->new_value, later, sizeof later);
}

/* One thread has stopped. */
static void thread_stopped(hb_gdb *gdb, const struct hb__mi *mi)
{
	hb_gdb_stop stop;
	struct hb__gdb_thread *thread;
	read_stop(mi, &stop);
	struct hb__inferior *inf = by_thread(gdb, stop.thread, &thread);
	if (!inf)
		return;
	thread->running = false;
	for (size_t i = 0; gdb->one && i < inf->nthreads; i++)
		inf->threads[i].running = false;
	if (inf->calling)
		return;
	if (gdb->one && inf->asking && stop.signal == SIGINT)
		stop.reason = HB_GDB_ASKED;
	if (inf->back && stop.reason == HB_GDB_WATCHPOINT)
		swap_values(&stop);
	if (inf->roused && stop.signal == (gdb->halts ? gdb->halts : SIGINT)) {
		inf->roused--;
		/* it had stopped for another reason meanwhile, and has gone on since */
		if (gdb->halts && !inf->asking) {
			for (size_t i = 0; i < inf->nthreads; i++)
				inf->threads[i].running = true;
			hb__gdb_send(gdb, "-exec-continue");
			return;
		}
		stop.reason = HB_GDB_ASKED;
	}
	bool own = stop.reason != HB_GDB_ASKED;
	if (own && !inf->has_stop && !inf->attaching && inf->state != HB__STOPPED) {
		inf->stop = stop;
		inf->has_stop = true;
	} else if (own && stop.reason != HB_GDB_STEPPED) {
		free(thread->kept);
		thread->kept = malloc(sizeof *thread->kept);
		if (thread->kept)
			*thread->kept = stop;
	} else if (!inf->has_stop && (stop.thread == inf->thread || inf->stop.reason != HB_GDB_ASKED))
		inf->stop = stop;
	stop_others(gdb, inf);
	hb__gdb_settled(gdb, inf);
}

static void heard_running(hb_gdb *gdb, const char *thread)
{
	struct hb__gdb_thread *found;
	struct hb__inferior *inf = thread ? by_thread(gdb, atoi(thread), &found) : NULL;
	if (!inf || inf->calling)
		return;
	found->running = true;
	if (inf->state != HB__STOPPED)
		return;
	/* not asked for here: a command of gdb's own */
	inf->state = HB__RUNNING;
	inf->stop = (hb_gdb_stop){.reason = HB_GDB_RUNNING};
	hb__gdb_tell(gdb, inf->id, &inf->stop);
}

/* ---- threads and processes come and go ---- */

static void heard_exit(hb_gdb *gdb, const struct hb__mi *mi)
{
	struct hb__inferior *inf = by_group(gdb, hb__mi_text(mi, &mi->values[0], "id"));
	const char *code = hb__mi_text(mi, &mi->values[0], "exit-code");
	if (!inf || inf->detaching || inf->attaching)
		return;
	if (!code) {
		inf->dying = true;
		return;
	}
	hb_gdb_stop stop = {.reason = HB_GDB_EXITED, .status = (int)strtol(code, NULL, 8)};
	int32_t id = inf->id;
	int group = inf->group;
	hb__gdb_forget_points(gdb, id);
	hb__gdb_forget(gdb, inf);
	hb__gdb_send(gdb, "-remove-inferior i%d", group);
	hb__gdb_tell(gdb, id, &stop);
}

/* How those ended that gdb said no exit status of: signal NULL: it does not say at all. */
static void bury(hb_gdb *gdb, const char *signal, const char *meaning)
{
	for (size_t i = 0; i < HB_GDB_MOST; i++) {
		struct hb__inferior *inf = &gdb->at[i];
		if (!inf->used || !inf->dying)
			continue;
		hb_gdb_stop stop = {.reason = HB_GDB_KILLED, .signal = signal_number(signal)};
		int32_t id = inf->id;
		int group = inf->group;
		copy(stop.signal_name, sizeof stop.signal_name, signal);
		copy(stop.meaning, sizeof stop.meaning, meaning);
		hb__gdb_forget_points(gdb, id);
		hb__gdb_forget(gdb, inf);
		hb__gdb_send(gdb, "-remove-inferior i%d", group);
		hb__gdb_tell(gdb, id, &stop);
	}
}

static void heard_thread(hb_gdb *gdb, const struct hb__mi *mi, bool created)
{
	const struct hb__mi_value *root = &mi->values[0];
	struct hb__inferior *inf = by_group(gdb, hb__mi_text(mi, root, "group-id"));
	int number = hb__mi_int(mi, root, "id", 0);
	if (!inf)
		return;
	if (created) {
		add_thread(inf, number);
		if (inf->state != HB__RUNNING && !inf->calling && !inf->attaching && !gdb->one)
			hb__gdb_ask_to_stop(gdb, inf);
		return;
	}
	for (size_t i = 0; i < inf->nthreads; i++)
		if (inf->threads[i].number == number) {
			free(inf->threads[i].kept);
			memmove(&inf->threads[i], &inf->threads[i + 1], (inf->nthreads - i - 1) * sizeof *inf->threads);
			inf->nthreads--;
			break;
		}
	if (inf->thread == number)
		inf->thread = inf->nthreads ? inf->threads[0].number : 0;
	if (inf->state == HB__STOPPING)
		hb__gdb_settled(gdb, inf);
}

void hb__gdb_heard(hb_gdb *gdb, const struct hb__mi *mi)
{
	const struct hb__mi_value *root = &mi->values[0];
	const char *reason = mi->kind == '*' ? hb__mi_text(mi, root, "reason") : NULL;
	if (mi->kind == '(')
		bury(gdb, NULL, NULL);
	else if (reason && !strncmp(reason, "exited", 6))
		bury(gdb, hb__mi_text(mi, root, "signal-name"), hb__mi_text(mi, root, "signal-meaning"));
	else if (mi->kind == '*' && !strcmp(mi->what, "stopped"))
		thread_stopped(gdb, mi);
	else if (mi->kind == '*' && !strcmp(mi->what, "running"))
		heard_running(gdb, hb__mi_text(mi, root, "thread-id"));
	else if (mi->kind == '=' && !strcmp(mi->what, "thread-created"))
		heard_thread(gdb, mi, true);
	else if (mi->kind == '=' && !strcmp(mi->what, "thread-exited"))
		heard_thread(gdb, mi, false);
	else if (mi->kind == '=' && !strcmp(mi->what, "thread-group-exited"))
		heard_exit(gdb, mi);
	else if (mi->kind == '=' && !strcmp(mi->what, "breakpoint-deleted"))
		hb__gdb_forget_point(gdb, hb__mi_int(mi, root, "id", 0));
}
