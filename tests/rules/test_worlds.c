/* The rules on processes of several worlds: what is told of messages and collectives that never come, and of calls that wait for them, in a world that was made,
 * between that and its makers, and in two jobs that never met; and that nothing is told where it cannot be known. */
#include "job.h"

enum { MADE = 1, BY = 2, OVER = 2 /* the number of the communicator */ };

#define MESSAGE(where, rank, over) \
	{"count", 1}, {"datatype", T_INT}, {where, rank}, {"tag", 7}, { "comm", over }

static struct job j;

/* Two processes; the first one made the world of two others, processes 2 and 3. */
static void family(void)
{
	job_begin(&j, 4);
	job_world(&j, 0, 2, 0, -1);
	job_world(&j, 2, 2, 1, 0);
	for (int p = 0; p < 4; p++)
		job_bridge(&j, p, OVER, 2, 2, p < 2 ? MADE : BY, 0);
}

/* Two jobs that met, and nothing says where: the communicators of both sides may be two. */
static void strangers(void)
{
	job_begin(&j, 4);
	job_world(&j, 0, 2, 0, -1);
	job_world(&j, 2, 2, 1, -1);
	for (int p = 0; p < 4; p++)
		job_bridge(&j, p, OVER, 2, 2, p < 2 ? 3 : 4, 0);
}

static void found(const char *what, const char *id, const char *words)
{
	bool good = job_run(&j);
	bool right =
		*id ? j.nfound == 1 && !strcmp(j.found[0].id, id) && strstr(j.found[0].sentence, words) : !j.nfound;
	if (!check(good && right, "%s: %s", what, *id ? id : "nothing"))
		job_show(&j);
}

static void lost(int from, int to, int over) { CALL(&j, from, "MPI_Send", MESSAGE("dest", to, over)); }

/* A receive of MPI_Irecv that is never completed. */
static void awaited(int at, int from, int over) { CALL(&j, at, "MPI_Irecv", MESSAGE("source", from, over)); }

static void of_one_world(void)
{
	family();
	lost(2, 1, 0);
	found("a message in the world that was made", "HB-MESSAGE-LOST",
		"rank 0@1 sends 1 MPI_INT to rank 1@1 with tag 7 on WORLD@1 in MPI_Send, and rank 1@1 never");
	family();
	awaited(3, 0, 0);
	found("a receive there", "HB-MESSAGE-MISSING", "rank 1@1 posts a receive from rank 0@1 with tag 7 on WORLD@1");
	family();
	awaited(3, -1, 0);
	found("a receive from anybody there", "HB-MESSAGE-MISSING", "rank 1@1 posts a receive from any rank");
	family();
	CALL(&j, 2, "MPI_Bcast", {"count", 1}, {"datatype", T_INT}, {"root", 0}, {"comm", 0});
	found("a collective there", "HB-COLLECTIVE-MISSING",
		"rank 1@1 never takes part in the 1st collective on WORLD@1");

	job_begin(&j, 4);
	job_world(&j, 0, 2, 0, -1);
	job_world(&j, 2, 2, 1, -1);
	lost(3, 0, 0);
	found("a message of a second job", "HB-MESSAGE-LOST", "rank 1@1 sends 1 MPI_INT to rank 0@1");
	job_begin(&j, 4);
	job_world(&j, 0, 2, 0, -1);
	job_world(&j, 2, 2, 1, -1);
	j.p[0].missing = true;
	awaited(3, -1, 0);
	found("a receive of a second job; of the first one a log is missing", "HB-MESSAGE-MISSING", "any rank");
}

