/* With threads a request is known by the variable that it was put into: of sends that share a handle the last one may be over first, and
 * others follow that get the same handle again. */
#include "expect.h"

int main(int argc, char **argv)
{
	int v = 1;
	MPI_Request s[6];

	if (Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE) != MPI_THREAD_MULTIPLE) {
		fprintf(stderr, "no MPI_THREAD_MULTIPLE\n");
		return 1;
	}
	/* p: a send to nobody, which is complete at once; in both libraries they have one handle. A digit: that one is waited for. */
	int sent = 0;
	for (const char *step = "ppp2p3pp1054"; *step; step++) {
		if (*step == 'p') {
			MPI_Isend(&v, 1, MPI_INT, MPI_PROC_NULL, sent, WORLD, &s[sent]);
			expect("MPI_Isend(count=1, datatype=MPI_INT, dest=PROC_NULL, tag=%d, comm=WORLD)", sent);
			sent++;
		} else {
			MPI_Wait(&s[*step - '0'], MPI_STATUS_IGNORE);
			expect("MPI_Wait() -> #%d", *step - '0');
		}
	}
	Finalize();
	return 0;
}
