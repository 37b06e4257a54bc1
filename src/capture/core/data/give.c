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

/* A place in the items of a thread: behind what was read of `item`. */
struct cursor {
	const char *layer; /* whose calls it stops at; NULL: at events */
	size_t length;
	uint32_t next;  /* extent of the thread, by its number */
	uint64_t count; /* items before this place */
	uint32_t stretch;
	bool have, over;
	struct hb__item item;
};

/* Items of events alone, one behind the other: who looks for calls goes to their end at once, for there may be a million of them. They are
 * told by who reads the events. */
#define STRETCH 64u /* as many at least */
struct stretch {
	uint64_t from, to; /* items before its first one, and before the first behind it, where */
	uint32_t next;
	struct hb__item item; /* ... who reads on is to stand */
};

struct giver {
	uint64_t thread;
	const char *name[SOURCES];
	struct cursor events, calls[LAYERS]; /* calls: by the beginning of their names that is asked for */
	struct stretch *stretch;
	size_t stretches, room;
	uint64_t
		run; /* items before the first of those events that stand before the place of `events` without a call between them */
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

void hb__give_forked(void)
{
	memset(&file, 0, sizeof file);
	hb__data_gives = aside = false;
	self = other = NULL;
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
		k->item.at = (const uint8_t *)x + HB_DATA_HEAD;
		k->item.end = k->item.at + x->valid;
		return true;
	}
	return false;
}

static bool learn_name(struct giver *g, struct hb__item *at)
{
	uint64_t number, n;
	const uint8_t *p = hb_get_uv(at->at, at->end, &number);
	p = p ? hb_get_uv(p, at->end, &n) : NULL;
	if (!p || n > (uint64_t)(at->end - p) || number >= SOURCES)
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
	at->at = p + n;
	return true;
}

