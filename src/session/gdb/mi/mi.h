/* Records of gdb's machine interface (gdb/MI): results, tuples, lists and strings of one line of its output.
 * Any bytes yield a record or "not one". */
#ifndef HBDB_SESSION_GDB_MI_MI_H
#define HBDB_SESSION_GDB_MI_MI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value: a string (text), or a tuple or list of values (text is NULL). */
struct hb__mi_value {
	const char *name;     /* of a result; NULL: a value in a list */
	const char *text;     /* without quotes and escapes; may hold no NUL */
	uint32_t first, next; /* numbers of values; 0: none. Number 0 is the record's own tuple. */
};

struct hb__mi {
	char kind;        /* ^ answer; * + = news; ~ @ & text (in value 0); ( prompt */
	int64_t token;    /* -1: none */
	const char *what; /* done, stopped, ...; text: "" */
	struct hb__mi_value *values;
	uint32_t n, cap;
};

/* Reads a line (without its line feed, NUL terminated), which is changed: the record points into it. False: not a record,
 * or no memory. `mi` is zeroed before its first use and may be used again. */
bool hb__mi_read(struct hb__mi *mi, char *line);
void hb__mi_free(struct hb__mi *mi);

/* The value of this name in a tuple; NULL: there is none, or `in` is NULL or a string. */
const struct hb__mi_value *hb__mi_get(const struct hb__mi *mi, const struct hb__mi_value *in, const char *name);
/* Its text; NULL: none. */
const char *hb__mi_text(const struct hb__mi *mi, const struct hb__mi_value *in, const char *name);
/* Its number, or `otherwise`. */
int hb__mi_int(const struct hb__mi *mi, const struct hb__mi_value *in, const char *name, int otherwise);
const struct hb__mi_value *hb__mi_first(const struct hb__mi *mi, const struct hb__mi_value *in);
const struct hb__mi_value *hb__mi_next(const struct hb__mi *mi, const struct hb__mi_value *value);

/* `text` as a string of MI, quoted; line feeds become blanks. NULL: no memory. */
char *hb__mi_quote(const char *text);

#endif
