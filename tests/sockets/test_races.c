/* What else could have been ready, how much of a stream could have come, and answers that came too late. */
#include "rules/finding.h"
#include "world.h"

static struct world w;

#define SERVER "tcp 127.0.0.1:80"
static const char *const near[2] = {"tcp 127.0.0.1:80 > 127.0.0.1:5001", "tcp 127.0.0.1:80 > 127.0.0.1:5002"};
static const char *const far[2] = {"tcp 127.0.0.1:5001 > 127.0.0.1:80", "tcp 127.0.0.1:5002 > 127.0.0.1:80"};

struct seen {
	uint32_t races, alternatives, several;
	hb_race_kind kind;
	hb_at at[16];
	uint32_t instead[16]; /* the first alternative: the event that sent it */
};

static bool see(void *user, const hb_race *race)
{
	struct seen *s = user;
	if (race->kind != s->kind || s->races == 16)
		return true;
	s->at[s->races] = race->done;
	s->instead[s->races] = race->nalternatives ? hb_send_at(w.m, race->alternative[0].send).event : 0;
	s->several += race->several;
	s->alternatives += race->nalternatives;
	s->races++;
	return true;
}

static struct seen seen(hb_race_kind kind, unsigned flags, hb_race_sum *ret_sum)
{
	struct seen s = {.kind = kind};
	hb_error err = {0};
	check(hb_races(w.m, flags, see, &s, ret_sum, NULL, NULL, &err) == HB_OK, "races are looked for");
	return s;
}

/* A server with two clients: both are connected, then each sends. */
static void connected(void)
{
	world_begin(&w, 3);
	net_simple(&w.p[0], NET_CONNECTION_listen, SERVER, 1000);
	for (unsigned i = 0; i < 2; i++)
		net_connect(&w.p[i + 1], far[i], 100000 + 100000 * i);
	for (unsigned i = 0; i < 2; i++)
		net_accept(&w.p[0], SERVER, near[i], 400000 + 1000 * i);
}

/* One is ready before the other, and could have been after it. */
static void one_before_the_other(void)
{
	hb_race_sum sum;
	connected();
	net_write(&w.p[1], far[0], 500000, 4);
	net_write(&w.p[2], far[1], 700000, 4);
	uint32_t first = net_poll(&w.p[0], 450000, 550000, 1, near);
	net_read(&w.p[0], near[0], 600000, 4);
	net_poll(&w.p[0], 650000, 750000, 1, near + 1);
	net_read(&w.p[0], near[1], 800000, 4);
	check(world_build(&w), "one ready before the other: the model is built");
	struct seen s = seen(HB_RACE_READY, 0, &sum);
	check(s.races == 1 && s.alternatives == 1 && s.at[0].event == first && s.instead[0] == 2,
		"the first poll could have been told of the other one (%u races, of event %u)", s.races, s.at[0].event);
	check(sum.racing_choices == 1 && sum.choices == 2, "of two");
	check(world_order(&w, world_at(&w, 1, 0, 2), world_at(&w, 0, 0, first)) == HB_BEFORE,
		"what was sent came before the poll that told of it");
	world_end(&w);
}

/* The second one writes because of what the first one was answered; and what an answer names together is no race. */
static void because_of_it(void)
{
	hb_race_sum sum;
	connected();
	net_write(&w.p[1], far[0], 500000, 4);
	net_poll(&w.p[0], 450000, 550000, 1, near);
	net_read(&w.p[0], near[0], 600000, 4);
	net_write(&w.p[0], near[1], 650000, 4);
	net_read(&w.p[2], far[1], 700000, 4);
	net_write(&w.p[2], far[1], 800000, 4);
	net_write(&w.p[1], far[0], 800000, 4);
	net_poll(&w.p[0], 750000, 950000, 2, near);
	net_read(&w.p[0], near[0], 1000000, 4);
	net_read(&w.p[0], near[1], 1100000, 4);
	check(world_build(&w), "because of it: the model is built");
	struct seen s = seen(HB_RACE_READY, 0, &sum);
	check(s.races == 0, "neither what was sent because of it, nor what is named together (%u)", s.races);
	world_end(&w);
}

