/* Divide and conquer: the integral of a function that is hard near 0, by Simpson's rule with halving where it is not exact enough.
 * A task is a piece of the line; a busy node halves it and hands the halves on. Each task is computed with as much care
 * wherever it is computed and however often it was split, so the result has the same digits, whatever the tree. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <hbdb/farm.h>

enum { TASKS = 64 };
#define EXACT 1e-9

struct piece {
	double from, to;
};

static double f(double x) { return sqrt(x) * sin(1 / (x + 0.01)); }

static double simpson(struct piece p)
{
	return (p.to - p.from) / 6 * (f(p.from) + 4 * f((p.from + p.to) / 2) + f(p.to));
}

static double integral(struct piece p, int depth)
{
	double middle = (p.from + p.to) / 2;
	struct piece left = {p.from, middle}, right = {middle, p.to};
	double whole = simpson(p), halves = simpson(left) + simpson(right);
	if (depth && fabs(whole - halves) > EXACT * (p.to - p.from))
		return integral(left, depth - 1) + integral(right, depth - 1);
	return halves;
}

static void data_generator(void)
{
	for (int i = 0; i < TASKS; i++) {
		struct piece p = {(double)i / TASKS, (double)(i + 1) / TASKS};
		if (hb_farm_do_task(&p, sizeof p))
			return;
	}
}

static void split(const void *task, size_t size, int degree, hb_farm_out *out)
{
	struct piece whole;
	memcpy(&whole, task, size);
	double step = (whole.to - whole.from) / degree;
	for (int i = 0; i < degree; i++) {
		struct piece p = {whole.from + i * step, i + 1 < degree ? whole.from + (i + 1) * step : whole.to};
		hb_farm_put(out, &p, sizeof p);
	}
}

static void compute(const void *task, size_t size, hb_farm_out *out)
{
	struct piece p;
	memcpy(&p, task, size);
	double result = integral(p, 40);
	hb_farm_put(out, &result, sizeof result);
}

static void join(const hb_farm_bytes *result, int n, hb_farm_out *out)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += *(const double *)result[i].data;
	hb_farm_put(out, &sum, sizeof sum);
}

static void result_receiver(void)
{
	hb_farm_bytes result;
	double sum = 0;
	int results = 0;
	for (; hb_farm_get_result(&result); results++)
		sum += *(const double *)result.data;
	printf("integral %.6f, of %d results\n", sum, results);
}

int main(int argc, char **argv)
{
	hb_farm_program program = {.data_generator = data_generator,
		.split = split,
		.compute = compute,
		.join = join,
		.result_receiver = result_receiver};
	if (hb_farm_run(&program, &argc, &argv) < 0) {
		fputs(hb_farm_error(), stderr);
		return 1;
	}
	return 0;
}
