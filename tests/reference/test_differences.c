/* A run against its reference: what is the same is the same for every number of processes; each mistake is found at its point,
 * array and tile, and nothing else is. */
#include "../unit/check.h"
#include "heat.h"
#include "rules/reference/reference.h"

struct found {
	hb_reference_difference at[64];
	hb_access value[64][2];
	size_t n, kinds[HB_REFERENCE_KINDS];
};

static void visit(void *user, const hb_reference_difference *d)
{
	struct found *f = user;
	f->kinds[d->kind]++;
	if (f->n == 64)
		return;
	f->at[f->n] = *d;
	for (int i = 0; i < 2; i++)
		if (d->value[i])
			f->value[f->n][i] = *d->value[i];
	f->n++;
}

static hb_points *points(const struct heat *h)
{
	static int number;
	char name[16], path[600];
	hb_error e = {0};
	hb_points *p;
	snprintf(name, sizeof name, "run%d", number++);
	char *folder = strdup(check_path(name));
	snprintf(path, sizeof path, "mkdir %s", folder);
	if (system(path) || hb_points_open(&p, &e))
		abort();
	free(heat_run(h, folder));
	for (int i = 0; i < h->processes; i++) {
		snprintf(path, sizeof path, "%s/rank.%d.trace", folder, i);
		if (hb_points_add(p, path, &e)) {
			printf("  %s\n", e.message);
			abort();
		}
	}
	hb_points_end(p);
	free(folder);
	return p;
}

static hb_points *kept[2];

static hb_reference_sum compare_at(
	const struct heat *a, const struct heat *b, double relative, double absolute, struct found *f)
{
	const hb_reference_tolerance tolerance = {relative, absolute};
	hb_reference *r;
	hb_error e = {0};
	int got;
	*f = (struct found){0};
	hb_points_close(kept[0]);
	hb_points_close(kept[1]);
	kept[0] = points(a);
	kept[1] = points(b);
	if (hb_reference_open(kept[0], kept[1], &tolerance, visit, f, &r, &e))
		abort();
	while ((got = hb_reference_step(r, &e)) > 0)
		;
	check(!got, "the comparison comes to an end");
	hb_reference_sum sum = *hb_reference_get_sum(r);
	hb_reference_close(r);
	return sum;
}

static hb_reference_sum compare(const struct heat *a, const struct heat *b, struct found *f)
{
	return compare_at(a, b, 1e-8, 0, f);
}

static const char *at(const hb_point *p)
{
	static char text[4][HB_POINT_TEXT];
	static int next;
	return hb_point_text(p, text[next++ % 4]);
}

static void same(void)
{
	const struct heat one = {.processes = 1};
	struct found f;
	for (int n = 1; n < 6; n++) {
		const struct heat many = {
			.processes = n, .noise = n == 5 ? 1e-14 : 0, .reverse = n == 4, .line = n == 3 ? 17 : 10};
		hb_reference_sum s = compare(&one, &many, &f);
		check(!f.n && s.points == 25 && s.done && !s.stopped,
			"%d processes: the same at %llu points (%zu differences)", n, (unsigned long long)s.points,
			f.n);
		check(s.arrays == 18 && s.results == 6u * (unsigned)n && !s.unknown && !s.failed,
			"... of all arrays and results");
		check(n != 5 || (s.within > 0 && s.most < 1e-8 && s.most > 0),
			"... and rounding is within the tolerance (%g)", s.most);
	}
	const struct heat one_again = {.processes = 3}, other = {.processes = 4};
	hb_reference_sum s = compare(&one_again, &other, &f);
	check(!f.n && s.done, "the reference may have several processes, too");
}

static void halo(void)
{
	const struct heat a = {.processes = 1}, b = {.processes = 3, .no_halo = 4};
	struct found f;
	hb_reference_sum s = compare(&a, &b, &f);
	if (!check(f.n > 0 && f.at[0].kind == HB_REFERENCE_CHECKSUM, "a halo that is stale is found"))
		return;
	const hb_reference_difference *d = &f.at[0];
	check(!strcmp(at(&d->point), "7.E") && !strcmp(d->shape[1]->id.name, "v"),
		"... at its point and array (%s, %s)", at(&d->point), d->shape[1]->id.name);
	check(!strcmp(at(&d->correct), "5.E") && !strcmp(d->correct_construct->name, "sweep"),
		"... behind the last right point of v (%s)", at(&d->correct));
	int64_t first[HB_DIMENSIONS], count[HB_DIMENSIONS];
	hb_tile_box(&d->shape[1]->tiling, d->tile, first, count);
	check(first[0] <= 20 && 20 < first[0] + count[0] && d->edges && d->owners >= 1,
		"... its tiles touch the edge of a process");
	check(d->distance > 0 && d->scale > d->distance && d->whole[0].count == HEAT_N * HEAT_M,
		"... and its size is told");
	check(s.differences == 3 && s.again == 12 && f.n == 15 && f.at[5].again,
		"each array is told once as new (%llu, %llu)", (unsigned long long)s.differences,
		(unsigned long long)s.again);
}