/* A connection that is not accepted yet cannot be ready; one that two processes take from says nothing. */
static void not_yet(void)
{
	hb_race_sum sum;
	world_begin(&w, 3);
	net_simple(&w.p[0], NET_CONNECTION_listen, SERVER, 1000);
	net_connect(&w.p[1], far[0], 100000);
	net_accept(&w.p[0], SERVER, near[0], 200000);
	net_write(&w.p[1], far[0], 300000, 4);
	net_poll(&w.p[0], 250000, 350000, 1, near);
	net_read(&w.p[0], near[0], 400000, 4);
	net_connect(&w.p[2], far[1], 100000);
	net_write(&w.p[2], far[1], 200000, 4);
	net_accept(&w.p[0], SERVER, near[1], 500000);
	net_poll(&w.p[0], 600000, 650000, 1, near + 1);
	net_read(&w.p[0], near[1], 700000, 4);
	check(world_build(&w), "not accepted yet: the model is built");
	struct seen s = seen(HB_RACE_READY, 0, &sum);
	check(s.races == 0, "the second one could not be ready before it was accepted (%u)", s.races);
	world_end(&w);
	world_begin(&w, 3);
	net_write(&w.p[0], "pipe 7", 100000, 1);
	uint32_t poll = net_poll(&w.p[1], 200000, 210000, 1, (const char *const[]){"pipe 7"});
	net_read(&w.p[2], "pipe 7", 300000, 1);
	net_write(&w.p[0], "pipe 7", 400000, 1);
	net_read(&w.p[1], "pipe 7", 500000, 1);
	check(world_build(&w), "two take from it: the model is built");
	check(world_order(&w, world_at(&w, 0, 0, 2), world_at(&w, 1, 0, poll)) != HB_BEFORE,
		"a poll is not told of what came after somebody else had taken what was there");
	world_end(&w);
}

/* Reads that got less than they had room for. */
static void parts(void)
{
	hb_race_sum sum;
	connected();
	net_write(&w.p[1], far[0], 500000, 4);
	net_write(&w.p[1], far[0], 550000, 4);
	net_write(&w.p[1], far[0], 600000, 4);
	uint32_t both = net_bytes(&w.p[0], 0, false, near[0], 650000, 650010, 8, 100);
	net_bytes(&w.p[0], 0, false, near[0], 700000, 700010, 4, 4); /* all that it asked for */
	net_write(&w.p[0], near[0], 750000, 4);
	net_read(&w.p[1], far[0], 800000, 4);
	net_write(&w.p[1], far[0], 850000, 4); /* because of it */
	net_bytes(&w.p[0], 0, false, near[0], 900000, 900010, 4, 100);
	check(world_build(&w), "parts: the model is built");
	struct seen none = seen(HB_RACE_PART, 0, &sum);
	check(!none.races && sum.parts == 3 && sum.racing_parts == 1,
		"they are counted, and not shown (%u, %llu of %llu)", none.races, (unsigned long long)sum.racing_parts,
		(unsigned long long)sum.parts);
	struct seen s = seen(HB_RACE_PART, HB_RACES_PARTS, &sum);
	check(s.races == 1 && s.at[0].event == both && s.several == 1 && s.instead[0] == 4,
		"who asks for them is shown that more could have come, or less (%u)", s.races);
	world_end(&w);
}

/* ---- findings ---- */

struct told {
	hb_finding_id id;
	uint32_t n, points;
	hb_at point[8];
	char sentence[500];
};

static bool on_finding(void *user, const hb_finding *f)
{
	struct told *t = user;
	if (f->id != t->id)
		return true;
	t->n++;
	t->points = f->npoints;
	snprintf(t->sentence, sizeof t->sentence, "%s", f->sentence);
	for (uint32_t i = 0; i < f->npoints && i < 8; i++)
		t->point[i] = f->point[i].at;
	return true;
}

static struct told told(hb_finding_id id)
{
	struct told t = {.id = id};
	hb_error err = {0};
	check(hb_check(w.m, NULL, 0, NULL, on_finding, &t, NULL, NULL, &err) == HB_OK, "it is checked");
	return t;
}

#define ASKER "udp 127.0.0.1:4000"
#define ASKED "udp 127.0.0.1:53"

