/* A run against its reference run, as `hbdb compare` tells it. What differs is found by rules/reference/. */
#ifndef HBDB_TOOL_REFERENCE_H
#define HBDB_TOOL_REFERENCE_H

#include <stdio.h>

#include "rules/reference/reference.h"

#include "../show/out.h"
#include "../store/manifest.h"

/* A recording with traces, or one that is being made. */
typedef struct hb_traced {
	const char *name; /* as it was given; the caller's */
	char *path;       /* of the recording */
	hb_points *points;
	hb_strings traces; /* those that are open */
	char *program;     /* its file's name; NULL: not known */
	uint32_t others;   /* traces of processes of other worlds, which are not compared */
} hb_traced;

/* The path of a recording, or of a file of text. 0, or an exit code after having said why. */
int hb__find_traced(const char *name, char **ret_path);
/* Opens the traces of a recording that is whole, or a file with their text. 0, or an exit code after having said why: 2 where it has none. hb__close_traced in any case. */
int hb__open_traced(const char *name, const char *path, hb_traced *ret);
/* The same of a recording that is being made: those that can be opened by now and are not open yet. An exit code as above. */
int hb__begin_traced(const char *name, const char *path, hb_traced *ret);
int hb__more_traced(hb_traced *traced);
void hb__close_traced(hb_traced *traced);
/* Whether a trace was cut or damaged: how many processes; says each of them when `say`. */
uint32_t hb__cut_traced(const hb_traced *traced, bool say);

/* A comparison: both runs, and what was found so far, as it is to be printed. */
typedef struct hb_against {
	hb_traced side[2]; /* by HB_OF_* */
	hb_reference_tolerance tolerance;
	bool json, all; /* all: arrays that differed before, too */
	bool loud;      /* the first difference is said at once, on stderr */
	hb_reference *rules;
	hb_strings lines; /* what was found, each with its line feeds */
	uint64_t found[HB_REFERENCE_KINDS];
	hb_point first;              /* the point of the first difference, ... */
	hb_point correct;            /* ... and the last one before it where that array was equal; number 0: none */
	const hb_array_shape *array; /* of the run: the first whose checksum differed, ... */
	hb_point array_at;           /* ... and where; NULL: none */
	bool any, foreign;           /* the very first constructs are not the same ones */
} hb_against;

/* 0, or an exit code after having said why. hb__against_end in any case; the sides stay. */
int hb__against_begin(hb_against *against);
/* Compares as far as both runs have come. 0, or an exit code after having said why. */
int hb__against_go(hb_against *against);
/* Prints what was found, and what was compared; returns the exit code: 0 the same, 1 different, 2 not comparable, 3 cut. */
int hb__against_print(const hb_against *against, FILE *to);
void hb__against_end(hb_against *against);

/* text.c, json.c: a difference as it is printed; free it. */
char *hb__against_text(const hb_against *against, const hb_reference_difference *difference);
char *hb__against_json(const hb_against *against, const hb_reference_difference *difference);
char *hb__against_sum_json(const hb_against *against, int code);
/* The one line of it. */
char *hb__against_sentence(const hb_against *against, const hb_reference_difference *difference);

/* words.c: parts of sentences; the first ones are valid for the next few calls. */
const char *hb__array_words(const hb_array_shape *shape, unsigned access); /* ("frct", "lu.f", 68, 0, "rw") */
const char *hb__construct_words(const hb_trace_construct *construct);      /* parallel loop "sweep" (heat.c:22) */
const char *hb__point_words(const hb_point *point);                        /* 13.E, or "the end" */
char *hb__box_words(const hb_array_shape *shape, const int64_t *first,
	const int64_t *count);                                          /* [1..20, 0..39], as the program calls them */
char *hb__element_words(const hb_array_shape *shape, uint64_t element); /* [19, 1] */
const char *hb__extents_words(const hb_array_shape *shape);             /* 60 x 40 real8 */
/* Where an access stands: file.c:12 or program+0x1234; NULL: not known. */
const char *hb__access_place(const hb_traced *traced, const hb_access *access);
/* Two numbers that are not the same in as few digits as show it. */
void hb__numbers_words(double a, double b, char a_text[40], char b_text[40]);

#endif
