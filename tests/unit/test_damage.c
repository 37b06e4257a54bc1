/* Damaged logs: every byte changed, every length, parts exchanged. Whatever comes, reading ends, and what
 * is read is a beginning of what was written, unless no checksum covers the byte that changed. */
#include <string.h>

#include "check.h"
#include "compare.h"
#include "random_log.h"

static uint64_t opens, recovers, refusals;

/* Reads everything there is to read. */
static uint64_t read_through(const char *path)
{
	hb_log *log;
	hb_error e = {0};
	uint64_t n = 0;
	opens++;
	hb_status status = hb_log_open(path, &log, &e);
	if (status) {
		refusals++;
		return status < 0 && e.message[0] ? 0 : UINT64_MAX;
	}
	recovers += (uint64_t)hb_log_get_info(log)->recovered;
	for (uint32_t l = 0; l < hb_log_get_info(log)->lanes; l++) {
		hb_cursor *c;
		hb_row r;
		if (hb_cursor_open(log, l, 1, &c, &e))
			continue;
		while (hb_cursor_next(c, &r, &e) > 0)
			n++;
		hb_cursor_close(c);
		if (!hb_cursor_open(log, l, n / 2 + 1, &c, &e))
			hb_cursor_close(c);
	}
	hb_log_close(log);
	return n;
}

static uint8_t *load(const char *path, size_t *ret_n)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = malloc(1 << 20);
	*ret_n = f && p ? fread(p, 1, 1 << 20, f) : 0;
	if (f)
		fclose(f);
	return p;
}

/* Every byte outside zeros that no one reads, changed in two ways. */
static void every_byte(const char *name, const uint8_t *good, size_t n, uint64_t events)
{
	uint8_t *bad = malloc(n);
	const char *path = check_path("bad");
	bool fine = true;
	size_t changed = 0;
	for (size_t i = 0; i < n && fine; i++) {
		bool quiet = i + 64 < n && i % 997 && !memcmp(good + i, good + i + 1, 63) && good[i] == 0;
		for (int way = 0; way < 1 + (i % 4 == 0) && !quiet && fine; way++) {
			memcpy(bad, good, n);
			bad[i] ^= way ? (uint8_t)(1u << i % 8) : 0xff;
			raw_write(path, bad, n);
			fine = read_through(path) <= events + 40;
			changed++;
		}
	}
	check(fine, "%s: each byte changed (%zu times)", name, changed);
	free(bad);
}

static void every_length(const char *name, const uint8_t *good, size_t n, uint64_t events)
{
	const char *path = check_path("cut");
	bool fine = true;
	uint64_t last = events;
	for (size_t length = n; length-- > 0 && fine;) {
		if (n > 20000 && length > 2000 && length % 251 && n - length > 2000)
			continue;
		raw_write(path, good, length);
		uint64_t read = read_through(path);
		fine = read <= last; /* never more from less */
		last = read;
	}
	check(fine && last == 0, "%s: each length", name);
}

static void noise(const char *name, const uint8_t *good, size_t n)
{
	uint8_t *bad = malloc(n);
	const char *path = check_path("noise");
	uint64_t state = 4242;
	bool fine = true;
	for (int round = 0; round < 120 && fine; round++) {
		memcpy(bad, good, n);
		size_t from = below(&state, n), to = below(&state, n), length = below(&state, 300) + 1;
		for (size_t i = 0; i < length && to + i < n; i++)
			bad[to + i] = round % 2 ? good[(from + i) % n] : (uint8_t)raw_random(&state);
		raw_write(path, bad, n);
		fine = read_through(path) != UINT64_MAX;
		hb_error e = {0};
		if (round % 10 == 0 && hb_log_seal(path, check_path("noise.sealed"), NULL, NULL, &e) == HB_OK)
			read_through(check_path("noise.sealed"));
	}
	check(fine, "%s: stretches of noise, stretches moved", name);
	free(bad);
}

/* A change that a checksum covers is always noticed. */
static void sealed_notices(const uint8_t *good, size_t n)
{
	uint8_t *bad = malloc(n);
	const char *path = check_path("bad");
	bool fine = true;
	size_t i;
	for (i = 0; i < n && fine; i += n > 4000 ? 3 : 1) {
		memcpy(bad, good, n);
		bad[i] ^= 0x10;
		raw_write(path, bad, n);
		hb_error e = {0};
		fine = hb_log_verify(path, NULL, &e) != HB_OK && e.message[0];
	}
	check(fine, "verify notices a change of any byte of a sealed log%s", fine ? "" : " (not this one)");
	if (!fine)
		printf("  byte %zu\n", i);
	free(bad);
}

/* Without its index, and without its last block, a sealed log still reads. */
static void lost_index(const uint8_t *good, size_t n, uint64_t events)
{
	const char *path = check_path("bad");
	hb_log *log = NULL;
	raw_write(path, good, n - 20);
	uint64_t read = read_through(path);
	check(read == events, "all events without the index (%d)", (int)read);
	check(!hb_log_open(path, &log, NULL) && hb_log_get_info(log)->recovered && hb_log_function(log, 0) &&
			hb_log_get_info(log)->host[0],
		"and what else was known");
	hb_log_close(log);
}

