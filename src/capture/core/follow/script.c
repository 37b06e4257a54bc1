/* Reading the raw log that is followed. It was written by this library and
 * copied by the tool, which checked it; still nothing outside it is read. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/core/data/data.h"
#include "capture/core/record/record.h"
#include "capture/core/follow/follow.h"
#include "capture/core/layer.h"

struct definition {
	const uint8_t *body, *end;
};
struct table {
	struct definition *at;
	uint64_t size;
};

struct unit_is {
	uint16_t kind, lane; /* kind 0: never begun */
};

static struct {
	const uint8_t *base;
	uint64_t units;
	struct table function, site, module, datatype, op, text;
	const struct hb__fn **local; /* by function number */
	/* A record may have thousands of lanes: what a unit is, without touching it, and control units by the identity of their threads. */
	struct unit_is *is;
	uint32_t *control, controls; /* open addressing; controls: a power of two */
	unsigned lanes;
} script;

struct hb__reader {
	uint16_t lane;
	const struct hb_lane_control *control;
	uint64_t unit; /* the one being read; 0 before the first */
	const uint8_t *p, *end;
	struct hb__script_slot *slots;
	uint64_t nslots;
	int64_t *results;
	size_t nresults, room;
	bool ahead;              /* a second reader */
	uint64_t polls, skipped; /* of the row to come */
	int64_t code;
	uint64_t tick; /* of the row before */
};

static const struct hb_unit_header *unit_at(uint64_t k)
{
	return (const struct hb_unit_header *)(script.base + k * HB_UNIT_SIZE);
}

/* Tables live as long as the process; they double when they must. */
static void *grown(void *old, size_t item, uint64_t *size, uint64_t need)
{
	uint64_t n = *size ? *size : 64;
	while (n <= need)
		n *= 2;
	void *p = hb__pages(n * item);
	if (p && old) {
		memcpy(p, old, *size * item);
		munmap(old, *size * item);
	}
	if (p)
		*size = n;
	return p;
}

static void remember(struct table *t, const uint8_t *body, const uint8_t *end)
{
	uint64_t number;
	const uint8_t *p = hb_get_uv(body, end, &number);
	if (!p || number > 1u << 24)
		return;
	if (number >= t->size && !(t->at = grown(t->at, sizeof *t->at, &t->size, number)))
		return;
	t->at[number] = (struct definition){p, end};
}

static void learn_origin(const uint8_t *p, const uint8_t *end)
{
	uint64_t number, kind, lane, nth;
	if ((p = hb_get_uv(p, end, &number)) && (p = hb_get_uv(p, end, &kind)) && (p = hb_get_uv(p, end, &lane)) &&
		hb_get_uv(p, end, &nth))
		hb__number_recorded(number, kind - HB_RECORDED_COMM, lane, nth);
}

static void learn_definitions(const struct hb_unit_header *u)
{
	const uint8_t *p = (const uint8_t *)u + HB_UNIT_PAYLOAD, *end = p + u->committed;
	uint64_t v, length;
	while (p && p < end && (p = hb_get_uv(p, end, &v))) {
		uint8_t kind = v == HB_ROW_DEF && p < end ? *p++ : 0;
		if (v == HB_ROW_REMARK && !(p = hb_get_uv(p, end, &length)))
			return;
		p = hb_get_uv(p, end, &length);
		if (!p || length > (uint64_t)(end - p))
			return;
		struct table *t = kind == HB_DEF_FUNCTION   ? &script.function
				  : kind == HB_DEF_SITE     ? &script.site
				  : kind == HB_DEF_MODULE   ? &script.module
				  : kind == HB_DEF_DATATYPE ? &script.datatype
				  : kind == HB_DEF_OP       ? &script.op
				  : kind == HB_DEF_TEXT     ? &script.text
							    : NULL;
		if (t)
			remember(t, p, p + length);
		else if (kind == HB_DEF_ORIGIN)
			learn_origin(p, p + length);
		p += length;
	}
}

static const struct definition *defined(const struct table *t, uint64_t number)
{
	return number < t->size && t->at[number].body ? &t->at[number] : NULL;
}

