/* Processes that make others, start other programs, and wait for their end. */
#include "world.h"

static struct world w;

static hb_relation order(int p, int lane, uint32_t a, int q, uint32_t b)
{
	return world_order(&w, world_at(&w, p, lane, a), world_at(&w, q, 0, b));
}

static void begin(int i, unsigned pid, uint64_t began)
{
	net_drop(&w.p[i]);
	net_begin(&w.p[i], pid, "host", 1, began);
}

/* Lamport times of exits, kept as those keep them who ask for cuts and futures one after the other. */
struct kept {
	uint64_t time[8][64];
};

static bool keep(void *user, const hb_stamp *stamp)
{
	((struct kept *)user)->time[stamp->at.line][stamp->at.event] = stamp->lamport;
	return true;
}

static uint64_t time_of(void *user, hb_at at) { return ((struct kept *)user)->time[at.line][at.event]; }

/* Both ways to find the cut and the future of each event say the same. */
static bool both_ways(void)
{
	static struct kept kept;
	uint32_t event[2][8], lines = hb_model_get_info(w.m)->lines;
	hb_stop stop[2][8];
	hb_error err;
	bool good = lines <= 8 && hb_clocks_run(w.m, keep, &kept, NULL, NULL, &err) == HB_OK;
	for (uint32_t l = 0; good && l < lines; l++)
		for (uint32_t e = 1; good && e <= hb_model_lines(w.m)[l].events; e++) {
			good = hb_cut(w.m, (hb_at){l, e}, event[0], stop[0], &err) == HB_OK &&
			       hb_cut_by(w.m, (hb_at){l, e}, time_of, &kept, event[1], stop[1], &err) == HB_OK &&
			       !memcmp(event[0], event[1], lines * sizeof *event[0]) &&
			       hb_future(w.m, (hb_at){l, e}, event[0], &err) == HB_OK &&
			       hb_future_by(w.m, (hb_at){l, e}, time_of, &kept, event[1], &err) == HB_OK &&
			       !memcmp(event[0], event[1], lines * sizeof *event[0]);
			if (!good)
				printf("  of line %u, event %u\n", l, e);
		}
	return good;
}

/* fork, exec in the child, wait; the number again for another child. */
static void family(void)
{
	world_begin(&w, 4);
	struct net_process *p = &w.p[0];
	begin(1, 500, 200000); /* the child */
	begin(2, 500, 400000); /* what it started */
	begin(3, 500, 900000); /* another child with its number */
	uint32_t before = net_write(p, "pipe 1", 50000, 1), fork = net_family(p, NET_FAMILY_fork, 100000, 500);
	uint32_t meanwhile = net_write(p, "pipe 1", 300000, 1);
	net_write(&w.p[1], "pipe 2", 250000, 1);
	net_write(&w.p[2], "pipe 3", 450000, 1);
	uint32_t wait = net_family(p, NET_FAMILY_waitpid, 600000, 500),
		 again = net_family(p, NET_FAMILY_posix_spawn, 800000, 500);
	net_write(&w.p[3], "pipe 4", 950000, 1);
	check(world_build(&w), "a family: the model is built");
	check(order(0, 0, fork, 1, 1) == HB_BEFORE && order(0, 0, before, 1, 1) == HB_BEFORE,
		"fork is before the child's first event");
	check(order(0, 0, meanwhile, 1, 1) == HB_CONCURRENT && order(0, 0, again, 1, 1) == HB_AFTER,
		"what the parent does meanwhile is not");
	check(order(1, 0, 1, 2, 1) == HB_BEFORE, "exec comes after what was before it");
	check(order(2, 0, 1, 0, wait) == HB_BEFORE, "wait comes after the last event");
	check(order(0, 0, again, 3, 1) == HB_BEFORE && order(2, 0, 1, 3, 1) == HB_BEFORE,
		"the number again is another process, made later");
	check(both_ways(), "cuts and futures of all events, both ways");
	uint32_t forks = 0, execs = 0, ends = 0;
	for (uint32_t i = 0; i < hb_model_get_info(w.m)->edges; i++) {
		hb_edge_kind kind = hb_model_edges(w.m)[i].kind;
		forks += kind == HB_EDGE_FORKED;
		execs += kind == HB_EDGE_EXECED;
		ends += kind == HB_EDGE_ENDED;
	}
	check(forks == 2 && execs == 1 && ends == 1, "two made, one other program, one end (%u %u %u)", forks, execs,
		ends);
	world_end(&w);
}

