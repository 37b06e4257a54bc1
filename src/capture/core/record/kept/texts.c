/* Texts of the process, by their numbers in the log: what the program called its channels, and what its descriptors lead to. */
#include <string.h>

#include "capture/core/record/record.h"

#define TEXT_MOST 1024
#define TEXTS_MOST (1u << 20)
#define BUCKETS 65536u
#define PIECE 65536u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hb__text **texts; /* by hash */
static uint32_t ntexts;
static struct hb__text *more; /* in the place of all for which there is no number left */
static uint8_t *at, *end;     /* room that is left */

uint64_t hb__text_hash(uint64_t h, const char *s, size_t most)
{
	for (size_t i = 0; i < most && s[i]; i++)
		h = (h ^ (uint8_t)s[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

bool hb__is_text(const struct hb__text *t, const char *s) { return t && !strncmp(t->is, s, TEXT_MOST); }

/* Memory that is never given back. With the lock. */
static void *room(size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	if ((size_t)(end - at) < bytes) {
		if (!(at = hb__pages(PIECE)))
			return end = NULL;
		end = at + PIECE;
	}
	at += bytes;
	return at - bytes;
}

static struct hb__text *text_new(const char *s, uint64_t h)
{
	if (more)
		return more;
	if (ntexts + 1 == TEXTS_MOST) {
		hb__say("the program uses more than %u different names of channels and texts; further ones are recorded as \"(more)\"",
			TEXTS_MOST);
		s = "(more)";
	}
	size_t n = strnlen(s, TEXT_MOST);
	struct hb__text *t = room(sizeof *t + n + 1);
	if (!t)
		return NULL;
	memcpy(t->is, s, n);
	t->number = ntexts++;
	if (ntexts == TEXTS_MOST) {
		more = t;
	} else {
		t->next = texts[h % BUCKETS];
		texts[h % BUCKETS] = t;
	}
	hb__define_text(t->number, t->is);
	return t;
}

const struct hb__text *hb__text_of(const char *s, uint64_t h)
{
	pthread_mutex_lock(&lock);
	if (!texts)
		texts = hb__pages(BUCKETS * sizeof *texts);
	struct hb__text *t = texts ? texts[h % BUCKETS] : NULL;
	while (t && !hb__is_text(t, s))
		t = t->next;
	if (!t && texts)
		t = text_new(s, h);
	pthread_mutex_unlock(&lock);
	return t;
}

/* Texts are defined as they get their numbers; another thread of the parent may have been about to take room when that forked. */
void hb__texts_again(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	at = end = NULL;
	more = NULL;
	texts = NULL;
	ntexts = 0;
}
