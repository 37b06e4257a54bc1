/* Checkpoints, in the order of time, within their budget. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "../inside.h"

uint64_t hb__when(const hb_reverse *r) { return r->now.born + hb__processor_time(r->now.pid); }

/* What a copy shares with no other one, and its page tables. */
static uint64_t own_bytes(pid_t pid)
{
	char path[64], line[256];
	unsigned long long kb, sum = 0;
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, i ? "status" : "smaps_rollup");
		FILE *f = fopen(path, "re");
		while (f && fgets(line, sizeof line, f))
			if (sscanf(line, i ? "VmPTE: %llu" : "Private_Clean: %llu", &kb) == 1 ||
				sscanf(line, "Private_Dirty: %llu", &kb) == 1)
				sum += kb;
		if (f)
			fclose(f);
	}
	return sum * 1024;
}

void hb__unmark(hb_reverse *r, size_t i)
{
	hb__drop(&r->marks[i].copy);
	if (i + 1 < r->nmarks) {
		hb_mark *next = &r->marks[i + 1];
		next->steps = next->steps < 0 || r->marks[i].steps < 0 ? -1 : next->steps + r->marks[i].steps;
	}
	if (r->base == i) {
		r->steps = r->steps < 0 || r->marks[i].steps < 0 ? -1 : r->steps + r->marks[i].steps;
		r->base--;
	} else if (r->base > i) {
		r->base--;
	}
	r->floor -= r->floor > i;
	memmove(&r->marks[i], &r->marks[i + 1], (--r->nmarks - i) * sizeof *r->marks);
}

uint64_t hb__slice(const hb_reverse *r)
{
	/* copies take two fifths of the time at most */
	uint64_t forks = (uint64_t)(r->fork_seconds * 1.5e9);
	return forks > 5000000 ? forks : 5000000;
}

/* The one whose going makes the least difference: the gap that it leaves, in proportion to how far it is from here. */
static size_t least(const hb_reverse *r)
{
	uint64_t here = hb__when(r);
	size_t found = 0;
	double best = 0;
	for (size_t i = 1; i < r->nmarks; i++) {
		const hb_mark *m = &r->marks[i];
		if (m->keep || i == r->base)
			continue;
		uint64_t next = i + 1 < r->nmarks ? m[1].when : here;
		double gap = (double)(next - m[-1].when);
		double far = (double)(m->when > here ? m->when - here : here - m->when) + (double)hb__slice(r);
		if (!found || gap / far < best) {
			found = i;
			best = gap / far;
		}
	}
	return found;
}

void hb__within_budget(hb_reverse *r)
{
	for (;;) {
		uint64_t sum = 0;
		for (size_t i = 0; i < r->nmarks; i++)
			sum += r->marks[i].bytes;
		if (sum <= r->setup.budget && r->nmarks < HB_MARKS_MAX)
			return;
		size_t i = least(r);
		if (!i)
			return;
		hb__unmark(r, i);
		/* what it shared with the one before is that one's alone now */
		r->marks[i - 1].bytes = own_bytes(r->marks[i - 1].copy.pid);
	}
}

static bool may_copy(const hb_reverse *r)
{
	return !HB_MULTITHREADED(r) && !r->before.pid && !r->threads[0].signal && !r->threads[0].waiting;
}

unsigned hb__repeats(const hb_reverse *r)
{
	struct user_regs_struct regs;
	unsigned char code[4] = {0};
	if (hb__registers(r->now.pid, &regs))
		return 0;
	hb__read(&r->now, regs.rip, code, sizeof code);
	bool repeated = false;
	for (unsigned i = 0; i < sizeof code; i++) {
		unsigned char c = code[i];
		if ((c >= 0xa4 && c <= 0xa7) || (c >= 0xaa && c <= 0xaf))
			return repeated ? i + 1 : 0;
		repeated |= c == 0xf3 || c == 0xf2;
		if (c != 0xf3 && c != 0xf2 && c != 0x66 && (c & 0xf0) != 0x40)
			return 0;
	}
	return 0;
}

