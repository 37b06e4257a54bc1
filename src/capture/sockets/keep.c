/* Contents of what goes through sockets and pipes: kept with the event that brought them, and given back to a process that runs alone. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/core/data/data.h"
#include "capture/core/follow/follow.h"
#include "capture/sockets/ends.h"

#define HIGH 4096 /* our descriptors are out of the program's way */

/* Inputs are kept at level events, too, and contents at level data alone. */
bool hb__talk_keeps_contents(void)
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
	bool contents = hb__talk_keeps_contents() && bytes && n, control = in && has_control(t->with);
	if ((!contents && !control) || !hb__data_event(t->lane, 3))
		return;
	if (contents && in)
		put(HB_TALK_CAME, piece, n, bytes);
	if (contents && !in) {
		uint64_t digest = hb_little64((uint64_t)hb__ends_hash(piece, n, bytes));
		hb__data_piece(HB_TALK_DIGEST, &digest, sizeof digest);
	}
	if (control)
		put_control(0, t->with);
	hb__data_end();
}

void hb__talk_came(struct hb_talk *t, const struct mmsghdr *message, size_t n)
{
	bool contents = hb__talk_keeps_contents(), control = false;
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

static int outside[3] = {-1, -1, -1};

int hb__talk_outside(int fd) { return fd == STDOUT_FILENO || fd == STDERR_FILENO ? outside[fd] : -1; }

static void keep_inherited(void)
{
	struct dirent *e;
	DIR *all = opendir("/proc/self/fd");
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

/* One process alone has nobody to inherit from: its descriptors lead to nobody. What it prints is seen all the same. */
static void inherit_again(void)
{
	struct hb__item item;
	struct hb__piece piece;
	while (hb__data_next(inherited.name, &item)) {
		int64_t number[2] = {-1, HB_LEADS_NOWHERE};
		int ends[2] = {-1, -1};
		for (int i = 0; i < 2 && hb__item_piece(&item, &piece); i++)
			number[i] = hb__piece_number(&piece);
		int fd = (int)number[0];
		if (fd == STDOUT_FILENO || fd == STDERR_FILENO)
			outside[fd] = fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
		if (number[1] == HB_LEADS_LISTENS)
			ends[0] = socket(AF_INET, SOCK_STREAM, 0);
		else if (socketpair(AF_UNIX, number[1] == HB_LEADS_DATAGRAM ? SOCK_DGRAM : SOCK_STREAM, 0, ends))
			continue;
		for (int i = 0; i < 2; i++) {
			if (!i)
				dup2(ends[i], fd);
			if (ends[i] >= 0 && ends[i] != fd)
				close(ends[i]);
		}
	}
}

void hb__talk_begin(void)
{
	uint8_t apart = hb__apart;
	hb__apart = apart | HB__APART_OURS;
	if (hb__data_keeps && hb__talk_keeps_contents())
		keep_inherited();
	if (hb__alone)
		inherit_again();
	hb__apart = apart;
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

/* ---- processes that fork made ---- */

bool hb__talk_child(uint32_t pid)
{
	hb__child_comes(pid);
	return hb__promised >= 0;
}

void hb__talk_becomes(pid_t pid)
{
	sigset_t all;
	int status = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (syscall(SYS_wait4, pid, &status, 0, NULL) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status)) {
		const struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none); /* there is one already */
		signal(WTERMSIG(status), SIG_DFL);
		sigdelset(&all, WTERMSIG(status));
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), WTERMSIG(status));
		pthread_sigmask(SIG_SETMASK, &all, NULL);
	}
	for (;;)
		syscall(SYS_exit_group, WEXITSTATUS(status));
}
