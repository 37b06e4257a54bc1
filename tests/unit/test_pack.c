/* Columns and packs: every way to write them comes back as it was, and ends where it should. */
#include <string.h>

#include "check.h"
#include "format/sealed/rangecoder.h"
#include "format/sealed/sealed.h"
#include "random_log.h"

static bool comes_back(struct hb__packer *k, const uint64_t *v, size_t n)
{
	struct hb__bytes b = {0};
	struct hb__arena arena = {0};
	struct hb__column c;
	hb__column_write(k, &b, v, n);
	hb__bytes_u8(&b, 0x5a); /* must not be touched */
	struct hb__in in = {b.p, b.p + b.n, false};
	hb__column_read(&in, &arena, n, &c);
	bool same = !b.failed && !in.bad && in.p + 1 == in.end;
	for (size_t i = 0; same && i < n; i++)
		same = hb__column_at(&c, i) == v[i];
	/* Cut anywhere, it says so or gives numbers, and does not read on. */
	for (size_t cut = 0; same && cut < b.n && cut < 300; cut++) {
		uint8_t *exact = malloc(cut + 1);
		memcpy(exact, b.p, cut);
		struct hb__in less = {exact, exact + cut, false};
		hb__column_read(&less, &arena, n, &c);
		same = less.bad || less.p <= less.end;
		free(exact);
	}
	hb__arena_free(&arena);
	free(b.p);
	return same;
}

static void columns(bool small)
{
	static uint64_t v[5000];
	uint64_t state = 5;
	struct hb__packer k;
	bool good = hb__packer_open(&k, small);
	for (int shape = 0; good && shape < 120; shape++) {
		size_t n = shape < 20 ? (size_t)shape : below(&state, 5000);
		unsigned bits = (unsigned)below(&state, 64);
		uint64_t step = raw_random(&state) >> bits;
		for (size_t i = 0; i < n; i++) {
			uint64_t any = raw_random(&state) >> bits;
			uint64_t few[] = {0, 1, 7, 8, 255, 256, UINT64_MAX, 1ull << 63, step};
			v[i] = shape % 6 == 0   ? any
			       : shape % 6 == 1 ? few[any % 9]
			       : shape % 6 == 2 ? i * step
			       : shape % 6 == 3 ? step
			       : shape % 6 == 4 ? any >> below(&state, 64)
						: few[i % 9] + (i & 3);
		}
		good = comes_back(&k, v, n);
		if (!good)
			printf("  shape %d, %zu numbers\n", shape, n);
	}
	check(good, "columns of all shapes come back%s", small ? ", with the range coder" : "");
	hb__packer_close(&k);
}

/* The coder alone: any mixture of certain and uncertain bits. */
static void coder(void)
{
	enum { N = 200000, NODES = 7 };
	static uint8_t bit[N];
	uint64_t state = 77;
	bool good = true;
	for (int round = 0; round < 8 && good; round++) {
		struct hb__rc_node node[NODES];
		struct hb__bytes b = {0};
		size_t n = round < 4 ? below(&state, 60) : N;
		hb__rc_start(node, NODES);
		struct hb__rc_encoder e = hb__rc_encoder(&b);
		for (size_t i = 0; i < n; i++) {
			bit[i] = i % NODES == 0 ? 1 : i % NODES == 1 ? 0 : below(&state, 1 + 3 * (i % NODES)) == 0;
			hb__rc_encode(&e, &node[i % NODES], bit[i]);
		}
		hb__rc_finish(&e, 0);
		hb__rc_start(node, NODES);
		struct hb__rc_decoder d = hb__rc_decoder(b.p + 1, b.n - 1);
		for (size_t i = 0; i < n && good; i++)
			good = hb__rc_decode(&d, &node[i % NODES]) == bit[i];
		free(b.p);
	}
	check(good, "the range coder gives back what it was given");
}

/* Long runs of 0xff before a carry: the byte held back must be counted right. */
static void carries(void)
{
	uint64_t state = 3;
	bool good = true;
	for (int round = 0; round < 3000 && good; round++) {
		struct hb__rc_node node = {HB__RC_ONE / 2, 0};
		struct hb__bytes b = {0};
		struct hb__rc_encoder e = hb__rc_encoder(&b);
		uint8_t bit[64];
		unsigned n = 20 + (unsigned)below(&state, 40);
		/* zeros take the upper part: low stays close to its upper end */
		for (unsigned i = 0; i < n; i++) {
			bit[i] = i > 12 && below(&state, 6) == 0;
			hb__rc_encode(&e, &node, bit[i]);
			node.p = HB__RC_ONE / 64;
		}
		hb__rc_finish(&e, 0);
		node = (struct hb__rc_node){HB__RC_ONE / 2, 0};
		struct hb__rc_decoder d = hb__rc_decoder(b.p + 1, b.n - 1);
		for (unsigned i = 0; i < n && good; i++) {
			good = hb__rc_decode(&d, &node) == bit[i];
			node.p = HB__RC_ONE / 64;
		}
		free(b.p);
	}
	check(good, "carries through bytes of ones");
}

int main(void)
{
	columns(false);
	columns(true);
	coder();
	carries();
	return check_end();
}
