/* The process's side of a run under control: docs/control.md. */
#ifndef HBDB_CAPTURE_CONTROL_CONTROL_H
#define HBDB_CAPTURE_CONTROL_CONTROL_H

#include <hbdb/control.h>

#include "capture/core/core.h"

#pragma GCC visibility push(hidden)

/* The environment named a session, and it was reached. */
extern bool hb__controlled;

/* ---- stop.c ---- */

/* MPI_Init is over: dials in and waits for the first `go`. Nothing happens when the environment names no session. */
void hb__control_start(struct hb__lane *lane);
/* An event is about to begin (`entering`), or a call is over: waits here when the session wants that. */
void hb__control_look(struct hb__lane *lane, bool entering);
/* The last event tells of something that happens only when the thread goes on: it says that it stands here, where it
 * is to stop, and stops as its next event begins. */
void hb__control_pass(struct hb__lane *lane);
static inline void hb__control_check(struct hb__lane *lane)
{
	if (unlikely(hb__controlled))
		hb__control_look(lane, false);
}
/* This process cannot go on (HB_CONTROL_END, HB_CONTROL_DIFFERS): says so. */
void hb__control_stands(const struct hb__lane *lane, const char *why);
/* Before the process leaves. */
void hb__control_bye(const char *state);
/* A child of the process is not under control. */
void hb__control_forget(void);

/* ---- dial.c: the connection ---- */

struct hb__wish {
	bool set, free, next; /* next: not when the event is over but when the next call begins */
	uint64_t event;
	uint64_t goes; /* how often the lane had been let go by then: one time more, and it leaves this stop */
};

bool hb__dial(void); /* false: no session, or not reached (said) */
void hb__dial_close(void);
__attribute__((format(printf, 1, 2))) void hb__dial_say(const char *format, ...);
/* Takes in what the session said, waiting at most `ms`. False: the connection is lost. Safe in a signal handler. */
bool hb__dial_take(int ms);
/* What the session wants of a lane; how often it let the lane go. */
struct hb__wish hb__dial_wish(uint16_t lane);
uint64_t hb__dial_goes(uint16_t lane);

/* ---- fatal.c: signals that end the process ---- */
void hb__fatal_start(void);

#pragma GCC visibility pop

#endif
