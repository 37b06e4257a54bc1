/* What the system tells of a process, or of one of its threads: /proc/PID/stat, see proc(5). */
#ifndef HBDB_BASE_TASK_H
#define HBDB_BASE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hb_task {
	char state; /* R, S, D, t, T ...; Z: it has ended, but its parent has not asked for its status; X: it is gone */
	int32_t parent;
	uint64_t used;  /* processor time so far, its own and the system's for it, in clock ticks (_SC_CLK_TCK) */
	uint64_t began; /* in clock ticks since the machine was started */
	bool leaving;   /* on its way out, or told to go by SIGKILL: nothing of the program runs in it any more */
	int ended_by;   /* in state Z: the signal that ended it; 0: none, or we may not know */
} hb_task;

/* What /proc has under this name of a process or of one of its threads (0: of the process as a whole): at most size - 1 bytes, with
 * a null behind them. How many; 0: there is nothing, or we may not know. Allocates nothing. */
size_t hb_task_file(int32_t pid, uint64_t thread, const char *name, char *ret, size_t size);

/* thread: 0 for the process as a whole, else the number of one of its threads. False: there is none, or its line makes no
 * sense; *ret_task is all 0 then. */
bool hb_task_read(int32_t pid, uint64_t thread, hb_task *ret_task);
/* From the text of such a file; for tests. */
bool hb_task_parse(const char *text, hb_task *ret_task);
/* What a thread sleeps in. */
typedef struct hb_sleep {
	bool futex;     /* it waits until another thread of its process wakes it, or ends, without a time */
	bool polls;     /* it waits for files */
	uint64_t joins; /* futex: the thread whose end it waits for; 0: another one wakes it */
	uint64_t
		ran; /* a sum of what it has run until now and what it is in: it has not moved while this stays the same */
} hb_sleep;
/* False: it runs, or nobody may know. */
bool hb_task_sleeps(int32_t pid, uint64_t thread, hb_sleep *ret_sleep);
bool hb_task_exists(int32_t pid, uint64_t thread);
/* A thread of a process that no debugger and no signal has stopped; of several one that computes, for others that are about to be stopped may sleep, and not stand
 * yet. 0: there is none. */
uint64_t hb_task_awake(int32_t pid);
/* All that /proc has under this name of a process (maps, status); of a link (exe) where it leads. Free it; NULL: there is nothing, or we may not know. */
char *hb_task_text(int32_t pid, const char *name);

/* Whether the process can still do anything: a zombie cannot. */
bool hb_task_lives(int32_t pid);
/* Whether the process is gone, or all of its threads are on their way out. */
bool hb_task_is_dying(int32_t pid);

/* How a process ended, by a descriptor of pidfd_open(2) that was opened while it lived: also when its parent has asked for its status since. *ret_status as in
 * wait(2). False: it has not ended, or its parent has not asked yet and the system keeps this to itself until then, or it keeps no such thing (Linux before 6.15). */
bool hb_task_ended(int pidfd, int *ret_status);

/* Which start of this machine it is, as the system names it: numbers of processes, and when they began, count from there. Static; "": nobody can tell. */
const char *hb_boot_id(void);

/* Whether this machine has that name, as logs keep names: cut after 63 bytes. */
bool hb_host_is_here(const char *name);

#endif
