/* Contents of what goes through sockets and pipes: kept with the event that brought them, and given back to a process that runs alone. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "capture/core/data/data.h"
#include "capture/core/follow/follow.h"
#include "capture/sockets/ends.h"

/* Inputs are kept at level events, too, and contents at level data alone. */
static bool keeps_contents(void)
{
	static int known;
	if (unlikely(!known)) {
		const char *level = getenv("HBDB_LEVEL");
		known = level && !strcmp(level, "data") ? 2 : 1;
	}
	return known == 2;
}

/* ---- recording ---- */

static void put(uint32_t what, const struct iovec *piece, size_t n, size_t bytes)
{
	if (n == 1 || !bytes) {
		hb__data_piece(what, n ? piece->iov_base : NULL, bytes);
		return;
	}
	char *to = hb__data_room(bytes), *w = to;
	if (!to) {
		hb__data_piece(what, NULL, 0);
		return;
	}
	for (size_t i = 0, left = bytes; i < n && left; i++) {
		size_t some = piece[i].iov_len < left ? piece[i].iov_len : left;
		memcpy(w, piece[i].iov_base, some);
		w += some;
		left -= some;
	}
	hb__data_packed(what, bytes);
}

static bool has_control(const struct msghdr *m) { return m && m->msg_control && m->msg_controllen; }

static void put_control(uint32_t first, const struct msghdr *m)
{
	hb__data_piece(first + HB_TALK_CONTROL, m->msg_control, m->msg_controllen);
	hb__data_number(first + HB_TALK_FLAGS, m->msg_flags);
}

void hb__talk_moved(struct hb_talk *t, const struct iovec *piece, size_t n, size_t bytes, bool in)
{
	if (likely(!hb__data_keeps))
		return;
	bool contents = keeps_contents() && bytes && n, control = in && has_control(t->with);
	if ((!contents && !control) || !hb__data_event(t->lane, 3))
		return;
	if (contents && in)
		put(HB_TALK_CAME, piece, n, bytes);
	if (contents && !in) {
		int64_t digest = hb__ends_hash(piece, n, bytes);
		hb__data_piece(HB_TALK_DIGEST, &digest, sizeof digest);
	}
	if (control)
		put_control(0, t->with);
	hb__data_end();
}

void hb__talk_came(struct hb_talk *t, const struct mmsghdr *message, size_t n)
{
	bool contents = keeps_contents(), control = false;
	for (size_t i = 0; i < n; i++)
		control |= has_control(&message[i].msg_hdr);
	if (!hb__data_keeps || (!contents && !control) || !hb__data_event(t->lane, (unsigned)(3 * n)))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct msghdr *m = &message[i].msg_hdr;
		uint32_t first = (uint32_t)(HB_TALK_EACH * i);
		if (contents)
			put(first + HB_TALK_CAME, m->msg_iov, m->msg_iovlen, message[i].msg_len);
		if (has_control(m))
			put_control(first, m);
	}
	hb__data_end();
}

/* ---- what it began with ---- */

static struct hb__source inherited = {"sockets:inherited", 0};

/* A replay of this process alone has nobody to inherit from. */
void hb__talk_begin(void)
{
	struct dirent *e;
	DIR *all = keeps_contents() && hb__data_keeps ? opendir("/proc/self/fd") : NULL;
	while (all && (e = readdir(all))) {
		int fd = atoi(e->d_name);
		enum hb_leads kind = *e->d_name == '.' ? HB_LEADS_NOWHERE : hb__ends_kind(fd);
		if (kind <= HB_LEADS_NOWHERE || !hb__data_call(&inherited, 2))
			continue;
		hb__data_number(0, fd);
		hb__data_number(1, kind);
	}
	if (all)
		closedir(all);
}

int hb__talk_inherited(enum hb_leads *ret_kind)
{
	struct hb__item item;
	struct hb__piece piece;
	int64_t number[2] = {-1, HB_LEADS_NOWHERE};
	if (!hb__alone || !hb__data_next(inherited.name, &item))
		return -1;
	for (int i = 0; i < 2 && hb__item_piece(&item, &piece); i++)
		number[i] = hb__piece_number(&piece);
	*ret_kind = (enum hb_leads)number[1];
	return (int)number[0];
}

/* ---- replay ---- */

static __thread struct hb__item now __attribute__((tls_model("initial-exec")));

/* The call of this lane is told now what its record has. */
void hb__talk_told(const struct hb__lane *lane)
{
	struct hb__item *item = hb__data_gives ? hb__data_of_event(lane->follow->event) : NULL;
	now = item ? *item : (struct hb__item){0};
}

static bool find(uint32_t what, struct hb__piece *ret)
{
	struct hb__item item = now;
	while (hb__item_piece(&item, ret))
		if (ret->what == what)
			return true;
	*ret = (struct hb__piece){0};
	return false;
}

const void *hb__talk_piece(uint32_t what, size_t *ret_bytes)
{
	struct hb__piece piece;
	find(what, &piece);
	*ret_bytes = piece.bytes;
	return piece.p;
}

int64_t hb__talk_number(uint32_t what)
{
	struct hb__piece piece;
	return find(what, &piece) ? hb__piece_number(&piece) : 0;
}