static void one(const char *name, int level, bool sealed)
{
	struct raw_log r;
	size_t n;
	random_log(&r, 11, level, 1, 60, false);
	raw_save(&r, check_path("raw"));
	raw_free(&r);
	const char *path = check_path("raw");
	hb_error e = {0};
	uint64_t events = 0;
	if (sealed) {
		path = check_path("sealed");
		check(!hb_log_seal(check_path("raw"), path, NULL, NULL, &e), "%s: seals", name);
	}
	check(!hb_log_verify(path, &events, &e) && events == 60, "%s: whole at first", name);
	uint8_t *good = load(path, &n);
	every_byte(name, good, n, events);
	every_length(name, good, n, events);
	noise(name, good, n);
	if (sealed) {
		sealed_notices(good, n);
		lost_index(good, n, events);
	}
	free(good);
}

/* Damage in a closed unit: the lane ends before it, exactly; the other lane is whole. */
static void closed_unit(void)
{
	struct raw_log r;
	random_log(&r, 21, HB_LEVEL_EVENTS, 2, 40000, false);
	size_t unit = 0;
	for (size_t k = 1; k < r.units && !unit; k++) {
		const struct hb_unit_header *h = (const struct hb_unit_header *)(r.image + k * HB_UNIT_SIZE);
		if (h->kind == HB_UNIT_ROWS && h->lane == 1 && h->seq == 3 && h->closed)
			unit = k * HB_UNIT_SIZE;
	}
	uint64_t before = ((const struct hb_unit_header *)(r.image + unit))->events_before;
	r.image[unit + HB_UNIT_PAYLOAD + 5000] ^= 1;
	const char *path = check_path("closed");
	raw_save(&r, path);
	hb_log *log = NULL;
	hb_lane_info a = {0}, b = {0};
	hb_error e = {0};
	bool good = unit && !hb_log_open(path, &log, &e) && !hb_log_lane(log, 0, &a) && !hb_log_lane(log, 1, &b);
	check(good && hb_log_get_info(log)->recovered && a.events == r.lane[0].events && b.events == before &&
			!b.inside && read_through(path) == a.events + b.events,
		"a lane ends before a unit whose checksum is wrong");
	check(hb_log_verify(path, NULL, &e) == HB_E_DAMAGED, "and verify says so");
	check(!hb_log_seal(path, check_path("sealed"), NULL, NULL, &e) &&
			hb_log_verify(check_path("sealed"), NULL, &e) &&
			read_through(check_path("sealed")) == a.events + b.events,
		"sealed, it keeps what is readable, and says what was not");
	hb_log_close(log);
	raw_free(&r);
}

static void foreign(void)
{
	hb_log *log;
	hb_error e = {0};
	raw_write(check_path("text"), "This is not a log at all.\n", 26);
	check(hb_log_open(check_path("text"), &log, &e) == HB_E_FOREIGN && !log, "%s", e.message);
	raw_write(check_path("empty"), "", 0);
	check(hb_log_open(check_path("empty"), &log, &e) == HB_E_DAMAGED, "%s", e.message);
	check(hb_log_open("/tmp", &log, &e) == HB_E_FOREIGN || e.status == HB_E_SYSTEM, "%s", e.message);
	struct raw_log r;
	random_log(&r, 3, HB_LEVEL_EVENTS, 1, 10, false);
	raw_header(&r)->incompatible = HB_LOG_KNOWN + 1;
	raw_save(&r, check_path("later"));
	check(hb_log_open(check_path("later"), &log, &e) == HB_E_VERSION, "%s", e.message);
	raw_header(&r)->incompatible = 0;
	raw_header(&r)->version = HB_LOG_VERSION + 1;
	raw_save(&r, check_path("later"));
	check(hb_log_open(check_path("later"), &log, &e) == HB_E_VERSION, "%s", e.message);
	raw_header(&r)->version = 0;
	raw_save(&r, check_path("later"));
	check(hb_log_open(check_path("later"), &log, &e) == HB_E_VERSION, "%s", e.message);
	raw_header(&r)->version = 1;
	raw_save(&r, check_path("earlier"));
	bool read = hb_log_open(check_path("earlier"), &log, &e) == HB_OK;
	check(read && hb_log_get_info(log)->version == 1, "version 1 is read");
	hb_log_close(log);
	raw_free(&r);
}

int main(void)
{
	foreign();
	closed_unit();
	one("raw", HB_LEVEL_EVENTS, false);
	one("raw order", HB_LEVEL_ORDER, false);
	one("sealed", HB_LEVEL_EVENTS, true);
	one("sealed order", HB_LEVEL_ORDER, true);
	printf("  %d opened, %d recovered, %d refused\n", (int)opens, (int)recovers, (int)refusals);
	check_clean();
	return check_end();
}