/* Asks, gives up, asks again; the first answer comes then. `again`: whether it does. */
static void ask(bool again, bool gets)
{
	world_begin(&w, 2);
	struct net_process *a = &w.p[0], *b = &w.p[1];
	raw_header(&a->log)->state = raw_header(&b->log)->state = HB_STATE_FINALIZED;
	net_sendto(a, ASKER, "127.0.0.1:53", 100000, 1);
	net_poll(a, 200000, 300000, 0, NULL);
	if (again)
		net_sendto(a, ASKER, "127.0.0.1:53", 400000, 2);
	net_recvfrom(b, ASKED, "127.0.0.1:4000", 200000, 1);
	net_sendto(b, ASKED, "127.0.0.1:4000", 500000, 3);
	if (gets)
		net_recvfrom(a, ASKER, "127.0.0.1:53", 600000, 3);
	if (again)
		net_recvfrom(b, ASKED, "127.0.0.1:4000", 700000, 2);
}

static void late(void)
{
	ask(true, true);
	check(world_build(&w), "a late answer: the model is built");
	struct told t = told(HB_ANSWER_LATE);
	check(t.n == 1 && t.points == 5 && t.point[0].event == 2 && t.point[1].event == 1 && t.point[3].event == 3 &&
			t.point[4].event == 4,
		"the time-out, the question, the answer, the question again and who got it (%u, %u points)", t.n,
		t.points);
	check(strstr(t.sentence, "process100 asks process101, stops waiting when its time is over and asks again") !=
			NULL,
		"by their names: %s", t.sentence);
	world_end(&w);
	ask(false, true);
	check(world_build(&w) && !told(HB_ANSWER_LATE).n, "who goes on waiting after it has looked at a clock only");
	world_end(&w);
	ask(false, false);
	check(world_build(&w), "an answer that nobody gets: the model is built");
	t = told(HB_ANSWER_LATE);
	check(t.n == 1 && t.points == 3 && strstr(t.sentence, "nobody received it"), "is late, too");
	check(!told(HB_MESSAGE_UNREAD).n, "and not told again as one that was not received");
	world_end(&w);
}

static void unread(void)
{
	world_begin(&w, 2);
	raw_header(&w.p[0].log)->state = raw_header(&w.p[1].log)->state = HB_STATE_FINALIZED;
	net_recvfrom(&w.p[1], ASKED, "127.0.0.1:4000", 200000, 1);
	net_sendto(&w.p[0], ASKER, "127.0.0.1:53", 100000, 1);
	net_sendto(&w.p[0], ASKER, "127.0.0.1:53", 300000, 2);
	check(world_build(&w), "unread: the model is built");
	struct told t = told(HB_MESSAGE_UNREAD);
	check(t.n == 1 && t.point[0].event == 2 && !told(HB_MESSAGE_LOST).n && !strstr(t.sentence, "tag"),
		"it is a note, and speaks of no tag: %s", t.sentence);
	world_end(&w);
}

/* A network doubles a datagram; of another one its sender is told that nobody is there. */
static void doubled(void)
{
	world_begin(&w, 2);
	raw_header(&w.p[0].log)->state = raw_header(&w.p[1].log)->state = HB_STATE_FINALIZED;
	net_sendto(&w.p[0], ASKER, "127.0.0.1:53", 100000, 1);
	net_sendto(&w.p[0], ASKER, "127.0.0.1:53", 110000, 2);
	for (int i = 0; i < 3; i++)
		net_recvfrom(&w.p[1], ASKED, "127.0.0.1:4000", 200000 + 1000 * (uint64_t)i, i == 1 ? 2 : 1);
	check(world_build(&w), "doubled: the model is built");
	struct told t = told(HB_MESSAGE_TWICE);
	check(t.n == 1 && t.points == 3 && t.point[0].event == 1 && t.point[1].event == 1 && t.point[2].event == 3,
		"who sent it, who got it, and once more (%u, %u points)", t.n, t.points);
	check(strstr(t.sentence, "process101 receives it twice") != NULL, "in words: %s", t.sentence);
	check(!told(HB_MESSAGE_REFUSED).n, "nobody is told that nobody is there");
	world_end(&w);
	world_begin(&w, 1);
	net_datagram(&w.p[0], 0, true, ASKER " > 127.0.0.1:9", NULL, 100000, 100010, 8, 1);
	net_datagram(&w.p[0], 0, true, ASKER " > 127.0.0.1:9", NULL, 200000, 200010, 8, 2);
	net_datagram(&w.p[0], 0, false, ASKER " > 127.0.0.1:9", NULL, 300000, 300010, -111, 0);
	net_datagram(&w.p[0], 0, false, ASKER " > 127.0.0.1:9", NULL, 400000, 400010, -111, 0);
	check(world_build(&w), "refused: the model is built");
	t = told(HB_MESSAGE_REFUSED);
	check(t.n == 1 && t.points == 2 && t.point[0].event == 2 && t.point[1].event == 3 && !told(HB_MESSAGE_TWICE).n,
		"what was sent last, and who was told that nobody is there: %s", t.sentence);
	world_end(&w);
}

