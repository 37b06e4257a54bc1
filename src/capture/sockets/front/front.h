/* libhbdb-sockets.so: in front of the functions by which processes talk, wait for each other to talk, and make each other. Each asks at the
 * door whether the call is the program's, has the C library do it, and says what came of it.
 *
 * The recorder's rules hold here, too (capture/core/core.h). */
#ifndef HBDB_CAPTURE_SOCKETS_FRONT_H
#define HBDB_CAPTURE_SOCKETS_FRONT_H

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "capture/sockets/door.h"

#pragma GCC visibility push(hidden)

#define SEEN __attribute__((visibility("default")))
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define FRAME __builtin_dwarf_cfa()
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

extern const struct hb_sockets_door *hb__door; /* NULL: the recorder is not there (yet) */
/* Of descriptors what they lead to, as far as the process used them; behind those, likewise, what was foreseen of others. */
extern uint32_t *hb__table;

/* Of this thread. Each call looks at it: it stands in one line of memory. */
struct hb__callers {
	const void *from; /* who made the call that comes by another function of ours; NULL: none does */
	const void *
		caller; /* who made the call that we pass on, or make, for libraries behind us; NULL: we do, for ourselves */
} __attribute__((aligned(16)));
extern __thread struct hb__callers hb__callers __attribute__((tls_model("initial-exec")));
#define hb__from hb__callers.from
#define hb__caller hb__callers.caller
static inline __attribute__((always_inline)) const void *hb__called_by(const void *pc)
{
	return hb__caller = hb__from ? hb__from : pc;
}

