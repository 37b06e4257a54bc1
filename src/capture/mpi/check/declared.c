/* What a buffer is declared as stands in the program's debugging information, which only the reader has. Told here, once
 * for each call site and datatype: where the buffer lies and which variables may hold its address, as places in the frame
 * of the caller, registers and static memory. */
#include <link.h>
#include <unwind.h>

#include "capture/mpi/check/arguments/look.h"
#include "capture/mpi/check/buffers/buffers.h"

/* ---- what was told already ---- */

#define SEEN 2048u
#define TIMES 2 /* a call site may be given different buffers: one more is looked at */
static struct seen {
	uint64_t key; /* 0: free */
	uintptr_t buf;
	uint32_t times;
} seen[SEEN];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* *ret_more: another buffer would be told of. */
static bool told(const struct hb__call *c, unsigned i, MPI_Datatype type, bool *ret_more)
{
	uint64_t key = ((uintptr_t)c->pc ^ (uint64_t)i << 56 ^ (uintptr_t)type << 20) * 0x9e3779b97f4a7c15u | 1;
	bool done = true;
	for (uint32_t at = (uint32_t)(key >> 50), tries = 0; tries < 8; at++, tries++) {
		struct seen *s = &seen[at % SEEN];
		uint64_t there = __atomic_load_n(&s->key, __ATOMIC_RELAXED);
		if (likely(there == key && (s->buf == c->a[i] || s->times >= TIMES))) {
			*ret_more |= s->times < TIMES;
			return true;
		}
		if (there && there != key)
			continue;
		pthread_mutex_lock(&lock);
		if (!s->key || s->key == key) {
			done = s->key == key && (s->buf == c->a[i] || s->times >= TIMES);
			s->buf = c->a[i];
			s->times += !done;
			__atomic_store_n(&s->key, key, __ATOMIC_RELAXED);
			*ret_more |= !done || s->times < TIMES;
			pthread_mutex_unlock(&lock);
			return done;
		}
		pthread_mutex_unlock(&lock);
	}
	return true; /* no room: a program with so many call sites is looked at in part */
}

/* ---- the frame of the caller ---- */

/* Registers that a function keeps for its caller (DWARF's numbers), so that those of the caller are known. */
static const int kept[] = {3, 6, 12, 13, 14, 15};
enum { KEPT = sizeof kept / sizeof *kept, RBP = 1 };

struct frame {
	const void *pc;
	uintptr_t low, high; /* from its stack pointer to the canonical frame address */
	uintptr_t reg[KEPT];
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *user)
{
	struct frame *f = user;
	if (f->low) {
		f->high = _Unwind_GetCFA(context);
		return _URC_END_OF_STACK;
	}
	if ((const void *)_Unwind_GetIP(context) == f->pc) {
		f->low = _Unwind_GetCFA(context);
		for (int i = 0; i < KEPT; i++)
			f->reg[i] = _Unwind_GetGR(context, kept[i]);
	}
	return _URC_NO_REASON;
}

/* ---- writing it ---- */

#define MOST 4
#define PIECES 16u

/* With the room of its lists. */
struct told {
	struct hb_remark_buffer buffer;
	int64_t slot[MOST], reg[MOST], pointer[MOST], map[3 * PIECES];
};

static void add(hb_numbers *list, int64_t *at, int64_t number)
{
	at[list->n++] = number;
	list->at = at;
}

#define SLOTS 4096u /* looked through at each end of a large frame: variables without an array lie there */

static void add_slots(struct told *t, const struct frame *f, uintptr_t buf)
{
	uintptr_t low = (f->low + 7) & ~(uintptr_t)7, high = f->high & ~(uintptr_t)7;
	if (high <= low)
		return;
	for (uintptr_t at = high - 8; at >= low && t->buffer.slots.n < MOST; at -= 8) {
		if (at < high - 8 * SLOTS && at > low + 8 * SLOTS)
			at = low + 8 * SLOTS;
		if (*(const volatile uintptr_t *)at == buf)
			add(&t->buffer.slots, t->slot, (int64_t)(at - f->high));
	}
	for (int i = 0; i < KEPT && t->buffer.regs.n < MOST; i++)
		if (f->reg[i] == buf)
			add(&t->buffer.regs, t->reg, kept[i]);
}

/* ---- pointers in static memory of the program file that calls ---- */

#define STATIC_MOST ((uintptr_t)256 << 10)
struct data {
	const void *pc;
	uintptr_t low[4], high[4];
	int n;
	bool found;
};

static int look_at_module(struct dl_phdr_info *info, size_t size, void *user)
{
	struct data *d = user;
	(void)size;
	d->n = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		d->found |= (uintptr_t)d->pc >= low && (uintptr_t)d->pc < low + p->p_memsz;
		if (p->p_flags & PF_W && p->p_flags & PF_R && d->n < 4) {
			d->low[d->n] = (low + 7) & ~(uintptr_t)7;
			d->high[d->n++] = low + p->p_memsz;
		}
	}
	return d->found;
}

static void add_static(struct told *t, const void *pc, uintptr_t buf)
{
	struct data d = {.pc = pc};
	dl_iterate_phdr(look_at_module, &d);
	for (int i = 0; d.found && i < d.n; i++)
		if (buf >= d.low[i] && buf < d.high[i])
			t->buffer.static_at = hb__define_site((const void *)buf);
	for (int i = 0; d.found && i < d.n && d.high[i] - d.low[i] <= STATIC_MOST; i++)
		for (uintptr_t at = d.low[i]; at + 8 <= d.high[i] && t->buffer.pointers.n < MOST; at += 8)
			if (*(const volatile uintptr_t *)at == buf)
				add(&t->buffer.pointers, t->pointer, hb__define_site((const void *)at));
}

