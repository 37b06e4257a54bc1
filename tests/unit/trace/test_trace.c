/* Traces: every kind of record reads as it was written; cut at every byte, and with every bit of it turned, what is read is a beginning
 * of what was written, or an error; one that grows is followed. */
#include "../../reference/writer.h"
#include "check.h"

static uint64_t rest_of(const hb_trace_record *r)
{
	uint64_t h = (uint64_t)r->kind * 31 + r->thread;
	h = h * 31 + r->number + 3 * r->place + 5 * r->element + 7 * r->event + 11 * r->time + 13 * r->other;
	h = h * 31 + r->point.number + 3 * r->point.task + 5 * r->point.inner + 7 * (uint64_t)r->point.end +
	    (uint64_t)r->point.nested;
	for (unsigned i = 0; i < r->n + r->others; i++)
		h = h * 31 + (uint64_t)r->index[i];
	for (unsigned i = 0; i < 5; i++)
		h = h * 31 + r->cost[i];
	if (r->value)
		h = h * 31 + XXH3_64bits(r->value, r->bytes);
	if (r->tiles)
		h = h * 31 + XXH3_64bits(r->tile, r->tiles * sizeof *r->tile) + r->tile_number[r->tiles - 1];
	h = h * 31 + r->access + 3 * r->state;
	h = r->text ? h * 31 + XXH3_64bits(r->text, strlen(r->text)) : h;
	return r->file ? h * 31 + XXH3_64bits(r->file, strlen(r->file)) : h;
}

/* Hashes of the records of a file, one after the other; how it ended: 0 or a status. */
static size_t read_all(const char *path, uint64_t *hash, size_t most, int *ret_end)
{
	hb_trace *t;
	hb_trace_record r;
	hb_error e = {0};
	size_t n = 0;
	*ret_end = hb_trace_open(path, &t, &e);
	if (*ret_end) {
		if (!e.message[0])
			*ret_end = 1;
		return 0;
	}
	while ((*ret_end = hb_trace_next(t, &r, &e)) > 0)
		if (n < most)
			hash[n++] = rest_of(&r);
	if (*ret_end < 0 && !e.message[0])
		*ret_end = 1;
	hb_trace_close(t);
	return n;
}

static void other_kinds(struct writer *w)
{
	const int64_t index[] = {5, -6, 7};
	const double value = 2.5;
	w_uv(w, HB_TRACE_TASK);
	w_uv(w, 3);
	w_uv(w, HB_TRACE_SKIP);
	w_uv(w, 1);
	w_uv(w, HB_TRACE_SAVED);
	w_uv(w, 1);
	w_uv(w, 6), w_uv(w, 1), w_uv(w, 2), w_uv(w, 3);
	w_str(w, "u.npy");
	w_trouble(w, HB_TROUBLE_ROOM, 0, "there is no room");
	w_uv(w, HB_TRACE_CONTROL);
	w_uv(w, HB_CONTROL_DEPENDENCE);
	w_uv(w, 1), w_uv(w, 77), w_uv(w, 1), w_uv(w, 0);
	w_uv(w, 3), w_sv(w, 1), w_sv(w, -2), w_sv(w, 3);
	w_uv(w, 2), w_sv(w, 4), w_sv(w, 5);
	w_uv(w, HB_TRACE_COST);
	w_uv(w, 1), w_uv(w, 2), w_uv(w, 3), w_uv(w, 4), w_uv(w, 5), w_uv(w, 6);
	w_uv(w, HB_TRACE_RV_AFTER), w_uv(w, 1), w_uv(w, 1), w_bytes(w, &value, sizeof value);
	w_thread(w, 2);
	w_iteration(w, 3, index);
	w_access(w, HB_TRACE_BEFORE, 1, 1, 3, &value, sizeof value);
	w_thread(w, 0);
	w_uv(w, HB_TRACE_GONE);
	w_uv(w, 1);
}

static void make(struct writer *w)
{
	static const double u[6] = {1, 2, 3, 4, 5, 6};
	const hb_array a = {
		.name = "u", .at = u, .type = HB_REAL8, .rank = 2, .global = {4, 3}, .first = {1, 0}, .count = {2, 3}};
	w_open(w, 1, 3);
	w_module(w, 1, "/bin/prog");
	w_place(w, 1, 1, 0x1234);
	w_array(w, 1, &a, "/home/me/heat.c", 12, 0, 0);
	w_construct(w, 1, 0, HB_CONSTRUCT_PARALLEL, 1, "sweep", "heat.c", 20);
	w_variable(w, 1, "sum", 3, HB_REAL8);
	w_block(w);
	w_point(w, false, 1, "1.B");
	w_access(w, HB_TRACE_READ, 1, 1, 4, &u[4], sizeof *u);
	w_checked(w, 1, HB_ACCESS_WRITE, &a);
	w_failed(w, 1, HB_CHECKSUM_GONE);
	w_point(w, true, 1, "1.E");
	w_result(w, 1, &u[2], sizeof *u);
	other_kinds(w);
	w_over(w);
}

