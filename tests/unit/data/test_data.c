/* Files of contents: both forms read as what was written, an event's pieces are found in any order, and of a file that is cut or damaged
 * what is read is what was written. */
#include <hbdb/data.h>

#include "random_data.h"

static void save(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		abort();
}

static hb_data *opened(const char *path)
{
	hb_data *d = NULL;
	hb_error e = {0};
	if (hb_data_open(path, &d, &e))
		printf("  %s\n", e.message);
	return d;
}

static bool same_piece(hb_data *d, const hb_data_piece *piece, const struct told_piece *told)
{
	uint8_t *b = malloc(told->bytes + 1);
	bool same = piece->what == told->what && piece->bytes == told->bytes &&
		    !hb_data_read(d, piece, 0, piece->bytes, b, NULL) && !memcmp(b, told->p, told->bytes);
	if (same && told->bytes > 3)
		same = !hb_data_read(d, piece, 2, told->bytes - 3, b, NULL) && !memcmp(b, told->p + 2, told->bytes - 3);
	free(b);
	return same && hb_data_read(d, piece, 1, piece->bytes, NULL, NULL) == HB_E_ARGUMENT;
}

static bool same_item(hb_data *d, const hb_data_item *item, const struct told_item *told)
{
	static const char *const names[] = {"mpi:MPI_Test", "inputs:clock_gettime", "x:y"};
	bool same = item->event == told->event && item->pieces == (uint32_t)told->pieces &&
		    (told->name < 0 ? !item->name : item->name && !strcmp(item->name, names[told->name]));
	for (int i = 0; same && i < told->pieces; i++)
		same = same_piece(d, &item->piece[i], &told->piece[i]);
	return same;
}

/* The items from an event on; how many are as told, SIZE_MAX: one is not. */
static size_t read_from(hb_data *d, const struct random_thread *t, uint64_t from)
{
	hb_data_cursor *c;
	hb_data_item item;
	size_t k = 0, n = 0;
	while (k < t->items && t->item[k].event < from)
		k++;
	if (hb_data_cursor_open(d, t->id, from, &c, NULL))
		return SIZE_MAX;
	while (hb_data_cursor_next(c, &item, NULL) == 1) {
		if (k == t->items || !same_item(d, &item, &t->item[k++])) {
			n = SIZE_MAX;
			break;
		}
		n++;
	}
	hb_data_cursor_close(c);
	return n;
}

/* By event, forward and in any order; calls that are no events and events with nothing are not found. */
static bool finds(hb_data *d, struct contents *r, const struct random_thread *t)
{
	for (size_t i = 0; i < 2 * t->items; i++) {
		size_t k = i < t->items ? i : pick(r, t->items);
		hb_data_item item;
		uint64_t event = t->item[k].event;
		int found = hb_data_of(d, t->id, event, &item, NULL);
		/* the event's item is the first of that number */
		while (k && t->item[k - 1].event == event)
			k--;
		bool there = t->item[k].name < 0;
		if (found != there || (there && !same_item(d, &item, &t->item[k])))
			return false;
	}
	hb_data_item item;
	return hb_data_of(d, t->id, t->event + 1, &item, NULL) == 0 && hb_data_of(d, 12345, 1, &item, NULL) == 0;
}

static bool reads(const char *path, struct contents *r, bool sealed)
{
	hb_data *d = opened(path);
	if (!d)
		return false;
	const hb_data_info *info = hb_data_get_info(d);
	uint64_t items = 0;
	bool good = info->sealed == sealed && info->rank == 3 && info->pid == 4711 && info->told && !info->stopped &&
		    info->came == r->came && !info->recovered;
	for (int i = 0; i < THREADS; i++) {
		const struct random_thread *t = &r->thread[i];
		items += t->items;
		good = good && read_from(d, t, 0) == t->items && finds(d, r, t);
		for (int k = 0; good && k < 4; k++)
			good = read_from(d, t, pick(r, t->event + 2)) != SIZE_MAX;
	}
	good = good && info->items == items;
	hb_data_close(d);
	return good;
}