/* Two children with one number, whose ends nobody waits for. */
static void number_again(void)
{
	world_begin(&w, 3);
	begin(1, 500, 200000);
	begin(2, 500, 900000);
	net_family(&w.p[0], NET_FAMILY_fork, 100000, 500);
	net_family(&w.p[0], NET_FAMILY_fork, 800000, 500);
	net_write(&w.p[1], "pipe 2", 250000, 1);
	net_write(&w.p[2], "pipe 3", 950000, 1);
	check(world_build(&w), "a number again: the model is built");
	check(order(1, 0, 1, 2, 1) == HB_CONCURRENT, "the second child is not what the first one started");
	world_end(&w);
}

/* The child's first event is a send: whoever gets it comes after the fork. All the same by clocks, cuts and futures. */
static void first_sends(void)
{
	uint32_t event[8], first[8];
	hb_stop stop[8];
	hb_error err;
	world_begin(&w, 3);
	struct net_process *p = &w.p[0];
	begin(1, 500, 200000);
	uint32_t fork = net_family(p, NET_FAMILY_fork, 100000, 500);
	net_write(p, "pipe 8", 150000, 1);
	net_write(&w.p[1], "pipe 2", 250000, 1);
	net_bytes(&w.p[1], 1, true, "pipe 6", 260000, 270000, 1, 1); /* another thread of it */
	uint32_t got = net_read(&w.p[2], "pipe 2", 400000, 1), other = net_read(&w.p[2], "pipe 6", 500000, 1);
	check(world_build(&w), "the first event is a send: the model is built");
	check(order(0, 0, fork, 2, got) == HB_BEFORE, "what it sent comes after the fork");
	check(world_order(&w, world_at(&w, 0, 0, fork), world_at(&w, 1, 1, 1)) == HB_BEFORE,
		"its other threads come after the fork");
	bool good = hb_cut(w.m, world_at(&w, 2, 0, got), event, stop, &err) == HB_OK;
	check(good && event[0] == fork, "the cut of the receive has the fork");
	good = hb_future(w.m, world_at(&w, 0, 0, fork), first, &err) == HB_OK;
	check(good && first[1] == 1 && first[2] == 1 && first[3] == got,
		"and the future of the fork has all of the child");
	check(both_ways(), "cuts and futures of all events, both ways");
	check(order(0, 0, fork + 1, 2, other) == HB_CONCURRENT, "what the parent does afterwards is in neither");
	world_end(&w);
}

static void killed(void)
{
	world_begin(&w, 2);
	begin(1, 500, 200000);
	net_family(&w.p[0], NET_FAMILY_fork, 100000, 500);
	net_write(&w.p[1], "pipe 2", 250000, 1);
	unsigned slot = net_slot(&w.p[1], 0, NET_STREAM_read, net_text(&w.p[1], "pipe 3"));
	raw_control(&w.p[1].log, 0)->inside = 1 + slot;
	raw_control(&w.p[1].log, 0)->inside_enter = 100000;
	uint32_t wait = net_family(&w.p[0], NET_FAMILY_wait4, 600000, 500);
	check(world_build(&w), "killed: the model is built");
	check(order(1, 0, 1, 0, wait) == HB_BEFORE && order(1, 0, 2, 0, wait) == HB_BEFORE,
		"wait comes after the call in which it was killed");
	world_end(&w);
}

int main(void)
{
	family();
	number_again();
	first_sends();
	killed();
	check_clean();
	return check_end();
}
