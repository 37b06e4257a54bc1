/* What a program can see of its messages, with sizes to the byte. Every rank checks and prints what it saw: the same
 * with and without a prefix in front of the messages. Runs with 2 processes or more; the others only join. */
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define CHECK(x)                                                                                 \
	do {                                                                                     \
		if (!(x)) {                                                                      \
			fprintf(stderr, "%d: %s:%d: wrong: %s\n", rank, __FILE__, __LINE__, #x); \
			MPI_Abort(MPI_COMM_WORLD, 1);                                            \
		}                                                                                \
	} while (0)

static int rank, size;
static const char *part = "";

static void told(const char *what, MPI_Status *st, MPI_Datatype type)
{
	int count = -7, elements = -7;
	MPI_Count large = -7;
	MPI_Get_count(st, type, &count);
	MPI_Get_elements(st, type, &elements);
	MPI_Get_elements_x(st, type, &large);
	printf("%d: %s %s: source %d tag %d count %d elements %d %lld\n", rank, part, what,
		st->MPI_SOURCE == MPI_PROC_NULL ? -2 : st->MPI_SOURCE, st->MPI_TAG == MPI_ANY_TAG ? -1 : st->MPI_TAG,
		count == MPI_UNDEFINED ? -1 : count, elements == MPI_UNDEFINED ? -1 : elements, (long long)large);
}

static void counts(void)
{
	int v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	MPI_Status st;
	MPI_Datatype pair;
	part = "counts";
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	for (int n = 0; n <= 5; n++) {
		if (rank == 0)
			MPI_Send(v, n, MPI_INT, 1, n, WORLD);
		if (rank != 1)
			continue;
		int w[9] = {0, 0, 0, 0, 0, 0, 0, 0, -1};
		MPI_Probe(0, MPI_ANY_TAG, WORLD, &st);
		told("probe", &st, MPI_INT);
		MPI_Recv(w, 4, pair, MPI_ANY_SOURCE, n, WORLD, &st);
		told("recv", &st, pair);
		CHECK(!memcmp(w, v, (size_t)n * sizeof *v) && w[n] == (n == 8 ? -1 : 0));
	}
	MPI_Type_free(&pair);
}

/* Every second int of three, the second element first: a negative lower bound, holes, an own extent. */
static MPI_Datatype crooked(void)
{
	MPI_Datatype t, r;
	int lengths[2] = {1, 2};
	MPI_Aint at[2] = {0, -12};
	MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
	MPI_Type_create_struct(2, lengths, at, types, &t);
	MPI_Type_create_resized(t, -16, 32, &r);
	MPI_Type_commit(&r);
	MPI_Type_free(&t);
	return r;
}

static void derived(void)
{
	char from[160], to[160];
	MPI_Status st;
	MPI_Request r;
	MPI_Datatype t = crooked(), copy;
	part = "derived";
	MPI_Type_dup(t, &copy);
	for (int i = 0; i < 160; i++)
		from[i] = (char)(i + 1);
	if (rank == 0)
		MPI_Send(from + 64, 2, t, 1, 1, WORLD);
	if (rank == 1) {
		memset(to, 0, sizeof to);
		MPI_Recv(to + 64, 3, copy, 0, 1, WORLD, &st);
		told("recv", &st, t);
		for (int i = 0; i < 160; i++) {
			int in = (i - 64 + 16) % 32 - 16;
			int used = i >= 48 && i < 112 && ((in >= 0 && in < 8) || (in >= -12 && in < -4));
			CHECK(to[i] == (used ? from[i] : 0));
		}
	}
	/* freed while the message is under way; part of an element */
	if (rank == 0)
		MPI_Send(from, 12, MPI_CHAR, 1, 2, WORLD);
	if (rank == 1) {
		memset(to, 0, sizeof to);
		MPI_Irecv(to + 64, 1, t, 0, 2, WORLD, &r);
		MPI_Type_free(&t);
		MPI_Wait(&r, &st);
		told("part", &st, copy);
	}
	/* absolute addresses */
	MPI_Datatype absolute;
	int one = 3, lengths[1] = {1};
	MPI_Aint at[1];
	MPI_Get_address(&one, &at[0]);
	MPI_Type_create_hindexed(1, lengths, at, MPI_INT, &absolute);
	MPI_Type_commit(&absolute);
	if (rank == 0)
		MPI_Ssend(MPI_BOTTOM, 1, absolute, 1, 3, WORLD);
	if (rank == 1) {
		one = 0;
		MPI_Recv(MPI_BOTTOM, 1, absolute, 0, 3, WORLD, &st);
		told("bottom", &st, absolute);
		CHECK(one == 3);
	}
	MPI_Type_free(&absolute);
	MPI_Type_free(&copy);
	if (t != MPI_DATATYPE_NULL)
		MPI_Type_free(&t);
}

static int class_of(int code)
{
	int class = -1;
	MPI_Error_class(code, &class);
	return class;
}

static void truncated(void)
{
	int v[4] = {1, 2, 3, 4}, w[4];
	MPI_Status st[2];
	MPI_Request r[2];
	part = "truncated";
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	if (rank == 0) {
		MPI_Send(v, 3, MPI_INT, 1, 1, WORLD);
		MPI_Send(v, 3, MPI_INT, 1, 2, WORLD);
		MPI_Send(v, 2, MPI_INT, 1, 3, WORLD);
		MPI_Send(v, 1, MPI_CHAR, 1, 4, WORLD);
		MPI_Send(v, 2, MPI_INT, 1, 5, WORLD);
	}
	if (rank == 1) {
		printf("1: recv %d\n", class_of(MPI_Recv(w, 2, MPI_INT, 0, 1, WORLD, &st[0])) == MPI_ERR_TRUNCATE);
		MPI_Irecv(w, 2, MPI_INT, 0, 2, WORLD, &r[0]);
		MPI_Irecv(w + 2, 2, MPI_INT, 0, 3, WORLD, &r[1]);
		int class = class_of(MPI_Waitall(2, r, st));
		if (class_of(st[1].MPI_ERROR) == MPI_ERR_PENDING) /* nobody has to wait for the second */
			st[1].MPI_ERROR = MPI_Wait(&r[1], MPI_STATUS_IGNORE);
		printf("1: waitall %d %d %d\n", class == MPI_ERR_IN_STATUS,
			class_of(st[0].MPI_ERROR) == MPI_ERR_TRUNCATE, st[1].MPI_ERROR == MPI_SUCCESS);
		CHECK(w[2] == 1 && w[3] == 2);
		printf("1: to nothing %d\n",
			class_of(MPI_Recv(w, 0, MPI_INT, 0, 4, WORLD, &st[0])) == MPI_ERR_TRUNCATE);
		CHECK(MPI_Recv(w, 2, MPI_INT, 0, 5, WORLD, &st[0]) == MPI_SUCCESS);
		told("after", &st[0], MPI_INT);
	}
	/* calls that are wrong are refused as they are */
	MPI_Datatype raw;
	MPI_Type_contiguous(2, MPI_INT, &raw);
	printf("%d: refused %d %d %d %d %d\n", rank, class_of(MPI_Send(v, 1, raw, 0, 1, WORLD)) == MPI_ERR_TYPE,
		class_of(MPI_Send(v, 1, MPI_DATATYPE_NULL, 0, 1, WORLD)) == MPI_ERR_TYPE,
		class_of(MPI_Send(v, -1, MPI_INT, 0, 1, WORLD)) == MPI_ERR_COUNT,
		class_of(MPI_Send(v, 1, MPI_INT, size, 1, WORLD)) == MPI_ERR_RANK,
		class_of(MPI_Send(v, 1, MPI_INT, 0, -5, WORLD)) == MPI_ERR_TAG);
	MPI_Type_free(&raw);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
}

static void probes(void)
{
	char v[100] = "probed", w[100];
	MPI_Status st;
	MPI_Message m;
	MPI_Request r;
	int flag = 0;
	part = "probes";
	if (rank == 0)
		for (int i = 0; i < 4; i++)
			MPI_Send(v, 10 * i + 7, MPI_CHAR, 1, i, WORLD);
	if (rank != 1)
		return;
	while (!flag)
		MPI_Iprobe(MPI_ANY_SOURCE, 0, WORLD, &flag, &st);
	told("iprobe", &st, MPI_CHAR);
	MPI_Recv(w, 100, MPI_CHAR, 0, 0, WORLD, MPI_STATUS_IGNORE);
	MPI_Mprobe(0, MPI_ANY_TAG, WORLD, &m, &st);
	told("mprobe", &st, MPI_CHAR);
	MPI_Mrecv(w, 17, MPI_CHAR, &m, &st);
	told("mrecv", &st, MPI_CHAR);
	for (flag = 0; !flag;)
		MPI_Improbe(0, 2, WORLD, &flag, &m, &st);
	told("improbe", &st, MPI_CHAR);
	MPI_Imrecv(w, 90, MPI_CHAR, &m, &r);
	for (flag = 0; !flag;)
		MPI_Request_get_status(r, &flag, &st);
	told("get_status", &st, MPI_CHAR);
	MPI_Wait(&r, &st);
	told("imrecv", &st, MPI_CHAR);
	MPI_Probe(0, 3, WORLD, &st);
	told("probe", &st, MPI_SHORT);
	MPI_Recv(w, 100, MPI_CHAR, 0, 3, WORLD, &st);
	CHECK(!strcmp(w, v));
	MPI_Mprobe(MPI_PROC_NULL, 1, WORLD, &m, &st);
	told("mprobe of nobody", &st, MPI_CHAR);
	MPI_Mrecv(w, 1, MPI_CHAR, &m, &st);
	told("mrecv of nobody", &st, MPI_CHAR);
}

static void persistent(void)
{
	int v[3], w[5];
	MPI_Request r[2];
	MPI_Status st[2];
	MPI_Datatype three;
	part = "persistent";
	if (rank > 1)
		return;
	MPI_Type_contiguous(3, MPI_INT, &three);
	MPI_Type_commit(&three);
	MPI_Send_init(v, 1, three, 1 - rank, 4, WORLD, &r[0]);
	MPI_Recv_init(w, 5, MPI_INT, rank ? 0 : MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[1]);
	MPI_Type_free(&three);
	for (int i = 0; i < 5; i++) {
		for (int k = 0; k < 3; k++)
			v[k] = 100 * i + 10 * rank + k;
		if (i % 2) {
			MPI_Startall(2, r);
		} else {
			MPI_Start(&r[1]);
			MPI_Start(&r[0]);
		}
		MPI_Waitall(2, r, st);
		told("waitall", &st[1], MPI_INT);
		CHECK(w[0] == 100 * i + 10 * (1 - rank) && w[2] == w[0] + 2);
	}
	MPI_Wait(&r[1], st);
	told("inactive", st, MPI_INT);
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

static void both_ways(void)
{
	int v[4], w[6];
	MPI_Status st;
	part = "both ways";
	if (rank > 1)
		return;
	for (int n = 0; n < 4; n++) {
		v[0] = v[1] = v[2] = v[3] = 10 * rank + n;
		MPI_Sendrecv(v, n, MPI_INT, 1 - rank, n, w, 6, MPI_INT, MPI_ANY_SOURCE, n, WORLD, &st);
		told("sendrecv", &st, MPI_INT);
		CHECK(!n || w[n - 1] == 10 * (1 - rank) + n);
		MPI_Sendrecv_replace(v, n, MPI_INT, 1 - rank, n, 1 - rank, MPI_ANY_TAG, WORLD, &st);
		told("replace", &st, MPI_INT);
		CHECK(!n || (v[n - 1] == 10 * (1 - rank) + n && v[n] == 10 * rank + n) || n == 4);
	}
	/* one half to nobody */
	v[0] = rank;
	MPI_Sendrecv(
		v, 1, MPI_INT, rank ? MPI_PROC_NULL : 1, 9, w, 6, MPI_INT, rank ? 0 : MPI_PROC_NULL, 9, WORLD, &st);
	told("one way", &st, MPI_INT);
	CHECK(!rank || w[0] == 0);
	MPI_Sendrecv_replace(v, 1, MPI_INT, rank ? 0 : MPI_PROC_NULL, 9, rank ? MPI_PROC_NULL : 1, 9, WORLD, &st);
	told("replace, one way", &st, MPI_INT);
	CHECK(v[0] == 1);
}

static void buffered(void)
{
	double v[20], w[20];
	void *where;
	int bytes, one;
	MPI_Request r[3];
	MPI_Status st;
	part = "buffered";
	if (rank > 1)
		return;
	for (int i = 0; i < 20; i++)
		v[i] = i + rank;
	/* room for exactly three messages: ten doubles, nothing, one int */
	int need = 3 * MPI_BSEND_OVERHEAD;
	MPI_Pack_size(10, MPI_DOUBLE, WORLD, &one);
	need += one;
	MPI_Pack_size(1, MPI_INT, WORLD, &one);
	need += one;
	char *room = malloc((size_t)need);
	MPI_Buffer_attach(room, need);
	for (int turn = 0; turn < 3; turn++) {
		MPI_Bsend(v, 10, MPI_DOUBLE, 1 - rank, 1, WORLD);
		MPI_Ibsend(NULL, 0, MPI_DOUBLE, 1 - rank, 2, WORLD, &r[0]);
		MPI_Bsend_init(&turn, 1, MPI_INT, 1 - rank, 3, WORLD, &r[1]);
		MPI_Start(&r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Request_free(&r[1]);
		for (int tag = 3; tag > 0; tag--) {
			MPI_Recv(w, 20, tag == 3 ? MPI_INT : MPI_DOUBLE, MPI_ANY_SOURCE, tag, WORLD, &st);
			told("recv", &st, tag == 3 ? MPI_INT : MPI_DOUBLE);
		}
		CHECK(w[9] == 9 + 1 - rank);
		MPI_Buffer_detach(&where, &bytes);
		CHECK(where == room && bytes == need);
		MPI_Buffer_attach(room, need);
	}
	MPI_Buffer_detach(&where, &bytes);
	CHECK(where == room && bytes == need);
	free(room);
}

static void cancelled(void)
{
	int v = 0, flag;
	MPI_Request r[2];
	MPI_Status st;
	part = "cancelled";
	MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 77, WORLD, &r[0]);
	MPI_Cancel(&r[0]);
	MPI_Wait(&r[0], &st);
	MPI_Test_cancelled(&st, &flag);
	CHECK(flag);
	MPI_Recv_init(&v, 1, MPI_INT, 0, 77, WORLD, &r[1]);
	MPI_Start(&r[1]);
	MPI_Cancel(&r[1]);
	MPI_Wait(&r[1], &st);
	MPI_Test_cancelled(&st, &flag);
	CHECK(flag);
	MPI_Request_free(&r[1]);
	printf("%d: cancelled\n", rank);
}

static void freed(void)
{
	static int v[50], w[50];
	MPI_Request r;
	MPI_Status st;
	part = "freed";
	for (int i = 0; i < 50 && rank < 2; i++) {
		v[i] = 1000 * rank + i;
		MPI_Isend(&v[i], 1, MPI_INT, 1 - rank, 5, WORLD, &r);
		MPI_Request_free(&r);
	}
	for (int i = 0; i < 50 && rank < 2; i++) {
		MPI_Recv(&w[i], 1, MPI_INT, 1 - rank, 5, WORLD, &st);
		CHECK(w[i] == 1000 * (1 - rank) + i);
	}
	MPI_Barrier(WORLD);
}

static void big(void)
{
	static double v[300000], w[300000];
	MPI_Request r[2];
	MPI_Status st[2];
	part = "big";
	if (rank > 1)
		return;
	for (int i = 0; i < 300000; i++)
		v[i] = i * (rank + 1.0);
	MPI_Irecv(w, 300000, MPI_DOUBLE, MPI_ANY_SOURCE, 6, WORLD, &r[0]);
	MPI_Isend(v, 299999, MPI_DOUBLE, 1 - rank, 6, WORLD, &r[1]);
	MPI_Waitall(2, r, st);
	told("waitall", &st[0], MPI_DOUBLE);
	for (int i = 0; i < 299999; i++)
		CHECK(w[i] == i * (2.0 - rank));
	CHECK(w[299999] == 0);
}

static void inter(void)
{
	MPI_Comm half, between, merged;
	MPI_Status st;
	int v = rank, w = -1, n, me;
	part = "inter";
	MPI_Comm_split(WORLD, rank % 2, 0, &half);
	MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 3, &between);
	MPI_Comm_remote_size(between, &n);
	MPI_Comm_rank(between, &me);
	if (me == 0) {
		MPI_Send(&v, 1, MPI_INT, 0, 1, between);
		MPI_Probe(MPI_ANY_SOURCE, 1, between, &st);
		told("probe", &st, MPI_INT);
		MPI_Recv(&w, 1, MPI_INT, 0, 1, between, &st);
		told("recv", &st, MPI_INT);
		CHECK(w == 1 - rank);
	}
	MPI_Intercomm_merge(between, rank % 2, &merged);
	MPI_Comm_rank(merged, &me);
	MPI_Sendrecv(&me, 1, MPI_INT, me, 2, &w, 1, MPI_INT, me, 2, merged, &st);
	told("self", &st, MPI_INT);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&between);
	MPI_Comm_free(&half);
}

