/* What `hbdb check` was asked, and what it says once the rules were run. */
#ifndef HBDB_JUDGING_JUDGE_H
#define HBDB_JUDGING_JUDGE_H

#include "../findings/findings.h"
#include "../options.h"

/* A job that was run to be checked. */
typedef struct hb_judged {
	int status; /* of the job, -1: none was run */
	double seconds;
	bool ended;            /* hbdb ended it */
	const char *recording; /* of it; NULL: none was run */
} hb_judged;
/* What is wrong with the options, and the suppressions: 0, or an exit code after having said what. */
int hb__check_asked(const hb_args *args, hb_quiets **ret_quiets);
hb_model_wish hb__check_model(const hb_args *args);
/* Prints the findings, writes the files that were asked for, says the rest. Returns the exit code. */
int hb__check_judge(hb_findings *f, const hb_args *args, hb_quiets *quiets, const hb_judged *job);
/* Whether what is printed is for a program to read. */
bool hb__check_for_machines(const hb_args *args);
unsigned hb__check_flags(const hb_args *args);

#endif
