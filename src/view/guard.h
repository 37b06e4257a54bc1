/* Who may ask: the page that this server gave away, and nobody else. */
#ifndef HBDB_VIEW_GUARD_H
#define HBDB_VIEW_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HB_TOKEN 32             /* characters */
#define HB_BODY_MOST 65536      /* bytes */
#define HB_HEADERS_MOST "16384" /* bytes of the request line and the headers */

/* What a request says of itself. Names of headers in any case; a header that was given twice is in it twice. */
struct hb_asked {
	const char *method, *path; /* the path as it came: not decoded, without the query */
	size_t headers;
	const char *(*header)(const void *user, size_t index, const char **ret_value);
	const void *user;
	long long body; /* bytes, -1: not told */
};

struct hb_guard {
	char token[HB_TOKEN + 1];
	uint16_t port;
};

/* 16 random bytes from the system, in hexadecimal. False: the system has none. */
bool hb__guard_token(char ret[HB_TOKEN + 1]);
/* 0 and what stands behind /TOKEN/, or the status to refuse with and why. */
int hb__guard(const struct hb_guard *guard, const struct hb_asked *asked, const char **ret_rest, const char **ret_why);

#endif