static void null_process(void)
{
	int v = 5;
	MPI_Request r[2];
	MPI_Status st[2];
	part = "nobody";
	MPI_Send(&v, 1, MPI_INT, MPI_PROC_NULL, 1, WORLD);
	MPI_Recv(&v, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, WORLD, st);
	told("recv", st, MPI_INT);
	MPI_Irecv(&v, 1, MPI_INT, MPI_PROC_NULL, 3, WORLD, &r[0]);
	MPI_Isend(&v, 1, MPI_INT, MPI_PROC_NULL, 3, WORLD, &r[1]);
	MPI_Waitall(2, r, st);
	told("irecv", st, MPI_INT);
	CHECK(v == 5);
}

#if MPI_VERSION >= 4
/* Predefined types only: MPICH 4.0 gives a derived one back once too often. */
static void both_at_once(void)
{
	MPI_Request r;
	double v[6], w[6];
	part = "both at once";
	if (rank > 1)
		return;
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 6; k++)
			v[k] = w[k] = 10 * rank + k + i;
		MPI_Isendrecv(v, 3, MPI_DOUBLE, 1 - rank, 3, w, 5, MPI_DOUBLE, 1 - rank, 3, WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		CHECK(w[0] == 10 * (1 - rank) + i && w[2] == w[0] + 2 && w[3] == 10 * rank + 3 + i);
		MPI_Isendrecv_replace(v + 1, 2, MPI_DOUBLE, 1 - rank, 3, MPI_ANY_SOURCE, 3, WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		CHECK(v[1] == w[0] + 1 && v[2] == v[1] + 1 && v[3] == 10 * rank + 3 + i);
	}
	/* a plain send is received by it */
	if (rank == 0)
		MPI_Send(v, 1, MPI_DOUBLE, 1, 4, WORLD);
	if (rank == 1) {
		w[0] = w[1] = -1;
		MPI_Isendrecv(v, 0, MPI_DOUBLE, MPI_PROC_NULL, 4, w, 2, MPI_DOUBLE, 0, 4, WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		CHECK(w[0] == 19 && w[1] == -1);
	}
	printf("%d: both at once\n", rank);
}

static void large(void)
{
	MPI_Count n = 3, elements = 0;
	int v[3] = {1, 2, 3}, w[4] = {0};
	MPI_Status st;
	part = "large";
	if (rank == 0)
		MPI_Send_c(v, n, MPI_INT, 1, 1, WORLD);
	if (rank == 1) {
		MPI_Recv_c(w, 4, MPI_INT, 0, 1, WORLD, &st);
		MPI_Get_elements_c(&st, MPI_INT, &elements);
		CHECK(elements == 3 && w[2] == 3 && w[3] == 0);
	}
}
#endif

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	counts();
	derived();
	truncated();
	probes();
	persistent();
	both_ways();
	buffered();
	cancelled();
	freed();
	big();
	inter();
	null_process();
#if MPI_VERSION >= 4
	both_at_once();
	large();
#endif
	printf("%d: done\n", rank);
	MPI_Finalize();
	return 0;
}
