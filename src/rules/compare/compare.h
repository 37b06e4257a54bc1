/* Two runs of one program compared: where they begin to differ.
 *
 * Processes are paired by their names, threads by their creation (hb_lane_info.thread), and the events of a thread are walked in step. Polls that
 * answered no, clocks that were read and operations that order threads are passed over: their number is chance in every run. Of each pair function,
 * arguments, answers and contents are compared: contents by digests of 64 bits where both recordings have them, else by the checks of 16 bits,
 * and by their values where both are of level data.
 *
 * A line walks on behind contents that differ, and behind another message in the same receive, and ends at the first call that differs. The first difference of each line is a candidate, and the causally
 * first ones are the candidates that have no other one in their past: up to there the two runs agree, so that the order of the first run (its
 * vector clocks) is that of both. A difference stands at the enter of its call - another call, other arguments, contents given - or at its
 * exit - another answer, contents got. One at an exit is in the past of what the next call of its line is in the past of.
 *
 * Nothing here prints. Streams: memory is in the lines and their candidates (lines squared), not in the events. */
#ifndef HBDB_RULES_COMPARE_H
#define HBDB_RULES_COMPARE_H

#include "model/contents/contents.h"
#include "model/model.h"

typedef struct hb_compare_run {
	hb_model *model;
	hb_contents *const *contents; /* by process; NULL: it has no file of contents */
	const bool *kept;             /* by process: the file has contents, not digests alone */
	bool whole;                   /* it has digests of 64 bits */
	uint32_t
		died_first; /* the process that ended first of those without MPI_Finalize, which may have ended the others; HB_NO: none, or not
	                               * known */
} hb_compare_run;

/* Real numbers that differ by no more than one of these are equal: by |a - b|, by |a - b| / max(|a|, |b|), by representable numbers between
 * them. All other datatypes are compared exactly. Any: one of them is given. */
typedef struct hb_tolerance {
	bool any;
	double absolute, relative, ulps;
} hb_tolerance;

/* How two contents differ. */
typedef struct hb_values_differ {
	uint64_t values, other_values; /* how many there are in each run; the shorter one is compared */
	uint64_t differing;            /* of these */
	uint64_t beyond;               /* of these, by more than is tolerated */
	uint64_t first;                /* number of the first of them, from 0 */
	hb_value a, b;                 /* these two */
	const hb_log *log;             /* of a: names of datatypes */
	bool real;                     /* all that differ are real numbers (or pairs of them): */
	double absolute, relative,
		ulps; /* the largest of each, whichever values they are of; NaN against a number: infinity */
} hb_values_differ;

typedef enum hb_difference_kind {
	HB_DIFFERENCE_CALL,     /* another function */
	HB_DIFFERENCE_ARGUMENT, /* or the value of an event of the program */
	HB_DIFFERENCE_POLL,     /* a poll said yes in one run and no in the other, which went on to another call */
	HB_DIFFERENCE_CHOICE,   /* the library answered otherwise: another sender, another request */
	HB_DIFFERENCE_LENGTH,   /* the same message, of another length */
	HB_DIFFERENCE_RESULT,   /* it failed in one run, or otherwise; or made another communicator */
	HB_DIFFERENCE_GIVEN,    /* contents of what it sends, writes, gives to a collective */
	HB_DIFFERENCE_GOT,      /* contents of what it receives, or of a result */
	HB_DIFFERENCE_ACCESS,   /* a call of a window or a file between the events */
	HB_DIFFERENCE_END,      /* one run has no more events of this line, or its process ended otherwise */
	HB_DIFFERENCES
} hb_difference_kind;

typedef enum hb_innocence {
	HB_INNOCENT_NOT,
	HB_INNOCENT_MAYBE, /* a reduction of real numbers whose inputs agree: its results may differ by rounding, and no values tell */
	HB_INNOCENT_ROUNDING, /* and its values differ by no more than rounding does: HB_ROUNDING of the datatype's precision */
} hb_innocence;

