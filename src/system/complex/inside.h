/* What the files of this folder share: statements of SQL in one call. */
#ifndef HBDB_SYSTEM_COMPLEX_INSIDE_H
#define HBDB_SYSTEM_COMPLEX_INSIDE_H

#include <sqlite3.h>

#include "system/complex/complex.h"

struct hb_complex {
	sqlite3 *db;
	int depth; /* of hb_complex_begin */
	char path[256];
};

/* Text of schema.sql. */
extern const char hb__complex_schema[];

hb_status hb__complex_fail(hb_error *err, hb_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* What SQLite said last. */
hb_status hb__complex_wrong(hb_complex *c, hb_error *err);
/* A statement with its values bound, by a letter each: i int64_t, I int64_t where 0 is NULL, s text or NULL, r double, R double where below 0 is
 * NULL, j cJSON as text or NULL, f the cJSON number of that (NULL: none), t the cJSON text of that. NULL: it failed. */
sqlite3_stmt *hb__db_ask(hb_complex *c, hb_error *err, const char *sql, const char *types, ...);
/* Does it; no rows are looked at. */
hb_status hb__db_do(hb_complex *c, hb_error *err, const char *sql, const char *types, ...);
/* The first column of the first row; `none` where there is no row. */
int64_t hb__db_number(hb_complex *c, int64_t none, const char *sql, const char *types, ...);
/* The same as text; NULL where there is no row, or no value. free. */
char *hb__db_words(hb_complex *c, const char *sql, const char *types, ...);
/* An event whose text is put together. */
hb_status hb__db_tell(hb_complex *c, hb_error *err, const char *kind, const char *weight, int64_t node, int64_t program,
	int64_t process, const cJSON *data, const char *format, ...) __attribute__((format(printf, 9, 10)));
const char *hb__db_text_of(const cJSON *object, const char *name); /* NULL: none */

#endif
