/* What every part of the program hbdb uses: its exit codes, its way to print
 * and to fail, small containers. */
#ifndef HBDB_TOOL_H
#define HBDB_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hbdb/format.h"

#ifndef HBDB_VERSION
#define HBDB_VERSION "0.1.0"
#endif

enum {
	HB_EXIT_OK = 0,
	HB_EXIT_FINDING = 1,   /* a finding, or a replay that differs */
	HB_EXIT_USAGE = 2,     /* the user's command cannot be done as given */
	HB_EXIT_RECORDING = 3, /* the recording cannot be read */
};

/* Prints one line on stderr, after "hbdb: ". */
void hb__say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From here on nothing is said: another process of the same command says it. */
void hb__hush(void);
/* The same, and returns code. */
int hb__fail_with(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says what the reader said of a file, and what to do; returns the exit code. */
int hb__fail_log(const char *path, const hb_error *err);
/* Whether the terminal on this descriptor wants colour. */
bool hb__colour(int fd);

/* Memory that is there, or the program ends. */
void *hb__alloc(size_t size);
void *hb__resize(void *old, size_t size);
char *hb__copy(const char *text);
char *hb__format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A growing, NULL terminated list of strings that it owns. */
typedef struct hb_strings {
	char **at;
	size_t n;
} hb_strings;
void hb__push(hb_strings *list, const char *text);
void hb__insert(hb_strings *list, size_t before, const char *text);
void hb__strings_free(hb_strings *list);

/* "1 process", "2 processes": the noun with an s or es behind it. */
const char *hb__plural(uint64_t n, const char *one, const char *many);

#endif
