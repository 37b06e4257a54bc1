/* How small a sealed log is: bytes per event of usual mixes of calls, and wildcard receives beside their entropy. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "compare.h"
#include "random_log.h"

static uint64_t state = 88172645463325252u;

static double uniform(void) { return ((double)(raw_random(&state) >> 11) + 0.5) * 0x1p-53; }

/* Ticks of 4 ns that last about `ns`: times of calls spread like this. */
static uint64_t ticks(double ns, double sigma)
{
	double gauss = sqrt(-2 * log(uniform())) * cos(6.283185307 * uniform());
	double t = ns * exp(sigma * gauss) / 4;
	return t < 1 ? 1 : (uint64_t)t;
}

static void usual_definitions(struct raw_log *r, int level)
{
	static const char *const name[] = {"Send", "Recv", "Isend", "Irecv", "Waitall", "Allreduce"};
	raw_begin(r, level);
	raw_lane(r, 0, 0);
	for (unsigned i = 0; i < 6; i++)
		raw_function(r, i, 1, name[i], 4);
	raw_module(r, 0, 0x400000, "/home/user/bin/program", "0123456789abcdef0123");
	for (unsigned i = 1; i < 20; i++)
		raw_site(r, i, 0, 0x1000 + 37 * i);
}

static void slot(struct raw_log *r, unsigned number, unsigned function, unsigned flags, int64_t count, int64_t peer)
{
	int64_t arg[] = {count, peer, 7, 0};
	raw_slot(r, 0, number, function, number, flags, 4, arg);
}

static double sealed_bytes(struct raw_log *r)
{
	hb_error e = {0};
	hb_log *a = NULL, *b = NULL;
	raw_save(r, check_path("raw"));
	raw_free(r);
	bool good = !hb_log_seal(check_path("raw"), check_path("sealed"), NULL, NULL, &e) &&
		    !hb_log_open(check_path("raw"), &a, &e) && !hb_log_open(check_path("sealed"), &b, &e) &&
		    same_logs(a, b);
	double bytes = good ? (double)hb_log_get_info(b)->bytes : 1e18;
	hb_log_close(a);
	hb_log_close(b);
	return bytes;
}

static void small_enough(const char *name, struct raw_log *r, double events, double most)
{
	double each = sealed_bytes(r) / events;
	check(each <= most, "%s: %.2f bytes per event, at most %.2f", name, each, most);
}

static void ping_pong(int n)
{
	struct raw_log r;
	usual_definitions(&r, HB_LEVEL_EVENTS);
	slot(&r, 1, 0, HB_SLOT_CHECK, 1, 1);
	slot(&r, 2, 1, 0, 1, 1);
	for (int i = 0; i < n; i += 2) {
		raw_event(&r, 0, 1, ticks(60, .2), ticks(150, .25), (uint16_t)raw_random(&state), 0, NULL);
		raw_event(&r, 0, 2, ticks(50, .2), ticks(500, .3), 0, 0, NULL);
	}
	small_enough("ping-pong, contents that differ", &r, n, 3);
}

static void halo(int n)
{
	struct raw_log r;
	int64_t done[16] = {0};
	usual_definitions(&r, HB_LEVEL_EVENTS);
	for (unsigned k = 0; k < 4; k++) {
		slot(&r, 1 + k, 3, 0, 100, 3 * k);
		slot(&r, 5 + k, 2, HB_SLOT_CHECK, 100, 3 * k);
	}
	slot(&r, 9, 4, 0, 8, 0);
	slot(&r, 10, 5, 0, 1, 0);
	for (int i = 0; i < n; i += 10) {
		for (unsigned k = 1; k < 5; k++)
			raw_event(&r, 0, k, ticks(40, .2), ticks(120, .3), 0, 0, NULL);
		for (unsigned k = 5; k < 9; k++)
			raw_event(&r, 0, k, ticks(40, .2), ticks(200, .4), (uint16_t)raw_random(&state), 0, NULL);
		raw_event(&r, 0, 9, ticks(100, .3), ticks(20000, 1.2), 0, 16, done);
		raw_event(&r, 0, 10, ticks(2e5, .1), ticks(5000, 1), 0, 0, NULL);
	}
	small_enough("halo exchange", &r, n, 4);
}

static void farm(int n)
{
	struct raw_log r;
	usual_definitions(&r, HB_LEVEL_EVENTS);
	slot(&r, 1, 1, 0, 1, -1);
	for (unsigned k = 2; k < 17; k++)
		slot(&r, k, 0, HB_SLOT_CHECK, 100, k - 1);
	for (int i = 0; i < n; i += 2) {
		int64_t from[] = {1 + (int64_t)below(&state, 15), 5, 400};
		raw_event(&r, 0, 1, ticks(80, .2), ticks(3000, 1), 0, 3, from);
		raw_event(&r, 0, 1 + (unsigned)from[0], ticks(100, .3), ticks(200, .3), (uint16_t)raw_random(&state), 0,
			NULL);
	}
	small_enough("task farm", &r, n, 5);
}

/* Wildcard receives from m sources, each `fall` times as frequent as the one before. */
static void choices(int m, double fall, int n)
{
	struct raw_log r;
	double p[64], sum = 0, entropy = 0, times[64] = {0};
	usual_definitions(&r, HB_LEVEL_ORDER);
	raw_slot(&r, 0, 1, 1, 1, 0, 0, NULL);
	for (int k = 0; k < m; k++)
		sum += p[k] = pow(fall, k);
	for (int i = 0; i < n; i++) {
		double u = uniform() * sum;
		int k = 0;
		while (k < m - 1 && u > p[k])
			u -= p[k++];
		times[k]++;
		int64_t from[] = {k, 5, -1};
		raw_event(&r, 0, 1, 0, 0, 0, 3, from);
	}
	for (int k = 0; k < m; k++)
		entropy -= times[k] > 0 ? times[k] * log2(times[k] / n) : 0;
	double bits = sealed_bytes(&r) * 8;
	check(bits <= 1.15 * entropy + 8 * 4096,
		"%d sources falling by %.3g: %.4f bits per choice, entropy %.4f, "
		"%.3f times with all overhead",
		m, fall, bits / n, entropy / n, bits / entropy);
	if (entropy > 8 * 100000)
		check(bits <= 1.02 * entropy, "... and within 2 %% where there are many");
}

/* A source that repeats a pattern costs next to nothing. */
static void pattern(int n)
{
	struct raw_log r;
	usual_definitions(&r, HB_LEVEL_ORDER);
	raw_slot(&r, 0, 1, 1, 1, 0, 0, NULL);
	for (int i = 0; i < n; i++) {
		int64_t from[] = {i * 7 % 12, 5, -1};
		raw_event(&r, 0, 1, 0, 0, 0, 3, from);
	}
	double bytes = sealed_bytes(&r);
	check(bytes < 1500, "a repeated pattern of %d choices: %.0f bytes in all", n, bytes);
}

int main(void)
{
	ping_pong(100000);
	halo(100000);
	farm(100000);
	for (int m = 2; m <= 64; m *= 2) {
		choices(m, 1, 100000);
		choices(m, 0.7, 60000);
	}
	choices(2, 0.0131, 200000);
	choices(37, 0.9, 60000);
	choices(2, 0.0131, 2000);
	pattern(50000);
	check_clean();
	return check_end();
}
