/* Worlds that make worlds. The first argument says which; a child is told what to do in the place of it. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define SELF MPI_COMM_SELF

static int rank, size;

static MPI_Comm spawn(char *program, char *what, int n, int root, MPI_Comm from)
{
	char *argv[] = {what, NULL};
	MPI_Comm made;
	MPI_Comm_spawn(program, argv, n, MPI_INFO_NULL, root, from, &made, MPI_ERRCODES_IGNORE);
	return made;
}

/* Every child sends its rank; who collects takes whichever comes first. */
static void collect(MPI_Comm children)
{
	int n, got, sum = 0;
	MPI_Comm_remote_size(children, &n);
	for (int i = 0; i < n; i++) {
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, children, MPI_STATUS_IGNORE);
		sum += got;
	}
	printf("%d children, sum %d\n", n, sum);
}

static void tell(MPI_Comm parent) { MPI_Send(&rank, 1, MPI_INT, 0, 7, parent); }

/* A number goes round in a communicator of two worlds and more. */
static void round_trip(MPI_Comm all)
{
	int me, n, token = 1;
	MPI_Comm_rank(all, &me);
	MPI_Comm_size(all, &n);
	if (me)
		MPI_Recv(&token, 1, MPI_INT, me - 1, 9, all, MPI_STATUS_IGNORE);
	token++;
	MPI_Send(&token, 1, MPI_INT, (me + 1) % n, 9, all);
	if (!me) {
		MPI_Recv(&token, 1, MPI_INT, n - 1, 9, all, MPI_STATUS_IGNORE);
		printf("token %d of %d\n", token, n);
	}
}

static MPI_Comm merged(MPI_Comm inter, int high)
{
	MPI_Comm all;
	MPI_Intercomm_merge(inter, high, &all);
	return all;
}

/* Every process makes a world of its own, all at the same time, and each of those makes one more. */
static void each(char *program)
{
	MPI_Comm own = spawn(program, "child-of-one", 2, 0, SELF);
	collect(own);
	MPI_Comm_disconnect(&own);
}

static void child_of_one(char *program, MPI_Comm parent)
{
	if (rank == 0) {
		MPI_Comm own = spawn(program, "grandchild", 1, 0, SELF);
		collect(own);
		MPI_Comm_disconnect(&own);
	}
	tell(parent);
	MPI_Comm_disconnect(&parent);
}

/* The last process makes a world, and then rank 0 of that, with all that are there, one more. */
static void twice(char *program)
{
	MPI_Comm first = spawn(program, "first", 2, size - 1, WORLD), all = merged(first, 0);
	round_trip(all);
	MPI_Comm second = spawn(program, "second", 1, 2, all), more = merged(second, 0);
	round_trip(more);
	MPI_Comm_free(&more);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&second);
	MPI_Comm_disconnect(&first);
}

static void first(char *program, MPI_Comm parent)
{
	MPI_Comm all = merged(parent, 1);
	round_trip(all);
	MPI_Comm second = spawn(program, "second", 1, 2, all), more = merged(second, 0);
	round_trip(more);
	MPI_Comm_free(&more);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&second);
	MPI_Comm_disconnect(&parent);
}

static void second(MPI_Comm parent)
{
	MPI_Comm more = merged(parent, 1);
	round_trip(more);
	MPI_Comm_free(&more);
	MPI_Comm_disconnect(&parent);
}

/* A communicator of these members of another one, of which only they know; and what is made from it. */
static void among(MPI_Comm all, int n, const int *members, int tag)
{
	MPI_Group whole, some;
	MPI_Comm made = MPI_COMM_NULL, copy;
	int in;
	MPI_Comm_group(all, &whole);
	MPI_Group_incl(whole, n, members, &some);
	MPI_Group_rank(some, &in);
	if (in != MPI_UNDEFINED)
		MPI_Comm_create_group(all, some, tag, &made);
	MPI_Group_free(&some);
	MPI_Group_free(&whole);
	if (in == MPI_UNDEFINED)
		return;
	round_trip(made);
	MPI_Comm_dup(made, &copy);
	round_trip(copy);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&made);
}

/* Groups of both worlds, led by one of the one and of the other, one of them twice. */
static void groups(MPI_Comm all)
{
	static const int mixed[] = {1, 2, 3}, theirs[] = {2, 0}, few[] = {3, 1};
	among(all, 3, mixed, 5);
	among(all, 2, theirs, 5);
	among(all, 2, few, 6);
	among(all, 2, few, 6);
	MPI_Comm half;
	int me;
	MPI_Comm_rank(all, &me);
	MPI_Comm_split(all, me % 2, -me, &half);
	round_trip(half);
	MPI_Comm_free(&half);
	MPI_Comm_free(&all);
}

static void multiple(char *program)
{
	char *commands[] = {program, program}, *late[] = {"late", NULL}, *prompt[] = {"prompt", NULL},
	     **argvs[] = {late, prompt};
	int n[] = {1, 2};
	MPI_Info info[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	MPI_Comm made;
	MPI_Comm_spawn_multiple(2, commands, argvs, n, info, 0, WORLD, &made, MPI_ERRCODES_IGNORE);
	if (!rank)
		collect(made);
	MPI_Comm_disconnect(&made);
}

/* A child that the recorder is not in. */
static void bare(char *program)
{
	char *argv[] = {"-u", "LD_PRELOAD", program, "prompt", NULL};
	MPI_Comm made;
	MPI_Comm_spawn("env", argv, 1, MPI_INFO_NULL, 0, WORLD, &made, MPI_ERRCODES_IGNORE);
	if (!rank)
		collect(made);
	MPI_Comm_disconnect(&made);
}

int main(int argc, char **argv)
{
	MPI_Comm parent;
	char *program = argv[0], *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "late"))
		usleep(300000);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	MPI_Comm_get_parent(&parent);
	if (!strcmp(what, "each"))
		each(program);
	else if (!strcmp(what, "twice"))
		twice(program);
	else if (!strcmp(what, "multiple"))
		multiple(program);
	else if (!strcmp(what, "groups")) {
		MPI_Comm made = spawn(program, "grouped", 2, 0, WORLD);
		groups(merged(made, 0));
		MPI_Comm_disconnect(&made);
	} else if (!strcmp(what, "grouped")) {
		groups(merged(parent, 1));
		MPI_Comm_disconnect(&parent);
	} else if (!strcmp(what, "bare"))
		bare(program);
	else if (!strcmp(what, "dies"))
		collect(spawn(program, "death", 1, 0, WORLD));
	else if (!strcmp(what, "death")) {
		sleep(1); /* its makers wait for what it would send by then */
		raise(SIGKILL);
	} else if (!strcmp(what, "child-of-one"))
		child_of_one(program, parent);
	else if (!strcmp(what, "first"))
		first(program, parent);
	else if (!strcmp(what, "second"))
		second(parent);
	else {
		tell(parent);
		MPI_Comm_disconnect(&parent);
	}
	MPI_Finalize();
	return 0;
}
