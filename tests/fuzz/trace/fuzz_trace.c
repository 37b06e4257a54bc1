/* Any bytes as a trace. The first byte: bit 0, make the checksums of its blocks right; bit 1, the bytes are the payload of one block;
 * bit 2, they are the text of traces behind its first line. What it says is put together at points, and compared with itself. */
#include <xxhash.h>

#include "../fuzz.h"
#include "rules/reference/reference.h"

#define LARGEST (1u << 20)

static size_t lay_out(const uint8_t *p, size_t n, uint8_t mode, uint8_t *to)
{
	struct hb_trace_header h = {.version = HB_TRACE_VERSION, .size = 1};
	memcpy(h.magic, HB_TRACE_MAGIC, sizeof h.magic);
	if (!(mode & 2)) {
		memcpy(to, p, n);
		return n;
	}
	struct hb_trace_block b = {.bytes = (uint32_t)n};
	memcpy(to, &h, sizeof h);
	memcpy(to + sizeof h, &b, sizeof b);
	memcpy(to + sizeof h + sizeof b, p, n);
	return sizeof h + sizeof b + n;
}

static void repair(uint8_t *p, size_t n)
{
	uint64_t number = 0;
	for (size_t at = sizeof(struct hb_trace_header); n >= at + sizeof(struct hb_trace_block);) {
		struct hb_trace_block b;
		memcpy(&b, p + at, sizeof b);
		if (b.bytes > n - at - sizeof b)
			return;
		b.check = XXH3_64bits_withSeed(p + at + sizeof b, b.bytes, number++);
		memcpy(p + at, &b, sizeof b);
		at += sizeof b + b.bytes;
	}
}

static bool is_text; /* of the input at hand */

static hb_status open_input(const char *path, hb_trace **ret, hb_error *e)
{
	return is_text ? hb_trace_open_text(path, 0, ret, e) : hb_trace_open(path, ret, e);
}

static uint64_t read_all(const char *path)
{
	hb_trace *t;
	hb_trace_record r;
	hb_error e = {0};
	uint64_t n = 0;
	int got;
	if (open_input(path, &t, &e)) {
		fuzz_must(e.status < 0 && e.message[0] && !t, "an error says what it is");
		return 0;
	}
	while ((got = hb_trace_next(t, &r, &e)) > 0) {
		n++;
		fuzz_must(r.kind > 0 && r.kind < HB_TRACE_KINDS, "a record has a kind");
		fuzz_must(r.n + r.others <= HB_TRACE_INDICES && r.tiles <= HB_TILES_MOST, "it is within its bounds");
		if (r.kind == HB_TRACE_ARRAY)
			fuzz_must(hb_trace_array_of(t, r.number)->id.name != NULL, "an array has a name");
		if (r.kind == HB_TRACE_BEGIN)
			fuzz_must(hb_trace_construct_of(t, r.number)->file != NULL, "a construct has a file");
	}
	fuzz_must(!got || e.message[0], "an error says what it is");
	hb_trace_close(t);
	return n;
}

static void visit(void *user, const hb_reference_difference *d)
{
	uint64_t *differences = user;
	/* with itself nothing differs but what makes no sense in one run alone */
	*differences += d->kind == HB_REFERENCE_CHECKSUM;
}

static void compare(const char *path)
{
	hb_points *p[2];
	hb_error e = {0};
	uint64_t differences = 0;
	for (int i = 0; i < 2; i++) {
		fuzz_must(!hb_points_open(&p[i], &e), "memory");
		fuzz_must(!(is_text ? hb_points_add_text(p[i], path, 0, &e) : hb_points_add(p[i], path, &e)),
			"what opened opens");
		hb_points_end(p[i]);
	}
	hb_reference *r;
	const hb_reference_tolerance t = {.relative = 1e-8};
	fuzz_must(!hb_reference_open(p[0], p[1], &t, visit, &differences, &r, &e), "a comparison begins");
	while (hb_reference_step(r, &e) > 0)
		;
	fuzz_must(!differences, "no array differs from itself");
	hb_reference_close(r);
	hb_points_close(p[0]);
	hb_points_close(p[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t b[LARGEST + 256];
	if (size < 1 || size > LARGEST)
		return 0;
	is_text = data[0] & 4;
	static const char head[] = "hbdb-trace 1\nprocess 0 of 1\n";
	size_t n = sizeof head - 1 + size - 1;
	if (is_text) {
		memcpy(b, head, sizeof head - 1);
		memcpy(b + sizeof head - 1, data + 1, size - 1);
	} else
		n = lay_out(data + 1, size - 1, data[0], b);
	if (!is_text && data[0] & 1)
		repair(b, n);
	const char *path = fuzz_path("trace");
	fuzz_write(path, b, n);
	if (read_all(path))
		compare(path);
	unlink(path);
	return 0;
}
