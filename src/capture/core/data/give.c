/* Giving back what was kept: a raw file of contents, read forward by each thread. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/core/data/data.h"
#include "capture/core/record/record.h"
#include "format/data/raw.h"

#define SOURCES 4096u
#define LAYERS 64

bool hb__data_gives, hb__alone;

static struct {
	const uint8_t *at, *end; /* the file, as far as its blocks are in use */
	const struct hb_data_extent **items;
	size_t n, room;
} file;

/* A place in the items of a thread. */
struct cursor {
	const char *layer; /* whose calls it stops at; NULL: at events */
	uint32_t next;     /* extent of the thread, by its number */
	const uint8_t *at, *end;
	uint64_t event, behind;
	bool have, over;
	struct hb__item item;
};

struct giver {
	uint64_t thread;
	const char *name[SOURCES];
	struct cursor events, calls[LAYERS]; /* calls: by the beginning of their names that is asked for */
};

static __thread struct giver *self __attribute__((tls_model("initial-exec")));
static __thread struct giver *other
	__attribute__((tls_model("initial-exec"))); /* of handlers, or of the thread in one */
static __thread bool aside __attribute__((tls_model("initial-exec")));

/* ---- the file ---- */

static bool add_extent(const struct hb_data_extent *x)
{
	if (file.n == file.room) {
		size_t more = file.room ? 2 * file.room : 1024;
		const struct hb_data_extent **items = hb__pages(more * sizeof *items);
		if (!items)
			return false;
		if (file.items) {
			memcpy(items, file.items, file.n * sizeof *items);
			munmap(file.items, file.room * sizeof *items);
		}
		file.items = items;
		file.room = more;
	}
	file.items[file.n++] = x;
	return true;
}

static bool learn_extents(void)
{
	const uint8_t *p = file.at + HB_DATA_BLOCK;
	while (file.end - p >= (ptrdiff_t)HB_DATA_BLOCK) {
		const struct hb_data_extent *x = (const void *)p;
		size_t bytes = (size_t)x->blocks * HB_DATA_BLOCK;
		if (x->magic != HB_DATA_EXTENT || !x->blocks || bytes > (size_t)(file.end - p) ||
			x->valid > bytes - HB_DATA_HEAD)
			break;
		if (x->kind == HB_DATA_ITEMS && !add_extent(x))
			return false;
		p += bytes;
	}
	return true;
}

bool hb__data_open(const char *path, const char **ret_why)
{
	struct stat st;
	if (file.at)
		return hb__data_gives;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	*ret_why = "the recording has no contents of this process";
	if (fd < 0)
		return false;
	bool sized = !fstat(fd, &st) && st.st_size >= (off_t)HB_DATA_BLOCK;
	void *p = sized ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	close(fd);
	*ret_why = "its file of contents cannot be read";
	if (p == MAP_FAILED)
		return false;
	const struct hb_data_header *h = p;
	if (memcmp(h->magic, HB_DATA_MAGIC, sizeof h->magic) || h->version != HB_DATA_VERSION || h->incompatible)
		return false;
	uint64_t blocks = (uint64_t)st.st_size / HB_DATA_BLOCK;
	file.at = p;
	file.end = file.at + (h->blocks < blocks ? h->blocks : blocks) * HB_DATA_BLOCK;
	*ret_why = "memory is gone";
	hb__data_gives = learn_extents();
	return hb__data_gives;
}

/* ---- items ---- */

static struct giver *giver_of_this_thread(void)
{
	if (likely(self != NULL))
		return self;
	self = hb__pages(sizeof *self);
	if (self)
		self->thread = hb__thread_identity() ^ (aside ? HB__ASIDE : 0);
	return self;
}

bool hb__give_aside(bool on)
{
	struct giver *g = self;
	if (aside == on)
		return false;
	aside = on;
	self = other;
	other = g;
	return true;
}

static bool next_extent(struct giver *g, struct cursor *k)
{
	for (size_t i = 0; i < file.n; i++) {
		const struct hb_data_extent *x = file.items[i];
		if (x->thread != g->thread || x->before != k->next)
			continue;
		k->next++;
		k->at = (const uint8_t *)x + HB_DATA_HEAD;
		k->end = k->at + x->valid;
		return true;
	}
	return false;
}

static bool learn_name(struct giver *g, struct cursor *k)
{
	uint64_t number, n;
	const uint8_t *p = hb_get_uv(k->at, k->end, &number);
	p = p ? hb_get_uv(p, k->end, &n) : NULL;
	if (!p || n > (uint64_t)(k->end - p) || number >= SOURCES)
		return false;
	if (!g->name[number]) {
		hb__track_lock();
		char *name = hb__pool(n + 1);
		hb__track_unlock();
		if (!name)
			return false;
		memcpy(name, p, n);
		g->name[number] = name;
	}
	k->at = p + n;
	return true;
}

