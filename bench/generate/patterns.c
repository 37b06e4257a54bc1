/* Three patterns whose programs are fixed: a farm, a halo exchange, an exchange among all. A step is a few calls; a
 * phase is set before the call that may block, for another process goes on from there. */
#include "sim.h"

static enum step blocked(bool ended) { return ended ? GOES_ON : BLOCKS; }

static enum step finalize(struct sim *s, struct rank *r)
{
	call_simple(s, r, FN_FINALIZE);
	return IS_OVER;
}

/* ---- farm: examples/farm.c ---- */

enum { TAG_TASK = 1, TAG_RESULT, TAG_STOP, TAG_TIMES };

static void farm_begin(struct sim *s)
{
	/* a task is four events: it is sent, received, and so is its result */
	int64_t others = 5 * (int64_t)s->size;
	s->rank[0].left = s->events > others ? (s->events - others) / 4 : 0;
	s->rank[0].step = 1;
}

static void hand_out(struct sim *s, struct rank *r, int32_t worker)
{
	bool task = r->left > 0;
	call_send(s, r, &(struct envelope){worker, task ? TAG_TASK : TAG_STOP, COMM_WORLD, task, TYPE_INT});
	r->left -= task;
	r->memo += task;
}

static enum step farm_master(struct sim *s, struct rank *r)
{
	enum { HAND_OUT = 1, RECEIVE, ANSWER, TIMES };
	const struct envelope result = {HB_ANY_SOURCE, TAG_RESULT, COMM_WORLD, 2, TYPE_DOUBLE};
	switch (r->phase) {
	case HAND_OUT:
		hand_out(s, r, (int32_t)r->step++);
		r->phase = r->step < s->size ? HAND_OUT : RECEIVE;
		return GOES_ON;
	case RECEIVE:
		if (!r->memo) {
			r->phase = TIMES;
			r->step = (s->size - 1) / 2; /* the others send theirs in vain */
			return GOES_ON;
		}
		r->phase = ANSWER;
		return blocked(call_recv(s, r, &result));
	case ANSWER:
		r->memo--;
		hand_out(s, r, r->source);
		r->phase = RECEIVE;
		return GOES_ON;
	default:
		if (!r->step--)
			return finalize(s, r);
		return blocked(
			call_recv(s, r, &(struct envelope){HB_ANY_SOURCE, TAG_TIMES, COMM_WORLD, 4, TYPE_DOUBLE}));
	}
}

static enum step farm_worker(struct sim *s, struct rank *r)
{
	enum { RECEIVE = 1, ANSWER, OVER };
	switch (r->phase) {
	case RECEIVE:
		r->phase = ANSWER;
		return blocked(call_recv(s, r, &(struct envelope){0, HB_ANY_TAG, COMM_WORLD, 1, TYPE_INT}));
	case ANSWER:
		if (r->tag == TAG_STOP) {
			r->phase = OVER;
			call_send(s, r, &(struct envelope){0, TAG_TIMES, COMM_WORLD, 4, TYPE_DOUBLE});
		} else {
			r->phase = RECEIVE;
			call_send(s, r, &(struct envelope){0, TAG_RESULT, COMM_WORLD, 2, TYPE_DOUBLE});
		}
		return GOES_ON;
	default:
		return finalize(s, r);
	}
}

static enum step farm_step(struct sim *s, struct rank *r)
{
	if (!r->phase++) {
		call_simple(s, r, FN_INIT);
		return GOES_ON;
	}
	r->phase--;
	return r->number ? farm_worker(s, r) : farm_master(s, r);
}

const struct pattern farm_pattern = {"farm", farm_begin, farm_step, false};

/* ---- halo: a torus of processes ---- */

static uint32_t halo_width(uint32_t size)
{
	uint32_t width = 1;
	for (uint32_t d = 1; d * d <= size; d++)
		if (size % d == 0)
			width = d;
	return width;
}

static void halo_begin(struct sim *s)
{
	uint32_t width = halo_width(s->size);
	s->part = 0;
	/* Irecv and Isend for each neighbour, Waitall; an Allreduce every 16 steps */
	double per_step = (width > 1 ? 9 : 5) + 1.0 / 16;
	for (uint32_t i = 0; i < s->size; i++) {
		s->rank[i].left = (int64_t)(((double)s->events / s->size - 2) / per_step);
		s->rank[i].memo = width;
	}
}

/* Where what is sent in a direction goes: left, right, up, down. */
static int32_t neighbour(const struct sim *s, const struct rank *r, uint32_t direction)
{
	uint32_t width = r->memo, height = s->size / width, x = (uint32_t)r->number % width,
		 y = (uint32_t)r->number / width;
	switch (direction) {
	case 0:
		return (int32_t)((y + height - 1) % height * width + x);
	case 1:
		return (int32_t)((y + 1) % height * width + x);
	case 2:
		return (int32_t)(y * width + (x + width - 1) % width);
	default:
		return (int32_t)(y * width + (x + 1) % width);
	}
}