/* ---- the datatype ---- */

static void add_map(struct told *t, const struct hb__typemap *map)
{
	uint32_t n = map->n < PIECES ? map->n : PIECES;
	t->buffer.extent = map->extent;
	for (uint32_t i = 0; i < n; i++) {
		add(&t->buffer.map, t->map, map->run[i].basic);
		add(&t->buffer.map, t->map, map->run[i].offset);
		add(&t->buffer.map, t->map, map->run[i].elements);
	}
	hb__track_lock();
	for (uint32_t i = 0; i < n; i++)
		hb__type_tell(map->run[i].basic);
	hb__track_unlock();
}

/* How many bytes from its address on the call uses; 0: not known. */
static uintptr_t bytes_of(struct hb__call *c, unsigned i)
{
	struct hb__region r[HB__REGIONS];
	unsigned n = hb__regions(c, r);
	uintptr_t high = 0;
	for (unsigned k = 0; k < n; k++)
		if (r[k].arg == c->fn->param[i].name)
			for (uint32_t j = 0; j < r[k].n; j++)
				high = r[k].piece[j].high > high ? r[k].piece[j].high : high;
	return high > c->a[i] ? high - c->a[i] : 0;
}

static void tell(struct hb__call *c, unsigned i, int count, MPI_Datatype type, int64_t elements)
{
	const struct hb__typemap *map = hb__typemap(type);
	struct frame f = {.pc = hb__site_of(c->pc, c->cfa)};
	const struct hb__type *known = hb__type_find((uintptr_t)type); /* the call uses it in a moment */
	if (!map || !map->known || !map->exact || !map->n || known->number == HB_NONE)
		return;
	_Unwind_Backtrace(step, &f);
	if (f.high <= f.low)
		return;
	struct told t = {.buffer = {.arg = c->fn->param[i].name,
				 .type = known->number,
				 .bytes = (int64_t)bytes_of(c, i),
				 .writes = c->fn->param[i].kind == HB_P_RBUF,
				 .count = count >= 0 ? elements : -1,
				 .frame = c->a[i] >= f.low && c->a[i] < f.high ? (int64_t)(c->a[i] - f.high) : 1,
				 .sp = (int64_t)(f.low - f.high),
				 .bp = (int64_t)(f.reg[RBP] - f.high)}};
	add_slots(&t, &f, c->a[i]);
	add_static(&t, f.pc, c->a[i]);
	add_map(&t, map);
	hb__remark_of(c, HB_REMARK_BUFFER, &t.buffer);
}

/* ---- which arguments ---- */

static int next_of(const struct hb__fn *fn, unsigned from, unsigned a, unsigned b, unsigned c)
{
	for (unsigned i = from; i < fn->nargs; i++)
		if (fn->param[i].kind == a || fn->param[i].kind == b || fn->param[i].kind == c)
			return (int)i;
	return -1;
}

static bool has_data(const struct hb__fn *fn)
{
	return fn->cls == HB_SEND || fn->cls == HB_RECV || fn->cls == HB_COLLECTIVE || fn->cls == HB_RMA ||
	       fn->cls == HB_IO;
}

/* Nothing is sent to nobody, and nothing comes from there. */
static bool nobody(const struct hb__call *c, unsigned i)
{
	enum hb_role peer = c->fn->cls == HB_RMA || c->fn->param[i].kind == HB_P_SBUF ? HB_R_DEST : HB_R_SOURCE;
	return hb__has(c, peer) && (int)hb__arg(c, peer) == MPI_PROC_NULL;
}

bool hb__check_declared(struct hb__call *c)
{
	const struct hb__fn *fn = c->fn;
	bool more = false;
	if (!has_data(fn))
		return true;
	for (unsigned i = 0; i < fn->nargs; i++) {
		if (fn->param[i].kind != HB_P_SBUF && fn->param[i].kind != HB_P_RBUF)
			continue;
		int type = next_of(fn, i + 1, HB_P_DTYPE, HB_P_DTYPE, HB_P_DTYPE);
		int count = next_of(fn, i + 1, HB_P_COUNT, HB_P_ICOUNT, HB_P_CNT);
		if (type < 0 || !c->a[i] || (const void *)c->a[i] == MPI_IN_PLACE ||
			(const void *)c->a[i] == MPI_BOTTOM || nobody(c, i) ||
			told(c, i, (MPI_Datatype)c->a[type], &more))
			continue;
		struct hb__look l = {.c = c, .fn = fn, .root = -1};
		for (unsigned k = 0; k < fn->nargs; k++)
			if (hb__kind(&l, k) == HB_P_ROOT)
				l.root = (int)k;
		if (hb__has(c, HB_R_COMM))
			l.comm = hb__comm_find(hb__arg(c, HB_R_COMM));
		int64_t elements = count < 0 ? 1 : hb__value(&l, (unsigned)count);
		if (elements > 0 && hb__significant(l.c, i, l.comm))
			tell(c, i, count, (MPI_Datatype)c->a[type], elements);
	}
	return !more;
}
