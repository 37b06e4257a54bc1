/* The declarative table of commands and their options, and its reader. */
#ifndef HBDB_OPTIONS_H
#define HBDB_OPTIONS_H

#include "tool.h"

typedef enum {
	HB_OPTION_FLAG,
	HB_OPTION_TEXT,
	HB_OPTION_CHOICE,    /* value: the words allowed, separated by | */
	HB_OPTION_NUMBER,    /* not negative */
	HB_OPTION_RECORDING, /* a NAME.hbdb */
	HB_OPTION_MAYBE,     /* a flag that may have a number, after = only */
	HB_OPTION_EACH,      /* may be given several times: all of them, with commas between */
} hb_option_kind;

typedef struct hb_option {
	const char *name; /* long form, without --; NULL ends a table */
	char letter;      /* short form, or 0 */
	hb_option_kind kind;
	const char *value; /* what the help calls the value */
	const char *help;
} hb_option;

typedef enum {
	HB_OPERANDS_NONE,
	HB_OPERANDS_RECORDING, /* at most one NAME */
	HB_OPERANDS_COMMAND,   /* the first operand begins the command */
	HB_OPERANDS_BOTH,      /* at most one NAME, then -- and a command */
	HB_OPERANDS_SHELL,
	HB_OPERANDS_TOPIC,
	HB_OPERANDS_WORDS, /* a few, of which one may be a NAME: the command tells which is which */
	HB_OPERANDS_NAMES, /* two NAMEs, then -- and a command */
	HB_OPERANDS_VERB,  /* what is to be done, at most two NAMEs, then -- and a command */
} hb_operands;

#define HB_OPTIONS_MAX 26
#define HB_WORDS_MAX 4

typedef struct hb_args {
	const struct hb_command *command;
	const char *value[HB_OPTIONS_MAX]; /* by place in the table; a flag that was given: "" */
	const char *operand;               /* NAME, shell or topic, or NULL */
	char **rest;                       /* the command to run; NULL when none was given */
	const char *word[HB_WORDS_MAX];    /* HB_OPERANDS_WORDS, NAMES and VERB: all operands */
	int nwords;
} hb_args;

typedef enum {
	HB_SHORT,
	HB_LONG, /* its output may be longer than the screen: it goes through a pager, and --no-pager is an option */
} hb_length;

typedef struct hb_command {
	const char *name, *operands;
	hb_operands kind;
	const char *summary;
	hb_length length;
	const hb_option *options;
	int (*run)(const hb_args *args);
} hb_command;

/* All commands, ended by a NULL name; the options every command has. */
extern const hb_command hb__commands[];
extern const hb_option hb__common_options[];
/* The options of every command that this one has. */
bool hb__takes(const hb_command *command, const hb_option *common);

const hb_command *hb__command(const char *name);

/* Reads the arguments after the command's name. 0, or an exit code after
 * having said why; *ret_done is set when help was asked for and printed. */
int hb__parse(const hb_command *command, char **argv, hb_args *ret_args, bool *ret_done);

/* The value of an option of the command, NULL when it was not given. */
const char *hb__option_value(const hb_args *args, const char *name);
uint64_t hb__option_number(const hb_args *args, const char *name, uint64_t otherwise);

/* "Did you mean": the nearest of several words. */
typedef struct hb_guess {
	const char *word;
	char best[64];
	size_t distance;
} hb_guess;
void hb__guess(hb_guess *g, const char *candidate);
/* "; did you mean 'record'?", or nothing when none is near. */
const char *hb__guessed(hb_guess *g);
/* Says that there is no such command, and which is near. */
int hb__no_command(const char *word);

/* A list of ranks, as in 0,2,4-7, and of names of processes (0@1, worker#2): whether it is one (0, or the exit code), and whether a process
 * is in it. A rank is that of any world. NULL: all are. */
int hb__check_ranks(const char *command, const char *list);
bool hb__has_process(const char *list, int32_t rank, const char *name);

/* Prints the help of one command, or the overview. */
void hb__print_help(const hb_command *command);

#define COMMAND(name, operands, kind, summary, length) \
	extern const hb_option hb__##name##_options[]; \
	int hb__##name(const hb_args *args);
#include "commands.def"
#undef COMMAND

#endif
