/* hbdb debug: what its parts share. One hb_debug per run of the command; one thread. */
#ifndef HBDB_DEBUG_H
#define HBDB_DEBUG_H

#include <signal.h>
#include <stdio.h>

#include "../live/live.h"
#include "../options.h"
#include "../run/events.h"
#include "../farmed/farmed.h"
#include "../monitor/event.h"
#include "session/session.h"

/* What stops a process beside events. */
typedef enum hb_point_kind { HB_POINT_BREAK, HB_POINT_BARRIER, HB_POINT_WATCH } hb_point_kind;

typedef struct hb_action_point {
	int number;
	hb_point_kind kind;
	char *what;          /* location, or expression */
	char *condition;     /* or NULL */
	uint32_t count;      /* stops the count-th time it is reached, and from then on; 0, 1: each time */
	hb_set set;          /* the processes that have it */
	hb_set stop;         /* those that are stopped when one of them gets there */
	hb_set reached;      /* barrier: those that wait there; once: those that have been there */
	bool disabled, once; /* once: each process stops there once; reached has those that did */
	int *planted;        /* by rank: gdb's number; 0: not yet, -1: gdb would not */
	uint64_t hits;
} hb_action_point;

typedef struct hb_pair {
	char *name, *value;
} hb_pair;

typedef struct hb_pairs {
	hb_pair *at;
	size_t n;
} hb_pairs;

/* What `set` changes. */
typedef struct hb_settings {
	bool go_on; /* onerror continue */
	bool json, echo;
	long lines, frames, events; /* how many are shown */
	double timeout;             /* seconds that a wait lasts at most; 0: no limit */
	double patience;            /* ... after which it says what it waits for; 0: never */
} hb_settings;

typedef struct hb_reply {
	int32_t rank;
	bool failed;
	char *text, *json;
	size_t place; /* the order in which it came */
} hb_reply;

typedef struct hb_console hb_console;

typedef struct hb_debug {
	/* the job */
	hb_live *live;
	char *recording; /* path; NULL: a live run */
	hb_run run;      /* run.model NULL: no events to go to, whyno says why */
	const char *whyno;
	int one_folder;     /* a descriptor of the folder where it runs */
	uint64_t budget;    /* of its checkpoints */
	hb_event_goal goal; /* where an event of the complex leads */
	hb_farmed task;     /* where the debugging begins; .process NULL: no task was asked for */
	const hb_one *one;  /* it is one process alone, which goes backwards, too; NULL: a job */
	char *level;
	int32_t size; /* processes; 0: not known yet */
	int job_out;  /* what the job prints comes here; -1: it prints itself */
	bool half;    /* the last that it printed was no whole line */
	bool started, differed, ended_told;
	double blocked_since; /* in a wait: all are blocked, or have arrived; 0: not so */
	double said_waiting;  /* when it was said last whom is waited for */
	bool waiting_line;    /* ... which stands in the last line of the terminal */
	/* by rank */
	uint64_t *seen;  /* changes that were looked at ... */
	uint64_t *told;  /* ... and shown, or nothing for the user to see ... */
	uint64_t *shown; /* ... of which this is a hash */
	uint32_t *frame; /* chosen with up and down, counted from the innermost of the program */
	hb_gdb **gdb;    /* that has it */
	bool *at_point;  /* that it stands at one has been noted */
	/* what the user made */
	hb_action_point *points;
	size_t npoints;
	int last_point;
	hb_pairs sets, aliases, bookmarks;
	char *focus; /* text between the brackets */
	hb_settings settings;
	hb_at last; /* event gone to; line HB_NO: none */
	/* the command under way */
	hb_set set; /* the processes it is for */
	int depth;  /* scripts and aliases in each other */
	hb_reply *replies;
	size_t nreplies;
	bool quiet; /* points are set again: where has been told */
	/* in and out */
	hb_strings history;
	hb_console *console;
	bool editing; /* a line is being edited: what is printed must not break it */
	FILE *log;
	char *list_file; /* where `list` goes on */
	int list_line;
	int code;  /* exit code so far */
	bool quit; /* leave */
	hb_facts *facts;
} hb_debug;

