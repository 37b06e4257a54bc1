/* What the oracle's random models do not have: several keys, sets of keys, strict order by luck, ambiguity, many messages on their way. */
#include "history.h"

#define HEAD \
	"model m\nmessage a(k) = mpi, k = tag\nmessage n() = mpi\naction x(k) = span x, k = task\naction e(k, l) = event e, k = task, l = sub\n"

static hb_pattern *model(const char *text, uint32_t processes)
{
	char whole[2048];
	snprintf(whole, sizeof whole, HEAD "%s", text);
	return history_model("m", whole, processes);
}

static void says(const char *text, const char *history, const char *expected, const char *what)
{
	hb_pattern *p = model(text, 4);
	if (p)
		history_says(p, history, expected, what);
	hb_pattern_close(p);
}

static void keys(void)
{
	says("run = each t in {1 .. 3}: 0: x(t)\n", "0* x 2; 0( x 3; 0* x 7",
		"t 1: stopped\n  0( x 1\nt 3: stopped\n  0) x 3 after 2\n",
		"of a set of keys, one is done, one not, one never begun, one no key of it");
	says("run = each s, t: 0: e(t, s)\n", "0. e 2 'b; 0. e 1 'b; 0. e 1 'a; 0. e 1 'a", "s 'a,t 1: wrong at 3\n",
		"two keys");
	says("run = each s in {1, 2}, t in {1, 2}: 0: e(s, t)\n", "0. e 1 1; 0. e 2 2",
		"s 1,t 2: stopped\n  0. e 1 2\ns 2,t 1: stopped\n  0. e 2 1\n", "two sets of keys");
	says("run = (each t: 0: x(t)) || (each k: 0 -> 1: a(k)) || 1: e(0, 0)\n", "0( x 1; 0!1 a 5; 0!1 a 4",
		"t 1: stopped\n  0) x 1 after 0\nk 4: stopped\n  1?0 a 4 after 2\nk 5: stopped\n  1?0 a 5 after 1\nstopped\n  1. e 0 0\n",
		"parts side by side");
	hb_pattern *p = model("run = each t: 0: x(t)\n", 2);
	struct history *h = p ? history_new(p, NULL, NULL) : NULL;
	if (h) {
		h->all = true;
		history_feed(h, "0* x 10; 0* x -3; 0>1 n; 0* x 9");
		history_end(h, "t -3: complete\nt 9: complete\nt 10: complete\n",
			"keys come in their order; what no pattern mentions is foreign");
	}
	h = p ? history_new(p, NULL, NULL) : NULL;
	if (h) {
		history_feed(h, "0* x 10; 0* x 11; 0) x 11; 0( x 11; 0( x 12; 0>1 n");
		struct history sum = *h;
		hb_error err;
		hb_pattern_end(h->check, false, NULL, NULL, &sum.sum, &err);
		check(sum.sum.keys == 3 && sum.sum.complete == 1 && sum.sum.wrong == 1 && sum.sum.stopped == 1 &&
				sum.sum.events == 7 && sum.sum.foreign == 2,
			"the sums");
		history_end(h, "t 11: wrong at 4\nt 12: stopped\n  0) x 12 after 6\n",
			"what comes behind a wrong event is only counted");
	}
	hb_pattern_close(p);
}

/* Event 1 came behind event 0 by luck; all others because they had to. */
static bool lucky(void *user, uint64_t a, uint64_t b)
{
	(void)user;
	return !(a == 0 && b == 1);
}

static void strict(void)
{
	hb_pattern *p = model("run = 0: e(0, 0) >> 1: e(1, 0)\n", 2);
	struct history *h = p ? history_new(p, lucky, NULL) : NULL;
	if (h) {
		history_feed(h, "0. e 0 0; 1. e 1 0");
		history_end(h, "wrong at 1 not behind 0\n  1. e 1 0 after 0\n", "an order that came out right by luck");
	}
	if (p)
		history_says(p, "0. e 0 0; 1. e 1 0", "", "the same, where it had to come out so");
	if (p)
		history_says(p, "1. e 1 0", "wrong at 0\n  0. e 0 0\n", "the second before the first");
	hb_pattern_close(p);
	says("run = (0: e(0, 0) || 1: e(1, 0)) >> 2: e(2, 0); 0: e(3, 0)\n", "1. e 1 0; 0. e 0 0",
		"stopped\n  0. e 3 0 after 1\n  2. e 2 0 after 1\n",
		"what follows a strict sequence follows its last event");
	says("run = 0: e(0, 0) ; 1: e(1, 0)\n", "1. e 1 0", "stopped\n  0. e 0 0\n",
		"a weak sequence orders nothing between processes");
}

