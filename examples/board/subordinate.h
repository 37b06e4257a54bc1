/* A subordinate agent for a machine without an operating system: it tells hbdb of the events of a program over a line of bytes, and answers asks
 * (docs/system/subordinate.md). Include it in one file. No C library, no memory of its own but one ring, no division.
 *
 * The board gives three functions, none of which waits: hb_line_put takes one byte, or returns 0 when the line has no room; hb_line_get returns the
 * next byte that came, or -1; hb_line_clock is a clock that never goes back. Only one flow of control may call what stands here: not the handler
 * of an interrupt beside the program. */
#ifndef HB_SUBORDINATE_H
#define HB_SUBORDINATE_H

#include <stdint.h>

#ifndef HB_RING
#define HB_RING 4096u /* bytes that wait for the line; a power of two, at least 512 */
#endif
#define HB_LINE 200u /* bytes of the longest line, with its end */

int hb_line_put(unsigned char byte);
int hb_line_get(void);
uint64_t hb_line_clock(void);

struct hb_counter { /* what `read` tells; a table of them ends with a name of 0 */
	const char *name;
	const volatile uint32_t *value;
};

static struct {
	unsigned char ring[HB_RING];
	uint32_t from, to; /* counted on without end; the place is the rest by HB_RING */
	uint64_t number;   /* of the last event */
	uint32_t dropped;  /* of the last events, and not told yet */
	char ask[HB_LINE];
	uint32_t asked; /* bytes of it */
	int stopped;
	const char *name;
	uint64_t hertz;
	const struct hb_counter *counter;
} hb_sub;

/* ---- a line ---- */

struct hb_words {
	char at[HB_LINE];
	uint32_t n;
};

static void hb_add(struct hb_words *w, const char *text)
{
	/* room is left for the sum and the end */
	while (*text && w->n < HB_LINE - 5)
		w->at[w->n++] = *text++;
}

static void hb_add_number(struct hb_words *w, uint64_t v)
{
	char digits[18], *p = digits + 17;
	*p = 0;
	do
		*--p = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	*--p = ' ';
	hb_add(w, p);
}

static unsigned hb_sum(const char *at, uint32_t n)
{
	unsigned sum = 0;
	while (n--)
		sum ^= (unsigned char)*at++;
	return sum;
}

static void hb_drain(void)
{
	while (hb_sub.from != hb_sub.to && hb_line_put(hb_sub.ring[hb_sub.from % HB_RING]))
		hb_sub.from++;
}

/* 0: the ring has no room for the whole line. */
static int hb_say(struct hb_words *w)
{
	unsigned sum = hb_sum(w->at + 3, w->n - 3);
	if (HB_RING - (hb_sub.to - hb_sub.from) < w->n + 5)
		return 0;
	w->at[w->n++] = ' ';
	w->at[w->n++] = '*';
	w->at[w->n++] = "0123456789abcdef"[sum >> 4 & 15];
	w->at[w->n++] = "0123456789abcdef"[sum & 15];
	w->at[w->n++] = '\n';
	for (uint32_t i = 0; i < w->n; i++)
		hb_sub.ring[hb_sub.to++ % HB_RING] = (unsigned char)w->at[i];
	return 1;
}

/* ---- events ---- */

static void hb_event_begin(struct hb_words *w, const char *kind, const char *name)
{
	w->n = 0;
	hb_add(w, "hb e");
	hb_add_number(w, ++hb_sub.number);
	hb_add_number(w, hb_line_clock());
	hb_add(w, kind);
	hb_add(w, name);
}

/* What found no room is told as soon as there is some, so that the other side knows what it does not have. */
static void hb_event_end(struct hb_words *w)
{
	if (hb_sub.dropped || !hb_say(w))
		hb_sub.dropped++;
}

static void hb_tell_dropped(void)
{
	struct hb_words w;
	if (!hb_sub.dropped || HB_RING - (hb_sub.to - hb_sub.from) < HB_LINE)
		return;
	hb_event_begin(&w, " drop", "");
	hb_add_number(&w, hb_sub.dropped);
	hb_say(&w);
	hb_sub.dropped = 0;
}

