/* Conjugate gradients for the Laplacian with a shift on a square, cut into rows. */
#include "seeded.h"

static int n, steps = 8;
static struct part rows;
static double *x, *r, *p, *q;
static double parameter[2] = {0, 0}; // shift, scale of the right side: process 0 knows them

static size_t at(int j, int i) { return (size_t)j * n + i; }

static double *registered(const char *name)
{
	double *a = zeros(at(rows.count + 2, 0), sizeof *a);
	HB_ARRAY(.name = name, .at = a, .type = HB_REAL8, .rank = 2, .global = {n, n}, .first = {rows.first, 0},
		.count = {rows.count, n}, .below = {1, 0}, .above = {1, 0});
	return a;
}

static void read_parameters(void)
{
	parameter[0] = rank == 0 ? 0.3 : 0.1;
	parameter[1] = rank == 0 ? 2 : 1;
	hb_loop("parameters");
	// cg.root:
	MPI_Bcast(parameter, 2, MPI_DOUBLE, mistake("wrong-root") ? size - 1 : 0, MPI_COMM_WORLD);
	hb_loop_end("parameters");
}

static void set(void)
{
	hb_loop("set");
	for (int j = 1; j <= rows.count; j++)
		for (int i = 0; i < n; i++) {
			int jj = j + rows.first - 1;
			r[at(j, i)] = parameter[1] * (1 + cos(0.2 * jj) * sin(0.3 * i));
			p[at(j, i)] = r[at(j, i)];
		}
	hb_loop_end("set");
}

static void exchange(double *a)
{
	int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	MPI_Sendrecv(&a[at(rows.count, 0)], n, MPI_DOUBLE, up, 1, &a[at(0, 0)], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	MPI_Sendrecv(&a[at(1, 0)], n, MPI_DOUBLE, down, 2, &a[at(rows.count + 1, 0)], n, MPI_DOUBLE, up, 2,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	hb_exchanged(a);
}

static void multiply(void)
{
	hb_loop("multiply");
	for (int j = 1; j <= rows.count; j++) {
		hb_iteration(j + rows.first - 1);
		for (int i = 0; i < n; i++) {
			// cg.neighbours:
			double sum = (4 + parameter[0]) * p[at(j, i)] - p[at(j - 1, i)] - p[at(j + 1, i)];
			if (i > 0)
				sum -= p[at(j, i - 1)];
			if (i < n - 1)
				sum -= p[at(j, i + 1)];
			// cg.multiply:
			q[at(j, i)] = sum;
		}
	}
	hb_loop_end("multiply");
}

static double dot(const char *name, const double *a, const double *b)
{
	double sum = 0;
	bool twice = mistake("counted-twice") && rank > 0 && strcmp(name, "pq") == 0; // a row at the border
	hb_loop(name);
	hb_reduce(name, HB_SUM, HB_REAL8, &sum);
	for (int j = 1; j <= rows.count; j++)
		for (int i = 0; i < n; i++)
			// cg.dot:
			sum += (twice && j == 1 ? 2 : 1) * a[at(j, i)] * b[at(j, i)];
	if (!(mistake("not-reduced") && strcmp(name, "rr") == 0))
		// cg.reduce:
		MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE,
			mistake("minimum") && strcmp(name, "pq") == 0 ? MPI_MIN : MPI_SUM, MPI_COMM_WORLD);
	hb_reduced(&sum);
	hb_loop_end(name);
	return sum;
}

static void correct(double alpha)
{
	hb_loop("correct");
	for (int j = 1; j <= rows.count; j++)
		for (int i = 0; i < n; i++) {
			x[at(j, i)] += alpha * p[at(j, i)];
			r[at(j, i)] -= alpha * q[at(j, i)];
		}
	hb_loop_end("correct");
}

static void turn(double beta)
{
	hb_loop("turn");
	for (int j = 1; j <= rows.count; j++)
		for (int i = 0; i < n; i++)
			// cg.turn:
			p[at(j, i)] = r[at(j, i)] + beta * p[at(j, i)];
	hb_loop_end("turn");
}

int main(int argc, char **argv)
{
	n = start(&argc, &argv, 64);
	rows = part_of(n, size, rank);
	x = registered("x");
	r = registered("r");
	p = registered("p");
	q = registered("q");
	HB_ARRAY(.name = "parameter", .at = parameter, .type = HB_REAL8, .rank = 1, .global = {2}, .replicated = 1);
	read_parameters();
	set();
	double rr = dot("start", r, r), older = rr;
	hb_steps("iterations");
	for (int step = 1; step <= steps; step++) {
		hb_iteration(step);
		if (!(mistake("halo-missing") && step == 4))
			exchange(p);
		multiply();
		correct(rr / dot("pq", p, q));
		double new = dot("rr", r, r);
		turn(new / (mistake("stale-scalar") && step > 2 ? older : rr));
		older = rr;
		rr = new;
	}
	hb_steps_end("iterations");
	finish(sqrt(rr));
	return 0;
}