/* Copies a str to a buffer that lasts until the next call; NULL when it is cut. */
static const uint8_t *get_text(const uint8_t *p, const uint8_t *end, char *to, size_t size)
{
	uint64_t n;
	p = p ? hb_get_uv(p, end, &n) : NULL;
	if (!p || n > (uint64_t)(end - p))
		return NULL;
	size_t k = n < size ? n : size - 1;
	memcpy(to, p, k);
	to[k] = 0;
	return p + n;
}

static void learn_functions(void)
{
	script.local = hb__pages((script.function.size + 1) * sizeof *script.local);
	for (uint64_t i = 0; script.local && i < script.function.size; i++) {
		char name[256];
		const struct definition *d = defined(&script.function, i);
		if (!d || d->body >= d->end || !get_text(d->body + 1, d->end, name, sizeof name))
			continue;
		script.local[i] = hb__function_named(name, *d->body);
	}
}

static uint32_t *control_of(uint64_t thread)
{
	uint32_t at = (uint32_t)((thread + 1) * 0x9e3779b97f4a7c15u >> 32) & (script.controls - 1);
	while (script.control[at] && ((const struct hb_lane_control *)unit_at(script.control[at]))->thread != thread)
		at = (at + 1) & (script.controls - 1);
	return &script.control[at];
}

/* False without memory. */
static bool learn_units(void)
{
	script.is = hb__pages((script.units + 1) * sizeof *script.is);
	for (script.controls = 64; script.controls < 2 * script.units;)
		script.controls *= 2;
	script.control = hb__pages(script.controls * sizeof *script.control);
	if (!script.is || !script.control)
		return false;
	for (uint64_t k = 1; k < script.units; k++) {
		const struct hb_unit_header *u = unit_at(k);
		if (u->magic != HB_UNIT_MAGIC)
			continue;
		script.is[k] = (struct unit_is){u->kind, u->lane};
		if (u->kind != HB_UNIT_LANE)
			continue;
		script.lanes = u->lane >= script.lanes ? u->lane + 1u : script.lanes;
		uint32_t *place = control_of(((const struct hb_lane_control *)u)->thread);
		*place = *place ? *place : (uint32_t)k;
	}
	return true;
}

void hb__script_forget(void) { memset(&script, 0, sizeof script); }