/* ---- who waits for whom ---- */

static void stay(struct net_process *p, unsigned function, const char *end, uint64_t enter)
{
	unsigned slot = net_slot(p, 0, function, end ? net_text(p, end) : -1);
	raw_control(&p->log, 0)->inside = 1 + slot;
	raw_control(&p->log, 0)->inside_enter = enter - p->began - p->at[0];
	raw_header(&p->log)->state = HB_STATE_RUNNING;
}

/* The parent makes two pipes and a child; each reads from one first. `other`: a process that was made, too, and goes on. */
static void wait_in_pipes(int n, bool other, const char *first, const char *second)
{
	world_begin(&w, n);
	for (int i = 1; i < n; i++) {
		net_drop(&w.p[i]);
		net_begin(&w.p[i], 500u + (unsigned)i, "host", 1, 200000);
	}
	net_pair(&w.p[0], "pipe 7", "pipe 7", 50000);
	net_pair(&w.p[0], "pipe 8", "pipe 8", 60000);
	for (int i = 1; i < n; i++)
		net_family(&w.p[0], NET_FAMILY_fork, 100000 + 1000 * (uint64_t)i, 500 + i);
	stay(&w.p[0], NET_STREAM_read, first, 300000);
	stay(&w.p[1], NET_STREAM_read, second, 300000);
	if (other)
		net_write(&w.p[2], "pipe 9", 300000, 1);
	if (other)
		raw_header(&w.p[2].log)->state = HB_STATE_RUNNING;
}

static void blocked(void)
{
	wait_in_pipes(2, false, "pipe 7", "pipe 8");
	check(world_build(&w), "two that read first: the model is built");
	struct told t = told(HB_DEADLOCK_CYCLE);
	check(t.n == 1 && t.points == 2 && strstr(t.sentence, "wait for each other"), "they wait for each other: %s",
		t.sentence);
	check(strstr(t.sentence, "process501 to send something through pipe 7") != NULL, "by name and pipe");
	world_end(&w);
	wait_in_pipes(3, true, "pipe 7", "pipe 8");
	check(world_build(&w) && !told(HB_DEADLOCK_CYCLE).n && !told(HB_DEADLOCK_ORPHAN).n,
		"not while a third one goes on, which has the pipes, too");
	world_end(&w);
	/* the parent waits for the child, which waits for bytes of the parent */
	wait_in_pipes(2, false, "pipe 7", "pipe 8");
	stay(&w.p[0], NET_FAMILY_waitpid, NULL, 300000);
	check(world_build(&w), "one waits for the other's end: the model is built");
	t = told(HB_DEADLOCK_CYCLE);
	check(t.n == 1 && strstr(t.sentence, "process501 to end"), "and the other one for bytes: %s", t.sentence);
	world_end(&w);
}

/* A server that waits for connections, or for a datagram, waits for anybody; one whose other side is not recorded, too. */
static void may_come(void)
{
	connected();
	raw_header(&w.p[1].log)->state = raw_header(&w.p[2].log)->state = HB_STATE_FINALIZED;
	stay(&w.p[0], NET_CONNECTION_accept, SERVER, 900000);
	check(world_build(&w) && !told(HB_DEADLOCK_ORPHAN).n, "who waits for connections may get one any time");
	world_end(&w);
	connected();
	stay(&w.p[0], NET_STREAM_read, "tcp 127.0.0.1:80 > 192.0.2.1:9", 900000);
	check(world_build(&w) && !told(HB_DEADLOCK_ORPHAN).n && !told(HB_DEADLOCK_CYCLE).n,
		"and what an outside peer does is not known");
	world_end(&w);
	connected();
	stay(&w.p[0], NET_STREAM_read, near[0], 900000);
	stay(&w.p[1], NET_STREAM_read, far[0], 900000);
	check(world_build(&w), "both sides of a connection read: the model is built");
	check(told(HB_DEADLOCK_CYCLE).n == 1, "they wait for each other");
	world_end(&w);
}

int main(void)
{
	one_before_the_other();
	because_of_it();
	not_yet();
	parts();
	late();
	unread();
	doubled();
	blocked();
	may_come();
	check_clean();
	return check_end();
}
