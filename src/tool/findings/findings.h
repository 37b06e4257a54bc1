/* What `hbdb check` found, ready to be shown: places looked up, alike ones put together, suppressed ones marked. */
#ifndef HBDB_FINDINGS_FINDINGS_H
#define HBDB_FINDINGS_FINDINGS_H

#include <stdio.h>

#include "../run/events.h"
#include "../show/out.h"
#include "../store/manifest.h"
#include "rules/finding.h"
#include "rules/pattern/judge/judge.h"

/* A process, for lists of them. */
typedef struct hb_ranked {
	uint32_t world;
	int32_t rank;
	const char *name; /* NULL: by rank and world */
} hb_ranked;

/* A point of a finding. */
typedef struct hb_spot {
	int32_t rank;
	uint32_t world;            /* number of its world */
	const char *name;          /* hb_process.name */
	char event[HB_EVENT_NAME]; /* as hbdb dump names it; "": none */
	char function[64];
	const hb_place *place; /* NULL: not known */
	char role[160];
} hb_spot;

typedef struct hb_told_finding {
	hb_finding_id id;
	const hb_finding_kind *kind;
	hb_severity severity; /* hb_severity_of */
	bool possible;
	uint64_t times;
	char *sentence, *advice; /* advice may be NULL */
	uint32_t nspots;
	hb_spot *spot;
	hb_ranked
		*also; /* processes where the same stands at the same lines; that of the first spot is not among them */
	size_t nalso;
	uint64_t print;    /* the same for the same lines, in every run */
	const void *quiet; /* the suppression that hides it, or NULL */
	bool hidden;       /* not asked for */
} hb_told_finding;

typedef struct hb_findings {
	hb_run *run;
	hb_facts *facts;
	hb_told_finding *at; /* errors first */
	size_t n, room;
	uint64_t count[3], suppressed; /* shown ones by severity; hidden by a suppression */
	unsigned flags;                /* of hb_check */
	bool hanging;                  /* nothing moved when the job was ended, or moves now */
	bool remarked;                 /* recorded for check */
	bool chosen;                   /* other kinds of findings are hidden */
	char *died;                    /* ranks whose recorded processes were killed or crashed; NULL: none */
	char *ending;                  /* ... and what is known of it, a sentence without a full stop; NULL: none */
	int failing;                   /* severities up to this one make a check fail; -1: none does */
	int lines;                     /* of a screen: a finding takes no more */
	const char *name;              /* how the user named the recording; NULL: not at all */
	struct hb_by_model *model;     /* what a model says of the run; NULL: none was given */
} hb_findings;

/* What is to be shown. NULL, or 0: everything. */
typedef struct hb_wanted {
	const char *severity, *only, *category; /* only: beginnings of identifiers, separated by commas */
} hb_wanted;

extern const char *const hb__severity_names[3];

/* A model of a correct run that it is checked against, too. file NULL: none. */
typedef struct hb_model_wish {
	const char *file, *set; /* set: NAME=NUMBER, separated by commas; may be NULL */
} hb_model_wish;

/* Runs the rules. 0, or an exit code after having said why. hb__findings_free. wish may be NULL. */
int hb__findings_read(hb_run *run, unsigned flags, const hb_model_wish *wish, hb_findings *ret);
/* The same by the processes of a team (hb_check), each of which has opened the run as a whole; the findings are the first one's. *ret_code:
 * that of a model of the run that could not be read. */
hb_status hb__findings_look(hb_run *run, const hb_team *team, unsigned flags, const hb_model_wish *wish,
	hb_findings *ret, int *ret_code, hb_error *err);