static void one(struct heat b, hb_reference_kind kind, const char *point, const char *what)
{
	const struct heat a = {.processes = 1};
	struct found f;
	hb_reference_sum s = compare(&a, &b, &f);
	check(f.n > 0 && f.at[0].kind == kind && !strcmp(at(&f.at[0].point), point), "%s: found at %s (%zu: %d at %s)",
		what, point, f.n, f.n ? (int)f.at[0].kind : -1, f.n ? at(&f.at[0].point) : "");
	check(kind == HB_REFERENCE_BOX || (kind < HB_REFERENCE_DIFFERS) == (s.differences > 0),
		"%s: a difference, or not one", what);
}

static void others(void)
{
	one((struct heat){.processes = 2, .copy_differs = 3}, HB_REFERENCE_COPIES, "5.E", "copies that differ");
	one((struct heat){.processes = 2, .other_loop = 5}, HB_REFERENCE_CONSTRUCT, "9.B", "another construct");
	one((struct heat){.processes = 2, .failed = 2}, HB_REFERENCE_FAILED, "3.E", "a checksum that failed");
	one((struct heat){.processes = 2, .sum_wrong = 6}, HB_REFERENCE_RESULT, "12.E", "the result of a reduction");
	one((struct heat){.processes = 2, .without = 1}, HB_REFERENCE_UNKNOWN, "1.E",
		"an array that is not registered");
	one((struct heat){.processes = 2, .n = 62}, HB_REFERENCE_BOX, "1.E", "another input");
	one((struct heat){.processes = 3, .dies = 4}, HB_REFERENCE_SHORTER, "7.B", "a process that ended");
	one((struct heat){.processes = 3, .steps = 5}, HB_REFERENCE_CONSTRUCT, "11.B", "a run that does less");
	one((struct heat){.processes = 3, .rows_lost = 1}, HB_REFERENCE_CHECKSUM, "1.E", "a row that nobody has");
	one((struct heat){.processes = 3, .swap = 3}, HB_REFERENCE_CHECKSUM, "6.E", "two elements that are swapped");
	one((struct heat){.processes = 3, .noise = 1e-6}, HB_REFERENCE_CHECKSUM, "1.E", "noise above the tolerance");
	const struct heat a = {.processes = 1}, b = {.processes = 2, .noise = 1e-6};
	struct found f;
	hb_reference_sum s = compare_at(&a, &b, 1e-4, 0, &f);
	check(!s.differences && s.within, "... and below a larger one");
	s = compare_at(&a, &b, 0, 1e-3, &f);
	check(!s.differences && s.within, "... and below an absolute one (%zu)", f.n);
}

static void values(void)
{
	const struct heat a = {.processes = 1, .full = 4}, b = {.processes = 3, .no_halo = 4, .full = 4},
			  good = {.processes = 3, .full = 4};
	struct found f;
	hb_reference_sum s = compare(&a, &good, &f);
	check(!f.n && s.values == 3u * (HEAT_N - 2) * (HEAT_M - 2) && !s.unmatched,
		"all %llu values are found and equal", (unsigned long long)s.values);
	s = compare(&a, &b, &f);
	size_t i = 0;
	while (i < f.n && f.at[i].kind != HB_REFERENCE_VALUE)
		i++;
	if (!check(i < f.n, "the value is told"))
		return;
	const hb_reference_difference *d = &f.at[i];
	const hb_access *x = &f.value[i][0], *y = &f.value[i][1];
	check(x->kind == HB_TRACE_READ && y->process == 1 && x->process == 0 && y->place == 1,
		"it is what process 1 reads");
	int64_t index[HB_DIMENSIONS];
	bool owned;
	hb_array_index(&d->shape[1]->as, (int64_t)y->element, index, &owned);
	check(index[0] == 19 && index[1] == 1 && !owned,
		"... the first element of the row of its neighbour (%lld, %lld)", (long long)index[0],
		(long long)index[1]);
	check(d->differing == 2 * (HEAT_M - 2), "... and %llu values differ: read, and made of that",
		(unsigned long long)d->differing);
	check(d->number[0] != d->number[1], "... %g is not %g", d->number[0], d->number[1]);
}

int main(void)
{
	same();
	halo();
	others();
	values();
	hb_points_close(kept[0]);
	hb_points_close(kept[1]);
	check_clean();
	return check_end();
}
