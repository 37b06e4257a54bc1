/* A model as it was read: declarations, expressions of values, forms (the expressions of patterns), and what is known of them
 * before any event. All of it belongs to the model and holds until it is closed. */
#ifndef HBDB_RULES_PATTERN_AST_H
#define HBDB_RULES_PATTERN_AST_H

#include "rules/pattern/language/value.h"
#include "rules/pattern/pattern.h"

#define HB__SLOTS 24 /* variables that are known at one place */

enum hb__expr_kind {
	HB__E_CONST,  /* value */
	HB__E_VAR,    /* slot */
	HB__E_GLOBAL, /* number of a let, a param or a role without parameters */
	HB__E_APPLY,  /* number of a let, arguments */
	HB__E_ASK,   /* a value of the event: name; arg[0] its offset, if any; number: the let that it is else, or -1 */
	HB__E_OP,    /* op: a character, or one of hb__op */
	HB__E_SET,   /* members */
	HB__E_RANGE, /* arg[0] .. arg[1] */
	HB__E_WORD,  /* op: hb__word, arguments */
};
enum hb__op { HB__EQ = 256, HB__NE, HB__LE, HB__GE, HB__AND, HB__OR, HB__NEGATIVE };
enum hb__word { HB__LEN, HB__MIN, HB__MAX, HB__COUNT, HB__PROCESS, HB__WORDS };

struct hb__expr {
	uint16_t kind, op;
	uint32_t line, column, n;
	int64_t value; /* constant, slot or number */
	const char *name;
	struct hb__expr **arg;
};

/* Processes as expressions in the variables of a definition. */
#define HB__PROCS 6
struct hb__procs {
	bool unknown; /* there may be others */
	uint8_t n;
	const struct hb__expr *at[HB__PROCS];
};

enum hb__form_kind {
	HB__F_NOTHING,
	HB__F_INTERACTION, /* binding, from, to (of a message), keys: arg */
	HB__F_CALL,        /* def, arg */
	HB__F_SEQ,
	HB__F_STRICT,
	HB__F_PAR,
	HB__F_CHOICE,
	HB__F_OPTIONAL, /* a */
	HB__F_LOOP,     /* a */
	HB__F_REPEAT,   /* from: how often; a */
	HB__F_ANY,      /* slot, from: the set; a */
	HB__F_ALL,
	HB__F_EACH_IN_TURN, /* seq v in SET */
	HB__F_WHEN,         /* from: the condition; a */
};

struct hb__form {
	uint8_t kind;
	bool sure; /* there is a way through it, whatever the values are */
	bool bare; /* without ( ) around it */
	uint32_t line, column;
	uint32_t number;  /* of the binding or the definition */
	uint32_t slot, n; /* n: of arg */
	uint32_t index;   /* in hb_pattern.forms */
	struct hb__expr *from, *to;
	struct hb__expr **arg;
	struct hb__form *a, *b;
	struct hb__procs first; /* who can do the first event */
	struct hb__procs must;  /* who takes part in any case; `unknown` says nothing here */
	struct hb__procs may;   /* who can take part */
};

struct hb__def {
	const char *name;
	uint32_t line, nparams, nslots; /* nslots: parameters, then what is bound inside */
	const char *param[HB__SLOTS];
	struct hb__form *body;
	bool sure, possible;               /* a way through it: in any case; if conditions are met */
	uint32_t relevant;                 /* a bit for each parameter that conditions, sets and processes depend on */
	struct hb__procs first, must, may; /* as of its body */
};

/* A part of run: under one each, or not under any. */
struct hb__part {
	uint32_t line, nkeys; /* keys are the slots 0 .. nkeys-1 */
	const char *key_name[HB__SLOTS];
	struct hb__expr *in[HB__SLOTS]; /* NULL: any value */
	struct hb__form *body;
	uint32_t nslots;
};

/* Where the keys of a part stand among those of a binding. */
struct hb__route {
	uint32_t part; /* HB_NO: no pattern mentions it */
	uint32_t line; /* where it is mentioned first */
	uint8_t at[HB__SLOTS];
};

struct hb__let {
	const char *name;
	uint32_t line, nparams;
	const char *param[HB__SLOTS];
	struct hb__expr *body;
	bool role, parameter;
	bool numbered; /* a role whose processes are numbered from `from` on, and not by their own numbers */
	int64_t from;
	uint8_t known; /* without parameters: 0 no, 1 just being computed, 2 yes */
	hb__value value;
};

struct hb__clauses {
	struct hb__expr **key, *where, *to, *from;
	const char **key_name;
};

struct hb__block { /* of memory, that goes with the model */
	struct hb__block *next;
};

#define HB__APPLIED 1024 /* answers of functions that are kept */
struct hb__applied {
	uint32_t let; /* + 1; 0: free */
	hb__value arg[2], value;
};

struct hb_pattern {
	char *file;
	const char *name;
	struct hb__values values;
	uint32_t processes;
	char **process_name;
	struct hb__block *blocks;
	struct hb__let *lets;
	size_t nlets, lets_room;
	hb_pattern_binding *bindings;
	struct hb__clauses *clauses;
	size_t nbindings, bindings_room, clauses_room;
	struct hb__def *defs;
	size_t ndefs, defs_room;
	struct hb__part *parts;
	size_t nparts, parts_room;
	struct hb__route *routes; /* of each binding */
	struct hb__form **forms;  /* by their index */
	size_t nforms, forms_room;
	/* while something is computed */
	bool failed; /* error says why */
	hb_error error;
	uint32_t depth;
	uint64_t steps;
	hb_pattern_ask *ask;
	void *ask_user;
	struct hb__applied applied[HB__APPLIED];
};

/* Memory that goes with the model, zeroed. NULL: out of memory, and the model has failed. */
void *hb__take(hb_pattern *pattern, size_t size);
/* Says what is wrong, unless something was wrong before; `line` 0: nowhere. Returns NULL. */
void *hb__wrong(hb_pattern *pattern, uint32_t line, uint32_t column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void *hb__pattern_no_memory(hb_pattern *pattern);
/* What failed, once: afterwards the model can be used again. HB_OK: nothing did. */
hb_status hb__pattern_failure(hb_pattern *pattern, hb_error *err);

/* The value of an expression, with the variables in slot[]; 0 and `failed` when it has none. */
hb__value hb__eval(hb_pattern *pattern, const struct hb__expr *expr, const hb__value *slot);
/* The same, when it must be of one kind; `what` names what it is for. */
int64_t hb__eval_number(hb_pattern *pattern, const struct hb__expr *expr, const hb__value *slot, const char *what);
hb__value hb__eval_set(hb_pattern *pattern, const struct hb__expr *expr, const hb__value *slot);
/* Its variables, a bit for each slot. */
uint32_t hb__variables(const struct hb__expr *expr);
bool hb__same_expr(const struct hb__expr *a, const struct hb__expr *b);

/* Reads declarations into an empty model; then what is known without events. False: the model has failed. */
bool hb__read_model(hb_pattern *pattern, const char *text, const hb_pattern_world *world);
bool hb__analyse(hb_pattern *pattern);
bool hb__route(hb_pattern *pattern);

#endif
