/* What the files of this folder share: rules as they were read. */
#ifndef HBDB_SYSTEM_REACTIONS_INSIDE_H
#define HBDB_SYSTEM_REACTIONS_INSIDE_H

#include "system/reactions/reactions.h"

/* ---- lex.c ---- */

typedef struct hb__when_word {
	char *text; /* NULL: the end of the file */
	bool quoted, comma;
	bool first; /* on its line */
	int line, column;
	size_t from, to; /* in the text */
} hb__when_word;

typedef struct hb__when_reader {
	const char *file, *text;
	size_t at;
	int line, column;
	hb__when_word word;       /* at hand */
	size_t before;            /* where the word before it ended ... */
	int was_line, was_column; /* ... and where that stands */
	hb_error *err;
	bool failed;
	char wanted[256]; /* what was tried at the word at hand, for the error */
	struct hb_reactions *to;
} hb__when_reader;

void hb__when_next(hb__when_reader *r);
/* At the word at hand; the first error counts. */
void hb__when_wrong(hb__when_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same at the word that was taken last. */
void hb__when_wrong_before(hb__when_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether the word at hand is this one, which is then taken. */
bool hb__when_takes_word(hb__when_reader *r, const char *word);
/* It must be. */
void hb__when_need(hb__when_reader *r, const char *word);
/* What was tried is not there. */
void hb__when_none(hb__when_reader *r);
/* A name, which is taken: never NULL, "" when there is none (and that is said). Not among the words of the language unless quoted. free. */
char *hb__when_name(hb__when_reader *r, const char *what);
double hb__when_number_here(hb__when_reader *r, const char *what);
int64_t hb__when_time(hb__when_reader *r); /* microseconds */
/* What is written from there to the end of the word before the one at hand, in one line. */
char *hb__when_written(const hb__when_reader *r, size_t from);

/* ---- rules ---- */

typedef enum hb__when_kind {
	HB__EVENT,        /* `kinds`, status, signal */
	HB__PROGRAM_ENDS, /* ... of the process that its command was begun as */
	HB__FINDING,
	HB__SENSOR,
	HB__PROCESS_IS, /* from here on states: they are, or are not */
	HB__PROGRAM_IS,
	HB__NODE_IS,
	HB__NODE_HAS, /* load, memory, disk */
	HB__RATE,     /* of kinds of events */
	HB__SPEED,    /* of events that are recorded, or messages: `what` is the column */
} hb__when_kind;

enum {
	HB__DEATH = 1,
	HB__EXIT = 2,
	HB__GONE = 4,
	HB__START = 8,
	HB__STOP = 16,
	HB__GO = 32,
	HB__FOUND = 64,
	HB__HANG = 128,
	HB__MOVES = 256,
	HB__SENSED = 512
};

typedef struct hb__when_sample {
	int64_t time;
	double value;
} hb__when_sample;

/* How a sum grows. */
typedef struct hb__when_series {
	int64_t process; /* 0: of all */
	bool seen;       /* at this look */
	hb__when_sample *sample;
	size_t nsamples, room;
} hb__when_series;

typedef struct hb__when_condition {
	hb__when_kind kind;
	char *process, *program, *node; /* names; NULL: any. process: a rank or a name */
	bool ranked;
	unsigned kinds;
	bool fails; /* an exit counts only with a status that is not 0 */
	bool has_status, not_status;
	int64_t status, signal; /* signal 0: any */
	char *what;             /* an identifier, a state, a sensor, a column of nodes */
	char *model;
	int line, column; /* of the identifier of a finding; 0: it has none */
	bool each;        /* a rate: of one process, by itself */
	int over;         /* 1: over, -1: under, 0: no limit */
	double limit;
	int64_t window; /* of a rate */
	/* as it goes on */
	int64_t came;            /* when such an event came last; 0: none that was not used up */
	bool holds;              /* of a state */
	hb__when_sample *sample; /* of rates: times; of sensors: the processes that are beyond the limit, in `time` */
	size_t nsamples, room;
	hb__when_series *series; /* of speeds */
	size_t nseries, series_room;
} hb__when_condition;

typedef struct hb__when_rule {
	hb_reaction shown;
	hb__when_condition *condition;
	size_t nconditions, condition_room;
	hb_action *action;
	size_t naction, action_room;
	int64_t within, pause, last;
	bool held; /* all of it, when it consists of states alone */
} hb__when_rule;

struct hb_reactions {
	char *file;
	hb__when_rule *rule;
	size_t nrules, room;
};

/* read.c, actions.c */
void hb__when_read_condition(hb__when_reader *r, hb__when_rule *rule);
void hb__when_read_action(hb__when_reader *r, hb__when_rule *rule);

/* ---- possible.c ---- */

/* A whole number between these, which is taken; what: "a signal". */
int64_t hb__when_whole(hb__when_reader *r, const char *what, int64_t least, int64_t most);
/* A name that a program or a node (of) may have, as hb__when_name. */
char *hb__when_named(hb__when_reader *r, const char *of);
/* What was read last is refused where it can never be, or be done. */
void hb__when_check_conditions(hb__when_reader *r, const hb__when_rule *rule);
void hb__when_check_action(hb__when_reader *r, const hb__when_rule *rule, const hb_action *action);
/* Where a datagram can be sent to. */
bool hb__when_is_place(const char *where);

#endif
