/* Writes the first inputs of the three fuzzers: small logs with everything in them. usage: seeds CORPORA */
#include <hbdb/format.h>
#include <sys/stat.h>

#include "../unit/random_log.h"
#include "format/sealed/sealed.h"

static const char *folder;

static void put(const char *kind, int n, const void *head, size_t heads, const void *p, size_t bytes)
{
	static uint8_t b[1 << 20];
	char path[600];
	snprintf(path, sizeof path, "%s/%s", folder, kind);
	mkdir(path, 0777);
	snprintf(path, sizeof path, "%s/%s/seed-%d", folder, kind, n);
	if (heads + bytes > sizeof b)
		return;
	memcpy(b, head, heads);
	memcpy(b + heads, p, bytes);
	raw_write(path, b, heads + bytes);
}

static size_t load(const char *path, uint8_t *b, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(b, 1, room, f) : 0;
	if (f)
		fclose(f);
	return n;
}

static uint8_t level_byte(int level) { return level == HB_LEVEL_RACING ? 0x80 : (uint8_t)level; }

static void blocks(const uint8_t *b, size_t n, int number, int level)
{
	for (size_t at = HB__HEAD; at + sizeof(struct hb__section) < n;) {
		struct hb__section s;
		memcpy(&s, b + at, sizeof s);
		uint8_t head[3] = {level_byte(level), (uint8_t)s.events, (uint8_t)(s.events >> 8)};
		if (s.kind == HB_SECTION_ROWS)
			put("block", number, head, 3, b + at + sizeof s, s.bytes);
		at += sizeof s + s.bytes;
	}
}

static void one(int n)
{
	static uint8_t b[1 << 20], rows[1 << 17];
	struct raw_log r;
	int level = n >= 12 ? HB_LEVEL_RACING : n % 3 ? HB_LEVEL_EVENTS : HB_LEVEL_ORDER;
	random_log(&r, (uint64_t)n + 50, level, 1, n < 3 ? 4 : 10 * n, n % 2);
	char path[600], sealed[600];
	snprintf(path, sizeof path, "%s/raw", folder);
	snprintf(sealed, sizeof sealed, "%s/sealed", folder);
	raw_save(&r, path);
	hb_error e;
	if (hb_log_seal(path, sealed, NULL, NULL, &e)) {
		fprintf(stderr, "%s\n", e.message);
		exit(1);
	}
	uint8_t repair = 1;
	size_t size = load(sealed, b, sizeof b);
	put("file", n, &repair, 1, b, size);
	blocks(b, size, n, level);
	/* units: header, control, definitions, rows */
	const struct hb_unit_header *d = (const struct hb_unit_header *)(r.image + 2 * HB_UNIT_SIZE), *u = d;
	u = (const struct hb_unit_header *)((const uint8_t *)u + HB_UNIT_SIZE);
	uint8_t head[3] = {(uint8_t)(level_byte(level) | 6), (uint8_t)d->committed, (uint8_t)(d->committed >> 8)};
	memcpy(rows, d + 1, d->committed);
	memcpy(rows + d->committed, u + 1, u->committed);
	put("rows", n, head, 3, rows, d->committed + u->committed);
	if (n == 1)
		put("file", 100, &repair, 1, r.image, r.units * HB_UNIT_SIZE);
	raw_free(&r);
	remove(path);
	remove(sealed);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	folder = argv[1];
	for (int n = 0; n < 15; n++)
		one(n);
	return 0;
}
