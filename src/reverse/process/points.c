/* Breakpoints and watchpoints. In a process with one thread a breakpoint has one of the four places of the processor when there is one
 * left: that costs half of what an instruction in memory costs, which has to be stepped over. */
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>

#include "../inside.h"

#define DEBUG_REGISTER(n) (void *)(offsetof(struct user, u_debugreg) + (n) * sizeof(((struct user *)0)->u_debugreg[0]))

hb_point *hb__point(hb_reverse *r, hb_point_kind kind, uint64_t at, size_t size, int whose, bool make)
{
	for (size_t i = 0; i < r->npoints; i++) {
		hb_point *p = &r->points[i];
		if (p->kind == kind && p->at == at && p->size == size) {
			if (make)
				p->whose |= whose;
			return make || p->whose & whose ? p : NULL;
		}
	}
	if (!make || r->npoints == HB_POINTS_MAX)
		return NULL;
	/* what is planted is planted anew, with this one */
	hb__lift_all(r);
	hb_point *p = &r->points[r->npoints++];
	*p = (hb_point){.kind = kind, .at = at, .size = (uint32_t)size, .whose = whose, .slot = -1};
	return p;
}

void hb__forget(hb_reverse *r, hb_point *p, int whose)
{
	p->whose &= ~whose;
	if (p->whose)
		return;
	hb__lift_all(r);
	*p = r->points[--r->npoints];
}

hb_point *hb__code_at(hb_reverse *r, uint64_t at) { return hb__point(r, HB_POINT_CODE, at, 1, ~0, false); }

/* Aligned parts of up to 8 bytes, as the processor has them. */
static size_t slots_of(const hb_point *p)
{
	if (p->kind == HB_POINT_CODE)
		return 1;
	size_t n = 0;
	for (uint64_t at = p->at; at < p->at + p->size; n++) {
		size_t part = 8;
		while (part > 1 && (at % part || part > p->at + p->size - at))
			part /= 2;
		at += part;
	}
	return n;
}

static void set_slot(pid_t tid, int slot, uint64_t at, unsigned bits, unsigned long *control)
{
	*control &= ~(0xful << (16 + slot * 4)) & ~(3ul << (slot * 2));
	*control |= (unsigned long)bits << (16 + slot * 4) | 1ul << (slot * 2);
	ptrace(PTRACE_POKEUSER, tid, DEBUG_REGISTER(slot), (void *)at);
}

/* Its parts from the slot on. */
static void set_slots(const hb_point *p, pid_t tid, unsigned long *control)
{
	/* control bits: 0 executed, 1 written, 3 read or written; then the size: 0, 1, 3, 2 for 1, 2, 4, 8 bytes */
	unsigned access = p->kind == HB_POINT_CODE ? 0 : p->kind == HB_POINT_WRITE ? 1 : 3;
	int slot = p->slot;
	if (!access) {
		set_slot(tid, slot, p->at, 0, control);
		return;
	}
	for (uint64_t at = p->at; at < p->at + p->size; slot++) {
		unsigned part = 8;
		while (part > 1 && (at % part || part > p->at + p->size - at))
			part /= 2;
		unsigned size = part == 8 ? 2 : part - 1;
		set_slot(tid, slot, at, access | size << 2, control);
		at += part;
	}
}

/* Which points have places of the processor. */
static void give_slots(hb_reverse *r)
{
	int next = 0;
	for (size_t i = 0; i < r->npoints; i++)
		r->points[i].slot = -1;
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < r->npoints; i++) {
			hb_point *p = &r->points[i];
			bool wanted = round == 0 ? p->kind != HB_POINT_CODE
						 : p->kind == HB_POINT_CODE && !HB_MULTITHREADED(r);
			if (!wanted || p->slot >= 0 || (round == 1 && !(p->whose & HB_FOR_GUARD)))
				continue;
			int n = (int)slots_of(p);
			if (next + n > HB_SLOTS)
				continue;
			p->slot = next;
			next += n;
		}
}

static void plant_slots(hb_reverse *r, pid_t tid, bool code)
{
	unsigned long control = 0;
	bool any = false;
	for (size_t i = 0; i < r->npoints; i++)
		if (r->points[i].slot >= 0 && (code || r->points[i].kind != HB_POINT_CODE)) {
			set_slots(&r->points[i], tid, &control);
			any = true;
		}
	if (any)
		ptrace(PTRACE_POKEUSER, tid, DEBUG_REGISTER(7), (void *)control);
}

void hb__plant_slots(hb_reverse *r, pid_t tid) { plant_slots(r, tid, true); }

