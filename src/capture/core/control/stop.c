/* Stopping after an event, and what goes on meanwhile: the library of the layer, for others may need it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "capture/core/control/control.h"
#include "capture/core/record/record.h"
#include "capture/core/layer.h"

bool hb__controlled;

static void lost(void)
{
	if (!__atomic_exchange_n(&hb__controlled, false, __ATOMIC_RELAXED))
		return;
	hb__dial_close();
	hb__say("hbdb has ended; this process goes on uncontrolled");
}

/* Only one thread may be inside a library that was not asked for more. */
static void progress(void)
{
	if (hb__active && (hb__threaded || !hb__lanes->next))
		hb__progress();
}

/* Milliseconds between two looks: somebody may still need this process at first. */
static int pause_ms(uint64_t looks) { return looks < 2000 ? 1 : looks < 4000 ? 5 : 20; }

static void wait_while(struct hb__lane *lane, uint64_t goes)
{
	for (uint64_t looks = 0; hb__controlled && hb__dial_goes(lane->number) == goes; looks++) {
		progress();
		if (!hb__dial_take(pause_ms(looks)))
			lost();
	}
	if (hb__controlled)
		hb__dial_say("going %u", lane->number);
}

/* goes: of the wish to stop. Another thread may take in that this one is free, and is to go, meanwhile. */
static void wait_for_go(struct hb__lane *lane, uint64_t goes, const char *why)
{
	hb__dial_say("at %u %llu %s", lane->number, (unsigned long long)lane->control->events, why);
	wait_while(lane, goes);
}

/* A thread that has made no event yet can only be stopped as its first call begins. */
static bool stops_here(const struct hb__lane *lane, const struct hb__wish *w, bool entering)
{
	return w->set && !w->free && lane->control->events >= w->event &&
	       (w->next || !lane->control->events ? entering : !entering);
}

void hb__control_pass(struct hb__lane *lane)
{
	if (!hb__active || !hb__controlled)
		return;
	if (!hb__dial_take(0)) {
		lost();
		return;
	}
	struct hb__wish w = hb__dial_wish(lane->number);
	if (!stops_here(lane, &w, false))
		return;
	lane->passes = true;
	lane->passed_goes = w.goes;
	hb__dial_say("at %u %llu %s", lane->number, (unsigned long long)lane->control->events, HB_CONTROL_AFTER);
}

void hb__control_look(struct hb__lane *lane, bool entering)
{
	if (!hb__active)
		return;
	if (!hb__dial_take(0)) {
		lost();
		return;
	}
	if (lane->passes) {
		lane->passes = false;
		wait_while(lane, lane->passed_goes);
	}
	struct hb__wish w = hb__dial_wish(lane->number);
	while (hb__controlled && stops_here(lane, &w, entering)) {
		uint64_t asked = w.event;
		wait_for_go(lane, w.goes, HB_CONTROL_AFTER);
		w = hb__dial_wish(lane->number);
		if (w.event == asked) /* let go without another wish: it goes on */
			break;
	}
}

/* What the session believes this process for: from its file, or from the environment. */
static void read_secret(char *to, size_t size)
{
	const char *path = getenv(HB_CONTROL_SECRET_FILE_ENV), *text = getenv(HB_CONTROL_SECRET_ENV);
	int fd = path && *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);
	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = 0;
	to[strcspn(to, " \n")] = 0;
	if (!*to)
		snprintf(to, size, "%s", text && *text ? text : "-");
	if (path && *path && n <= 0)
		hb__say("cannot read the file with the secret of the session, %s: %s", path, strerror(errno));
}

void hb__control_start(struct hb__lane *lane)
{
	char host[HOST_NAME_MAX + 1] = "?", secret[HB_CONTROL_SECRET_MOST];
	if (hb__spawned && getenv(HB_CONTROL_ENV)) {
		/* what its world is called only all logs together tell */
		hb__say("this process was spawned by the program; it is not under hbdb's control");
		return;
	}
	if (!hb__dial())
		return;
	gethostname(host, sizeof host - 1);
	hb__controlled = true;
	hb__here_unusual();
	hb__lanes_special();
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* gdb is no ancestor of this process */
	hb__fatal_start();
	read_secret(secret, sizeof secret);
	hb__dial_say("hello %d %s %d %d %d %s %s %s %s", HB_CONTROL_VERSION, secret, hb__rank, hb__size, (int)getpid(),
		hb__config.mode == HB__REPLAY ? "replay" : "record", host,
		*hb__own_name ? hb__own_name : HB_CONTROL_RANK, hb__log_file());
	wait_for_go(lane, hb__dial_goes(lane->number), HB_CONTROL_START);
	if (hb__controlled)
		hb__control_look(lane, false);
}

void hb__control_stands(const struct hb__lane *lane, const char *why)
{
	if (hb__controlled)
		hb__dial_say("at %u %llu %s", lane ? lane->number : 0,
			lane ? (unsigned long long)lane->control->events : 0ull, why);
}

void hb__control_bye(const char *state)
{
	if (!hb__controlled)
		return;
	hb__controlled = false;
	hb__dial_say("bye %s", state);
	hb__dial_close();
}

void hb__control_forget(void)
{
	hb__controlled = false;
	hb__dial_close();
}
