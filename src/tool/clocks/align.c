/* The clocks of a recording from its messages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../store/clocks/clocks.h"
#include "../store/manifest.h"
#include "align.h"
#include "calls/meaning.h"
#include "fit.h"
#include "times.h"

#define APART_NS 10.0     /* that a message is on its way at least, so that rounding does not bring it too early */
#define MEETINGS 1000000u /* collectives times hosts that are looked at */

struct aligning {
	hb_run run;
	hb_times times;
	hb_clock_message *message; /* between processes */
	size_t n, cap, real; /* real: those that are messages; behind them stand those that collectives are taken for */
	uint32_t *host_of;   /* by process */
	char **host;
	size_t hosts;
};

static void add(struct aligning *a, uint32_t from, uint32_t to, int64_t sent, int64_t got)
{
	if (from == to || !sent || !got)
		return;
	if (a->n == a->cap) {
		a->cap = a->cap ? 2 * a->cap : 1024;
		a->message = hb__resize(a->message, a->cap * sizeof *a->message);
	}
	a->message[a->n++] = (hb_clock_message){from, to, sent, got};
}

static uint32_t process_of(const struct aligning *a, uint32_t line)
{
	return hb_model_lines(a->run.model)[line].process;
}

static void take_messages(struct aligning *a)
{
	const hb_model *model = a->run.model;
	for (uint32_t i = 0; i < hb_model_get_info(model)->receives; i++) {
		const hb_receive *r = &hb_model_receives(model)[i];
		hb_at done = hb_receive_done(model, i);
		if (r->send == HB_NO || (r->flags & HB_AMBIGUOUS) || done.line == HB_NO || !done.event)
			continue;
		hb_at sent = hb_send_at(model, r->send);
		add(a, process_of(a, sent.line), process_of(a, done.line), hb__time_of(&a->times, sent).enter,
			hb__time_of(&a->times, done).exit);
	}
	a->real = a->n;
}

/* Of a host in a collective: who came last, and who left first. */
struct meeting {
	int64_t came, left;
	uint32_t last, first;
};

/* Where all wait for all, each host has sent to each other one, and got of it: the first host takes the part of all. */
static void take_collectives(struct aligning *a)
{
	const hb_model *model = a->run.model;
	uint32_t all = hb_model_get_info(model)->collectives, step = (uint32_t)(all * a->hosts / MEETINGS) + 1;
	struct meeting *meeting = hb__alloc((all / step + 1) * a->hosts * sizeof *meeting);
	for (uint32_t l = 0; l < hb_model_get_info(model)->lines; l++) {
		uint64_t n;
		uint32_t process = process_of(a, l);
		const hb_op *op = hb_model_ops(model, l, &n);
		for (uint64_t i = 0; i < n; i++) {
			if ((op[i].kind != HB_OP_ENTER && op[i].kind != HB_OP_LEAVE) || op[i].id % step ||
				hb_model_collectives(model)[op[i].id].order != HB_ORDER_ALL)
				continue;
			struct meeting *m = &meeting[op[i].id / step * a->hosts + a->host_of[process]];
			hb_when when = hb__time_of(&a->times, (hb_at){l, op[i].event});
			if (op[i].kind == HB_OP_ENTER && when.enter > m->came) {
				m->came = when.enter;
				m->last = process;
			} else if (op[i].kind == HB_OP_LEAVE && when.exit && (!m->left || when.exit < m->left)) {
				m->left = when.exit;
				m->first = process;
			}
		}
	}
	for (uint32_t c = 0; c < all; c += step)
		for (size_t h = 1; h < a->hosts; h++) {
			const struct meeting *m = &meeting[c / step * a->hosts];
			add(a, m[0].last, m[h].first, m[0].came, m[h].left);
			add(a, m[h].last, m[0].first, m[h].came, m[0].left);
		}
	free(meeting);
}

static void find_hosts(struct aligning *a)
{
	uint32_t n = hb_model_get_info(a->run.model)->processes;
	a->host_of = hb__alloc((n + 1) * sizeof *a->host_of);
	for (uint32_t i = 0; i < n; i++) {
		hb_log *log = hb_model_processes(a->run.model)[i].log;
		size_t h = 0;
		if (!log)
			continue;
		const char *name = hb_log_get_info(log)->host;
		while (h < a->hosts && strcmp(a->host[h], name) != 0)
			h++;
		if (h == a->hosts) {
			a->host = hb__resize(a->host, (a->hosts + 1) * sizeof *a->host);
			a->host[a->hosts++] = hb__copy(name);
		}
		a->host_of[i] = (uint32_t)h;
	}
}

static double corrected(const struct aligning *a, const hb_clocks *c, uint32_t process, int64_t t)
{
	const hb_host_clock *h = &c->host[a->host_of[process]];
	double since = (double)(t - c->origin * 1000000000);
	return since + h->shift_ns + h->rate * since;
}