/* A verb: 0; HB_EXIT_FINDING: it failed, HB_EXIT_USAGE: not written as it should be. Says why itself. args may be changed. */
typedef int hb_verb_run(hb_debug *d, char *args);
typedef struct hb_verb {
	const char *name, *operands;
	hb_verb_run *run;
	const char *summary, *more;
} hb_verb;
extern const hb_verb hb__verbs[]; /* ended by a NULL name */
extern const hb_pair hb__own_aliases[];
#define VERB(name, operands, function, summary, more) hb_verb_run function;
#include "verbs.def"
#undef VERB

/* ---- start.c ---- */
int hb__debug_main(const hb_args *args);
/* The signal that came since the last question, 0: none. SIGINT is forgotten by that, others are not. */
int hb__d_signal(void);
bool hb__d_interrupted(void);

/* ---- execute.c ---- */
/* Runs a line as it was typed: history, several commands with ; between them. */
int hb__d_line(hb_debug *d, const char *line);
/* Runs the lines of a file; - is stdin. The code of the first that failed. */
int hb__d_script(hb_debug *d, const char *path);
/* The verb that a word means, or NULL after having said why (quiet: without). */
const hb_verb *hb__d_verb(const char *word, bool quiet);
/* Commands of a line that is split at ;, outside of quotes and brackets. *p moves behind. NULL: no more. */
char *hb__d_next_command(char **p);

/* ---- words.c ---- */
char *hb__d_trim(char *text);
/* The next word, quoted or not, ended by a 0; NULL: none. */
char *hb__d_word(char **p);
typedef struct hb_d_option {
	const char *name; /* with its dash; NULL ends a table */
	bool flag;
	char *value; /* set when given; a flag: "" */
} hb_d_option;
/* Takes options out of args, wherever they stand; a value reaches up to the next option. The rest stays in args. 0 or HB_EXIT_USAGE. */
int hb__d_options(char *args, hb_d_option *options);
/* A number from 1 on; -1: it is none. */
long hb__d_number(const char *text);
const char *hb__d_get(const hb_pairs *pairs, const char *name);
void hb__d_put(hb_pairs *pairs, const char *name, const char *value);
bool hb__d_drop(hb_pairs *pairs, const char *name);
void hb__d_pairs_free(hb_pairs *pairs);
bool hb__d_is_name(const char *text);

/* ---- sets.c ---- */
/* What a set means now: text with or without brackets. *ret is initialised by this, in any case. 0 or HB_EXIT_USAGE. */
int hb__d_set(hb_debug *d, const char *text, hb_set *ret);
/* The text between the brackets of a set that begins at *p, which moves behind; NULL: there is no ]. */
char *hb__d_set_text(char **p);
/* What a process is called: "3", "3@1", "worker#2". Holds as long as the session. */
const char *hb__d_name(const hb_debug *d, int32_t rank);
/* As members of a JSON object: "process" and "rank", which is null for one that is not of the world that was started. Free it. */
char *hb__d_who(const hb_debug *d, int32_t rank);
/* Finds a process by its name, of `length` bytes: its number, or -1 after having said what there is. */
int32_t hb__d_find(hb_debug *d, const char *name, size_t length);
/* What a set may name beside sets: "ranks 0 to 3 and worker, worker#2". Free it. */
char *hb__d_processes(const hb_debug *d);
/* The name of a set as hb__d_set takes it, whole; free it. */
char *hb__d_set_text_of(const hb_debug *d, const hb_set *set);
/* Whether a process is in a dynamic set (running, held, ...); -1: there is no such set. */
int hb__d_is(hb_debug *d, int32_t rank, const char *word);
extern const char *const hb__d_dynamic[][2];                      /* name, meaning; ended by NULL */
const char *hb__d_set_name(const hb_debug *d, const hb_set *set); /* "[0:3,5,worker#2]"; static, of the last four */
void hb__d_init(hb_debug *d, hb_set *set);