/* kind: "event", "begin" or "end" of a span. The name has neither blanks nor more than 64 bytes. */
static void hb_tell(const char *kind, const char *name, int64_t value)
{
	struct hb_words w;
	hb_tell_dropped();
	hb_event_begin(&w, " ", kind);
	hb_add(&w, " ");
	hb_add(&w, name);
	hb_add_number(&w, (uint64_t)value);
	hb_event_end(&w);
}

/* kind: "send", before the message can be taken, or "receive", after it was. The key is another one for each message of the channel. */
static void hb_tell_message(const char *kind, const char *channel, uint64_t key, uint64_t bytes)
{
	struct hb_words w;
	hb_tell_dropped();
	hb_event_begin(&w, " ", kind);
	hb_add(&w, " ");
	hb_add(&w, channel);
	hb_add_number(&w, key);
	hb_add_number(&w, bytes);
	hb_event_end(&w);
}

/* ---- asks ---- */

/* Whether the ask goes on with this word; the place moves behind it. */
static int hb_word(const char **at, const char *word)
{
	const char *p = *at;
	while (*word && *p == *word)
		p++, word++;
	if (*word || (*p && *p != ' '))
		return 0;
	*at = *p ? p + 1 : p;
	return 1;
}

static const struct hb_counter *hb_counter_of(const char *at)
{
	for (const struct hb_counter *c = hb_sub.counter; c && c->name; c++)
		if (hb_word(&at, c->name))
			return c;
	return 0;
}

static void hb_say_hello(void)
{
	struct hb_words w = {"hb hello 1 ", 11};
	hb_add(&w, hb_sub.name);
	hb_add_number(&w, hb_sub.hertz);
	hb_add_number(&w, hb_sub.number);
	hb_say(&w);
}

static void hb_answer(const char *id, uint32_t n, const char *ask)
{
	const struct hb_counter *c = hb_word(&ask, "read") ? hb_counter_of(ask) : 0;
	struct hb_words w = {"hb ok ", 6};
	int clock = hb_word(&ask, "clock"), stop = hb_word(&ask, "stop"), go = hb_word(&ask, "go");
	int hello = hb_word(&ask, "hello");
	if (!c && !clock && !stop && !go && !hello)
		w.n = 3, hb_add(&w, "no ");
	for (uint32_t i = 0; i < n && i < 16; i++)
		w.at[w.n++] = id[i];
	if (clock)
		hb_add_number(&w, hb_line_clock());
	if (c)
		hb_add_number(&w, *c->value);
	hb_sub.stopped = stop || (hb_sub.stopped && !go);
	hb_say(&w);
	if (hello)
		hb_say_hello();
}

/* An ask whose sum is wrong is not answered: whoever asked asks again. */
static void hb_take_ask(void)
{
	char *at = hb_sub.ask;
	uint32_t n = hb_sub.asked, id = 0;
	hb_sub.asked = 0;
	if (n < 8 || n >= HB_LINE || at[n - 4] != ' ' || at[n - 3] != '*')
		return;
	unsigned sum = hb_sum(at + 3, n - 7);
	if (at[n - 2] != "0123456789abcdef"[sum >> 4] || at[n - 1] != "0123456789abcdef"[sum & 15])
		return;
	at[n - 4] = 0;
	const char *words = at;
	if (!hb_word(&words, "hb") || !hb_word(&words, "ask"))
		return;
	while (words[id] && words[id] != ' ')
		id++;
	if (id && words[id])
		hb_answer(words, id, words + id + 1);
}

/* Moves bytes both ways, and stays inside while the board is stopped. To be called often. */
static void hb_poll(void)
{
	do {
		int byte;
		hb_drain();
		hb_tell_dropped();
		/* an ask waits on the line until its answer has room */
		while (HB_RING - (hb_sub.to - hb_sub.from) >= 2 * HB_LINE && (byte = hb_line_get()) >= 0)
			if (byte == '\n')
				hb_take_ask();
			else if (hb_sub.asked < HB_LINE)
				hb_sub.ask[hb_sub.asked++] = (char)byte;
	} while (hb_sub.stopped);
}

/* Once, at the beginning. hertz: ticks of the clock in a second. */
static void hb_hello(const char *name, uint64_t hertz, const struct hb_counter *counter)
{
	hb_sub.name = name;
	hb_sub.hertz = hertz;
	hb_sub.counter = counter;
	hb_say_hello();
}

#endif