typedef struct hb_difference {
	hb_difference_kind kind;
	hb_at a, b; /* the event in each run; of END event 0 where there is none */
	bool at_exit;
	bool first;     /* causally; else it may be a consequence */
	uint32_t cause; /* of others: a line with a first one in their past */
	/* ARGUMENT: name NULL: not told which. GOT, of a reduction: its operation */
	const char *name;
	uint8_t value_kind; /* HB_RECORDED_* of calls.h */
	int64_t value
		[2]; /* also LENGTH, RESULT; ACCESS: value[0] 1: what it gives differs, 0: what it gets; POLL: 1 where the call is one that polls */
	/* CHOICE: HB_ABSENT where it is not told */
	int64_t source[2], tag[2], index[2];
	hb_at until; /* CHOICE: the lines go on alike, and part at this event of a; event 0: never, or at once */
	/* GIVEN, GOT, ACCESS */
	unsigned bits;   /* by which they were compared: 64, 16; 0: by values */
	bool valued;     /* values is set */
	uint64_t clocks; /* that this thread of the first run had read before */
	bool in_flight;  /* GOT: its sender gave the same, by 64 bits */
	hb_values_differ values;
	const char *call[2]; /* ACCESS: functions, NULL: there was no more */
	hb_at sender;        /* GOT: of the message, in a; event 0: not known */
	/* of a collective: */
	hb_at begun;         /* GOT: the call of a that began it */
	uint32_t collective; /* in a's model; HB_NO: none */
	uint32_t
		members; /* how many lines have this difference: their contents given to it, or its result; they are told as one */
	bool given_differs; /* with a tolerance: its inputs differ, too, and by how much is not recorded */
	bool untold; /* with a tolerance: inputs of some collectives differ, perhaps of this one at another process */
	hb_innocence innocent;
	bool unsure; /* that its inputs agree was looked at with 16 bits, or not at all of its processes */
	/* END: */
	bool never[2]; /* the call is there, and never returned */
} hb_difference;

/* What was looked at. */
typedef struct hb_compared {
	uint64_t events;                          /* pairs */
	uint64_t whole, checked, valued, without; /* contents compared by 64 bits, by 16, by values; and not at all */
	uint64_t
		unseen; /* calls of windows and files in the first run whose contents are compared by nothing: one of the runs has no digests of them */
	uint64_t
		shared; /* windows in the first run whose memory processes share, counted at each of them: nobody sees what is stored there */
	uint64_t sampled;   /* of those by 16 bits: longer than 4096 bytes, of which 3072 were looked at */
	uint64_t tolerated; /* contents with values that differ within the tolerance, and none beyond it */
	uint64_t
		untold; /* with a tolerance: contents with real numbers that were given to a collective, whose values are not recorded */
	hb_values_differ within; /* of those: how many values, and the largest differences */
	uint64_t differing;      /* contents that differ, on all lines up to their ends */
	uint64_t polls;          /* pairs with different numbers of polls that answered no */
	uint64_t passed;         /* clocks and operations of threads, in either run */
	uint32_t processes, lines;
	uint32_t parted;        /* lines that end at a call that differs, or that one run does not make */
	uint32_t cut[2];        /* lines whose log ends before their process did, in each run */
	uint32_t only_b;        /* threads that made events in the second run alone */
	uint32_t first, others; /* differences */
} hb_compared;

typedef bool hb_difference_visit(void *user, const hb_difference *difference); /* false: stop */

/* Visits the causally first differences and then the first ones of the other lines, by line. HB_E_ARGUMENT: the runs have other processes. */
hb_status hb_compare(const hb_compare_run *a, const hb_compare_run *b, const hb_tolerance *tolerance,
	hb_difference_visit *visit, void *user, hb_compared *ret_compared, hb_progress *progress, void *progress_user,
	hb_error *err);

#endif
