/* Where the time of each board begins in the time of the listener. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "foreign/boards/boards.h"
#include "foreign/slack.h"

struct message { /* one end of one */
	struct hb__word channel;
	uint64_t key;
	uint32_t board;
	bool received;
	int64_t time;
};

static int by_channel(const void *a, const void *b)
{
	const struct message *x = a, *y = b;
	size_t n = x->channel.n < y->channel.n ? x->channel.n : y->channel.n;
	int order = memcmp(x->channel.at, y->channel.at, n);
	if (order || x->channel.n != y->channel.n)
		return order ? order : x->channel.n < y->channel.n ? -1 : 1;
	return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->received - y->received;
}

static bool is_same(const struct message *a, const struct message *b)
{
	return a->key == b->key && a->channel.n == b->channel.n && !memcmp(a->channel.at, b->channel.at, a->channel.n);
}

static bool collect(const struct hb__boards *all, struct message **ret, size_t *ret_n)
{
	size_t cap = 0;
	for (uint32_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->board[i].events; k++) {
			const struct hb__board_event *e = &all->board[i].event[k];
			if (e->kind != HB_BOARD_SEND && e->kind != HB_BOARD_RECEIVE)
				continue;
			if (!HB_GROW(*ret, cap, *ret_n + 1))
				return false;
			(*ret)[(*ret_n)++] = (struct message){
				e->name, e->value, i, e->kind == HB_BOARD_RECEIVE, e->time + all->board[i].offset};
		}
	return true;
}

/* Of messages with a key of their own: which one belongs to which is certain. */
static bool slacks(struct message *m, size_t n, struct hb__slack **ret, size_t *ret_n)
{
	size_t cap = 0;
	if (n)
		qsort(m, n, sizeof *m, by_channel);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && is_same(&m[i], &m[end]);)
			end++;
		if (end != i + 2 || m[i].received || !m[i + 1].received || m[i].board == m[i + 1].board)
			continue;
		if (!HB_GROW(*ret, cap, *ret_n + 1))
			return false;
		(*ret)[(*ret_n)++] = (struct hb__slack){m[i].board, m[i + 1].board, m[i + 1].time - m[i].time};
	}
	return true;
}

/* The least shifts by which every message is received a nanosecond after it was sent, as longest paths (Bellman 1958). After as many rounds as there are
 * boards there are none: clocks run apart, and none is set. */
static void shift(struct hb__boards *all, struct hb__slack *s, size_t n)
{
	size_t pairs = hb__slack_least(s, n);
	bool more = true;
	for (size_t round = 0; round <= all->n && more; round++) {
		more = false;
		for (size_t i = 0; i < pairs; i++) {
			int64_t least = all->board[s[i].from].forward - s[i].least + 1;
			if (all->board[s[i].to].forward < least && least < HB_BOARD_TIME_MOST) {
				all->board[s[i].to].forward = least;
				more = true;
			}
		}
	}
	all->contrary = more;
	for (size_t i = 0; i < all->n && more; i++)
		all->board[i].forward = 0;
}

bool hb__boards_clocks(struct hb__boards *all)
{
	struct message *message = NULL;
	struct hb__slack *slack = NULL;
	size_t messages = 0, n = 0;
	for (size_t i = 0; i < all->n; i++) {
		struct hb__board *b = &all->board[i];
		if (b->trip < 0 || b->offset > b->most)
			b->offset = b->most;
	}
	bool good = collect(all, &message, &messages) && slacks(message, messages, &slack, &n);
	if (good && n)
		shift(all, slack, n);
	free(message);
	free(slack);
	return good;
}
