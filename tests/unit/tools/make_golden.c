/* Writes the golden logs of tests/golden into a folder; tests/golden/make.sh calls it. */
#include <string.h>

#include <hbdb/format.h>

#include "../random_log.h"

static const char *folder;

static const char *place(const char *name)
{
	static char path[4][512];
	static int next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof path[0], "%s/%s.log", folder, name);
	return p;
}

static void seal(const char *from, const char *to)
{
	hb_error e;
	if (hb_log_seal(place(from), place(to), NULL, NULL, &e)) {
		fprintf(stderr, "%s\n", e.message);
		exit(1);
	}
}

/* A log changed after it was written: its bytes [at, at + n) inverted, or only its first `keep` kept. */
static void harm(const char *from, const char *to, long at, long n, long keep)
{
	static uint8_t b[1 << 20];
	FILE *f = fopen(place(from), "rb");
	long size = f ? (long)fread(b, 1, sizeof b, f) : 0;
	if (f)
		fclose(f);
	if (at < 0)
		at += size;
	for (long i = at; i < at + n && i < size; i++)
		b[i] = (uint8_t)~b[i];
	raw_write(place(to), b, (size_t)(keep ? (keep < 0 ? size + keep : keep) : size));
}

/* Two blocks of the sealed form, from a log too large to keep. */
static void two_blocks(void)
{
	struct raw_log r;
	raw_begin(&r, HB_LEVEL_EVENTS);
	raw_lane(&r, 0, 0);
	for (unsigned s = 0; s < 5; s++)
		raw_slot(&r, 0, s, s, 0, 0, 0, NULL);
	for (unsigned i = 0; i < 66000; i++)
		raw_event(&r, 0, i % 5, 10 + i % 3, 100, 0, 0, NULL);
	raw_save(&r, place("large"));
	raw_free(&r);
	seal("large", "sealed-blocks");
	remove(place("large"));
}

/* Arguments that change between rows, and of the call that the process never came back from. */
static void arguments(void)
{
	struct raw_log r;
	int64_t one[] = {1, 2, 3};
	raw_begin(&r, HB_LEVEL_EVENTS);
	raw_header(&r)->incompatible = HB_LOG_INCOMPAT_ARGUMENTS;
	raw_lane(&r, 0, 0);
	raw_function(&r, 7, 1, "Send", 3);
	raw_slot(&r, 0, 0, 7, 0, HB_SLOT_CHECK, 3, one);
	raw_slot(&r, 0, 1, 7, 0, 0, 3, one);
	for (int i = 0; i < 300; i++) {
		if (i % 4)
			raw_argument(&r, 0, i % 2, i % 3, i % 5 ? 1000 * i : -i);
		raw_event(&r, 0, i % 2, 10 + i, 100, (uint16_t)(i + 1), 0, NULL);
	}
	raw_argument(&r, 0, 1, 2, -99);
	raw_control(&r, 0)->inside = 2;
	raw_control(&r, 0)->inside_enter = 90000;
	raw_header(&r)->state = HB_STATE_RUNNING;
	raw_save(&r, place("raw-arguments"));
	raw_free(&r);
	seal("raw-arguments", "sealed-arguments");
}

int main(int argc, char **argv)
{
	struct raw_log r;
	if (argc != 2)
		return 2;
	folder = argv[1];
	random_log(&r, 2, HB_LEVEL_EVENTS, 1, 120, true);
	raw_save(&r, place("raw-events"));
	raw_free(&r);
	random_log(&r, 5, HB_LEVEL_ORDER, 1, 900, false);
	raw_save(&r, place("raw-order"));
	raw_free(&r);
	random_log(&r, 9, HB_LEVEL_EVENTS, 3, 300, false);
	raw_header(&r)->state = HB_STATE_RUNNING;
	raw_save(&r, place("raw-threads"));
	raw_free(&r);
	random_log(&r, 11, HB_LEVEL_RACING, 2, 500, false);
	raw_save(&r, place("raw-racing"));
	raw_free(&r);
	seal("raw-events", "sealed-events");
	seal("raw-order", "sealed-order");
	seal("raw-threads", "sealed-threads");
	seal("raw-racing", "sealed-racing");
	two_blocks();
	arguments();
	/* its units 5 to 7 hold the rows of its three lanes */
	harm("raw-threads", "raw-cut", 0, 0, 7 * HB_UNIT_SIZE + 1200);
	harm("raw-threads", "raw-damaged", 5 * HB_UNIT_SIZE + HB_UNIT_PAYLOAD + 1200, 40, 0);
	harm("sealed-threads", "sealed-cut", 0, 0, -700);
	harm("sealed-events", "sealed-damaged", -600, 8, 0);
	return 0;
}