/* The function behind us, looked up when it is first needed, which may be before our constructor has run. */
#define NEXT(name)                                                                                               \
	__extension__({                                                                                          \
		static __typeof__(&name) hb__next_##name;                                                        \
		if (unlikely(!__atomic_load_n(&hb__next_##name, __ATOMIC_RELAXED)))                              \
			__atomic_store_n(                                                                        \
				&hb__next_##name, (__typeof__(&name))dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED); \
		hb__next_##name;                                                                                 \
	})

/* The call is recorded if the descriptor leads to a socket, which the system says to who calls it. false: the call is passed on. */
static inline __attribute__((always_inline)) bool hb__enter_unseen(
	struct hb_talk *t, int fd, const void *pc, const void *cfa)
{
	if (unlikely(!hb__door || fd < 0 || fd >= HB_DESCRIPTORS_MOST))
		return false;
	uint32_t end = __atomic_load_n(&hb__table[fd], __ATOMIC_ACQUIRE);
	t->fd = fd;
	t->end = HB_LEADS_NAMELESS;
	return hb_leads_kind(end) != HB_LEADS_NOWHERE && hb__door->enter(t, hb__from ? hb__from : pc, cfa);
}

/* What the descriptor leads to, of a call that is recorded; false: the call is passed on. */
static inline __attribute__((always_inline)) bool hb__enter_for(
	struct hb_talk *t, int fd, const void *pc, const void *cfa)
{
	t->with = NULL;
	if (unlikely(!hb__door || fd < 0 || fd >= HB_DESCRIPTORS_MOST))
		return false;
	uint32_t end = __atomic_load_n(&hb__table[fd], __ATOMIC_ACQUIRE);
	if (likely(hb_leads_kind(end) == HB_LEADS_NOWHERE))
		return false;
	if (unlikely(hb_leads_kind(end) == HB_LEADS_UNKNOWN) && !hb__door->began()) {
		bool leads = hb__door->leads(fd);
		hb__caller = pc; /* the recorder asks the system by calls that come here, too */
		if (!leads)
			return false;
	}
	if (!hb__door->enter(t, pc, cfa))
		return false;
	end = __atomic_load_n(&hb__table[fd], __ATOMIC_ACQUIRE); /* the first call of a child by fork has emptied it */
	if (unlikely(hb_leads_kind(end) == HB_LEADS_UNKNOWN)) {
		end = hb__door->find(fd);
		hb__caller = pc;
	}
	t->fd = fd;
	t->end = end;
	return hb_leads_kind(end) > HB_LEADS_NOWHERE;
}

/* What the recorder itself asks the system for on the way is not of who made the call: a child by fork tells hbdb that it is there. */
static inline __attribute__((always_inline)) bool hb__enter(struct hb_talk *t, int fd, const void *pc, const void *cfa)
{
	const void *from = hb__from;
	pc = hb__called_by(pc);
	hb__from = NULL;
	bool is = hb__enter_for(t, fd, pc, cfa);
	hb__from = from;
	hb__caller = pc;
	return is;
}

static inline bool hb__is_datagram(const struct hb_talk *t)
{
	return hb_leads_kind(t->end) == HB_LEADS_DATAGRAM || hb_leads_kind(t->end) == HB_LEADS_NAMELESS_DATAGRAM;
}

extern uint32_t *hb__recorded_ends; /* a replay: again.c */
void hb__recorded_forget(int fd);

/* Somebody opened it, closed it, or changed what it leads to. */
static inline void hb__forget(int fd)
{
	if (unlikely(hb__door && !hb__door->is_own())) /* the descriptors of a child by vfork are others */
		return;
	if (unlikely(hb__recorded_ends))
		hb__recorded_forget(fd);
	if (hb__table && fd >= 0 && fd < HB_DESCRIPTORS_MOST)
		__atomic_store_n(&hb__table[fd], HB_LEADS_UNKNOWN, __ATOMIC_RELEASE);
	if (hb__table && fd >= 0 && fd < HB_DESCRIPTORS_MOST && unlikely(hb__table[HB_DESCRIPTORS_MOST + fd]))
		hb__table[HB_DESCRIPTORS_MOST + fd] = HB_LEADS_UNKNOWN;
}

/* A call that failed: a poll that said no, or an event with its error. */
void hb__failed(struct hb_talk *t, bool waits);

/* bytes.c: any call that moves bytes, of any descriptor. usual.c has the functions of the C library in front of them. */
ssize_t hb__any_send(int fd, const void *p, size_t bytes, int flags, const void *pc, const void *cfa);
ssize_t hb__any_sendto(int fd, const void *p, size_t bytes, int flags, const struct sockaddr *to, socklen_t length,
	const void *pc, const void *cfa);
ssize_t hb__any_sendmsg(int fd, const struct msghdr *m, int flags, const void *pc, const void *cfa);
ssize_t hb__any_write(int fd, const void *p, size_t bytes, const void *pc, const void *cfa);
ssize_t hb__any_writev(int fd, const struct iovec *v, int n, const void *pc, const void *cfa);
ssize_t hb__any_recv(int fd, void *p, size_t bytes, int flags, const void *pc, const void *cfa);
ssize_t hb__any_recvfrom(int fd, void *p, size_t bytes, int flags, struct sockaddr *from, socklen_t *length,
	const void *pc, const void *cfa);
ssize_t hb__any_recvmsg(int fd, struct msghdr *m, int flags, const void *pc, const void *cfa);
ssize_t hb__any_read(int fd, void *p, size_t bytes, const void *pc, const void *cfa);
ssize_t hb__any_readv(int fd, const struct iovec *v, int n, const void *pc, const void *cfa);

/* ---- the quick way ---- */

/* What a usual call needs of this library, in the fewest lines of memory, for the system has used the caches since the last one. */
extern struct hb__hot {
	uint32_t *table; /* NULL: the recorder is not there (yet) */
	bool (*quick)(struct hb_quick *ret, enum hb_socket_function function, uint32_t argument, const void *pc);
	void (*moved)(const struct hb_quick *quick, size_t got, size_t asked);
	/* behind us; those that most servers call stand in the same line as the above: */
	__typeof__(&read) read;
	__typeof__(&write) write;
	__typeof__(&send) send;
	__typeof__(&recv) recv;
	__typeof__(&sendmsg) sendmsg;
	__typeof__(&recvmsg) recvmsg;
	__typeof__(&readv) readv;
	__typeof__(&writev) writev;
	__typeof__(&sendto) sendto;
	__typeof__(&recvfrom) recvfrom;
} hb__hot __attribute__((aligned(64)));

/* Of a function that begins so: what is fetched for these stands together. */
#define HB_QUICK __attribute__((hot, aligned(64)))

/* pc, where this returns true: has made the call of a stream that hb__quick_moved or hb__quick_failed ends. */
static inline __attribute__((always_inline)) bool hb__quick(
	struct hb_quick *q, enum hb_socket_function function, int fd, const void *pc)
{
	const uint32_t *table = __atomic_load_n(&hb__hot.table, __ATOMIC_ACQUIRE);
	if (unlikely(!table || (unsigned)fd >= HB_DESCRIPTORS_MOST))
		return false;
	uint32_t end = __atomic_load_n(&table[fd], __ATOMIC_ACQUIRE);
	if (unlikely(hb_leads_kind(end) != HB_LEADS_STREAM))
		return false;
	return likely(hb__hot.quick(q, function, hb_leads_text(end), hb__called_by(pc)));
}
/* It failed: -1, and errno as it is. */
int hb__quick_failed(const struct hb_quick *q, int fd, bool may_wait);

void hb__family_begin(void);
void hb__stdio_begin(void);
ssize_t hb__stdio_read(int fd, void *p, size_t bytes); /* for a stream of the C library */

/* epolls.c: which descriptor a value of an epoll stands for; -1: not known. */
void hb__epoll_told(int epoll, int operation, int fd, const struct epoll_event *event);
int hb__epoll_descriptor(int epoll, uint64_t value);
uint64_t hb__epoll_value(int epoll, int fd); /* the other way round */

#pragma GCC visibility pop

#endif
