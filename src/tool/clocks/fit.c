/* Lines through the corridors between clocks. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>

#define PIECES 256 /* of the time: of each, the tightest bound is kept */
#define STEPS 80   /* of a search for a slope */
#define ROUNDS 12

struct bound {
	double at, is;
};

/* Of two clocks, the lower number first: difference = second - first. */
struct pair {
	struct bound most[PIECES], least[PIECES]; /* is: infinite where there is none */
	bool below, above;
};

struct fit {
	size_t n;
	int64_t origin;
	double first, length; /* of the time that messages were sent in */
	struct pair **pair;   /* by first * n + second; NULL: no messages */
};

static bool fit_open(struct fit *f, size_t n, int64_t origin)
{
	*f = (struct fit){.n = n, .origin = origin, .length = 1, .pair = calloc(n * n + 1, sizeof *f->pair)};
	return f->pair != NULL;
}

static void fit_close(struct fit *f)
{
	for (size_t i = 0; i < f->n * f->n && f->pair; i++)
		free(f->pair[i]);
	free(f->pair);
}

static void pair_clear(struct pair *p)
{
	p->below = p->above = false;
	for (size_t i = 0; i < PIECES; i++) {
		p->most[i] = (struct bound){0, INFINITY};
		p->least[i] = (struct bound){0, -INFINITY};
	}
}

static struct pair *pair_of(struct fit *f, size_t a, size_t b)
{
	struct pair **at = &f->pair[a * f->n + b];
	if (!*at && (*at = malloc(sizeof **at)))
		pair_clear(*at);
	return *at;
}

/* A message, with its times as lines have set them. False: out of memory. */
static bool take(struct fit *f, const hb_clock_message *m, const hb_clock_line *line)
{
	if (m->from == m->to)
		return true;
	struct pair *p = pair_of(f, m->from < m->to ? m->from : m->to, m->from < m->to ? m->to : m->from);
	if (!p)
		return false;
	double sent = (double)(m->sent - f->origin) + line[m->from].shift,
	       got = (double)(m->got - f->origin) + line[m->to].shift;
	double piece = (sent - f->first) / f->length * PIECES;
	size_t i = piece < 0 ? 0 : piece >= PIECES ? PIECES - 1 : (size_t)piece;
	if (m->from < m->to) { /* the second clock, when it came, was not before the first, when it went */
		if (got - sent < p->most[i].is)
			p->most[i] = (struct bound){sent, got - sent};
		p->above = true;
	} else {
		if (sent - got > p->least[i].is)
			p->least[i] = (struct bound){sent, sent - got};
		p->below = true;
	}
	return true;
}

/* All messages, in pieces of the time that they take by clocks that are set. */
static bool take_all(struct fit *f, const hb_clock_message *message, size_t n, const hb_clock_line *line)
{
	double last = -INFINITY;
	f->first = INFINITY;
	for (size_t i = 0; i < f->n * f->n; i++)
		if (f->pair[i])
			pair_clear(f->pair[i]);
	for (size_t i = 0; i < n; i++) {
		double sent = (double)(message[i].sent - f->origin) + line[message[i].from].shift;
		f->first = fmin(f->first, sent);
		last = fmax(last, sent);
	}
	f->length = last > f->first ? last - f->first : 1;
	for (size_t i = 0; i < n; i++)
		if (!take(f, &message[i], line))
			return false;
	return true;
}

/* How much room a line of this slope leaves in the middle of the corridor; *ret_height: where it begins. */
static double room(const struct pair *p, double slope, double *ret_height)
{
	double most = INFINITY, least = -INFINITY;
	for (size_t i = 0; i < PIECES; i++) {
		most = fmin(most, p->most[i].is - slope * p->most[i].at);
		least = fmax(least, p->least[i].is - slope * p->least[i].at);
	}
	*ret_height = (most + least) / 2;
	return (most - least) / 2;
}

/* The room is a concave function of the slope. share: of the most room, that a line with less drift must leave. */
static double best_line(const struct pair *p, double share, double *ret_height, double *ret_slope)
{
	double low = -HB_DRIFT_MOST, high = HB_DRIFT_MOST, height;
	for (int i = 0; i < STEPS; i++) {
		double a = low + (high - low) / 3, b = high - (high - low) / 3;
		if (room(p, a, &height) < room(p, b, &height))
			low = a;
		else
			high = b;
	}
	double near = (low + high) / 2, most = room(p, near, &height), enough = most > 0 ? most * share : most,
	       flat = 0;
	if (room(p, 0, &height) < enough)
		for (int i = 0; i < STEPS; i++) { /* near leaves enough; flat does not */
			double middle = (near + flat) / 2;
			if (room(p, middle, &height) < enough)
				flat = middle;
			else
				near = middle;
		}
	else
		near = 0;
	*ret_slope = near;
	room(p, near, ret_height);
	return most;
}

struct edge {
	double room, height, slope;
	bool there;
};

