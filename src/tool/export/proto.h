/* Protocol buffers, the wire format: messages are built in memory, the innermost field last. */
#ifndef HBDB_EXPORT_PROTO_H
#define HBDB_EXPORT_PROTO_H

#include <string.h>

#include "base/utf8.h"
#include "export.h"

#define HB_PROTO_DEPTH 8

typedef struct hb_proto {
	uint8_t *at;
	size_t n, room;
	size_t open[HB_PROTO_DEPTH]; /* where the length of each open message stands */
	int depth;
} hb_proto;

static inline uint8_t *hb__proto_room(hb_proto *p, size_t more)
{
	if (p->n + more > p->room) {
		p->room = 2 * (p->n + more) + 256;
		p->at = hb__resize(p->at, p->room);
	}
	return p->at + p->n;
}

static inline void hb__proto_varint(hb_proto *p, uint64_t v)
{
	uint8_t *at = hb__proto_room(p, 10);
	for (; v >= 0x80; v >>= 7)
		*at++ = (uint8_t)(v | 0x80);
	*at++ = (uint8_t)v;
	p->n = (size_t)(at - p->at);
}

/* Wire types: 0 varint, 1 eight bytes, 2 length and bytes. */
static inline void hb__proto_uint(hb_proto *p, uint32_t field, uint64_t v)
{
	hb__proto_varint(p, (uint64_t)field << 3);
	hb__proto_varint(p, v);
}

static inline void hb__proto_fixed64(hb_proto *p, uint32_t field, uint64_t v)
{
	hb__proto_varint(p, (uint64_t)field << 3 | 1);
	uint8_t *at = hb__proto_room(p, 8);
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(v >> 8 * i);
	p->n += 8;
}

/* What is no UTF-8 becomes '?': a field of type string must not hold it. */
static inline void hb__proto_text(hb_proto *p, uint32_t field, const char *text)
{
	size_t length = strlen(text);
	hb__proto_varint(p, (uint64_t)field << 3 | 2);
	hb__proto_varint(p, length);
	char *to = (char *)hb__proto_room(p, length);
	memcpy(to, text, length);
	for (size_t i = 0, n; i < length; i += n ? n : 1) {
		n = hb_utf8_text(text + i);
		if (!n)
			to[i] = '?';
	}
	p->n += length;
}

static inline void hb__proto_bytes(hb_proto *p, uint32_t field, const void *bytes, size_t n)
{
	hb__proto_varint(p, (uint64_t)field << 3 | 2);
	hb__proto_varint(p, n);
	if (n)
		memcpy(hb__proto_room(p, n), bytes, n);
	p->n += n;
}

static inline void hb__proto_open(hb_proto *p, uint32_t field)
{
	hb__proto_varint(p, (uint64_t)field << 3 | 2);
	p->open[p->depth++] = p->n;
	*hb__proto_room(p, 1) = 0;
	p->n++;
}

/* One byte was left for the length; longer ones push the message on. */
static inline void hb__proto_close(hb_proto *p)
{
	size_t from = p->open[--p->depth], length = p->n - from - 1;
	size_t more = 0;
	for (size_t v = length; v >= 0x80; v >>= 7)
		more++;
	hb__proto_room(p, more);
	memmove(p->at + from + 1 + more, p->at + from + 1, length);
	p->n = from;
	hb__proto_varint(p, length);
	p->n = from + 1 + more + length;
}

#endif
