/* Logs that still grow: files that are cut, files that grow between looks, headers that are not there yet. */
#include <string.h>

#include "check.h"
#include "format/growing/growing.h"
#include "rawlog.h"

static hb_status look(hb_growing *g, const char *path)
{
	hb_error e = {0};
	hb_status s = hb_growing_look(g, path, &e);
	if (s != e.status)
		printf("FAIL the error says %d, not %d\n", e.status, s);
	return s;
}

/* Two lanes: the first has three units of rows between its control and that of the second. */
static void make(struct raw_log *r)
{
	int64_t many[600];
	memset(many, 0x55, sizeof many);
	raw_begin(r, HB_LEVEL_EVENTS);
	raw_header(r)->state = HB_STATE_RUNNING;
	raw_lane(r, 0, 5);
	raw_function(r, 3, 1, "Send", 0);
	raw_slot(r, 0, 2, 3, 9, 0, 0, NULL);
	while (r->units < 5)
		raw_event(r, 0, 2, 1, 1, 0, 600, many);
	raw_lane(r, 1, 6);
	raw_control(r, 0)->inside = 3;
	raw_control(r, 0)->inside_enter = 77;
	raw_control(r, 0)->polls = 4;
	raw_control(r, 1)->events = 9;
	raw_control(r, 1)->task = 4712;
	raw_control(r, 1)->faults = 1;
}

static bool is_made(const hb_growing *g, const struct raw_log *r)
{
	const hb_counters *a = &g->lane[0], *b = &g->lane[1];
	return g->nlanes == 2 && a->lane == 0 && a->events == r->lane[0].events && a->inside == 3 &&
	       a->inside_enter == 77 && a->polls == 4 && !a->task && !a->faults && b->lane == 1 && b->events == 9 &&
	       b->task == 4712 && b->faults == 1 && !b->inside && g->head.rank == 3 && g->head.size == 8 &&
	       g->head.pid == 4711 && g->head.level == HB_LEVEL_EVENTS && g->head.state == HB_STATE_RUNNING &&
	       g->head.units == r->units && !g->head.sealed && !strcmp(g->head.host, "node7");
}

static void whole(void)
{
	struct raw_log r;
	hb_growing g = {0};
	hb_log_head head;
	const char *path = check_path("rank.3.log");
	make(&r);
	raw_save(&r, path);
	check(!look(&g, path) && is_made(&g, &r), "what a log of two threads says");
	check(!look(&g, path) && is_made(&g, &r), "the same at the second look");
	check(!hb_log_head_read(path, &head, NULL) && head.pid == 4711 && head.units == r.units, "its header alone");
	hb_growing_free(&g);
	check(!g.nlanes && !g.lane, "freed");
	raw_free(&r);
}

/* Not there; room without a header; a header; a thread; its calls. */
static void grows(void)
{
	struct raw_log r;
	hb_growing g = {0};
	hb_log_head head;
	const char *path = check_path("rank.0.log");
	uint8_t zeros[4096] = {0};
	check(look(&g, path) == HB_E_SYSTEM && !g.nlanes && !g.head.pid, "a log that is not there yet");
	raw_write(path, "", 0);
	check(look(&g, path) == HB_E_DAMAGED, "an empty one");
	raw_write(path, zeros, sizeof zeros);
	check(look(&g, path) == HB_E_DAMAGED && hb_log_head_read(path, &head, NULL) == HB_E_DAMAGED && !head.pid,
		"one that has room, and no header yet");
	raw_begin(&r, HB_LEVEL_ORDER);
	raw_save(&r, path);
	check(!look(&g, path) && g.head.units == 1 && !g.nlanes, "one whose threads have called nothing");
	raw_header(&r)->units = 2;
	raw_save(&r, path);
	raw_header(&r)->units = 2;
	check(!look(&g, path) && !g.nlanes, "a unit that is counted before the file has it");
	r.units = 1;
	raw_lane(&r, 0, 5);
	((struct hb_unit_header *)raw_control(&r, 0))->magic = 0;
	raw_save(&r, path);
	check(!look(&g, path) && !g.nlanes && g.head.units == 2, "a unit that is not filled in yet");
	((struct hb_unit_header *)raw_control(&r, 0))->magic = HB_UNIT_MAGIC;
	raw_control(&r, 0)->events = 1;
	raw_save(&r, path);
	check(!look(&g, path) && g.nlanes == 1 && g.lane[0].events == 1, "... and now is");
	raw_control(&r, 0)->events = 5000000000u;
	raw_lane(&r, 1, 6);
	raw_header(&r)->state = HB_STATE_FINALIZED;
	raw_save(&r, path);
	check(!look(&g, path) && g.nlanes == 2 && g.lane[0].events == 5000000000u && g.head.state == HB_STATE_FINALIZED,
		"counters that go on, another thread, the end");
	hb_growing_free(&g);
	raw_free(&r);
}

/* Every length of a file: what is whole is read, and what was known stays known. */
static void cut(void)
{
	struct raw_log r;
	hb_growing known = {0};
	const char *path = check_path("rank.1.log");
	bool good = true;
	make(&r);
	raw_save(&r, path);
	look(&known, path);
	for (size_t n = 0; n <= r.units * HB_UNIT_SIZE;
		n += n < 1024 || n % HB_UNIT_SIZE > HB_UNIT_SIZE - 300 ? 1 : 127) {
		hb_growing g = {0};
		raw_write(path, r.image, n);
		hb_status s = look(&g, path), again = look(&known, path);
		size_t lanes = (n >= HB_UNIT_SIZE + sizeof(struct hb_unit_header)) +
			       (n >= 5 * HB_UNIT_SIZE + sizeof(struct hb_unit_header));
		bool head = n >= sizeof(struct hb_log_header);
		bool one = s == (head ? HB_OK : HB_E_DAMAGED) && again == s && g.nlanes == (head ? lanes : 0) &&
			   (!g.nlanes || n < HB_UNIT_SIZE + 256 || g.lane[0].events == r.lane[0].events) &&
			   is_made(&known, &r);
		if (!one && good)
			printf("  %zu bytes: status %d, %zu lanes\n", n, s, g.nlanes);
		good &= one;
		hb_growing_free(&g);
	}
	check(good, "a file that is cut anywhere");
	hb_growing_free(&known);
	raw_free(&r);
}

static void foreign(void)
{
	struct raw_log r;
	hb_growing g = {0};
	const char *path = check_path("rank.2.log"), *sealed = check_path("rank.2.sealed");
	make(&r);
	raw_save(&r, path);
	look(&g, path);
	check(!hb_log_seal(path, sealed, NULL, NULL, NULL) && !look(&g, sealed) && g.head.sealed && !g.head.units &&
			g.head.rank == 3 && g.nlanes == 2 && g.lane[1].events == 9,
		"a sealed log: its header, and the counters that were read before");
	raw_header(&r)->version++;
	raw_save(&r, path);
	check(look(&g, path) == HB_E_VERSION, "a version that is not known");
	memcpy(r.image, "NOTALOG\n", 8);
	raw_save(&r, path);
	check(look(&g, path) == HB_E_FOREIGN && g.head.rank == 3, "a file that is no log");
	check(look(&g, check_folder) == HB_E_SYSTEM, "a folder");
	hb_growing_free(&g);
	raw_free(&r);
}

int main(void)
{
	whole();
	grows();
	cut();
	foreign();
	check_clean();
	return check_end();
}