/* ---- reply.c ---- */
/* Prints on stdout and into the log. */
void hb__d_print(hb_debug *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says on stderr and into the log; returns code. */
int hb__d_fail(hb_debug *d, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Prints a line for people; nothing with --json. */
void hb__d_note(hb_debug *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a process answers. json: members of an object without braces, taken over; NULL: the text is the answer. */
void hb__d_reply(hb_debug *d, int32_t rank, bool failed, char *json, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* Prints the answers, the same of several processes once. Returns HB_EXIT_FINDING when one failed. */
int hb__d_replies(hb_debug *d, const char *what);
/* A text as JSON writes it, with its quotes. */
char *hb__d_json(const char *text);

/* ---- state.c ---- */
/* How a process stands, for people, and as members of a JSON object. Free both. ret_json may be NULL. */
char *hb__d_state(hb_debug *d, int32_t rank, char **ret_json);
/* Shows it of all processes of a set. */
int hb__d_show(hb_debug *d, const hb_set *set);
/* Where its processes are, when that is more than one machine. */
void hb__d_show_hosts(hb_debug *d, const hb_set *set);
/* Notes that the user has been shown how a process stands; true: he had been before. */
bool hb__d_told(hb_debug *d, int32_t rank);
bool hb__d_alive(const hb_proc *p);   /* dialled in, and not ended */
bool hb__d_stopped(const hb_proc *p); /* held or broken */
/* "0:17", "0.1:17", "worker#2:3": free it. */
char *hb__d_event_name(const hb_debug *d, int32_t rank, uint32_t lane, uint64_t event);
uint64_t hb__d_event_of(const hb_proc *p);
/* "MPI_Recv  farm.c:71" of an event of the recording; NULL: not known. Free it. */
char *hb__d_call(hb_debug *d, hb_at at);

/* ---- waiting.c ---- */
/* How a process waits for one that stands, and what to type: NULL: it does not. Free both. ret_json, an object, may be NULL. */
char *hb__d_held_back(hb_debug *d, int32_t rank, char **ret_json);
/* Of a process that gdb was told to stop, and that had computed for a while without an event: since when, and for whom it may wait: nothing
 * tells that, where it waits in its own code. NULL: it is none. Free it. */
char *hb__d_quiet(hb_debug *d, const hb_proc *p, const char *event);
/* In a wait that began at `begun`: says whom of the set it waits for, once it takes long. On a terminal in one line that changes. */
void hb__d_say_waiting(hb_debug *d, const hb_set *set, double begun);
/* Takes that line off the terminal. */
void hb__d_wipe_waiting(hb_debug *d);

/* ---- follow.c ---- */
typedef enum hb_waited { HB_WAITED, HB_WAIT_INTERRUPTED, HB_WAIT_OVER, HB_WAIT_ENDED } hb_waited;
/* Takes in what happened, for at most ms milliseconds: the job's output, points that were reached. */
void hb__d_poll(hb_debug *d, int ms);
/* Waits until no process of the set is under way, or the limit of `set timeout` is over. */
hb_waited hb__d_wait(hb_debug *d, const hb_set *set, double seconds);
/* The same, and says what cut it short, and shows how the set stands. */
int hb__d_wait_and_show(hb_debug *d, const hb_set *set);
/* Ctrl-C: stops what runs of a set wherever it is. 0, or a code after having said why not. */
int hb__d_stop_running(hb_debug *d, const hb_set *set);
/* The same at the prompt, for all that run; shows how they stand. */
void hb__d_stop_all(hb_debug *d);
/* The job begins, or begins anew: what was known of its processes does not hold any more. */
void hb__d_anew(hb_debug *d);
int hb__d_start(hb_debug *d);
/* Something has changed that the user should see while he types; prints it. True: it did print. */
bool hb__d_news(hb_debug *d);

/* ---- look.c ---- */
typedef void hb_look(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user);
/* Calls `look` for each process of the set that gdb can look at, stopped. Those that stood otherwise go on as they were;
 * those that cannot be looked at answer why. False: there was none. */
bool hb__d_look(hb_debug *d, const hb_set *set, hb_look *look, void *user);
typedef struct hb_frames {
	hb_frame *all;
	size_t n;
	size_t *own; /* places of those of the program in `all` */
	size_t nown;
} hb_frames;
bool hb__d_frames(hb_debug *d, int32_t rank, hb_gdb *gdb, hb_frames *ret, hb_error *err);
void hb__d_frames_free(hb_frames *frames);
/* The frame that is chosen in a process; answers why there is none and returns false. */
bool hb__d_chosen(hb_debug *d, int32_t rank, hb_gdb *gdb, hb_frame *ret);
/* "manage (farm.c:71)" */
char *hb__d_frame_text(const hb_frame *frame);

/* ---- verbs/points.c, plant.c ---- */
/* Sets points in the processes of the set that do not have them yet. */
void hb__d_plant(hb_debug *d, const hb_set *set);
void hb__d_plant_one(hb_debug *d, hb_action_point *point, const hb_set *set);
/* how: 1 enables, 0 disables, -1 deletes what is planted of it. */
void hb__d_change_planted(hb_debug *d, hb_action_point *point, int how);
/* A process stopped at a breakpoint or watchpoint of gdb: which point that is; NULL: none. */
hb_action_point *hb__d_point_of(hb_debug *d, int32_t rank, int number);
/* Whether it waits at a barrier that others have not reached yet. *ret_missing is initialised when true. */
bool hb__d_at_barrier(hb_debug *d, int32_t rank, hb_set *ret_missing, int *ret_number);
void hb__d_reached(hb_debug *d, int32_t rank, hb_action_point *point);
void hb__d_forget_planted(hb_debug *d);
void hb__d_free_point(hb_action_point *point);
void hb__d_drop_point(hb_debug *d, hb_action_point *point);

/* ---- verbs/move.c ---- */
/* A line further in each process, but not back to the beginning of a loop. */
int hb__d_until(hb_debug *d);

/* ---- verbs/shell.c ---- */
void hb__d_default_settings(hb_settings *settings, bool json);

/* ---- alone/: one process alone ---- */
int hb__d_alone_goto(hb_debug *d, char *args);
int hb__d_alone_event(hb_debug *d, hb_at at);
int hb__d_alone_back(hb_debug *d, uint64_t n);
int hb__d_alone_next(hb_debug *d, uint64_t n);
/* How it stands; NULL: as any process that gdb has stopped. Free it. */
char *hb__d_alone_state(hb_debug *d, const hb_proc *p);
/* What was said about it goes to the user. */
void hb__d_tell_notes(hb_debug *d);
/* What is asked needs several processes: a code, after having said so. */
int hb__d_one_only(hb_debug *d, const char *what);

/* ---- verbs/events.c ---- */
/* An event by its name or bookmark. 0, or a code after having said why. */
int hb__d_event(hb_debug *d, const char *text, hb_at *ret);
int hb__d_goto(hb_debug *d, hb_at at);
/* To a place as the user writes it: an event, a bookmark, or a point (point:13.E). */
int hb__d_goto_text(hb_debug *d, const char *text);
/* An event by its name alone, as those of a live run are: PROCESS:EVENT, PROCESS.LANE:EVENT. 0, or HB_EXIT_USAGE after having said why. */
int hb__d_live_event(hb_debug *d, const char *text, int32_t *ret_rank, uint32_t *ret_lane, uint64_t *ret_event);
/* The event that a process stands after; event 0: before its first. False: its log is missing. */
bool hb__d_stands_at(hb_debug *d, int32_t rank, hb_at *ret);
/* The same for the only process of the set; false also when there are several. */
bool hb__d_here(hb_debug *d, hb_at *ret);
/* Prints a cut; ret_stop and so on as hb_cut gives them. */
int hb__d_show_cut(hb_debug *d, hb_at at, const uint32_t *event, const hb_stop *stop);
/* Each process of the set goes on until so many more of its calls are over. */
int hb__d_next_event(hb_debug *d, uint32_t times);

/* ---- line/ ---- */
/* NULL: there is no terminal that lines could be edited on. */
hb_console *hb__console_open(hb_debug *d);
/* The line that the user typed, or NULL: he took it back. *ret_end: it was the last. Free it. */
char *hb__console_line(hb_debug *d, bool *ret_end);
/* Keeps the history. */
void hb__console_close(hb_debug *d);
/* Words that may stand where the last word of `line` begins; *ret_from: where that is. */
void hb__d_complete(hb_debug *d, const char *line, size_t *ret_from, hb_strings *ret);

#endif
