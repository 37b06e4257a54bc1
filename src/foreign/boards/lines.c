/* Lines of boards, as a listener wrote them down: TIME NAME WAY LINE. */
#include <string.h>

#include "base/grow.h"
#include "foreign/boards/boards.h"

static bool is(struct hb__word w, const char *text) { return w.n == strlen(text) && !memcmp(w.at, text, w.n); }

static bool same(struct hb__word a, struct hb__word b) { return a.n == b.n && !memcmp(a.at, b.at, a.n); }

/* What stands in front of the next blank, and the line goes on behind it. Empty: the line is at its end, or two blanks stand together. */
static struct hb__word next(struct hb__word *line)
{
	const char *blank = line->n ? memchr(line->at, ' ', line->n) : NULL;
	struct hb__word w = {line->at, blank ? (size_t)(blank - line->at) : line->n};
	line->at += w.n + (blank != NULL);
	line->n -= w.n + (blank != NULL);
	return w;
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99; }

static bool number(struct hb__word w, unsigned base, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < w.n; i++) {
		unsigned d = (unsigned)digit(w.at[i]);
		if (d >= base || __builtin_mul_overflow(*ret, base, ret) || __builtin_add_overflow(*ret, d, ret))
			return false;
	}
	return w.n > 0;
}

static bool is_name(struct hb__word w)
{
	for (size_t i = 0; i < w.n; i++)
		if (w.at[i] <= ' ' || w.at[i] > '~')
			return false;
	return w.n > 0 && w.n <= HB_BOARD_NAME;
}

/* Takes "hb " from the front of a line and the sum from its end; false: the sum is wrong, or missing. */
static bool unwrap(struct hb__word *line)
{
	if (line->n < 8 || line->at[line->n - 4] != ' ' || line->at[line->n - 3] != '*')
		return false;
	uint64_t told;
	unsigned sum = 0;
	if (!number((struct hb__word){line->at + line->n - 2, 2}, 16, &told))
		return false;
	*line = (struct hb__word){line->at + 3, line->n - 7};
	for (size_t i = 0; i < line->n; i++)
		sum ^= (unsigned char)line->at[i];
	return sum == told;
}

static bool time_of(const struct hb__board *b, struct hb__word ticks, int64_t *ret)
{
	uint64_t t;
	if (!number(ticks, 16, &t) || t / b->hertz > HB_BOARD_TIME_MOST / 1000000000)
		return false;
	*ret = (int64_t)(t / b->hertz * 1000000000 + t % b->hertz * 1000000000 / b->hertz);
	return true;
}

/* ---- one board ---- */

static struct hb__board *board_of(struct hb__boards *all, struct hb__word name)
{
	for (size_t i = all->n; i-- > 0;)
		if (same(all->board[i].name, name))
			return &all->board[i];
	return NULL;
}

/* hello 1 NAME HERTZ LAST: with 0 the board has begun anew. */
static bool hello(struct hb__boards *all, struct hb__word board, struct hb__word line, bool *ret_good)
{
	uint64_t hertz, last;
	struct hb__word version = next(&line), name = next(&line);
	*ret_good = is(version, "1") && is_name(name) && number(next(&line), 16, &hertz) &&
		    number(next(&line), 16, &last) && hertz && hertz <= 10000000000u;
	struct hb__board *b = *ret_good ? board_of(all, board) : NULL;
	if (!*ret_good || (b && last && b->hertz == hertz))
		return true;
	if (b && !last && !b->number) /* said again before anything happened */
		return true;
	if (all->n == HB_BOARDS_MOST) {
		*ret_good = false;
		return true;
	}
	if (!HB_GROW(all->board, all->cap, all->n + 1))
		return false;
	all->board[all->n++] = (struct hb__board){
		.name = board, .hertz = hertz, .number = last, .earlier = last, .trip = -1, .most = HB_BOARD_TIME_MOST};
	return true;
}

static bool kind_of(struct hb__word w, enum hb__board_kind *ret)
{
	static const char *const words[HB_BOARD_KINDS] = {"event", "begin", "end", "send", "receive"};
	for (unsigned i = 0; i < HB_BOARD_KINDS; i++)
		if (is(w, words[i])) {
			*ret = (enum hb__board_kind)i;
			return true;
		}
	return false;
}

/* What lies between the event before and this one is missing: `dropped` says how much of it the board knows of. */
static void advance(struct hb__board *b, uint64_t number, uint64_t dropped)
{
	uint64_t gap = number - b->number - 1;
	dropped = dropped < gap ? dropped : gap;
	b->dropped += dropped;
	b->lost += gap - dropped;
	b->number = number;
}