/* What stands in the first bytes reads as written; *ret_items: how many items of the first thread there are in so many blocks. */
static bool begins(const char *path, struct contents *r, size_t blocks, size_t *ret_items)
{
	hb_data *d = NULL;
	hb_error e = {0};
	bool good = !hb_data_open_beginning(path, blocks * BLOCK, &d, &e);
	*ret_items = good ? read_from(d, &r->thread[0], 0) : SIZE_MAX;
	for (int i = 1; i < THREADS && good; i++)
		good = read_from(d, &r->thread[i], 0) != SIZE_MAX;
	hb_data_close(d);
	return good && *ret_items != SIZE_MAX;
}

static void beginnings(const char *path, struct contents *r, int seed)
{
	size_t before = 0, n = 0, most = r->blocks < 64 ? r->blocks : 64;
	bool good = begins(path, r, 0, &n) && n == 0;
	for (size_t blocks = 1; blocks < most && good; blocks++, before = n)
		good = begins(path, r, blocks, &n) && n >= before && n <= r->thread[0].items;
	good = good && begins(path, r, r->blocks + 1, &n) && n == r->thread[0].items;
	check(good, "seed %d: its first blocks read as written, and more with each", seed);
}

static void round_trip(uint64_t seed, size_t items, size_t large)
{
	struct contents r;
	const char *raw = check_path("rank.3.data"), *sealed = check_path("sealed"), *back = check_path("back");
	random_data(&r, seed, items, large);
	save(raw, r.image, r.blocks * BLOCK);
	hb_error e = {0};
	uint64_t a = 1, b = 2, c = 3;
	bool good = !hb_data_seal(raw, sealed, NULL, NULL, &e) && !hb_data_unseal(sealed, back, &e);
	check(good, "seed %d: sealed and unsealed %s", (int)seed, e.message);
	check(good && reads(raw, &r, false), "seed %d: the raw form reads as written, %zu blocks", (int)seed, r.blocks);
	check(good && reads(sealed, &r, true), "seed %d: the sealed form reads as written", (int)seed);
	check(good && reads(back, &r, false), "seed %d: so does the unsealed one", (int)seed);
	beginnings(raw, &r, (int)seed);
	beginnings(sealed, &r, (int)seed);
	check(!hb_data_verify(raw, NULL, &a, &e) && !hb_data_verify(sealed, NULL, &b, &e) &&
			!hb_data_verify(back, NULL, &c, &e) && a == b && b == c,
		"seed %d: all have the same digest %s", (int)seed, e.message);
	random_data_free(&r);
}

/* Of what can be read nothing differs from what was written. */
static bool prefix(const char *path, struct contents *r, bool contents_too)
{
	hb_data *d = NULL;
	hb_error e = {0};
	if (hb_data_open(path, &d, &e))
		return e.status < 0 && e.message[0] && !d;
	bool good = true;
	for (int i = 0; i < THREADS && good && contents_too; i++)
		good = read_from(d, &r->thread[i], 0) != SIZE_MAX;
	hb_data_close(d);
	return good;
}

static size_t load(const char *path, uint8_t *to, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(to, 1, room, f) : 0;
	if (f)
		fclose(f);
	return n;
}