static void contents(const char *path)
{
	hb_trace *t;
	hb_trace_record r;
	hb_error e;
	if (!check(!hb_trace_open(path, &t, &e), "a trace opens"))
		return;
	check(hb_trace_get_header(t)->rank == 1 && hb_trace_get_header(t)->size == 3, "its header says whose it is");
	bool tiles = false, point = false, control = false, value = false;
	while (hb_trace_next(t, &r, &e) > 0) {
		point |= r.kind == HB_TRACE_SAVED && r.point.number == 6 && r.point.task == 2 && r.point.inner == 3;
		value |= r.kind == HB_TRACE_READ && r.bytes == 8 &&
			 *(const double *)memcpy(&(double){0}, r.value, 8) == 5;
		control |=
			r.kind == HB_TRACE_CONTROL && r.n == 3 && r.others == 2 && r.index[1] == -2 && r.index[4] == 5;
		tiles |= r.kind == HB_TRACE_CHECKED && r.tiles && r.tile[0].count && r.point.number == 1 && r.point.end;
	}
	check(tiles && point && control && value, "checksums, points, values and findings are as written");
	const hb_trace_array *a = hb_trace_array_of(t, 1);
	check(a && !strcmp(a->id.name, "u") && !strcmp(a->id.file, "heat.c") && a->id.line == 12,
		"an array has its identity");
	check(a && a->tiled && a->as.global[0] == 4 && a->as.first[0] == 1 && a->gone, "... its box, and is gone");
	check(!strcmp(hb_trace_module_of(t, 1), "/bin/prog") && hb_trace_place_of(t, 1)->offset == 0x1234,
		"a place is known");
	check(!hb_trace_place_of(t, 2) && !hb_trace_array_of(t, 0) && !hb_trace_construct_of(t, UINT64_MAX),
		"no other one is");
	check(hb_trace_over(t) && hb_trace_constructs(t) == 1 && hb_trace_arrays(t) == 1, "it is whole");
	hb_trace_close(t);
}

static void cut(const struct writer *w, const char *path, const uint64_t *hash, size_t n)
{
	const char *other = check_path("cut");
	uint64_t got[256];
	size_t wrong = 0, whole = 0, most = 0;
	(void)path;
	for (size_t k = 0; k <= w->n; k++) {
		int end;
		w_save_part(w, other, k);
		size_t m = read_all(other, got, 256, &end);
		wrong += m > n || memcmp(got, hash, m * sizeof *got) || end == 1 ||
			 (end < 0) != (k < sizeof(struct hb_trace_header));
		wrong += m < most;
		most = m > most ? m : most;
		whole += m == n;
	}
	check(!wrong && whole == 1, "cut at each of %zu bytes, the beginning is read (%zu wrong)", w->n, wrong);
}

static void turned(struct writer *w, const uint64_t *hash, size_t n)
{
	const char *other = check_path("turned");
	uint64_t got[256];
	size_t wrong = 0, damaged = 0;
	for (size_t bit = 0; bit < 8 * w->n; bit++) {
		int end;
		w->image[bit / 8] ^= (uint8_t)(1 << bit % 8);
		w_save_part(w, other, w->n);
		size_t m = read_all(other, got, 256, &end);
		bool head = bit / 8 < sizeof(struct hb_trace_header);
		damaged += end < 0;
		/* a block's thread is told by its head, which has no checksum */
		if (!head && m <= n)
			for (size_t i = 0; i < m; i++)
				wrong += got[i] != hash[i] && m != n;
		wrong += end == 1 || m > n;
		w->image[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	check(!wrong && damaged > 6 * w->n, "with each of %zu bits turned nothing else is read (%zu wrong, %zu said)",
		8 * w->n, wrong, damaged);
}

/* Behind right checksums. */
static void nonsense(void)
{
	const char *path = check_path("nonsense");
	size_t crashed = 0, said = 0;
	for (uint64_t seed = 1; seed < 4000; seed++) {
		struct writer w;
		uint64_t x = seed * 0x9E3779B97F4A7C15u, got[256];
		int end;
		w_open(&w, 0, 1);
		w_construct(&w, 1, 0, HB_CONSTRUCT_PARALLEL, 1, "a", "b", 1);
		for (int i = 0; i < 60; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			w_uv(&w, seed % 3 ? x >> 60 : x >> (x & 63));
		}
		w_close(&w, path);
		read_all(path, got, 256, &end);
		crashed += end == 1;
		said += end < 0;
	}
	check(!crashed && said > 2000, "records of chance end with an error, or are records (%zu errors)", said);
}

static void grows(const struct writer *w, size_t n)
{
	const char *path = check_path("grows");
	hb_trace *t;
	hb_trace_record r;
	hb_error e;
	size_t had = 0;
	w_save_part(w, path, sizeof(struct hb_trace_header));
	if (!check(!hb_trace_open(path, &t, &e), "a trace that has only begun opens"))
		return;
	FILE *f = fopen(path, "ab");
	for (size_t k = sizeof(struct hb_trace_header); k < w->n && f; k++) {
		fwrite(w->image + k, 1, 1, f);
		fflush(f);
		while (hb_trace_next(t, &r, &e) > 0)
			had++;
	}
	if (f)
		fclose(f);
	check(had == n && hb_trace_over(t), "it is followed while it grows: %zu of %zu records", had, n);
	hb_trace_close(t);
}

int main(void)
{
	struct writer w;
	uint64_t hash[256];
	const char *path = check_path("trace");
	int end;
	make(&w);
	w_save_part(&w, path, w.n);
	size_t n = read_all(path, hash, 256, &end);
	check(n == 22 && !end, "all %zu records are read", n);
	contents(path);
	cut(&w, path, hash, n);
	turned(&w, hash, n);
	nonsense();
	grows(&w, n);
	w_close(&w, NULL);
	check_clean();
	return check_end();
}
