/* Spans of traces. */
#ifndef HBDB_FOREIGN_SPANS_H
#define HBDB_FOREIGN_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "foreign/import.h"

struct cJSON;

enum { HB_SPAN_INTERNAL = 1, HB_SPAN_SERVER, HB_SPAN_CLIENT, HB_SPAN_PRODUCER, HB_SPAN_CONSUMER, HB_SPAN_KINDS };

struct hb__attribute {
	uint32_t key; /* hb__attribute_name */
	char *value;
};

struct hb__cause {
	uint64_t id; /* of the span that it names */
	uint32_t of; /* number of that span; HB_NO: it is not in the file */
};

struct hb__span {
	char *name, *trace, *message; /* message: of its status, NULL: none */
	uint64_t id;                  /* a hash of its trace and its own identity */
	uint32_t process;
	uint8_t kind, status; /* status: 0 unset, 1 ok, 2 error */
	uint64_t start, end;  /* nanoseconds since the epoch */
	uint32_t lane, depth; /* depth: how many spans of the file it is in */
	bool nested;          /* in its parent, on the same lane */
	bool answers;         /* its end comes before that of its parent */
	struct hb__cause parent, *link;
	struct hb__attribute *attribute;
	uint32_t links, attributes;
};

struct hb__service {
	char *name, *instance;
	uint64_t forward; /* nanoseconds that its clock is set forward */
};

struct hb__spans {
	hb_import *import;
	struct hb__span *at;
	size_t n, cap;
	struct hb__service *service; /* by process */
	size_t services, services_cap;
	bool failed; /* out of memory */
	uint64_t unfit, reversed, unknown,
		against; /* spans without a name, identity or time; that end before they begin; causes that are not in the file; that contradict time */
};

/* otlp.c. An object, or an array of them; false: it has no spans, nor a place for them. */
bool hb__otlp_take(struct hb__spans *spans, const struct cJSON *root);

/* attributes.c */
enum { HB_ATTRIBUTES = 32 };                  /* at most */
const char *hb__attribute_name(uint32_t key); /* NULL: past the last */
/* HB_NO: it is none of those that become values. */
uint32_t hb__attribute_key(const char *name);
/* An attribute's value as text, to be freed; NULL: none, or out of memory. */
char *hb__attribute_text(const struct cJSON *value);

/* causes.c: fills of, depth, answers; sets clocks forward; puts spans in order: a span comes after all that it follows from. */
void hb__causes(struct hb__spans *spans);
/* lanes.c: fills lane and nested. */
void hb__lanes(struct hb__spans *spans);
/* write.c */
hb_status hb__spans_write(struct hb__spans *spans, hb_error *err);

#endif
