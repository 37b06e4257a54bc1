/* Reactions: rules of a file, `when CONDITION do ACTION` (hbdb-reactions(5)), and when they are due.
 *
 * Read once; then fed the events of the complex, in their order, and asked every second. What a rule does is the caller's business: it is
 * told the rule and the event that made it due. Thread safety: one thread at a time. */
#ifndef HBDB_SYSTEM_REACTIONS_REACTIONS_H
#define HBDB_SYSTEM_REACTIONS_REACTIONS_H

#include "system/complex/complex.h"

typedef struct hb_reactions hb_reactions;

typedef enum hb_action_kind {
	HB_ACTION_NOTE,      /* words[0]: the text, or none */
	HB_ACTION_COMMAND,   /* words: a command that gets the event on its standard input */
	HB_ACTION_SHELL,     /* words[0]: for sh -c; likewise. Nothing is put into it */
	HB_ACTION_DATAGRAM,  /* words[0]: unix:PATH or udp:HOST:PORT */
	HB_ACTION_JOURNAL,   /* systemd's */
	HB_ACTION_KEEP,      /* the ring of the program */
	HB_ACTION_STOP,      /* the process of the event */
	HB_ACTION_STOP_ALL,  /* all processes of the program */
	HB_ACTION_STOP_PAST, /* all processes that have an event in the past of the last one of the process */
	HB_ACTION_DEBUGGER, /* gdb on the process of the event, or on all that `stop` before it stopped: their stacks */
	HB_ACTION_BEGIN,    /* the program, or words[0] */
	HB_ACTION_END,
	HB_ACTION_RESTART,
} hb_action_kind;

typedef struct hb_action {
	hb_action_kind kind;
	bool leave;   /* STOP...: whoever stands is held, for `whom` */
	char *whom;   /* NULL: the user of the manager */
	char **words; /* NULL ended */
	size_t nwords, room;
	int line;
} hb_action;

typedef struct hb_reaction {
	int line;
	const char *condition, *action; /* as written, blanks and comments made one blank */
	const hb_action *actions;
	size_t nactions;
} hb_reaction;

/* Reads a file. HB_E_ARGUMENT: err has file, line, column and what is wrong; HB_E_SYSTEM: it cannot be read. */
hb_status hb_reactions_read(const char *file, hb_reactions **ret_reactions, hb_error *err);
/* The same of a text; `file` is what errors call it. */
hb_status hb_reactions_parse(const char *file, const char *text, hb_reactions **ret_reactions, hb_error *err);
void hb_reactions_close(hb_reactions *reactions);
size_t hb_reactions_count(const hb_reactions *reactions);
const hb_reaction *hb_reactions_at(const hb_reactions *reactions, size_t index);
/* When the rule was due last (microseconds since 1970), for `at most once per` of a manager that begins anew. */
void hb_reactions_last(hb_reactions *reactions, size_t index, int64_t last);

/* Whether a rule of states alone was due, and its states have held since: for a manager that begins anew, too. */
bool hb_reactions_holds(const hb_reactions *reactions, size_t index);
void hb_reactions_held(hb_reactions *reactions, size_t index, bool holds);
/* Whether what happened before may count for what is due now: happenings within a time, rates, sensors that are beyond a limit. */
bool hb_reactions_look_back(const hb_reactions *reactions);

/* A model that a rule asks about: the caller checks the recording of the program against it, and puts in what comes out as findings
 * that have the file in their field `model`. False: there are no more of them. */
bool hb_reactions_model(const hb_reactions *reactions, size_t index, const char **ret_file, const char **ret_program);

/* An identifier that a rule asks for as a finding, and where it stands: the caller knows which there are. False: there are no more of them. */
bool hb_reactions_finding(
	const hb_reactions *reactions, size_t index, const char **ret_id, int *ret_line, int *ret_column);

/* The rule is due. event: a row of `events` as hb_complex_rows has it, or one made like it for a state. */
typedef void hb_reactions_due(void *user, size_t index, const cJSON *event);
/* An event has come. due NULL: it was one that an earlier manager has asked about already, so no rule is due: it is remembered. */
void hb_reactions_event(
	hb_reactions *reactions, hb_complex *complex, const cJSON *event, hb_reactions_due *due, void *user);
/* Time has passed: rates, and states. now: microseconds since 1970. */
void hb_reactions_tick(hb_reactions *reactions, hb_complex *complex, int64_t now, hb_reactions_due *due, void *user);

/* Puts what an event has in the place of {text}, {process} ... in a word; a name that is not known was refused when the file was read. free. */
char *hb_reactions_fill(const char *word, const cJSON *event);

#endif