static void order_of_the_rest(void)
{
	says("run = 0: e(0, 0); (0: e(1, 0) || 1: e(2, 0)); 0 -> 1: a(1); 1: e(3, 0)\n", "0. e 0 0; 1. e 2 0",
		"stopped\n  0. e 1 0 after 0\n", "a process waits for its own part only");
	says("run = 0: e(0, 0); (0: e(1, 0) || 1: e(2, 0)); 0 -> 1: a(1); 1: e(3, 0)\n", "0. e 0 0; 0. e 1 0; 0!1 a 1",
		"stopped\n  1. e 2 0\n", "a message is not received before what stands before it");
	says("run = 0: e(0, 0); (0: e(1, 0) || 1: e(2, 0)); 0 -> 1: a(1); 1: e(3, 0)\n",
		"0. e 0 0; 0. e 1 0; 0!1 a 1; 1. e 2 0; 1?0 a 1", "stopped\n  1. e 3 0 after 4\n",
		"the last event of a process");
	says("run = (0: e(0, 0); 0: e(1, 0)) || (0: e(2, 0); 0: e(3, 0))\n", "0. e 0 0; 0. e 2 0",
		"stopped\n  0. e 1 0 after 0\n  0. e 3 0 after 1\n",
		"side by side at one process, each follows its own");
	says("run = 0: e(0, 0); (0: e(1, 0); 0: e(2, 0) | 0: e(1, 0); 0: e(3, 0))\n", "0. e 0 0; 0. e 1 0",
		"stopped ambiguous at 1\n  0. e 2 0 after 1\n  0. e 3 0 after 1\n", "two ways");
	says("run = 0: e(0, 0); (0: e(1, 0); 0: e(2, 0) | 0: e(1, 0); 0: e(3, 0)); 0: e(4, 0)\n",
		"0. e 0 0; 0. e 1 0; 0. e 3 0", "stopped\n  0. e 4 0 after 2\n", "two ways, of which one was taken");
}

/* So many messages on their way that a row of them would be too deep, and too slow. */
static void on_their_way(const char *text, const char *expected)
{
	enum { MANY = 30000 };
	hb_pattern *p = model(text, 2);
	struct history *h = p ? history_new(p, NULL, NULL) : NULL;
	for (int i = 0; h && i < MANY; i++)
		history_fed(h, "n", HB_PATTERN_SENT, 0, 1, NULL);
	for (int i = 0; h && i < MANY - 1; i++)
		history_fed(h, "n", HB_PATTERN_RECEIVED, 1, 0, NULL);
	if (h)
		history_end(h, expected, text);
	hb_pattern_close(p);
}

int main(void)
{
	keys();
	strict();
	order_of_the_rest();
	on_their_way("run = loop { 0 -> 1: n() }\n", "stopped\n  0!1 n after 29999\n  1?0 n after 29999\n");
	on_their_way("run = repeat 1000000 { 0 -> 1: n() }\n", "stopped\n  0!1 n after 29999\n  1?0 n after 29999\n");
	/* in each round the receiver may have to do something: twice as many ways with each message, and none of them walked */
	on_their_way("run = loop { 0 -> 1: n() | 0 -> 1: n(); 1: x(1) }\n",
		"stopped ambiguous at 0\n  0!1 n after 29999\n  1?0 n after 29999\n  1( x 1 after 59998\n");
	/* which of them was received cannot be told, and each has another thing behind it */
	says("run = all i in {1 .. 24}: 0 -> 1: n(); 1: x(i)\n",
		"0!1 n; 0!1 n; 0!1 n; 0!1 n; 0!1 n; 0!1 n; 0!1 n; 0!1 n; 0!1 n; 0!1 n; 0!1 n; 0!1 n; 1?0 n; 1?0 n; 1?0 n; 1?0 n; 1?0 n; 1?0 n",
		"undecided ambiguous at 0\n", "too many ways");
	return check_end();
}
