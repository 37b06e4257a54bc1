/* How each request of the record ended, learnt before the replay begins: what a
 * wildcard receive gets is known at its completion and needed at its posting. Alone
 * nothing is posted, and reading the record twice takes as long as a quick program: it is
 * learnt when somebody asks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/core/record/record.h"
#include "capture/core/follow/follow.h"

#define LANES 4096

static struct lane_outcomes {
	uint64_t thread;
	bool known;
	struct hb__outcome *at;
	uint64_t size;
	int64_t last_ref;
} lanes[LANES];
static bool cancelled, learnt;

bool hb__outcomes_cancelled(void) { return cancelled; }

static void ended(uint64_t lane, int64_t posting, struct hb__outcome how)
{
	if (lane >= LANES || posting < 0)
		return;
	struct lane_outcomes *l = &lanes[lane];
	cancelled |= how.ended == HB__CANCELLED;
	if ((uint64_t)posting >= l->size) {
		uint64_t n = l->size ? l->size : 4096;
		while (n <= (uint64_t)posting)
			n *= 2;
		struct hb__outcome *p = hb__pages(n * sizeof *p);
		if (!p)
			return;
		if (l->at) {
			memcpy(p, l->at, l->size * sizeof *p);
			munmap(l->at, l->size * sizeof *p);
		}
		l->at = p;
		l->size = n;
	}
	l->at[posting] = how;
}

/* Reads results one by one; past the end they are zero and `ok` falls. */
struct take {
	const int64_t *p, *end;
	bool ok;
};

static int64_t next(struct take *t)
{
	if (t->p < t->end)
		return *t->p++;
	t->ok = false;
	return 0;
}

static int64_t reference(struct take *t, uint16_t lane, uint64_t *ret_lane)
{
	int64_t n = next(t);
	if (n & 1) {
		*ret_lane = (uint64_t)(n - 1) / 2;
		return next(t);
	}
	*ret_lane = lane;
	return lanes[lane].last_ref = lanes[lane].last_ref + 1 + n / 2;
}

static void status(struct take *t, uint16_t lane)
{
	int64_t code = next(t);
	uint64_t of = 0;
	struct hb__outcome how = {.ended = HB__DONE};
	if (code == HB_ST_NULL || code == HB_ST_UNKNOWN)
		return;
	int64_t posting = reference(t, lane, &of);
	int64_t class = code == HB_ST_ERROR ? next(t) : 0;
	if (code == HB_ST_CANCELLED)
		how.ended = HB__CANCELLED;
	if (code == HB_ST_MESSAGE || code == HB_ST_ERROR) {
		how.ended = HB__MESSAGE;
		how.source = (int32_t)next(t);
		how.tag = (int32_t)next(t);
		next(t); /* bytes */
	}
	if (code == HB_ST_CONTENTS) {
		how.checked = true;
		how.check = (uint16_t)next(t);
	}
	if (t->ok && class != 18 /* pending */)
		ended(of, posting, how);
}

static void row_read(const struct hb__row *row, uint16_t lane)
{
	const struct hb__fn *fn = row->slot->fn;
	struct take t = {row->results, row->results + row->n, true};
	if (!fn || !row->n)
		return;
	uint64_t of;
	if (fn->flags & HB_START || fn->flags & HB_MATCHED || fn->means->does == HB_DOES_CANCEL ||
		fn->means->does == HB_DOES_FREE_REQUEST) {
		while (t.p < t.end)
			reference(&t, lane, &of);
		return;
	}
	if (fn->cls != HB_COMPLETE)
		return;
	if (fn->role[HB_R_INDICES]) {
		for (int64_t n = next(&t); n > 0 && t.ok; n--) {
			next(&t);
			status(&t, lane);
		}
	} else if (fn->role[HB_R_INDEX]) {
		if (next(&t) >= 0)
			status(&t, lane);
	} else {
		while (t.p < t.end && t.ok)
			status(&t, lane);
	}
}

/* Of receives whose end is not in the record: what they had taken, where the record shows that they had. Written by hbdb,
 * src/tool/store/replayed/taken.c. */
static void taken_read(void)
{
	char path[4200], line[200];
	snprintf(path, sizeof path, "%s/taken", hb__config.script);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		int number, source, tag;
		uint64_t lane;
		int64_t posting;
		if (sscanf(line, "%d %" SCNu64 " %" SCNd64 " %d %d", &number, &lane, &posting, &source, &tag) == 5 &&
			number == hb__replayed_as())
			ended(lane, posting, (struct hb__outcome){.ended = HB__MESSAGE, .source = source, .tag = tag});
	}
	if (f)
		fclose(f);
}

void hb__outcomes_learn(void)
{
	uint16_t lane;
	struct hb__reader *r;
	for (unsigned i = 0; (r = hb__script_lane(i, &lane)); i++) {
		struct hb__row row;
		if (lane >= LANES)
			continue;
		lanes[lane].thread = hb__script_reader_thread(r);
		lanes[lane].known = true;
		lanes[lane].last_ref = -1;
		while (hb__script_next(r, &row))
			row_read(&row, lane);
	}
	taken_read();
	__atomic_store_n(&learnt, true, __ATOMIC_RELEASE);
}

static void learn_now(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (!__atomic_load_n(&learnt, __ATOMIC_ACQUIRE))
		pthread_once(&once, hb__outcomes_learn);
}

struct hb__outcome hb__outcome(const struct hb__lane *lane, uint64_t posting)
{
	for (unsigned i = 0; i < LANES && lanes[i].known; i++)
		if (lanes[i].thread == lane->thread)
			return posting < lanes[i].size ? lanes[i].at[posting] : (struct hb__outcome){0};
	return (struct hb__outcome){0};
}

struct hb__outcome hb__outcome_in(uint16_t lane, uint64_t posting)
{
	learn_now();
	return lane < LANES && lanes[lane].known && posting < lanes[lane].size ? lanes[lane].at[posting]
									       : (struct hb__outcome){0};
}
