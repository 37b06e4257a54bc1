/* Output by the megabyte: a buffer before a descriptor, without printf. */
#ifndef HBDB_SHOW_OUT_H
#define HBDB_SHOW_OUT_H

#include <string.h>

#include "../tool.h"

#define HB_OUT_ROOM 65536u

typedef struct hb_output {
	int fd;
	bool broken; /* the reader has gone, or the disk is full: nothing more is written */
	int error;   /* errno of that */
	size_t n;
	char at[HB_OUT_ROOM];
} hb_output;

void hb__flush(hb_output *out);
void hb__put(hb_output *out, const char *bytes, size_t n);
static inline void hb__put_text(hb_output *out, const char *text) { hb__put(out, text, strlen(text)); }
void hb__put_char(hb_output *out, char c);
void hb__put_int(hb_output *out, int64_t n);
void hb__put_uint(hb_output *out, uint64_t n);
/* As few digits as give the number back, at least one behind the point; "nan", "inf". */
void hb__put_real(hb_output *out, double value);
void hb__put_hex(hb_output *out, uint64_t n);
/* Nanoseconds as seconds with nine decimals. */
void hb__put_seconds(hb_output *out, int64_t ns);
/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void hb__put_json(hb_output *out, const char *text);
/* Members of a JSON object that has been begun: a comma where it is not the first, the name, and the value. Infinity and NAN are null, as is a text
 * that is NULL. */
void hb__put_member(hb_output *out, const char *name); /* the value follows */
void hb__put_text_member(hb_output *out, const char *name, const char *value);
void hb__put_uint_member(hb_output *out, const char *name, uint64_t value);
void hb__put_real_member(hb_output *out, const char *name, double value);
void hb__put_truth_member(hb_output *out, const char *name, bool value);
void hb__put_ints_member(hb_output *out, const char *name, const int64_t *at, unsigned n);
/* Text of XML, also for attributes in double quotes. */
void hb__put_xml(hb_output *out, const char *text);

#endif
