/* A run judged by a model (docs/models.md): its findings, the table of where each key stands, and what was not looked at. Nothing
 * here prints. */
#ifndef HBDB_RULES_PATTERN_JUDGE_H
#define HBDB_RULES_PATTERN_JUDGE_H

#include "rules/finding.h"
#include "rules/pattern/history/history.h"

typedef struct hb_judge_options {
	hb_history_contents *contents; /* may be NULL */
	void *contents_user;
	uint32_t died; /* process that is known to have died first; HB_NO: not known */
	bool running;  /* the run goes on: what has not come may come yet, of processes that have not ended */
} hb_judge_options;

/* A row of the table: a process where a key stands, and in what. */
typedef struct hb_judged_row {
	hb_pattern_state state; /* of its key */
	const char *of;         /* the values of its `each`, with commas between them; "": the run's own */
	uint32_t nkeys;
	const char *const *key_name;
	const hb_pattern_value *key;
	uint32_t process;
	const char *in; /* functions, "Distributing", joined by "/" where several are possible */
} hb_judged_row;

typedef struct hb_judgement {
	hb_pattern *pattern;
	hb_pattern_sum sum;
	hb_history_sum history;
	size_t findings; /* causes first, notes last */
	hb_finding *finding;
	size_t rows; /* in the order of keys */
	hb_judged_row *row;
	uint64_t under_way; /* keys that have stopped in a run that goes on: in the table, and no finding */
	uint64_t untold;    /* keys neither complete nor in findings and rows: there are too many */
	size_t doubts;      /* sentences: what makes the answer uncertain, or was not looked at */
	char **doubt;
	struct hb__judging *own;
} hb_judgement;

/* The model, its logs and the pattern must stay open as long as the judgement. Keys by the hundred thousand that are not complete are told up
 * to a limit and then counted. HB_E_ARGUMENT: the model and the recording do not go together (the message says why). */
hb_status hb_judge(hb_model *model, hb_pattern *pattern, const hb_judge_options *options, hb_progress *progress,
	void *user, hb_judgement **ret_judgement, hb_error *err);
void hb_judgement_free(hb_judgement *judgement);
/* A key's value as text, as it stands in tables: a number, or the text itself. */
const char *hb_judged_value(const hb_judgement *judgement, const hb_pattern_value *value, char *to, size_t size);

#endif
