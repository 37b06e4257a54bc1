/* The rules on messages and requests, where no library at hand does what the standard lets it do: a send that is cancelled; a wait
 * for a request that another thread starts meanwhile. */
#include "job.h"

#define MESSAGE(n, type, where, rank) \
	{"count", n}, {"datatype", type}, {where, rank}, {"tag", 1}, { "comm", 0 }

static struct job j;

static void waited(int rank, const int64_t *results, int n)
{
	unsigned slot = job_slot(&j, rank, "MPI_Wait", NULL, 0);
	raw_event(&j.p[rank].log, 0, slot, 10, 5, 0, n, results);
}

/* Two sends of different types, one of them nonblocking; the receive is of the second one's type. */
static void two_sends(const int64_t *wait)
{
	job_begin(&j, 2);
	CALL(&j, 0, "MPI_Isend", MESSAGE(3, T_INT, "dest", 1));
	waited(0, wait, 2);
	CALL(&j, 0, "MPI_Send", MESSAGE(3, T_FLOAT, "dest", 1));
	CALL(&j, 1, "MPI_Recv", MESSAGE(3, T_FLOAT, "source", 0));
}

/* All that is found, in order. */
static void found(const char *what, const char *ids)
{
	char all[200] = "";
	bool good = job_run(&j);
	for (int i = 0; i < j.nfound; i++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", j.found[i].id);
	if (!check(good && !strcmp(all, ids), "%s: %s", what, *ids ? ids : "nothing"))
		job_show(&j);
}

/* A wait for a persistent request that was never started, and the start of one of another thread, or of this one. */
static void unstarted(const char *started)
{
	job_begin(&j, 1);
	job_remark(&j, 0, "check unstarted fn=MPI_Wait req=0.3 madefn=MPI_Recv_init");
	CALL(&j, 0, "MPI_Barrier", {"comm", 0});
	job_remark(&j, 0, started);
}

int main(void)
{
	unstarted("check started req=0.3");
	found("a request that is started later", "");
	unstarted("check started req=1.3");
	found("a request of another thread is started", "HB-REQUEST-INACTIVE ");

	two_sends((int64_t[]){HB_ST_CANCELLED, 0});
	found("a cancelled send is received by nobody", "");
	two_sends((int64_t[]){HB_ST_AS_POSTED, 0});
	found("the same, not cancelled", "HB-MESSAGE-TYPE HB-MESSAGE-LOST ");
	check_clean();
	return check_end();
}
