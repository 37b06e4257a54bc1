/* Clocks of nodes from messages: made-up clocks that are ahead and drift, messages that take a chance time. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "tool/clocks/fit.h"

#define NODES 5
#define SECOND 1000000000LL
#define ORIGIN (1700000000LL * SECOND)

static uint64_t state = 88172645463325252ULL;

static double chance(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

struct clock {
	double ahead, drift; /* what it says is t + ahead + drift * (t - ORIGIN) */
};

static int64_t says(struct clock c, double t) { return ORIGIN + (int64_t)(t + c.ahead + c.drift * t); }

/* Messages over `seconds`, a latency of 20 us and up to ten times that; ring: only between neighbours, else between all. */
static size_t run(const struct clock *clock, double seconds, bool ring, bool back, hb_clock_message *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double t = chance() * seconds * 1e9, takes = 20e3 * (1 + 9 * chance() * chance());
		size_t from = (size_t)(chance() * NODES),
		       to = ring ? (from + 1 + (chance() < 0.5 ? NODES - 2 : 0)) % NODES : (size_t)(chance() * NODES);
		if (!back && from > to) {
			size_t other = from;
			from = to;
			to = other;
		}
		all[i] = (hb_clock_message){
			(uint32_t)from, (uint32_t)to, says(clock[from], t), says(clock[to], t + takes)};
	}
	return n;
}

static size_t early(const hb_clock_message *all, size_t n, const hb_clock_line *line)
{
	size_t wrong = 0;
	for (size_t i = 0; i < n; i++) {
		const hb_clock_message *m = &all[i];
		double sent = (double)(m->sent - ORIGIN), got = (double)(m->got - ORIGIN);
		sent += line[m->from].shift + line[m->from].rate * sent;
		got += line[m->to].shift + line[m->to].rate * got;
		wrong += m->from != m->to && got < sent;
	}
	return wrong;
}

static void one(const char *what, const struct clock *clock, double seconds, bool ring, double us)
{
	static hb_clock_message all[20000];
	hb_clock_line line[NODES], none[NODES] = {{0}};
	size_t n = run(clock, seconds, ring, true, all, 20000);
	bool good = hb__fit_clocks(all, n, NODES, ORIGIN, line);
	double worst = 0;
	for (int i = 0; i < NODES; i++)
		for (double t = 0; t <= seconds * 1e9; t += seconds * 1e8) {
			/* what clock i, corrected, says against what clock 0 says */
			double is = (double)(says(clock[i], t) - ORIGIN), should = (double)(says(clock[0], t) - ORIGIN);
			worst = fmax(worst, fabs(is + line[i].shift + line[i].rate * is - should));
		}
	check(good && worst < us * 1e3 && !early(all, n, line),
		"%s: within %.1f us of the true clock (at most %.0f), %zu of %zu messages early, %zu before", what,
		worst / 1e3, us, early(all, n, line), n, early(all, n, none));
}

static void shifts(void)
{
	const hb_clock_bound chain[] = {{0, 1, 5}, {1, 2, 3}, {2, 0, -100}, {0, 2, 6}};
	double value[3];
	bool good = hb__fit_shifts(chain, 4, value, 3);
	check(good && value[0] == 0 && value[1] == 5 && value[2] == 8, "bounds are kept by the least shifts: %g %g %g",
		value[0], value[1], value[2]);
	const hb_clock_bound circle[] = {{0, 1, 5}, {1, 0, -4}};
	check(!hb__fit_shifts(circle, 2, value, 2), "a circle that cannot be is told");
}

static void unknown(void)
{
	const hb_clock_message some[] = {
		{0, 1, ORIGIN, ORIGIN + 100}, {1, 0, ORIGIN, ORIGIN + 100}, {0, 2, ORIGIN, ORIGIN - 5000}};
	hb_clock_line line[3];
	bool good = hb__fit_clocks(some, 3, 3, ORIGIN, line);
	check(good && line[1].known && !line[2].known && line[2].shift == 0,
		"a clock with messages in one direction alone is not known");
}

int main(void)
{
	const struct clock same[NODES] = {{0}}, ahead[NODES] = {{0}, {3e6, 0}, {-5e9, 0}, {123456789, 0}, {40, 0}},
			   drift[NODES] = {{0}, {3e6, 2e-6}, {-5e9, -1.5e-6}, {123456789, 4e-5}, {40, -2e-5}};
	one("the same clock", same, 10, false, 12);
	one("clocks ahead", ahead, 10, false, 12);
	one("clocks that drift, 10 s", drift, 10, false, 40);
	one("clocks that drift, 600 s", drift, 600, false, 40);
	one("clocks that drift, known from neighbours alone", drift, 600, true, 80);
	one("clocks that drift, 10 ms", drift, 0.01, false, 40);
	shifts();
	unknown();
	return check_end();
}