/* Such a place is another one on each way, by what was asked for there. */
static bool is_looking(const hb_reverse *r)
{
	struct user_regs_struct regs;
	return r->look && !hb__registers(r->now.pid, &regs) && regs.rip >= r->look && regs.rip < r->look_end;
}

void hb__goes_on(hb_reverse *r)
{
	if (r->now.reached && r->look && !is_looking(r) && !hb_reverse_at_event(r))
		r->now.reached = 0;
}

bool hb__at_mark(hb_reverse *r)
{
	/* it may have been stopped before it went on from there */
	if (r->steps < 0 && hb__same(r, &r->now, &r->marks[r->base].copy))
		r->steps = 0;
	return r->steps == 0;
}

bool hb__mark(hb_reverse *r)
{
	hb__lift_all(r);
	if (!may_copy(r) || is_looking(r) || r->nmarks == HB_MARKS_MAX ||
		(r->now.ends == HB_ENDS_NOT && hb__repeats(r)))
		return false;
	if (hb__at_mark(r))
		return true;
	hb_mark m = {.event = hb__event(r, &r->now), .when = hb__when(r), .steps = r->steps};
	if (hb__copy_of(r, &r->now, &m.copy))
		return false;
	hb__note_files(&m.copy);
	/* now may be on its way to an event; whoever starts from the mark asks for another one, or for none */
	if (hb__asked(r, &m.copy))
		hb__stop_at(r, &m.copy, 0);
	m.keep = m.copy.ends != HB_ENDS_NOT;
	size_t at = r->base + 1;
	/* a run that was stopped often, or stepped, took longer than the first one */
	if (at < r->nmarks && m.when > r->marks[at].when)
		m.when = r->marks[at].when;
	memmove(&r->marks[at + 1], &r->marks[at], (r->nmarks++ - at) * sizeof *r->marks);
	r->marks[at] = m;
	if (at + 1 < r->nmarks) {
		hb_mark *next = &r->marks[at + 1];
		next->steps = next->steps >= m.steps && m.steps >= 0 ? next->steps - m.steps : -1;
	}
	r->base = at;
	r->steps = 0;
	r->marks[at].bytes = 64 * 1024;
	/* what the one before shares with nobody is known now: all that was written since */
	r->marks[at - 1].bytes = own_bytes(r->marks[at - 1].copy.pid);
	hb__within_budget(r);
	return true;
}

int hb__from_mark(hb_reverse *r, size_t i)
{
	hb_copy copy;
	hb__pin(r, false);
	if (hb__running_copy_of(r, &r->marks[i].copy, &copy))
		return -1;
	copy.born = r->marks[i].when;
	hb__become(r, &copy, true);
	r->base = i;
	r->steps = 0;
	return 0;
}

void hb__rebase(hb_reverse *r)
{
	if (r->before.pid)
		return;
	uint64_t event = hb__event(r, &r->now);
	while (r->base + 1 < r->nmarks) {
		const hb_mark *m = &r->marks[r->base + 1];
		bool end = m->copy.ends != HB_ENDS_NOT;
		bool past = m->event < event || m->copy.calls < r->now.calls || m->copy.entered < r->now.entered;
		bool future =
			m->event > event || m->copy.calls > r->now.calls || m->copy.entered > r->now.entered || end;
		if (past && !end) {
			r->base++;
			r->steps = -1;
		} else if (future) {
			return;
		} else {
			/* nobody knows which of them was first */
			hb__unmark(r, r->base + 1);
		}
	}
}

size_t hb_reverse_checkpoints(const hb_reverse *r, hb_reverse_checkpoint *ret, size_t room)
{
	for (size_t i = 0; i < r->nmarks && i < room; i++)
		ret[i] = (hb_reverse_checkpoint){.event = r->marks[i].event,
			.seconds = (double)r->marks[i].when * 1e-9,
			.bytes = r->marks[i].bytes,
			.end = r->marks[i].copy.ends != HB_ENDS_NOT};
	return r->nmarks;
}