static void between_worlds(void)
{
	family();
	lost(1, 0, OVER);
	found("a message to a process that was made", "HB-MESSAGE-LOST",
		"rank 1 sends 1 MPI_INT to rank 0@1 with tag 7 on WORLD.0 in");
	family();
	lost(3, 1, OVER);
	found("a message to the makers", "HB-MESSAGE-LOST", "rank 1@1 sends 1 MPI_INT to rank 1 with");
	family();
	awaited(0, 1, OVER);
	found("a receive from a process that was made", "HB-MESSAGE-MISSING",
		"rank 0 posts a receive from rank 1@1 with tag 7 on WORLD.0");
	family();
	awaited(2, -1, OVER);
	found("a receive from any of the makers", "HB-MESSAGE-MISSING", "rank 0@1 posts a receive from any rank");
	family();
	for (int p = 0; p < 3; p++)
		CALL(&j, p, "MPI_Barrier", {"comm", OVER});
	found("a collective of both", "HB-COLLECTIVE-MISSING",
		"rank 1@1 never takes part in the 1st collective on WORLD.0");
}

/* All that could be told above, at once. */
static void everything(void)
{
	lost(0, 0, OVER);
	lost(3, 1, OVER);
	awaited(1, -1, OVER);
	awaited(2, 1, OVER);
	awaited(2, -1, OVER);
	for (int p = 0; p < 3; p++)
		CALL(&j, p, "MPI_Barrier", {"comm", OVER});
}

static void not_known(void)
{
	for (int p = 0; p < 4; p++) {
		family();
		j.p[p].missing = true;
		awaited(p < 2 ? 2 : 0, p & 1, OVER);
		awaited(p < 2 ? 2 : 0, -1, OVER);
		lost(p < 2 ? 2 : 0, p & 1, OVER);
		found("the other one has no log", "", "");
		family();
		raw_header(&j.p[p].log)->stopped = 28;
		awaited(p < 2 ? 2 : 0, p & 1, OVER);
		awaited(p < 2 ? 2 : 0, -1, OVER);
		lost(p < 2 ? 2 : 0, p & 1, OVER);
		found("the other one's record was cut", "", "");
	}
	family();
	j.p[2].missing = true;
	awaited(3, -1, 0);
	found("another one of the world has no log", "", "");

	strangers();
	everything();
	found("two that met, it is not known where", "", "");
}

/* A call that never returns; of the last process: it computes. */
static void receives(int at, int from, int over) { INSIDE(&j, at, "MPI_Recv", MESSAGE("source", from, over)); }
static void computes(int process) { j.p[process].inside = true; }

static void deadlocks(void)
{
	family();
	receives(0, 1, OVER);
	receives(3, 0, OVER);
	found("one of each world waits for the other", "HB-DEADLOCK-CYCLE", "ranks 0 and 1@1 wait for each other");
	family();
	receives(2, 1, 0);
	receives(3, 0, 0);
	found("two of the world that was made", "HB-DEADLOCK-CYCLE", "ranks 0@1 and 1@1 wait for each other");
	family();
	receives(0, 1, OVER);
	found("who was made has ended", "HB-DEADLOCK-ORPHAN",
		"rank 1@1 to send a message with tag 7 on WORLD.0, but rank 1@1 has finished");
	family();
	receives(0, 1, OVER);
	computes(3);
	found("who was made computes", "", "");
	family();
	for (int p = 0; p < 3; p++)
		INSIDE(&j, p, "MPI_Barrier", {"comm", OVER});
	computes(3);
	found("one computes, and the others wait for him in a collective of both worlds", "", "");
	family();
	for (int p = 0; p < 3; p++)
		INSIDE(&j, p, "MPI_Barrier", {"comm", OVER});
	receives(3, -1, OVER);
	found("one receives instead", "HB-DEADLOCK-CYCLE", "1@1");

	for (int how = 0; how < 4; how++) {
		if (how == 2)
			strangers();
		else
			family();
		receives(0, how == 3 ? -1 : 1, OVER);
		receives(3, 0, OVER);
		j.p[3].missing = how == 0;
		if (how == 1)
			raw_header(&j.p[3].log)->stopped = 28;
		if (how == 3)
			computes(2);
		static const char *const what[] = {"the other one has no log", "the other one's record was cut",
			"it is not known who met whom", "any of the other world may send, and one computes"};
		found(what[how], "", "");
	}
}

int main(void)
{
	of_one_world();
	between_worlds();
	not_known();
	deadlocks();
	check_clean();
	return check_end();
}