/* Keeps one: of type hb_finding_visit, of hb_findings. */
bool hb__keep_finding(void *findings, const hb_finding *found);
void hb__findings_free(hb_findings *f);
/* Notes which processes of a run that is over did not come to an end of their own. */
void hb__findings_died(hb_findings *f);
/* What is known of the processes whose logs just stop; NULL: there are none. over: nobody runs any more. To be freed. */
char *hb__ending_text(const hb_manifest *manifest, const hb_logs *logs, bool over);
/* How the process of a log ended, or that it lives: "finalized", "killed or crashed". */
const char *hb__state_text(const hb_manifest *m, const hb_log_info *info);
/* Whether the process of a log is there still, as far as that can be told. */
bool hb__still_runs(const hb_log_info *info);
/* What was not looked at, as it is missing or the run was not recorded for it; NULL: nothing. To be freed. */
char *hb__findings_unseen(const hb_findings *f);
/* Whether each of a list, as --only takes it, begins some identifier: 0, or the exit code. */
int hb__check_only(const char *list);
/* Hides what is not wanted, counts the rest. */
void hb__findings_choose(hb_findings *f, const hb_wanted *wanted);
/* Whether a finding is among those to show. */
static inline bool hb__is_shown(const hb_told_finding *s) { return !s->hidden && !s->quiet; }

/* 0,2,4-7, and of other worlds 0@1,0-3@2: sorts them. Free it. */
char *hb__names_text(hb_ranked *process, size_t n);
/* "rank 3", "ranks 0,2". Free it. */
char *hb__called_text(const hb_ranked *process, size_t n);
/* The same as hb__names_text in a run of one world. */
char *hb__ranks_text(int32_t *rank, size_t n);
/* "2 errors, 1 warning, 3 notes", or "no errors found"; other words where parts of the run are missing, or findings were chosen. Free it. */
char *hb__findings_sum(const hb_findings *f);

/* ---- outputs ---- */
void hb__findings_text(const hb_findings *f, FILE *to, bool colour);
void hb__finding_text(const hb_findings *f, const hb_told_finding *s, FILE *to, bool colour);
/* Ends with a line for the whole. exit_status: of the job, -1: none ran. */
void hb__findings_json(const hb_findings *f, int fd, int exit_status);
/* Into files, - for standard output. 0, or an exit code after having said why. */
int hb__findings_sarif(const hb_findings *f, const char *file, int exit_status);
int hb__findings_junit(const hb_findings *f, const char *file, double seconds);
/* A file that is written as a whole; NULL after having said why. */
hb_output *hb__report_open(const char *file);
int hb__report_close(hb_output *out, const char *file);

/* ---- model.c, model_text.c: what a model says of the run ---- */
/* 0, or an exit code after having said why. */
int hb__model_check_wish(const hb_model_wish *wish);
int hb__model_read(hb_findings *f, const hb_model_wish *wish);
/* Keeps its findings: those of the severities that fail a check, or notes. */
void hb__model_findings(hb_findings *f, bool notes);
void hb__model_free(hb_findings *f);
const hb_judgement *hb__model_judgement(const hb_findings *f); /* NULL: no model was given */
/* "model farm: 4 keys complete, ..." To be freed. */
char *hb__model_sum(const hb_findings *f);
/* The table of where each key stands, the sum, and what was not looked at. */
void hb__model_text(const hb_findings *f, FILE *to);
void hb__model_json(const hb_findings *f, hb_output *out);

/* ---- page.c ---- */
/* Explains an identifier, or lists them all ("findings"). Returns the exit code. */
int hb__finding_help(const char *topic);

/* ---- suppressions (suppress.c) ---- */
typedef struct hb_quiets hb_quiets;
/* Adds those of a file; NULL: .hbdb-suppressions here, when there is one. 0, or an exit code after having said why. */
int hb__quiets_read(hb_quiets **quiets, const char *file);
void hb__quiets_apply(hb_quiets *quiets, hb_findings *f);
/* Says which were not needed. */
void hb__quiets_say_unused(const hb_quiets *quiets);
void hb__quiets_free(hb_quiets *quiets);
/* Prints a suppression for each finding that is shown. */
void hb__quiets_generate(const hb_findings *f, FILE *to);

#endif