/* From clock 0 on, over the tightest corridors. */
static void spread(const struct fit *f, const struct edge *edge, hb_clock_line *line)
{
	line[0] = (hb_clock_line){.known = true};
	for (;;) {
		const struct edge *best = NULL;
		size_t from = 0, to = 0;
		for (size_t a = 0; a < f->n; a++)
			for (size_t b = a + 1; b < f->n; b++) {
				const struct edge *e = &edge[a * f->n + b];
				if (!e->there || line[a].known == line[b].known || (best && best->room <= e->room))
					continue;
				best = e;
				from = line[a].known ? a : b;
				to = line[a].known ? b : a;
			}
		if (!best)
			return;
		double sign = to > from ? -1 : 1; /* the difference is that of the greater number's clock */
		line[to] = (hb_clock_line){
			line[from].shift + sign * best->height, line[from].rate + sign * best->slope, true};
	}
}

/* Lines from the corridors of pairs; drift: else the clocks are set by constants. */
static bool lines(const struct fit *f, bool drift, hb_clock_line *ret)
{
	struct edge *edge = calloc(f->n * f->n + 1, sizeof *edge);
	if (!edge)
		return false;
	for (size_t i = 0; i < f->n; i++)
		ret[i] = (hb_clock_line){0};
	for (size_t i = 0; i < f->n * f->n; i++) {
		const struct pair *p = f->pair[i];
		if (!p || !p->above || !p->below)
			continue;
		edge[i].room = drift ? best_line(p, 1, &edge[i].height, &edge[i].slope) : room(p, 0, &edge[i].height);
		edge[i].there = true;
	}
	spread(f, edge, ret);
	free(edge);
	return true;
}

/* The corridor of one clock between all others as they are set now: what is to be added to it lies within. */
static bool between(const struct fit *f, size_t k, const hb_clock_line *line, struct pair *ret)
{
	pair_clear(ret);
	for (size_t o = 0; o < f->n; o++) {
		const struct pair *p = o < k ? f->pair[o * f->n + k] : f->pair[k * f->n + o];
		if (o == k || !p || !line[o].known)
			continue;
		for (size_t i = 0; i < PIECES; i++) {
			/* difference = second - first; k + added = o + line of o */
			const struct bound *high = o < k ? &p->least[i] : &p->most[i],
					   *low = o < k ? &p->most[i] : &p->least[i];
			double sign = o < k ? -1 : 1;
			double most = sign * high->is + line[o].shift + line[o].rate * high->at;
			double least = sign * low->is + line[o].shift + line[o].rate * low->at;
			if (isfinite(high->is) && most < ret->most[i].is)
				ret->most[i] = (struct bound){high->at, most}, ret->above = true;
			if (isfinite(low->is) && least > ret->least[i].is)
				ret->least[i] = (struct bound){low->at, least}, ret->below = true;
		}
	}
	return ret->above && ret->below;
}

/* What fits neighbours need not fit all: each clock in turn is put into the middle of what all others leave it. */
static bool settle(const struct fit *f, hb_clock_line *line)
{
	struct pair *p = malloc(sizeof *p);
	for (int round = 0; p && round < ROUNDS; round++)
		for (size_t k = 1; k < f->n; k++) {
			double height, slope;
			if (!line[k].known || !between(f, k, line, p))
				continue;
			best_line(p, round + 1 < ROUNDS ? 1 : 0.9, &height, &slope);
			line[k].shift = height;
			line[k].rate = slope;
		}
	free(p);
	return p != NULL;
}

bool hb__fit_clocks(const hb_clock_message *message, size_t messages, size_t n, int64_t origin, hb_clock_line *ret)
{
	struct fit f;
	hb_clock_line *rough = calloc(n + 1, sizeof *rough);
	for (size_t i = 0; i < n; i++)
		ret[i] = (hb_clock_line){.known = !i};
	bool good = fit_open(&f, n, origin) && rough && n;
	/* seconds that clocks are apart are taken away first, so that pieces of time are the same for all */
	good = good && take_all(&f, message, messages, ret) && lines(&f, false, rough);
	good = good && take_all(&f, message, messages, rough) && lines(&f, true, ret) && settle(&f, ret);
	for (size_t i = 0; i < n && good; i++) {
		/* a line of the time that is set roughly is one of its own time, too */
		ret[i].shift += rough[i].shift + ret[i].rate * rough[i].shift;
		ret[i].known = ret[i].known || !i;
	}
	fit_close(&f);
	free(rough);
	return good || !n;
}

bool hb__fit_shifts(const hb_clock_bound *bound, size_t bounds, double *value, size_t n)
{
	bool moved = true;
	for (size_t i = 0; i < n; i++)
		value[i] = 0;
	/* the longest chain that does not come back has n - 1 bounds */
	for (size_t round = 0; moved && round <= n; round++) {
		moved = false;
		for (size_t i = 0; i < bounds; i++) {
			double least = value[bound[i].from] + bound[i].least;
			if (value[bound[i].to] < least) {
				value[bound[i].to] = least;
				moved = true;
			}
		}
	}
	return !moved;
}