void hb__plant_rest(hb_reverse *r)
{
	static const unsigned char trap = 0xcc;
	for (size_t i = 0; r->planted && i < r->npoints; i++) {
		hb_point *p = &r->points[i];
		if (p->kind != HB_POINT_CODE || p->slot >= 0 || p->planted)
			continue;
		/* its library may not be loaded yet */
		p->planted = hb__read(&r->now, p->at, &p->covered, 1) == 1 && !hb__write(&r->now, p->at, &trap, 1);
	}
}

void hb__plant_all(hb_reverse *r)
{
	if (r->planted || r->sharing)
		return;
	give_slots(r);
	for (size_t i = 0; i < r->nthreads; i++)
		hb__plant_slots(r, r->threads[i].tid);
	r->planted = true;
	hb__plant_rest(r);
}

void hb__lift_all(hb_reverse *r)
{
	if (!r->planted)
		return;
	bool slots = false;
	for (size_t i = 0; i < r->npoints; i++) {
		hb_point *p = &r->points[i];
		slots |= p->slot >= 0;
		if (p->planted)
			hb__write(&r->now, p->at, &p->covered, 1);
		p->planted = false;
	}
	for (size_t i = 0; slots && i < r->nthreads; i++)
		ptrace(PTRACE_POKEUSER, r->threads[i].tid, DEBUG_REGISTER(7), NULL);
	r->planted = false;
}

void hb__cleanse(const hb_reverse *r, pid_t child)
{
	for (size_t i = 0; i < r->npoints; i++) {
		const hb_point *p = &r->points[i];
		if (!p->planted)
			continue;
		long word = ptrace(PTRACE_PEEKDATA, child, (void *)p->at, 0);
		ptrace(PTRACE_POKEDATA, child, (void *)p->at, (void *)((word & ~0xfful) | p->covered));
	}
}

hb_point *hb__watch_hit(hb_reverse *r, pid_t tid)
{
	unsigned long why = (unsigned long)ptrace(PTRACE_PEEKUSER, tid, DEBUG_REGISTER(6), 0);
	hb_point *hit = NULL;
	if (why & 0xf)
		ptrace(PTRACE_POKEUSER, tid, DEBUG_REGISTER(6), NULL);
	for (size_t i = 0; i < r->npoints; i++) {
		hb_point *p = &r->points[i];
		for (int k = 0; p->slot >= 0 && p->kind != HB_POINT_CODE && k < (int)slots_of(p); k++)
			if (why >> (p->slot + k) & 1 && !(hit && hit->whose & HB_FOR_USER))
				hit = p;
	}
	return hit;
}

bool hb__watched(const hb_reverse *r)
{
	for (size_t i = 0; i < r->npoints; i++)
		if (r->points[i].kind != HB_POINT_CODE)
			return true;
	return false;
}

hb_hit hb__step_watching(hb_reverse *r, pid_t tid)
{
	bool watch = hb__watched(r);
	hb__lift_all(r);
	if (watch) {
		/* a point at the instruction itself would keep it from being done */
		give_slots(r);
		plant_slots(r, tid, false);
	}
	hb_hit hit = hb__step(r, tid);
	if (!watch)
		return hit;
	hb_point *p = hit.kind == HB_HIT_STEP ? hb__watch_hit(r, tid) : NULL;
	ptrace(PTRACE_POKEUSER, tid, DEBUG_REGISTER(7), NULL);
	return p ? (hb_hit){.kind = HB_HIT_WATCH, .tid = tid, .whose = p->whose, .address = p->at} : hit;
}

int hb_reverse_plant(hb_reverse *r, hb_point_kind kind, uint64_t at, size_t size)
{
	size_t slots = 0;
	char c;
	if (!size || size > HB_SLOTS * 8)
		return -1;
	hb_point *p = hb__point(r, kind, at, size, HB_FOR_USER, false);
	if (!p) {
		p = hb__point(r, kind, at, size, HB_FOR_USER, true);
		for (size_t i = 0; p && i < r->npoints; i++)
			slots += r->points[i].kind == HB_POINT_CODE ? 0 : slots_of(&r->points[i]);
		/* the library of an instruction may be loaded later, or was */
		if (p && (slots > HB_SLOTS || (kind != HB_POINT_CODE && hb__read(&r->now, at, &c, 1) != 1))) {
			hb__forget(r, p, HB_FOR_USER);
			return -1;
		}
	}
	if (p)
		p->users++;
	return p ? 0 : -1;
}

int hb_reverse_remove(hb_reverse *r, hb_point_kind kind, uint64_t at, size_t size)
{
	hb_point *p = hb__point(r, kind, at, size, HB_FOR_USER, false);
	if (!p)
		return -1;
	if (p->users > 1)
		p->users--;
	else {
		p->users = 0;
		hb__forget(r, p, HB_FOR_USER);
	}
	return 0;
}