static int by_ends(const void *x, const void *y)
{
	const hb_clock_bound *a = x, *b = y;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->least > b->least ? -1 : a->least < b->least;
}

/* Of each two processes the tightest bound. */
static size_t tightest(hb_clock_bound *bound, size_t n)
{
	size_t kept = 0;
	qsort(bound, n, sizeof *bound, by_ends);
	for (size_t i = 0; i < n; i++)
		if (!kept || bound[kept - 1].from != bound[i].from || bound[kept - 1].to != bound[i].to)
			bound[kept++] = bound[i];
	return kept;
}

/* What is left: processes of a host have measured their clock each by itself, lines are not exact, hosts may be unknown. */
static void shift_processes(struct aligning *a, hb_clocks *c)
{
	uint32_t n = hb_model_get_info(a->run.model)->processes;
	hb_clock_bound *bound = hb__alloc((a->real + 1) * sizeof *bound);
	double *shift = hb__alloc((n + 1) * sizeof *shift);
	for (size_t i = 0; i < a->real; i++) {
		const hb_clock_message *m = &a->message[i];
		bound[i] = (hb_clock_bound){
			m->from, m->to, corrected(a, c, m->from, m->sent) + APART_NS - corrected(a, c, m->to, m->got)};
	}
	size_t bounds = tightest(bound, a->real);
	bool whole = hb__fit_shifts(bound, bounds, shift, n);
	for (size_t i = 0; i < a->real; i++) {
		const hb_clock_message *m = &a->message[i];
		double early = corrected(a, c, m->from, m->sent) + (whole ? shift[m->from] - shift[m->to] : 0) -
			       corrected(a, c, m->to, m->got);
		c->early += early > 0;
		c->early_ns = early > c->early_ns ? early : c->early_ns;
	}
	size_t folder = strlen(a->run.path) + 1;
	for (uint32_t p = 0; p < n && whole; p++) {
		if (shift[p] <= 0 || a->run.log_of[p] == HB_NO)
			continue;
		c->log = hb__resize(c->log, (c->logs + 1) * sizeof *c->log);
		c->log[c->logs++] =
			(hb_log_clock){hb__copy(a->run.logs.at[a->run.log_of[p]].path + folder), ceil(shift[p])};
	}
	free(bound);
	free(shift);
}

static void align(struct aligning *a)
{
	int64_t first = INT64_MAX;
	hb_clocks c = {.hosts = a->hosts, .host = hb__alloc(a->hosts * sizeof *c.host)};
	hb_clock_line *line = hb__alloc(a->hosts * sizeof *line);
	hb__times_open(&a->run, &a->times);
	take_messages(a);
	take_collectives(a);
	for (size_t i = 0; i < a->n; i++)
		first = a->message[i].sent < first ? a->message[i].sent : first;
	c.origin = a->n ? first / 1000000000 : 0;
	c.messages = a->real;
	hb_clock_message *of_hosts = hb__alloc((a->n + 1) * sizeof *of_hosts);
	for (size_t i = 0; i < a->n; i++)
		of_hosts[i] = (hb_clock_message){a->host_of[a->message[i].from], a->host_of[a->message[i].to],
			a->message[i].sent, a->message[i].got};
	bool good = hb__fit_clocks(of_hosts, a->n, a->hosts, c.origin * 1000000000, line);
	free(of_hosts);
	for (size_t h = 0; h < a->hosts; h++)
		c.host[h] = (hb_host_clock){
			hb__copy(a->host[h]), good ? line[h].shift : 0, good ? line[h].rate : 0, good && line[h].known};
	shift_processes(a, &c);
	hb__clocks_write(a->run.path, &c);
	hb__times_close(&a->times);
	hb__clocks_free(&c);
	free(line);
}

static bool has_times(const char *recording)
{
	hb_manifest m;
	bool has = !hb__manifest_read(recording, &m) && hb__manifest_has_calls(&m);
	hb__manifest_free(&m);
	return has;
}

void hb__clocks_align(const char *recording)
{
	struct aligning a = {0};
	char *before = hb__format("%s/" HB_CLOCKS_FILE, recording);
	hb_error err;
	unlink(before); /* what was found with fewer logs */
	free(before);
	if (!has_times(recording))
		return;
	hb__begin_run(recording, &a.run);
	if (a.run.views && hb__match_run(&a.run, NULL, NULL, &err))
		hb__say("the clocks of the nodes could not be brought together: %s", err.message);
	if (a.run.model) {
		find_hosts(&a);
		if (a.hosts > 1)
			align(&a);
	}
	hb__close_run(&a.run);
	for (size_t i = 0; i < a.hosts; i++)
		free(a.host[i]);
	free(a.host);
	free(a.host_of);
	free(a.message);
}
