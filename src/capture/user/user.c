/* Events of the program: from the header's calls to rows. What was said before at the same place is a string compare, a
 * clock read and some ten bytes; a new name or text costs a lock and a definition. */
#include <string.h>

#include <hbdb/event.h>

#include "capture/core/control/control.h"
#include "capture/core/data/data.h"
#include "capture/core/record/record.h"
#include "capture/core/follow/follow.h"
#include "capture/core/layer.h"

#define NAME_MOST 200
#define TEXT_MOST 1024
#define VALUES_MOST 16u
#define NAMES_MOST (HB_FUNCTIONS_MOST - hb__layers_functions())
#define BUCKETS 4096u

/* What the program says under one name. */
struct named {
	struct hb__fn fn; /* its id: behind those of the tables */
	unsigned n;
	uint8_t type[VALUES_MOST];
	const char *value[VALUES_MOST]; /* names of the values */
	struct named *next;             /* in its bucket */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct named *names[BUCKETS];
static unsigned nnames;
static bool told_full;

/* What a lane said last at a place. */
struct place {
	const void *pc;
	const struct named *named;
	const struct hb__text *text; /* the channel */
};
#define PLACES 64u
struct hb__user {
	struct place place[PLACES];
	const struct hb__text *recent[PLACES]; /* texts, by a part of their hash */
};

_Static_assert(
	(int)HB_VALUE_REAL == (int)HB_TYPE_REAL && (int)HB_VALUE_TEXT == (int)HB_TYPE_TEXT, "as in hbdb-recording.5");
_Static_assert((int)HB_USER_EVENT + (int)HB_KIND_RECEIVED == (int)HB_USER_RECEIVED, "as in calls/user.def");

static uint8_t *at, *end; /* room that is left */

/* Zeroed memory that is never given back. With the lock. */
static void *room(size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	if ((size_t)(end - at) < bytes) {
		if (!(at = hb__pages(65536)))
			return end = NULL;
		end = at + 65536;
	}
	at += bytes;
	return at - bytes;
}

static void say_full(void)
{
	if (!told_full)
		hb__say("the program uses more than %u names in its own events; further ones are recorded as \"(more)\"",
			NAMES_MOST);
	told_full = true;
}

static const char *copy(const char *s, size_t most)
{
	size_t n = strnlen(s, most);
	char *to = room(n + 1);
	if (to)
		memcpy(to, s, n);
	return to;
}

/* ---- texts ---- */

static const struct hb__text *text_of(struct hb__user *u, const char *s)
{
	uint64_t h = hb__text_hash(HB__TEXT_HASH, s, TEXT_MOST);
	const struct hb__text **recent = &u->recent[h % PLACES];
	if (likely(hb__is_text(*recent, s)))
		return *recent;
	return *recent = hb__text_of(s, h);
}

/* ---- names ---- */

/* A value without a name must not crash the program: without the recorder nobody looks at it. */
static const char *value_name(const hb_value *value) { return value->name ? value->name : ""; }

static bool is_named(const struct named *f, uint8_t cls, const char *name, unsigned n, const hb_value *value)
{
	if (f->fn.cls != cls || f->n != n || strncmp(f->fn.name, name, NAME_MOST))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (f->type[i] != value[i].type || strncmp(f->value[i], value_name(&value[i]), NAME_MOST))
			return false;
	return true;
}

static struct named *named_new(uint8_t cls, const char *name, unsigned n, const hb_value *value)
{
	struct named *f = room(sizeof *f);
	if (!f || !(f->fn.name = copy(name, NAME_MOST)))
		return NULL;
	f->fn.cls = cls;
	f->fn.flags = HB_EVENT;
	f->fn.means = hb_meaning_of(f->fn.name, cls);
	f->n = n;
	for (unsigned i = 0; i < n; i++) {
		f->type[i] = (uint8_t)value[i].type;
		if (!(f->value[i] = copy(value_name(&value[i]), NAME_MOST)))
			return NULL;
	}
	f->fn.id = (uint16_t)(hb__layers_functions() + nnames++);
	return f;
}

static const struct named *named_of(uint8_t cls, const char *name, unsigned n, const hb_value *value)
{
	uint64_t h = hb__text_hash(cls, name, NAME_MOST);
	pthread_mutex_lock(&lock);
	struct named *f = names[h % BUCKETS];
	while (f && !is_named(f, cls, name, n, value))
		f = f->next;
	if (!f && nnames + HB_USER_RECEIVED - HB_USER_EVENT + 1 >= NAMES_MOST) { /* a last one for each class */
		say_full();
		name = "(more)";
		n = 0;
		h = hb__text_hash(cls, name, NAME_MOST);
		for (f = names[h % BUCKETS]; f && !is_named(f, cls, name, 0, NULL);)
			f = f->next;
	}
	if (!f && nnames < NAMES_MOST && (f = named_new(cls, name, n, value))) {
		f->next = names[h % BUCKETS];
		names[h % BUCKETS] = f;
	}
	pthread_mutex_unlock(&lock);
	return f;
}

/* ---- rows ---- */

static bool off; /* nobody asked for the program's own events */

static struct hb__lane *lane_now(void)
{
	if (unlikely(off))
		return NULL;
	struct hb__lane *lane = hb__lane_now();
	if (unlikely(lane && !lane->user))
		lane->user = hb__pages(sizeof *lane->user);
	return lane && lane->user ? lane : NULL;
}

static __attribute__((noinline)) const struct hb__slot *slot_of_another(struct hb__call *c)
{
	struct hb__wanted w = {.pc = hb__site_of(c->pc, c->cfa)};
	uint32_t changed;
	bool new;
	w.plain = w.pc == c->pc;
	for (unsigned i = 0; i < c->fn->nrecorded; i++)
		w.key[i] = c->a[c->fn->recorded[i].arg];
	struct hb__slot *s = hb__slot_search(c, &w, &new, &changed);
	if (new) {
		for (unsigned i = 0; i < s->nargs; i++)
			s->arg[i] = (int64_t)w.key[i]; /* numbers of texts */
		hb__slot_define(c->lane, s);
	}
	return s;
}

static inline const struct hb__slot *slot_of(struct hb__call *c)
{
	uint32_t changed;
	const struct hb__slot *s = hb__slot_guess(c, &changed);
	return likely(s) ? s : slot_of_another(c);
}

/* a, channel: of a message, the number of its channel's text, and that text. */
static inline __attribute__((always_inline)) void record(struct hb__lane *lane, const struct named *f, uintptr_t *a,
	const char *channel, const int64_t *values, size_t n, const void *pc, const void *cfa)
{
	struct hb__call c;
	c.fn = &f->fn;
	c.a = a;
	c.lane = lane;
	c.pc = pc;
	c.cfa = cfa;
	c.slot = NULL;
	c.followed = c.deferred = false;
	c.choice = false;
	if (unlikely(lane->control->calls[f->fn.id]++ == 0)) {
		hb__define_function(&f->fn);
		hb__define_values(f->fn.id, f->n, f->type, f->value);
	}
	if (unlikely(hb__config.order))
		return;
	int depth = lane->depth++;
	if (unlikely(hb__controlled))
		hb__control_look(lane, true);
	c.slot = slot_of(&c);
	if (unlikely(hb__config.mode == HB__REPLAY))
		hb__follow_user(&c, channel);
	c.results = (int64_t *)values;
	c.nresults = n;
	c.enter = hb__tick();
	hb__row_event(&c, c.enter, 0);
	if (unlikely(hb__alone) && c.followed)
		hb__alone_over(lane);
	if (unlikely(hb__controlled) &&
		f->fn.cls == HB_USER_SENT) /* the others can have the message only when this thread goes on */
		hb__control_pass(lane);
	else
		hb__control_check(lane);
	lane->depth = depth;
}

static struct place *place_of(struct hb__lane *lane, const void *pc)
{
	return &lane->user->place[(uintptr_t)pc * 0x9e3779b97f4a7c15u >> 58];
}

static void event_at(int kind, const char *name, unsigned n, const hb_value *value, const void *pc, const void *cfa)
{
	struct hb__lane *lane = lane_now();
	if (!lane || !name)
		return;
	uint8_t cls = (uint8_t)(HB_USER_EVENT + kind);
	n = n > VALUES_MOST ? VALUES_MOST : n;
	struct place *p = place_of(lane, pc);
	if (unlikely(p->pc != pc || p->text || !is_named(p->named, cls, name, n, value))) {
		const struct named *f = named_of(cls, name, n, value);
		if (!f)
			return;
		*p = (struct place){.pc = pc, .named = f};
	}
	int64_t values[VALUES_MOST];
	n = p->named->n;
	for (unsigned i = 0; i < n; i++) {
		const struct hb__text *t = NULL;
		if (value[i].type == HB_VALUE_TEXT &&
			!(t = text_of(lane->user, value[i].as.text ? value[i].as.text : "")))
			return;
		if (t)
			values[i] = t->number;
		else
			memcpy(&values[i], &value[i].as, sizeof values[i]);
	}
	record(lane, p->named, NULL, NULL, values, n, pc, cfa);
}

static void on_event(int kind, const char *name, unsigned n, const hb_value *value)
{
	event_at(kind, name, n, value, __builtin_extract_return_addr(__builtin_return_address(0)),
		__builtin_dwarf_cfa());
}

/* The two functions of messages have an argument and their own types of values: they are made once. */
static const struct named *message_function(int kind)
{
	static struct named made[2];
	struct named *f = &made[kind == HB_KIND_RECEIVED];
	if (likely(__atomic_load_n(&f->fn.id, __ATOMIC_ACQUIRE)))
		return f;
	pthread_mutex_lock(&lock);
	if (!f->fn.id) {
		f->fn.cls = (uint8_t)(HB_USER_EVENT + kind);
		f->fn.flags = HB_EVENT;
		f->fn.means = hb_meaning_of("", f->fn.cls);
		f->fn.name = f->fn.means->name;
		f->fn.nargs = f->fn.nrecorded = 1;
		f->fn.recorded[0].kind = HB_RECORDED_TEXT;
		f->fn.recorded[0].name = "channel";
		f->n = 2;
		f->type[0] = f->type[1] = HB_TYPE_UNSIGNED;
		f->value[0] = "key";
		f->value[1] = "bytes";
		__atomic_store_n(&f->fn.id, (uint16_t)(hb__layers_functions() + nnames++), __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return f;
}

static void on_message(int kind, const char *channel, uint64_t key, uint64_t bytes)
{
	struct hb__lane *lane = lane_now();
	if (!lane || !channel)
		return;
	const void *pc = __builtin_extract_return_addr(__builtin_return_address(0));
	struct place *p = place_of(lane, pc);
	if (unlikely(p->pc != pc || !hb__is_text(p->text, channel))) {
		*p = (struct place){.pc = pc, .named = message_function(kind), .text = text_of(lane->user, channel)};
		if (!p->text) {
			p->pc = NULL;
			return;
		}
	}
	uintptr_t a[] = {p->text->number};
	int64_t values[] = {(int64_t)key, (int64_t)bytes};
	record(lane, p->named, a, p->text->is, values, 2, pc, __builtin_dwarf_cfa());
}

extern const struct hb_recorder hb_recorder_1;
HB__EXPORT const struct hb_recorder hb_recorder_1 = {.event = on_event, .message = on_message};

/* ---- what the core asks ---- */

/* Of a record only class and name are compared: its functions need no number. */
static const struct hb__fn *function(const char *name, uint8_t cls)
{
	if (!HB_IS_USER(cls) || cls >= HB_CLASSES)
		return NULL;
	size_t n = strlen(name) + 1;
	struct hb__fn *fn = hb__pool(sizeof *fn);
	char *copy = hb__pool(n);
	if (!fn || !copy)
		return NULL;
	memcpy(copy, name, n);
	*fn = (struct hb__fn){.name = copy, .cls = cls, .flags = HB_EVENT, .means = hb_meaning_of(name, cls)};
	return fn;
}

/* Another thread of the parent may have been about to take room when that forked. */
static void again(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	at = end = NULL;
	told_full = false;
}

__attribute__((constructor(102))) static void add_layer(void)
{
	static struct hb__layer user = {.name = "user", .function = function, .again = again};
	hb__layer_add(&user);
	off = user.off;
	hb__event_made = event_at;
}
