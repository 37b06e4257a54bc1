/* The clock of the capture against that of the recorded processes: nothing is received before it was sent. */
#include <stdlib.h>

#include "../clocks/times.h"
#include "merge.h"

#define APART_NS 1000000 /* what counters of processes of one host, each measured by itself, may be apart */

struct clocks {
	hb_run run;
	uint32_t first_pid;
	hb_times times;
	int64_t low, high; /* what the capture's clock may be set forward by */
};

static bool is_captured(const struct clocks *c, uint32_t line)
{
	return hb_log_get_info(hb__line_log(&c->run, line))->pid >= c->first_pid;
}

static void bound(struct clocks *c, uint32_t receive)
{
	const hb_receive *r = &hb_model_receives(c->run.model)[receive];
	hb_at done = hb_receive_done(c->run.model, receive);
	if (r->send == HB_NO || (r->flags & HB_AMBIGUOUS) || done.line == HB_NO || !done.event)
		return;
	const hb_send *s = &hb_model_sends(c->run.model)[r->send];
	bool from = is_captured(c, s->line);
	if (from == is_captured(c, done.line))
		return;
	int64_t sent = hb__time_of(&c->times, (hb_at){s->line, s->event}).enter,
		got = hb__time_of(&c->times, done).exit;
	if (!sent || !got) /* it never returned */
		return;
	if (from && got - sent < c->high)
		c->high = got - sent;
	if (!from && sent - got > c->low)
		c->low = sent - got;
}

static int decide(const struct clocks *c, int64_t *ret)
{
	*ret = c->low > 0 ? c->low : c->high < 0 ? c->high : 0;
	if (c->low <= c->high)
		return 0;
	*ret = c->high + (c->low - c->high) / 2;
	if (c->low - c->high <= APART_NS)
		return 0;
	return hb__fail_with(HB_EXIT_RECORDING,
		"the clocks of the capture and of the recording cannot be brought together: by some messages that of the capture is at least %.6f s late, by others at most %.6f s; one of the machines set its clock meanwhile, or the packets are not those of this run",
		(double)c->low / 1e9, (double)c->high / 1e9);
}

int hb__merging_clock(const char *folder, uint32_t first_pid, int64_t *ret)
{
	struct clocks c = {.first_pid = first_pid, .low = INT64_MIN / 4, .high = INT64_MAX / 4};
	hb_error err = {0};
	*ret = 0;
	int code = hb__begin_run(folder, &c.run);
	if (c.run.views && hb__match_run(&c.run, NULL, NULL, &err))
		code = hb__fail_with(HB_EXIT_RECORDING, "%s", err.message);
	if (!code && c.run.model) {
		hb__times_open(&c.run, &c.times);
		for (uint32_t i = 0; i < hb_model_get_info(c.run.model)->receives; i++)
			bound(&c, i);
		code = decide(&c, ret);
		hb__times_close(&c.times);
	}
	hb__close_run(&c.run);
	return code;
}