static void cut(uint64_t seed)
{
	struct contents r;
	const char *raw = check_path("whole"), *sealed = check_path("sealed"), *part = check_path("part"),
		   *back = check_path("back");
	random_data(&r, seed, 900, 60000);
	size_t n = r.blocks * BLOCK;
	save(raw, r.image, n);
	hb_error e = {0};
	bool good = true;
	for (size_t k = 0; k < 60 && good; k++) {
		save(part, r.image, pick(&r, n));
		good = prefix(part, &r, true) && hb_data_verify(part, NULL, NULL, &e) < 0;
	}
	check(good, "seed %d: a raw file that is cut reads as far as it goes, and is not whole %s", (int)seed,
		e.message);
	good = !hb_data_seal(raw, sealed, NULL, NULL, &e);
	uint8_t *image = malloc(n + BLOCK);
	size_t size = load(sealed, image, n + BLOCK);
	for (size_t k = 0; k < 60 && good; k++) {
		uint64_t a = 0, b = 0;
		save(part, image, pick(&r, size - 24 * (k % 2)));
		good = prefix(part, &r, true);
		if (!hb_data_verify(part, NULL, &a, NULL) || a)
			good = good && !hb_data_unseal(part, back, &e) &&
			       (hb_data_verify(back, NULL, &b, NULL), a == b);
	}
	check(good, "seed %d: so does a sealed one %s", (int)seed, e.message);
	/* the list of frames is only a help */
	save(part, image, size - 8);
	hb_data *d = opened(part);
	check(d && read_from(d, &r.thread[0], 0) == r.thread[0].items, "seed %d: it is whole without its list",
		(int)seed);
	hb_data_close(d);
	free(image);
	random_data_free(&r);
}

/* A flipped bit in a sealed file is noticed: frames have checksums. */
static void flipped(uint64_t seed)
{
	static uint8_t image[1 << 22];
	struct contents r;
	const char *raw = check_path("whole"), *sealed = check_path("sealed");
	random_data(&r, seed, 300, 5000);
	save(raw, r.image, r.blocks * BLOCK);
	hb_error e = {0};
	bool good = !hb_data_seal(raw, sealed, NULL, NULL, &e);
	size_t size = load(sealed, image, sizeof image), noticed = 0;
	size_t list = size > 16 ? (size_t)get_le(image + size - 16) * 16 + 24 : 0;
	for (int k = 0; k < 300 && good; k++) {
		size_t at = pick(&r, size - list);
		uint8_t bit = (uint8_t)(1 << pick(&r, 8));
		hb_error why = {0};
		image[at] ^= bit;
		save(sealed, image, size);
		noticed += hb_data_verify(sealed, NULL, NULL, &why) && why.message[0];
		good = prefix(sealed, &r, false);
		image[at] ^= bit;
	}
	check(good && noticed == 300, "seed %d: flipped bits are noticed (%zu of 300)", (int)seed, noticed);
	random_data_free(&r);
}

static void edges(void)
{
	hb_error e = {0};
	hb_data *d;
	const char *path = check_path("edge");
	static uint8_t b[2 * BLOCK];
	check(hb_data_open("/nowhere/rank.0.data", &d, &e) == HB_E_SYSTEM, "a file that is not there");
	save(path, b, 100);
	check(hb_data_open(path, &d, &e) == HB_E_FOREIGN, "a file of zeros");
	struct contents r;
	random_data(&r, 5, 200, 100);
	put_le(r.image + 8, 2, 4);
	save(path, r.image, r.blocks * BLOCK);
	check(hb_data_open(path, &d, &e) == HB_E_VERSION, "a later version: %s", e.message);
	put_le(r.image + 8, 1, 4);
	/* being made when the process was killed: no damage, unless its end was told */
	size_t at = (r.blocks - 1) * BLOCK, last = r.blocks;
	while (memcmp(r.image + at, "HBDX", 4))
		at -= BLOCK;
	memset(r.image + at, 0, 4);
	save(path, r.image, last * BLOCK);
	check(hb_data_verify(path, NULL, NULL, &e) == HB_E_DAMAGED, "an extent that is missing: %s", e.message);
	put_le(r.image + 24, 0, 4);
	save(path, r.image, last * BLOCK);
	hb_data_info info;
	check(!hb_data_verify(path, &info, NULL, &e) && !info.told, "an extent that was being made");
	char *name = hb_data_path("/a/rank.3.77.log");
	check(name && !strcmp(name, "/a/rank.3.77.data"), "the name of the file");
	free(name);
	random_data_free(&r);
}

int main(void)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		round_trip(seed, 2000 * seed, 200);
	round_trip(11, 20000, 3000);
	round_trip(12, 15, 12000000); /* contents larger than a frame */
	round_trip(13, 1, 10);
	cut(21);
	cut(22);
	flipped(31);
	edges();
	check_clean();
	return check_end();
}