bool hb__script_open(const char *dir)
{
	char path[4200];
	snprintf(path, sizeof path, "%s/rank.%d.log", dir, hb__replayed_as());
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) || st.st_size < HB_UNIT_SIZE) {
		hb__say("the recording contains nothing of this process (%s: %s); it runs uncontrolled", path,
			strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	script.base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	const struct hb_log_header *h = (const void *)script.base;
	if (script.base == MAP_FAILED || memcmp(h->magic, HB_LOG_MAGIC, 8) != 0) {
		hb__say("%s is not a raw log; this process runs uncontrolled", path);
		return false;
	}
	if (hb__began_alone() && h->library) /* that of a process of MPI, which this one stands beside */
		return false;
	script.units = h->units < (uint64_t)st.st_size / HB_UNIT_SIZE ? h->units : (uint64_t)st.st_size / HB_UNIT_SIZE;
	if (!learn_units())
		return false;
	for (uint64_t k = 1; k < script.units; k++)
		if (script.is[k].kind && script.is[k].lane == HB_LANE_DEFINITIONS)
			learn_definitions(unit_at(k));
	learn_functions();
	if (!hb__alone)
		hb__outcomes_learn();
	return true;
}

static const struct hb_log_header *header(void) { return (const void *)script.base; }
bool hb__script_order(void) { return header()->level != HB_LEVEL_EVENTS; }
bool hb__script_stopped(void) { return header()->stopped; }
bool hb__script_turns(void) { return script.base && header()->compatible & HB_LOG_TURNS; }

bool hb__script_postings(void) { return script.base && header()->compatible & HB_LOG_POSTINGS; }

static struct hb__reader *reader_of(uint64_t unit)
{
	struct hb__reader *r = hb__pages(sizeof *r);
	if (r) {
		r->lane = unit_at(unit)->lane;
		r->control = (const void *)unit_at(unit);
	}
	return r;
}

struct hb__reader *hb__script_lane(unsigned index, uint16_t *ret_lane)
{
	unsigned seen = 0;
	for (uint64_t k = 1; k < script.units; k++) {
		if (script.is[k].kind != HB_UNIT_LANE || seen++ != index)
			continue;
		*ret_lane = script.is[k].lane;
		return reader_of(k);
	}
	return NULL;
}

int hb__script_number(uint64_t thread)
{
	uint32_t unit = *control_of(thread);
	return unit ? script.is[unit].lane : -1;
}

unsigned hb__script_lanes(void) { return script.lanes; }

struct hb__reader *hb__script_reader(uint64_t thread)
{
	uint32_t unit = *control_of(thread);
	return unit ? reader_of(unit) : NULL;
}

uint64_t hb__script_calls(const struct hb__reader *r, const struct hb__fn *fn)
{
	for (uint64_t i = 0; script.local && i < script.function.size && i < HB_FUNCTIONS_MOST; i++)
		if (script.local[i] == fn)
			return r->control->calls[i];
	return 0;
}

uint64_t hb__script_reader_thread(const struct hb__reader *r) { return r->control->thread; }

static bool next_unit(struct hb__reader *r)
{
	for (uint64_t k = r->unit + 1; k < script.units; k++) {
		if (script.is[k].kind != HB_UNIT_ROWS || script.is[k].lane != r->lane)
			continue;
		const struct hb_unit_header *u = unit_at(k);
		r->unit = k;
		r->tick = u->base_tick;
		r->p = (const uint8_t *)u + HB_UNIT_PAYLOAD;
		r->end = r->p + (u->committed <= HB_UNIT_SIZE - HB_UNIT_PAYLOAD ? u->committed : 0);
		return true;
	}
	return false;
}

static void define_slot(struct hb__reader *r, const uint8_t *p, const uint8_t *end)
{
	uint64_t id, function, site, flags, n;
	if (!(p = hb_get_uv(p, end, &id)) || !(p = hb_get_uv(p, end, &function)) || !(p = hb_get_uv(p, end, &site)) ||
		!(p = hb_get_uv(p, end, &flags)) || !(p = hb_get_uv(p, end, &n)) || n > 64 || id > 1u << 24)
		return;
	if (id >= r->nslots && !(r->slots = grown(r->slots, sizeof *r->slots, &r->nslots, id)))
		return;
	static uint64_t definitions;
	struct hb__script_slot *old = &r->slots[id];
	uint32_t room = (uint32_t)n + 1;
	int64_t *arg;
	if (old->room >= room && !r->ahead) { /* a reader that looks ahead shares them */
		arg = old->arg;
		room = old->room;
	} else {
		/* other threads may read theirs, also where only one calls the library */
		pthread_mutex_lock(&hb__track_mutex);
		arg = hb__pool(room * sizeof *arg);
		pthread_mutex_unlock(&hb__track_mutex);
	}
	for (uint64_t i = 0; arg && i < n; i++)
		if (!(p = hb_get_sv(p, end, &arg[i])))
			return;
	r->slots[id] = (struct hb__script_slot){
		.room = arg ? room : 0,
		.definition = __atomic_add_fetch(&definitions, 1, __ATOMIC_RELAXED),
		.fn = function < script.function.size ? script.local[function] : NULL,
		.function = (uint32_t)function,
		.site = (uint32_t)site,
		.flags = (uint8_t)flags,
		.nargs = (uint32_t)n,
		.arg = arg,
	};
}

static const uint8_t *results(struct hb__reader *r, const uint8_t *p)
{
	const uint8_t *end = r->end;
	uint64_t n;
	if (!(p = hb_get_uv(p, end, &n)) || n > HB_UNIT_SIZE)
		return NULL;
	if (unlikely(r->nresults + n > r->room)) {
		uint64_t room = r->room;
		r->results = grown(r->results, sizeof *r->results, &room, r->nresults + n);
		r->room = room;
		if (!r->results)
			return NULL;
	}
	int64_t *to = r->results + r->nresults;
	uint64_t eight;
	r->nresults += n;
	if (likely(n - 1 < sizeof eight && (size_t)(end - p) >= sizeof eight)) { /* most are one byte each */
		memcpy(&eight, p, sizeof eight);
		eight = hb_little64(eight);
		if (likely(!(eight & 0x8080808080808080u >> 8 * (sizeof eight - n)))) {
			for (const uint8_t *all = p + n; p < all; eight >>= 8, p++)
				*to++ = hb_unzigzag(eight & 0xff);
			return p;
		}
	}
	for (uint64_t i = 0; p && i < n; i++)
		p = hb_get_sv(p, end, to++);
	return p;
}

static inline const uint8_t *times(struct hb__reader *r, const uint8_t *p, struct hb__row *row)
{
	uint64_t since, lasts;
	if (!(p = hb_get_uv(p, r->end, &since)) || !(p = hb_get_uv(p, r->end, &lasts)))
		return NULL;
	row->enter = r->tick + since;
	row->exit = r->tick = row->enter + lasts;
	return p;
}

static inline const uint8_t *event(struct hb__reader *r, const uint8_t *p, uint64_t w, struct hb__row *row)
{
	uint64_t id = w >> 1;
	if (unlikely(id >= r->nslots))
		return NULL;
	const struct hb__script_slot *slot = &r->slots[id];
	row->slot = slot;
	row->slot_id = (uint32_t)id;
	row->polls = r->polls;
	row->skipped = r->skipped;
	row->code = r->code;
	row->has_check = slot->flags & HB_SLOT_CHECK;
	row->check = 0;
	row->enter = row->exit = 0;
	if (!hb__script_order() && !(p = times(r, p, row)))
		return NULL;
	if (row->has_check) {
		if (r->end - p < 2)
			return NULL;
		memcpy(&row->check, p, 2);
		row->check = hb_little16(row->check);
		p += 2;
	}
	if (w & 1 && !(p = results(r, p)))
		return NULL;
	row->n = r->nresults;
	row->results = r->results;
	return p;
}

bool hb__script_next(struct hb__reader *r, struct hb__row *ret_row)
{
	const uint8_t *here = r->p;
	r->nresults = 0;
	r->polls = r->skipped = 0;
	r->code = 0;
	/* an event, told by two bytes: the numbers of slots are hashes of calls */
	if (likely(r->end - here > 2 && here[0] & ~here[1] & 0x80)) {
		here = event(r, here + 2, ((here[0] & 0x7fu) | (uint64_t)here[1] << 7) - HB_ROW_EVENT, ret_row);
		r->p = here ? here : r->end;
		return here != NULL;
	}
	while (r->p != r->end || next_unit(r)) {
		uint64_t v, n;
		const uint8_t *p = hb_get_uv(r->p, r->end, &v);
		if (p && v >= HB_ROW_EVENT) {
			p = event(r, p, v - HB_ROW_EVENT, ret_row);
			r->p = p ? p : r->end;
			return p != NULL;
		}
		if (p && v == HB_ROW_DEF && p < r->end) {
			uint8_t kind = *p++;
			if ((p = hb_get_uv(p, r->end, &n)) && n <= (uint64_t)(r->end - p)) {
				if (kind == HB_DEF_SLOT)
					define_slot(r, p, p + n);
				p += n;
			} else {
				p = NULL;
			}
		} else if (p && v == HB_ROW_POLLS) {
			p = hb_get_uv(p, r->end, &n);
			r->polls += p ? n : 0;
		} else if (p && v == HB_ROW_SKIPPED) {
			p = hb_get_uv(p, r->end, &n);
			r->skipped += p ? n : 0;
		} else if (p && v == HB_ROW_MARK) {
			for (int i = 0; p && i < 4; i++)
				p = hb_get_uv(p, r->end, &n);
		} else if (p && v == HB_ROW_RESULT) {
			p = hb_get_sv(p, r->end, &r->code);
		} else if (p && v == HB_ROW_RESULTS) {
			p = results(r, p);
		} else if (p && (v == HB_ROW_NOTE || v == HB_ROW_REMARK)) {
			p = hb_get_uv(p, r->end, &n); /* of a remark its kind, and then the length */
			p = p && v == HB_ROW_REMARK ? hb_get_uv(p, r->end, &n) : p;
			p = p && n <= (uint64_t)(r->end - p) ? p + n : NULL;
		} else {
			p = NULL;
		}
		if (!p)
			return false;
		r->p = p;
	}
	return false;
}

bool hb__script_complete(const struct hb__reader *r)
{
	const struct hb_log_header *h = header();
	if (h->stopped || h->state == HB_STATE_RUNNING)
		return false;
	return h->state != HB_STATE_LEFT ||
	       !r->control->inside; /* left from a signal handler: the call would have gone on */
}

/* At other levels not every call is stored, and what it was inside of is not known. */
bool hb__script_killed_outside(const struct hb__reader *r)
{
	const struct hb_log_header *h = header();
	return h->state == HB_STATE_RUNNING && !h->stopped && h->level == HB_LEVEL_EVENTS && !r->control->inside;
}

uint64_t hb__script_events(const struct hb__reader *r) { return r->control->events; }

bool hb__script_inside(const struct hb__reader *r) { return hb__script_complete(r) && r->control->inside; }

uint64_t hb__script_last_polls(const struct hb__reader *r) { return r->control->polls + r->polls; }
uint64_t hb__script_last_skipped(const struct hb__reader *r) { return r->skipped; }

/* ---- names, for reports ---- */

const char *hb__script_function(uint32_t function)
{
	static char name[128];
	const struct definition *d = defined(&script.function, function);
	return d && get_text(d->body + 1, d->end, name, sizeof name) ? name : "?";
}

bool hb__script_argument(uint32_t function, uint32_t arg, char *ret_name, size_t size, int *ret_kind)
{
	const struct definition *d = defined(&script.function, function);
	uint64_t n;
	char name[128];
	const uint8_t *p = d ? get_text(d->body + 1, d->end, name, sizeof name) : NULL;
	if (!p || !(p = hb_get_uv(p, d->end, &n)) || arg >= n)
		return false;
	for (uint32_t i = 0; i <= arg; i++) {
		if (p >= d->end)
			return false;
		*ret_kind = *p++;
		if (!(p = get_text(p, d->end, ret_name, size)))
			return false;
	}
	return true;
}

bool hb__script_site(uint32_t site, char *ret_path, size_t size, uint64_t *ret_offset)
{
	const struct definition *d = defined(&script.site, site), *m;
	uint64_t module, base;
	const uint8_t *p = d ? hb_get_uv(d->body, d->end, &module) : NULL;
	if (!p || !hb_get_uv(p, d->end, ret_offset) || !(m = defined(&script.module, module)))
		return false;
	p = hb_get_uv(m->body, m->end, &base);
	return get_text(p, m->end, ret_path, size) != NULL;
}

bool hb__script_named(bool op, int64_t number, char *ret_name, size_t size)
{
	const struct definition *d = number < 0 ? NULL : defined(op ? &script.op : &script.datatype, (uint64_t)number);
	uint64_t bytes;
	const uint8_t *p = d ? d->body : NULL;
	if (p && !op)
		p = hb_get_uv(p, d->end, &bytes);
	return p && get_text(p, d->end, ret_name, size);
}

const char *hb__script_text(int64_t number, char *to, size_t size)
{
	const struct definition *d = number < 0 ? NULL : defined(&script.text, (uint64_t)number);
	return d && get_text(d->body, d->end, to, size) ? to : NULL;
}

/* ---- a second reader at the same place ---- */

struct hb__reader *hb__script_fork(const struct hb__reader *r)
{
	struct hb__reader *copy = hb__pages(sizeof *copy);
	if (!copy)
		return NULL;
	*copy = *r;
	copy->results = NULL;
	copy->ahead = true;
	copy->room = copy->nresults = 0;
	copy->slots = r->nslots ? hb__pages(r->nslots * sizeof *r->slots) : NULL;
	if (copy->slots)
		memcpy(copy->slots, r->slots, r->nslots * sizeof *r->slots);
	else
		copy->nslots = 0;
	return copy;
}

void hb__script_close(struct hb__reader *r)
{
	if (!r)
		return;
	if (r->slots)
		munmap(r->slots, r->nslots * sizeof *r->slots); /* it may have grown: not a byte more than that */
	if (r->results)
		munmap(r->results, r->room * sizeof *r->results);
	munmap(r, sizeof *r);
}
