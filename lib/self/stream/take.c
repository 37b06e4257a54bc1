/* Records are taken out of a stream, by one at a time: a reader, or who flushes it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../state.h"

enum { SPINS = 1000 };

/* ---- whose turn it is ---- */

static __thread struct {
	pid_t pid, task;
} self __attribute__((tls_model("initial-exec")));

static uint64_t me(void)
{
	if (self.pid != hb__pid) {
		self.pid = hb__pid;
		self.task = (pid_t)syscall(SYS_gettid);
	}
	return (uint64_t)self.pid << 32 | (uint32_t)self.task;
}

/* Whether a process is there, and not one that has died and was not waited for yet. */
static bool is_alive(pid_t pid)
{
	char path[32], text[256];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return errno != ENOENT || !kill(pid, 0);
	ssize_t n = read(file, text, sizeof text - 1);
	close(file);
	text[n > 0 ? n : 0] = 0;
	const char *name = strrchr(text, ')'); /* behind it, its state */
	return !name || !name[1] || !strchr("ZX", name[2]);
}

static bool is_gone(uint64_t owner)
{
	pid_t pid = (pid_t)(owner >> 32), task = (pid_t)(uint32_t)owner;
	int error = errno;
	bool gone = pid == hb__pid ? syscall(SYS_tgkill, pid, task, 0) && errno == ESRCH : !is_alive(pid);
	errno = error;
	return gone;
}

bool hb__try_lock(struct hb_stream_head *h)
{
	uint64_t nobody = 0;
	return HB__CAS(h->owner, nobody, me());
}

void hb__lock(struct hb_stream_head *h)
{
	for (unsigned i = 1; !hb__try_lock(h); i++) {
		uint64_t owner = HB__LOAD(h->owner);
		if (i % 64 == 0 && owner && is_gone(owner) && HB__CAS(h->owner, owner, me()))
			return; /* its process was killed while it flushed: what it had not finished is still in the stream */
		if (i > 16)
			sched_yield();
	}
}

bool hb__lock_patiently(struct hb_stream_head *h)
{
	uint64_t since = hb__ns(CLOCK_MONOTONIC), mine = me();
	while (!hb__try_lock(h)) {
		if (HB__LOAD(h->owner) == mine || hb__ns(CLOCK_MONOTONIC) - since > HB__PATIENCE)
			return false;
		sched_yield();
	}
	return true;
}

void hb__unlock(struct hb_stream_head *h)
{
	uint64_t mine = me();
	HB__CAS(h->owner, mine, 0);
}

/* ---- records ---- */

/* The state of the cell, once a writer who is about to finish has done so. */
static uint64_t arrived(const struct hb_cell *cell, uint64_t position)
{
	uint64_t state = HB__LOAD(cell->state);
	for (int i = 0;
		i < SPINS && (state >> 8 < position || state == 0 || (state & HB_CELL_PHASE) == HB_CELL_WRITING); i++)
		state = HB__LOAD(cell->state);
	return state;
}

/* The record of a writer who has not finished is waited for, but not for ever: he may have been killed, or have left by longjmp. */
static bool is_given_up(struct hb__stream *s, uint64_t position)
{
	uint64_t now = hb__ns(CLOCK_MONOTONIC);
	if (position < s->waited)
		return true;
	if (!s->waiting_since || position >= s->waiting_for) {
		s->waiting_for = HB__LOAD(s->head->tail); /* all that are unfinished now */
		s->waiting_since = now;
	}
	if (now - s->waiting_since <= HB__PATIENCE)
		return false;
	s->waited = s->waiting_for;
	s->waiting_since = 0;
	return true;
}

/* Whether the record at `position` is whole; its cells are copied. NULL: it cannot be overwritten, and need not be. */
static unsigned copy(struct hb__stream *s, uint64_t position, struct hb_cell *to)
{
	uint64_t mask = s->head->cells - 1;
	const struct hb_cell *first = &s->ring[position & mask];
	unsigned cells = first->cells;
	if (!to || !cells || cells > HB__CELLS_MOST)
		return cells > HB__CELLS_MOST ? 0 : cells;
	for (unsigned i = 0; i < cells; i++)
		memcpy(&to[i], &s->ring[(position + i) & mask], sizeof *to);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (unsigned i = 0; i < cells; i++) {
		uint64_t should = (position + i) << 8 | (i ? HB_CELL_MORE : 0) | HB_CELL_DONE;
		if (to[i].state != should || HB__LOAD(s->ring[(position + i) & mask].state) != should)
			return 0; /* a writer has come around the ring meanwhile */
	}
	return to[0].cells == cells ? cells : 0;
}

/* A reader goes on without what stands here, from a state that has not changed since he saw it: who comes for this position later takes another one, and
 * who writes the cell still, for this position or for an earlier one, finds that he has to. */
static bool pass(struct hb_cell *cell, uint64_t state, uint64_t position)
{
	bool writing = (state & HB_CELL_PHASE) == HB_CELL_WRITING;
	return HB__CAS(cell->state, state,
		position << 8 | (writing ? (uint64_t)HB_CELL_PASSED | HB_CELL_WRITING : (uint64_t)HB_CELL_VOID));
}

enum step { TAKE, SKIP, WAIT, AGAIN };
static enum step look(struct hb__stream *s, uint64_t position)
{
	struct hb_cell *cell = &s->ring[position & (s->head->cells - 1)];
	uint64_t state = arrived(cell, position);
	if (state && state >> 8 > position)
		return SKIP; /* it was overwritten */
	bool mine = state && state >> 8 == position, writing = (state & HB_CELL_PHASE) == HB_CELL_WRITING;
	if (mine && !writing)
		return (state & 255) == HB_CELL_DONE ? TAKE : SKIP;
	/* another writer that has it still is not waited for: who came for this position went on */
	if ((mine || !writing) && !is_given_up(s, position))
		return WAIT;
	return pass(cell, state, position) ? SKIP : AGAIN;
}

unsigned hb__peek(struct hb__stream *s, uint64_t *at, uint64_t end, struct hb_cell *to)
{
	struct hb_stream_head *h = s->head;
	while (*at < end) {
		uint64_t tail = HB__LOAD(h->tail);
		if (tail > *at + h->cells) { /* LOOP: the oldest are gone */
			*at = tail - h->cells;
			continue;
		}
		enum step step = look(s, *at);
		if (step == WAIT)
			return 0;
		if (step == AGAIN)
			continue;
		unsigned cells = step == TAKE ? copy(s, *at, to) : 0;
		if (cells)
			return cells;
		++*at;
	}
	return 0;
}
