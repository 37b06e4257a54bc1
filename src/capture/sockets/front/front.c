/* The library itself: the recorder beside it. */
#include <fcntl.h>

#include "capture/core/front.h"
#include "capture/sockets/front/front.h"

const struct hb_sockets_door *hb__door;
uint32_t *hb__table;
struct hb__hot hb__hot;
__thread struct hb__callers hb__callers;

static const void *caller(void) { return hb__caller; }
static void calls(const void *pc) { hb__caller = pc; }

static bool takes(int fd)
{
	return hb__table && fd >= 0 && fd < HB_DESCRIPTORS_MOST &&
	       hb_leads_kind(__atomic_load_n(&hb__table[fd], __ATOMIC_ACQUIRE)) != HB_LEADS_NOWHERE;
}

/* Where this library begins and ends, as the linker says. */
extern const char __ehdr_start[] __attribute__((visibility("hidden"))), _end[] __attribute__((visibility("hidden")));
SEEN const struct hb_front hb_sockets_front_1 = {__ehdr_start, _end, caller, calls, takes, hb__stdio_read};

__attribute__((constructor)) static void begin(void)
{
	const struct hb_sockets_door *door = dlsym(RTLD_DEFAULT, HB_SOCKETS_DOOR);
	hb__table = door ? door->opened() : NULL;
	if (!hb__table)
		return;
	__atomic_store_n(&hb__door, door, __ATOMIC_RELEASE);
	hb__hot = (struct hb__hot){.quick = door->quick,
		.moved = door->quick_moved,
		.read = NEXT(read),
		.write = NEXT(write),
		.send = NEXT(send),
		.recv = NEXT(recv),
		.sendmsg = NEXT(sendmsg),
		.recvmsg = NEXT(recvmsg),
		.readv = NEXT(readv),
		.writev = NEXT(writev),
		.sendto = NEXT(sendto),
		.recvfrom = NEXT(recvfrom)};
	__atomic_store_n(&hb__hot.table, hb__table, __ATOMIC_RELEASE);
	hb__family_begin();
	hb__stdio_begin();
}

/* A descriptor that waits, and has a limit of time, has come to its limit: that is no poll. */
static bool waits(int fd, bool call_waits)
{
	struct timeval limit;
	socklen_t n = sizeof limit;
	return call_waits && !(fcntl(fd, F_GETFL) & O_NONBLOCK) &&
	       !getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, &n) && (limit.tv_sec || limit.tv_usec);
}

int hb__quick_failed(const struct hb_quick *q, int fd, bool call_waits)
{
	int error = errno;
	int64_t result = -error;
	bool no = error == EAGAIN || error == EWOULDBLOCK;
	if (likely(no && hb__door->quick_no(q, call_waits)))
		errno = error;
	else if (no && !waits(fd, call_waits))
		hb__door->quick_no(q, false);
	else
		hb__door->quick_end(q, &result, 1);
	errno = error;
	return -1;
}

void hb__failed(struct hb_talk *t, bool call_waits)
{
	int error = errno;
	int64_t result = -error;
	if ((error == EAGAIN || error == EWOULDBLOCK) && !waits(t->fd, call_waits))
		hb__door->no(t);
	else
		hb__door->end(t, &result, 1);
	errno = error;
}
