/* Findings: what is wrong with a run, or will be elsewhere. `hbdb check` prints them.
 *
 * A rule reads a case (the model of the run and the recorder's remarks) and reports findings; hb_check runs all rules.
 * A finding names its places; its first one is where to look. Same finding at the same source lines: reported once, and
 * counted. Nothing here prints.
 *
 * No false alarms: a rule that is not sure, because logs are missing or cut, matches are ambiguous or the run was ended
 * from outside, stays silent or says `possible`. */
#ifndef HBDB_RULES_FINDING_H
#define HBDB_RULES_FINDING_H

#include <stdio.h>

#include "model/model.h"
#include "model/part/part.h"
#include "model/remark/remark.h"

typedef enum hb_category {
	HB_CATEGORY_DEADLOCK,
	HB_CATEGORY_MESSAGES,
	HB_CATEGORY_COLLECTIVES,
	HB_CATEGORY_LIFECYCLE,
	HB_CATEGORY_ONESIDED,
	HB_CATEGORY_ARGUMENTS,
	HB_CATEGORY_MODEL, /* of the user's own: only where one is given */
	HB_CATEGORIES
} hb_category;

typedef enum hb_severity {
	HB_SEVERITY_ERROR,   /* erroneous by the standard, and it happened in this run */
	HB_SEVERITY_WARNING, /* goes wrong elsewhere: under another library, another order, another size */
	HB_SEVERITY_NOTE,    /* worth knowing; a correct program may have it. Never makes `hbdb check` fail */
} hb_severity;

typedef enum hb_finding_id {
#define HB_FINDING(name, id, category, severity, title) name,
#include "rules/findings.def"
#undef HB_FINDING
	HB_FINDINGS
} hb_finding_id;

typedef struct hb_finding_kind {
	const char *id; /* "HB-DEADLOCK-CYCLE" */
	hb_category category;
	hb_severity severity;
	const char *title; /* a few words */
} hb_finding_kind;
extern const hb_finding_kind hb_finding_kinds[HB_FINDINGS];
/* What cannot be proven is at most a warning. Flags as of hb_check. */
hb_severity hb_severity_of(hb_finding_id id, bool possible, unsigned flags);
extern const char *const hb_category_names[HB_CATEGORIES]; /* "deadlock", ... */

/* A place that a finding names: a call of a process. */
typedef struct hb_point {
	uint32_t process;  /* of the model */
	hb_at at;          /* the event; line HB_NO: a call that is no event, or none */
	uint32_t site;     /* call site in the log of the process; 0: not known. Of an event it may be left 0 */
	char function[64]; /* "" when at tells it */
	char role[160];    /* what this place has to do with it: "sends 4 MPI_INT with tag 7"; may be "" */
} hb_point;

typedef struct hb_finding {
	hb_finding_id id;
	bool possible;        /* it can be so, and cannot be proven from this recording */
	uint64_t times;       /* how often, at these source lines */
	const char *sentence; /* one, without a line feed; processes as "rank " and hb_process.name */
	const char *advice;   /* what would mend or release it; NULL: none */
	const char *
		key; /* findings of the same one are one, and the first tells; NULL: those are that name the same places */
	uint32_t npoints;
	const hb_point *point;
} hb_finding;
typedef bool hb_finding_visit(void *user, const hb_finding *finding); /* false: stop */

/* What the buffer of a remark `buffer` is declared as. Rules read no program files: who runs them answers. */
typedef struct hb_declared {
	enum {
		HB_DECLARED_UNKNOWN,
		HB_DECLARED_FITS,   /* or it may hold anything */
		HB_DECLARED_DIFFERS /* every variable that it can be is of another type than the datatype says */
	} fit;
	char variable[96], type[128], place[96]; /* "numbers", "int *", "farm.c:12" */
	char element[64];                        /* what is not as the datatype says: "int" */
	int64_t offset;                          /* and at how many bytes from the buffer's address */
	uint64_t room; /* bytes from that address to the end of its variable; 0: enough, or not known */
	char room_of[96], room_type[128], room_place[96]; /* this variable */
} hb_declared;
/* False: nothing is known. */
typedef bool hb_declared_ask(const hb_log *log, const hb_remark *remark, hb_declared *ret);