bool hb__item_piece(struct hb__item *item, struct hb__piece *ret)
{
	uint64_t what, bytes, where = 0;
	const uint8_t *small = item->at;
	/* a few bytes that stand here, as most */
	if (likely(item->pieces && item->end - small > 3 && !((small[0] | small[1]) & 0x80) && !small[2] && small[1] &&
		    small[1] <= item->end - small - 3)) {
		*ret = (struct hb__piece){.what = small[0], .bytes = small[1], .p = small + 3};
		item->at = small + 3 + small[1];
		item->pieces--;
		return true;
	}
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

/* Goes behind what was not read of the item. */
static bool pass(struct hb__item *item)
{
	for (struct hb__piece piece; item->pieces;)
		if (!hb__item_piece(item, &piece))
			return false;
	return true;
}

/* A call stands here, and events alone since g->run. */
static void tell_stretch(struct giver *g, const struct cursor *here)
{
	if (here->count - g->run < STRETCH)
		return;
	if (g->stretches == g->room) {
		size_t more = g->room ? 2 * g->room : 64;
		struct stretch *p = hb__pages(more * sizeof *p);
		if (!p)
			return;
		if (g->room) {
			memcpy(p, g->stretch, g->room * sizeof *p);
			munmap(g->stretch, g->room * sizeof *p);
		}
		g->stretch = p;
		g->room = more;
	}
	g->stretch[g->stretches++] =
		(struct stretch){.from = g->run, .to = here->count, .next = here->next, .item = here->item};
}

/* Where no call is, as far as is known. */
static void skip_events(struct giver *g, struct cursor *k)
{
	const struct cursor *e = &g->events;
	while (k->stretch < g->stretches && g->stretch[k->stretch].to <= k->count)
		k->stretch++;
	const struct stretch *s = k->stretch < g->stretches ? &g->stretch[k->stretch] : NULL;
	if (s && s->from <= k->count) {
		k->next = s->next;
		k->count = s->to;
		k->item = s->item;
	} else if (!s && g->run <= k->count && k->count < e->count) {
		k->next = e->next;
		k->count = e->count;
		k->item = e->item;
	}
}

/* The kind of the next item, behind names; 0: there is none any more, or it is damaged. */
static uint64_t next_kind(struct giver *g, struct cursor *k, const uint8_t **ret_p)
{
	uint64_t kind = 0;
	for (;;) {
		if (k->item.at == k->item.end && !next_extent(g, k))
			return 0;
		*ret_p = hb_get_uv(k->item.at, k->item.end, &kind);
		if (!*ret_p)
			return 0;
		if (kind != HB_DATA_NAME)
			return kind;
		k->item.at = *ret_p;
		if (!learn_name(g, &k->item))
			return 0;
	}
}

/* Reads the next item; false: there is none any more, or it is damaged. */
static bool read_item(struct giver *g, struct cursor *k)
{
	uint64_t number = 0, n, pieces;
	const uint8_t *p;
	struct hb__item *item = &k->item;
	if (k->layer)
		skip_events(g, k);
	if (unlikely(item->pieces) && !pass(item))
		return false;
	uint64_t kind = next_kind(g, k, &p);
	if (kind != HB_DATA_EVENT && kind != HB_DATA_CALL)
		return false;
	bool call = kind == HB_DATA_CALL;
	if (unlikely(call)) {
		if (!k->layer)
			tell_stretch(g, k);
		p = hb_get_uv(p, item->end, &number);
	}
	p = p ? hb_get_uv(p, item->end, &n) : NULL;
	p = p ? hb_get_uv(p, item->end, &pieces) : NULL;
	if (!p || number >= SOURCES || (call && !g->name[number]))
		return false;
	item->event += n;
	item->of_event = !call;
	item->name = call ? g->name[number] : NULL;
	item->pieces = (unsigned)pieces;
	item->at = p;
	k->count++;
	if (unlikely(call) && !k->layer)
		g->run = k->count;
	return true;
}

static bool is_of(const struct cursor *k)
{
	if (!k->layer || k->item.of_event)
		return !k->layer && k->item.of_event;
	return k->layer[k->length - 1] == ':' ? !strncmp(k->item.name, k->layer, k->length)
					      : !strcmp(k->item.name, k->layer);
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

struct hb__item *hb__data_of_event(uint64_t event)
{
	struct giver *g = giver_of_this_thread();
	struct cursor *k = g ? &g->events : NULL;
	while (k && advance(g, k) && k->item.event < event)
		k->have = false;
	if (!k || !k->have || k->item.event != event)
		return NULL;
	k->have = false;
	return &k->item;
}

static struct cursor *cursor_of(struct giver *g, const char *layer)
{
	for (int i = 0; g && i < LAYERS && g->calls[i].layer; i++)
		if (g->calls[i].layer == layer)
			return &g->calls[i];
	for (int i = 0; g && i < LAYERS; i++) {
		struct cursor *k = &g->calls[i];
		if (!k->layer) {
			k->layer = layer;
			k->length = strlen(layer);
		}
		if (!strcmp(k->layer, layer))
			return k;
	}
	return NULL;
}

struct hb__item *hb__data_look(const char *layer)
{
	struct giver *g = giver_of_this_thread();
	struct cursor *k = cursor_of(g, layer);
	return k && advance(g, k) ? &k->item : NULL;
}

struct hb__item *hb__data_take(const char *layer)
{
	struct giver *g = giver_of_this_thread();
	struct cursor *k = cursor_of(g, layer);
	if (!k || !advance(g, k))
		return NULL;
	k->have = false;
	return &k->item;
}

bool hb__data_peek(const char *layer, struct hb__item *ret)
{
	const struct hb__item *item = hb__data_look(layer);
	if (item)
		*ret = *item;
	return item;
}

bool hb__data_next(const char *layer, struct hb__item *ret)
{
	const struct hb__item *item = hb__data_take(layer);
	if (item)
		*ret = *item;
	return item;
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
