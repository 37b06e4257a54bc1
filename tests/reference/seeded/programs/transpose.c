/* A matrix cut into rows and its transpose by blocks, sums along its rows, complex pairs, and a histogram that everybody has. */
#include "seeded.h"

enum { BINS = 16 };
static int n;
static struct part rows;
static double *a, *t, *s, *pair;
static int *bin;
static int64_t histogram[BINS];

static double *registered(const char *name, hb_element type)
{
	double *made = zeros((size_t)rows.count * n * (type == HB_COMPLEX16 ? 2 : 1), sizeof *made);
	HB_ARRAY(.name = name, .at = made, .type = type, .rank = 2, .global = {n, n}, .first = {rows.first, 0},
		.count = {rows.count, n});
	return made;
}

static void set(void)
{
	hb_loop("set");
	for (int j = 0; j < rows.count; j++) {
		hb_iteration(j + rows.first);
		for (int i = 0; i < n; i++) {
			a[(size_t)j * n + i] = sin(0.01 * (j + rows.first)) + 0.001 * i + (i % 3 == 0 ? 0.5 : 0);
			// transpose.bin:
			bin[(size_t)j * n + i] = (3 * (j + (mistake("local-bin") ? 0 : rows.first)) + i) % BINS;
		}
	}
	if (mistake("element") && n / 2 >= rows.first && n / 2 < rows.first + rows.count)
		// transpose.element:
		a[(size_t)(n / 2 - rows.first) * n + n / 3] += 1.0;
	hb_loop_end("set");
}

/* The block for each process, turned over, one behind the other. */
static void pack(double *out, const int *place)
{
	for (int to = 0; to < size; to++) {
		struct part theirs = part_of(n, size, to);
		double *block = out + place[to];
		bool plain = mistake("not-turned") && to == rank;
		for (int i = 0; i < theirs.count; i++)
			for (int j = 0; j < rows.count; j++)
				if (plain)
					block[(size_t)j * theirs.count + i] = a[(size_t)j * n + theirs.first + i];
				else
					block[(size_t)i * rows.count + j] = a[(size_t)j * n + theirs.first + i];
	}
}

static void unpack(const double *in, const int *place)
{
	for (int from = 0; from < size; from++) {
		int block = mistake("blocks-swapped") && rank == size - 1 && from < 2 && size > 2 ? 1 - from : from;
		struct part theirs = part_of(n, size, from);
		int take = mistake("last-row") && from == size - 1 ? theirs.count - 1 : theirs.count;
		for (int i = 0; i < rows.count; i++)
			for (int j = 0; j < take; j++)
				// transpose.unpack:
				t[(size_t)i * n + theirs.first + j] = in[place[block] + (size_t)i * theirs.count + j];
	}
}

static void turn_over(void)
{
	int *counts = zeros(size, sizeof *counts), *place = zeros(size, sizeof *place),
	    *sent = zeros(size, sizeof *sent);
	double *out = zeros((size_t)rows.count * n, sizeof *out), *in = zeros((size_t)rows.count * n, sizeof *in);
	hb_loop("turn over");
	for (int to = 0, sum = 0; to < size; to++) {
		counts[to] = part_of(n, size, to).count * rows.count;
		place[to] = sent[to] = sum;
		sum += counts[to];
	}
	pack(out, place);
	if (mistake("displacement") && size > 2)
		sent[rank == 0] += 1;
	MPI_Alltoallv(out, counts, sent, MPI_DOUBLE, in, counts, place, MPI_DOUBLE, MPI_COMM_WORLD);
	unpack(in, place);
	hb_loop_end("turn over");
	free(counts);
	free(place);
	free(sent);
	free(out);
	free(in);
}

/* to: each element of from with half of the one before it. */
static void add_before(double *to, const double *from)
{
	to[0] = from[0];
	for (int i = 1; i < n; i++)
		// transpose.alias:
		to[i] = from[i] + 0.5 * from[i - 1];
}

static void sum_rows(void)
{
	double *work = zeros(n, sizeof *work);
	hb_loop("sums");
	for (int j = 0; j < rows.count; j++) {
		double *row = s + (size_t)j * n;
		hb_iteration(j + rows.first);
		for (int i = 0; i < n; i++)
			row[i] = a[(size_t)j * n + i] - t[(size_t)j * n + i];
		add_before(mistake("aliasing") ? row : work, row);
		if (!mistake("aliasing"))
			memcpy(row, work, (size_t)n * sizeof *row);
	}
	hb_loop_end("sums");
	free(work);
}

static void make_pairs(void)
{
	hb_loop("pairs");
	for (size_t i = 0; i < (size_t)rows.count * n; i++) {
		pair[2 * i] = a[i] + s[i];
		pair[2 * i + 1] = t[i] - s[i];
	}
	hb_loop_end("pairs");
}

static void count_bins(void)
{
	int64_t mine[BINS] = {0};
	hb_loop("histogram");
	for (size_t i = 0; i < (size_t)rows.count * n; i++)
		mine[bin[i]] += 1 + (a[i] > 0.7);
	MPI_Reduce(mine, histogram, BINS, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	// transpose.root:
	MPI_Bcast(histogram, BINS, MPI_INT64_T, mistake("wrong-root") ? size - 1 : 0, MPI_COMM_WORLD);
	hb_loop_end("histogram");
}

int main(int argc, char **argv)
{
	n = start(&argc, &argv, 90);
	rows = part_of(n, size, rank);
	a = registered("a", HB_REAL8);
	t = registered("t", HB_REAL8);
	s = registered("s", HB_REAL8);
	pair = registered("pair", HB_COMPLEX16);
	bin = zeros((size_t)rows.count * n, sizeof *bin);
	HB_ARRAY(.name = "bin", .at = bin, .type = HB_INTEGER4, .rank = 2, .global = {n, n}, .first = {rows.first, 0},
		.count = {rows.count, n});
	HB_ARRAY(.name = "histogram", .at = histogram, .type = HB_INTEGER8, .rank = 1, .global = {BINS},
		.replicated = 1);
	set();
	turn_over();
	sum_rows();
	make_pairs();
	count_bins();
	double sum = 0;
	for (size_t i = 0; i < (size_t)rows.count * n; i++)
		sum += pair[2 * i] * pair[2 * i] + pair[2 * i + 1] * s[i];
	finish(sqrt(fabs(sum_of_all(sum))) + (double)histogram[3]);
	return 0;
}