/* ---- for rules ---- */

typedef struct hb_case {
	hb_model *model;
	hb_remarks *remarks; /* of all processes; empty when none were recorded */
	bool remarked;       /* every log has them: their absence means something */
	bool complete;       /* every process has a log, reached MPI_Finalize, and no log is cut */
	bool hanging;        /* somebody says that nothing moves any more: calls that never returned wait for ever */
	bool died;           /* some process crashed, was killed or aborted: others may have been ended by that */
	hb_declared_ask *declared; /* NULL: nobody knows */
	uint32_t share,
		shares; /* of several processes that look at the races of this case, each at its share: which this is, of how many */
	struct hb_found *found;
} hb_case;

/* Keeps a finding; sentence, advice and points are copied. HB_E_MEMORY, or HB_OK. */
hb_status hb__report_finding(hb_case *c, const hb_finding *finding, hb_error *err);
/* Helps to write one: hb__finding(c, ID, possible, advice, points, n, "sentence %d", ...). */
hb_status hb__finding(hb_case *c, hb_finding_id id, bool possible, const char *advice, const hb_point *point,
	uint32_t n, hb_error *err, const char *format, ...) __attribute__((format(printf, 8, 9)));

/* The call that a remark is about, without its event; and with it, where the call is one. */
static inline hb_point hb__point_of_call(const hb_remark *r)
{
	hb_point p = {.process = r->process, .at = {HB_NO, 0}, .site = r->call->site};
	snprintf(p.function, sizeof p.function, "%s", r->call->fn);
	return p;
}
static inline hb_point hb__point_of_event(const hb_remark *r)
{
	hb_point p = hb__point_of_call(r);
	if (r->call->event)
		p.at = r->at;
	return p;
}

/* A finding that is an error names this call already: by its event or its call site. */
bool hb__found_here(const hb_case *c, uint32_t process, hb_at at, uint32_t site);

/* A receive that never got a message was told, and its request need not be told again: by the call site that made the request. */
hb_status hb__told_waiting(hb_case *c, uint32_t process, uint32_t site, hb_error *err);
uint64_t hb__waiting_told(const hb_case *c, uint32_t process, uint32_t site);

/* A rule. */
typedef hb_status hb_rule(hb_case *c, hb_error *err);
hb_rule hb_rule_deadlock;    /* deadlock/blocked.c */
hb_rule hb_rule_potential;   /* deadlock/buffering/potential.c: sends that work only because they are buffered */
hb_rule hb_rule_other_order; /* deadlock/other_order.c: a hang when a wildcard receive gets another message */
hb_rule hb_rule_messages;    /* messages/messages.c */
hb_rule hb_rule_raced; /* messages/raced.c, when races are looked at by shares: then hb_rule_messages leaves them out */
hb_rule hb_rule_collectives; /* collectives/collectives.c */
hb_rule hb_rule_lifecycle;   /* lifecycle/lifecycle.c */
hb_rule hb_rule_crash;       /* lifecycle/crash.c */
hb_rule hb_rule_onesided;    /* onesided/onesided.c */
hb_rule hb_rule_arguments;   /* arguments/arguments.c */
hb_rule hb_rule_declared;    /* arguments/declared.c: buffers against what they are declared as */

/* ---- check.c ---- */

enum {
	HB_CHECK_HANGING = 1,       /* as hb_case.hanging */
	HB_CHECK_DEADLOCK_ONLY = 2, /* only rules of the category deadlock: for a job that hangs now */
	HB_CHECK_LEAKS = 4,         /* objects that are never freed are warnings, not notes */
	HB_CHECK_ARGUMENTS_ONLY =
		8, /* only what is wrong with the arguments of a call by itself: for a job that runs */
};

/* Runs all rules on a model and visits their findings: errors first, then by category and place. The logs must be open. team: the
 * processes that do so together, each with the whole model; the first of them visits the findings. HB_E_ARGUMENT then: what was found is
 * for one process to look at; err says why. NULL: there are no others. */
hb_status hb_check(hb_model *model, const hb_team *team, unsigned flags, hb_declared_ask *declared,
	hb_finding_visit *visit, void *user, hb_progress *progress, void *progress_user, hb_error *err);

#endif
