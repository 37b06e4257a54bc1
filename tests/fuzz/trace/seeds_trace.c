/* Writes the first inputs of fuzz_trace: small traces with everything in them. usage: seeds_trace CORPORA/trace */
#include "../../reference/writer.h"

static void put(const char *folder, int n, uint8_t mode, const void *p, size_t bytes)
{
	char path[600];
	snprintf(path, sizeof path, "%s/seed-%d", folder, n);
	FILE *f = fopen(path, "wb");
	if (!f || fputc(mode, f) == EOF || fwrite(p, 1, bytes, f) != bytes || fclose(f))
		abort();
}

static void records(struct writer *w, bool region)
{
	static const double u[6] = {1, 2, 3, 4, 5, 6};
	const hb_array a = {
		.name = "u", .at = u, .type = HB_REAL8, .rank = 2, .global = {2, 3}, .below = {0}, .base = {1, 1}};
	const int64_t index[] = {1, 2};
	w_module(w, 1, "/bin/true");
	w_place(w, 1, 1, 0x1234);
	w_array(w, 1, &a, "a.c", 12, 0, region ? HB_TRACE_ARRAY_OWN : 0);
	w_construct(w, 1, 0, region ? HB_CONSTRUCT_REGION : HB_CONSTRUCT_PARALLEL, 1, "a", "a.c", 20);
	w_construct(w, 2, 1, HB_CONSTRUCT_PARALLEL, 1, "b", "a.c", 21);
	w_variable(w, 1, "sum", 3, HB_REAL8);
	w_point(w, false, 1, "1.B");
	if (region) {
		w_uv(w, HB_TRACE_TASK);
		w_uv(w, 3);
		w_point(w, false, 2, "1.3.1.B");
	}
	w_iteration(w, 2, index);
	w_access(w, HB_TRACE_READ, 1, 1, 4, &u[4], sizeof *u);
	w_access(w, HB_TRACE_AFTER, 1, 1, 5, &u[2], sizeof *u);
	w_checked(w, 1, HB_ACCESS_WRITE, &a);
	if (region)
		w_point(w, true, 2, "1.3.1.E");
	w_point(w, true, 1, "1.E");
	w_result(w, 1, &u[2], sizeof *u);
	w_trouble(w, HB_TROUBLE_ROOM, 0, "no room");
	w_failed(w, 1, HB_CHECKSUM_GONE);
	w_uv(w, HB_TRACE_OVER);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	for (int n = 0; n < 2; n++) {
		struct writer w;
		w_open(&w, 0, 1);
		records(&w, n);
		put(argv[1], n, 3, w.payload, w.payload_n);
		w_block(&w);
		put(argv[1], 2 + n, 1, w.image, w.n);
		put(argv[1], 4 + n, 0, w.image, w.n);
		w_close(&w, NULL);
	}
	return 0;
}