bool hb__item_piece(struct hb__item *item, struct hb__piece *ret)
{
	uint64_t what, bytes, where = 0;
	const uint8_t *p = item->pieces ? hb_get_uv(item->at, item->end, &what) : NULL;
	p = p ? hb_get_uv(p, item->end, &bytes) : NULL;
	if (p && bytes)
		p = hb_get_uv(p, item->end, &where);
	if (!p)
		return false;
	*ret = (struct hb__piece){.what = (uint32_t)what, .bytes = bytes, .p = p};
	if (where) {
		uint64_t at = item->behind + (uint64_t)hb_unzigzag(where - 1), all = (uint64_t)(file.end - file.at);
		if (at > all || bytes > all - at)
			return false;
		ret->p = file.at + at;
		item->behind = at + bytes;
	} else if (bytes > (uint64_t)(item->end - p)) {
		return false;
	} else {
		p += bytes;
	}
	item->at = p;
	item->pieces--;
	return true;
}

int64_t hb__piece_number(const struct hb__piece *piece)
{
	int64_t v = 0;
	hb_get_sv(piece->p, piece->p + piece->bytes, &v);
	return v;
}

/* Reads the next item; false: there is none any more, or it is damaged. */
static bool read_item(struct giver *g, struct cursor *k)
{
	uint64_t kind = 0, number = 0, n, pieces;
	const uint8_t *p;
	for (;;) {
		if (k->at == k->end && !next_extent(g, k))
			return false;
		p = hb_get_uv(k->at, k->end, &kind);
		if (!p)
			return false;
		k->at = p;
		if (kind != HB_DATA_NAME)
			break;
		if (!learn_name(g, k))
			return false;
	}
	if (kind != HB_DATA_EVENT && kind != HB_DATA_CALL)
		return false;
	p = kind == HB_DATA_CALL ? hb_get_uv(k->at, k->end, &number) : k->at;
	p = p ? hb_get_uv(p, k->end, &n) : NULL;
	p = p ? hb_get_uv(p, k->end, &pieces) : NULL;
	if (!p || number >= SOURCES || (kind == HB_DATA_CALL && !g->name[number]))
		return false;
	k->event += n;
	k->item = (struct hb__item){.event = k->event,
		.of_event = kind == HB_DATA_EVENT,
		.name = g->name[number],
		.pieces = (unsigned)pieces,
		.at = p,
		.end = k->end,
		.behind = k->behind};
	struct hb__item over = k->item;
	for (struct hb__piece piece; over.pieces;)
		if (!hb__item_piece(&over, &piece))
			return false;
	k->at = over.at;
	k->behind = over.behind;
	return true;
}

static bool is_of(const struct cursor *k)
{
	size_t n = k->layer ? strlen(k->layer) : 0;
	if (!n || k->item.of_event)
		return !n && k->item.of_event;
	return k->layer[n - 1] == ':' ? !strncmp(k->item.name, k->layer, n) : !strcmp(k->item.name, k->layer);
}

/* The cursor has an item of its kind, not taken yet. */
static bool advance(struct giver *g, struct cursor *k)
{
	while (!k->have && !k->over) {
		k->over = !read_item(g, k);
		k->have = !k->over && is_of(k);
	}
	return k->have;
}

bool hb__data_of_event(struct hb__lane *lane, uint64_t event, struct hb__item *ret)
{
	struct giver *g = giver_of_this_thread();
	struct cursor *k = g ? &g->events : NULL;
	(void)lane;
	while (k && advance(g, k) && k->item.event < event)
		k->have = false;
	if (!k || !k->have || k->item.event != event)
		return false;
	k->have = false;
	*ret = k->item;
	return true;
}

static struct cursor *cursor_of(struct giver *g, const char *layer)
{
	for (int i = 0; g && i < LAYERS; i++) {
		if (!g->calls[i].layer)
			g->calls[i].layer = layer;
		if (g->calls[i].layer == layer || !strcmp(g->calls[i].layer, layer))
			return &g->calls[i];
	}
	return NULL;
}

bool hb__data_peek(const char *layer, struct hb__item *ret)
{
	struct giver *g = giver_of_this_thread();
	struct cursor *k = cursor_of(g, layer);
	if (!k || !advance(g, k))
		return false;
	*ret = k->item;
	return true;
}

bool hb__data_next(const char *layer, struct hb__item *ret)
{
	struct giver *g = giver_of_this_thread();
	struct cursor *k = cursor_of(g, layer);
	if (!k || !advance(g, k))
		return false;
	k->have = false;
	*ret = k->item;
	return true;
}

bool hb__data_ended(int *ret_why)
{
	struct giver *g = giver_of_this_thread();
	bool over = g && !advance(g, &g->events); /* what came last may have had no room any more */
	*ret_why = hb__data_gives ? (int)((const struct hb_data_header *)(const void *)file.at)->stopped : 0;
	for (int i = 0; g && i < LAYERS && g->calls[i].layer; i++)
		over = over || g->calls[i].over;
	return *ret_why && over;
}