/* e NUMBER TICKS KIND ... */
static bool event(struct hb__board *b, int64_t came, struct hb__word line, bool *ret_good)
{
	struct hb__board_event e = {0};
	uint64_t n, dropped;
	*ret_good = false;
	if (!number(next(&line), 16, &n) || n <= b->number || !time_of(b, next(&line), &e.time))
		return true;
	struct hb__word kind = next(&line);
	if (is(kind, "drop")) {
		if (number(next(&line), 16, &dropped) && !line.n) {
			advance(b, n, dropped);
			*ret_good = true;
		}
		return true;
	}
	e.name = kind_of(kind, &e.kind) ? next(&line) : (struct hb__word){0};
	if (!is_name(e.name) || !number(next(&line), 16, &e.value))
		return true;
	bool message = e.kind == HB_BOARD_SEND || e.kind == HB_BOARD_RECEIVE;
	if ((message && !number(next(&line), 16, &e.bytes)) || line.n)
		return true;
	if (!HB_GROW(b->event, b->cap, b->events + 1))
		return false;
	b->event[b->events++] = e;
	advance(b, n, 0);
	b->most = came - e.time < b->most ? came - e.time : b->most;
	*ret_good = true;
	return true;
}

/* ok ID TICKS, where ID asked for the clock: it was that at a moment between asking and answer. Taken is the quickest answer, and the middle of it. */
static void answer(struct hb__board *b, int64_t came, struct hb__word line)
{
	struct hb__word id = next(&line);
	int64_t time;
	for (unsigned i = 0; i < 16; i++) {
		struct hb__ask *a = &b->ask[i];
		if (!a->id.n || !same(a->id, id) || came < a->time || !time_of(b, line, &time))
			continue;
		int64_t trip = came - a->time;
		if (b->trip < 0 || trip < b->trip) {
			b->trip = trip;
			b->offset = a->time + trip / 2 - time;
		}
		*a = (struct hb__ask){0};
		return;
	}
}

/* ---- the file ---- */

static bool said(struct hb__boards *all, struct hb__word name, int64_t came, struct hb__word line)
{
	bool good = unwrap(&line), memory = true;
	struct hb__board *b = board_of(all, name);
	struct hb__word first = next(&line);
	if (good && is(first, "hello"))
		memory = hello(all, name, line, &good);
	else if (good && is(first, "e") && b)
		memory = event(b, came, line, &good);
	else if (good && is(first, "ok") && b)
		answer(b, came, line);
	else if (!is(first, "ok") && !is(first, "no"))
		good = false;
	all->spoiled += !good;
	return memory;
}

static void asked(struct hb__board *b, int64_t time, struct hb__word line)
{
	if (!unwrap(&line) || !is(next(&line), "ask"))
		return;
	struct hb__word id = next(&line);
	if (is(line, "clock"))
		b->ask[b->asks++ % 16] = (struct hb__ask){id, time};
}

static bool read_line(struct hb__boards *all, struct hb__word line)
{
	uint64_t time;
	bool timed = number(next(&line), 10, &time) && time <= HB_BOARD_TIME_MOST;
	struct hb__word name = next(&line), way = next(&line);
	if (!timed || !is_name(name) || !(is(way, "<") || is(way, ">"))) {
		all->spoiled++;
		return true;
	}
	struct hb__board *b = board_of(all, name);
	if (is(way, ">")) {
		if (b)
			asked(b, (int64_t)time, line);
		return true;
	}
	if (line.n >= 3 && !memcmp(line.at, "hb ", 3))
		return said(all, name, (int64_t)time, line);
	all->strange++;
	return true;
}

bool hb__boards_read(struct hb__boards *all)
{
	hb_import *m = all->import;
	const char *at = (const char *)m->bytes + strlen(HB_BOARD_MAGIC), *end = (const char *)m->bytes + m->size;
	for (uint64_t lines = 1; at < end; lines++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		if (!feed) {
			hb__import_cut(m, (uint64_t)(at - (const char *)m->bytes), "the last line has no end");
			return true;
		}
		if (m->options.progress && lines % 65536 == 0)
			m->options.progress(m->options.user, (double)(at - (const char *)m->bytes) / (double)m->size);
		if (!read_line(all, (struct hb__word){at, (size_t)(feed - at)}))
			return false;
		at = feed + 1;
	}
	return true;
}