static void halo_exchange(struct sim *s, struct rank *r)
{
	/* in every eighth step the direction alone tells messages apart: a wildcard that does not race */
	bool wild = r->step % 8 == 5;
	uint32_t directions = r->memo > 1 ? 4 : 2;
	for (uint32_t d = 0; d < directions; d++)
		call_irecv(s, r,
			&(struct envelope){wild ? HB_ANY_SOURCE : neighbour(s, r, d ^ 1), (int32_t)d, COMM_WORLD, 128,
				TYPE_DOUBLE});
	for (uint32_t d = 0; d < directions; d++)
		call_isend(
			s, r, &(struct envelope){neighbour(s, r, d), (int32_t)d, COMM_WORLD, 128, TYPE_DOUBLE}, false);
}

static enum step halo_step(struct sim *s, struct rank *r)
{
	enum { START, EXCHANGE, WAIT, NEXT };
	switch (r->phase) {
	case START:
		call_simple(s, r, FN_INIT);
		r->phase = EXCHANGE;
		return GOES_ON;
	case EXCHANGE:
		if (r->left-- <= 0)
			return finalize(s, r);
		halo_exchange(s, r);
		r->phase = WAIT;
		return GOES_ON;
	case WAIT:
		r->phase = NEXT;
		return blocked(call_waitall(s, r));
	default:
		r->phase = EXCHANGE;
		if (++r->step % 16)
			return GOES_ON;
		return blocked(call_collective(
			s, r, &(struct call){FN_ALLREDUCE, 4, {1, TYPE_DOUBLE, 0, COMM_WORLD}}, COMM_WORLD));
	}
}

const struct pattern halo_pattern = {"halo", halo_begin, halo_step, false};

/* ---- alltoall: everybody with everybody, 16 at a time ---- */

enum { PARTNERS = 16, TAG_BLOCK = 5, TAG_ANYBODY };

static uint32_t partners(const struct sim *s) { return s->size - 1 < PARTNERS ? s->size - 1 : PARTNERS; }

static void alltoall_begin(struct sim *s)
{
	s->part = s->size < 16 ? s->size : 16;
	double per_step = 2 * partners(s) + 1 + 1.0 / 4;
	for (uint32_t i = 0; i < s->size; i++)
		s->rank[i].left = (int64_t)(((double)s->events / s->size - 3) / per_step);
}

static void alltoall_exchange(struct sim *s, struct rank *r)
{
	/* in every fourth step blocks are taken as they come */
	bool wild = r->step % 4 == 3;
	uint32_t n = partners(s), others = s->size - 1, mine = (uint32_t)r->number;
	int32_t tag = wild ? TAG_ANYBODY : TAG_BLOCK;
	for (uint32_t j = 0; j < n; j++) {
		uint32_t distance = 1 + (r->step * n + j) % others;
		int32_t source = (int32_t)((mine + s->size - distance) % s->size);
		call_irecv(s, r, &(struct envelope){wild ? HB_ANY_SOURCE : source, tag, COMM_WORLD, 64, TYPE_INT});
	}
	for (uint32_t j = 0; j < n; j++) {
		uint32_t distance = 1 + (r->step * n + j) % others;
		call_isend(s, r,
			&(struct envelope){(int32_t)((mine + distance) % s->size), tag, COMM_WORLD, 64, TYPE_INT},
			false);
	}
}

static enum step alltoall_step(struct sim *s, struct rank *r)
{
	enum { START, SPLIT, EXCHANGE, WAIT, NEXT };
	struct call split = {FN_COMM_SPLIT, 3, {COMM_WORLD, r->number / 16, r->number}};
	struct call all = {FN_ALLTOALL, 5, {4, TYPE_INT, 4, TYPE_INT, COMM_MADE}};
	switch (r->phase) {
	case START:
		call_simple(s, r, FN_INIT);
		r->phase = SPLIT;
		return GOES_ON;
	case SPLIT:
		r->phase = EXCHANGE;
		return blocked(call_collective(s, r, &split, COMM_WORLD));
	case EXCHANGE:
		if (r->left-- <= 0)
			return finalize(s, r);
		alltoall_exchange(s, r);
		r->phase = WAIT;
		return GOES_ON;
	case WAIT:
		r->phase = NEXT;
		return blocked(call_waitall(s, r));
	default:
		r->phase = EXCHANGE;
		if (++r->step % 4)
			return GOES_ON;
		if (r->step % 64 == 0)
			all.arg[4] = COMM_WORLD;
		return blocked(call_collective(s, r, &all, all.arg[4]));
	}
}

const struct pattern alltoall_pattern = {"alltoall", alltoall_begin, alltoall_step, false};
