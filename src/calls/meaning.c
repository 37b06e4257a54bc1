#include <string.h>

#include "calls/meaning.h"

/* What a function means of which only the class is known. */
#define NAMED(text, class) .name = text, .plain = UINT16_MAX, .base = UINT16_MAX, .cls = class
#define UNKNOWN(class) NAMED("", class)
static const hb_meaning by_class[] = {
	[HB_LOCAL] = {UNKNOWN(HB_LOCAL)},
	[HB_SEND] = {UNKNOWN(HB_SEND), .does = HB_DOES_SEND, .shape = HB_SHAPE_MESSAGE, .needs = HB_NEEDS_RECEIVER},
	[HB_RECV] = {UNKNOWN(HB_RECV), .does = HB_DOES_RECEIVE, .shape = HB_SHAPE_MESSAGE, .needs = HB_NEEDS_MESSAGE},
	[HB_COMPLETE] = {UNKNOWN(HB_COMPLETE)},
	[HB_PROBE] = {UNKNOWN(HB_PROBE)},
	[HB_COLLECTIVE] = {UNKNOWN(HB_COLLECTIVE), .needs = HB_NEEDS_OTHERS},
	[HB_COMM] = {UNKNOWN(HB_COMM), .shape = HB_SHAPE_COMM, .needs = HB_NEEDS_OTHERS},
	[HB_RMA] = {UNKNOWN(HB_RMA), .needs = HB_NEEDS_OTHERS},
	[HB_IO] = {UNKNOWN(HB_IO), .needs = HB_NEEDS_OTHERS},
	[HB_SPECIAL] = {UNKNOWN(HB_SPECIAL)},
#define HB_USER_CLASS(class, word, text, what, form) \
	[HB_##class] = {NAMED(text, HB_##class), .flags = HB_EVENT, .does = HB_DOES_##what, .shape = HB_SHAPE_##form},
#include "calls/user.def"
#undef HB_USER_CLASS
#define HB_SOCKET_CLASS(class) [HB_##class] = {UNKNOWN(HB_##class), .flags = HB_EVENT, .shape = HB_SHAPE_VALUES}
	HB_SOCKET_CLASS(STREAM),
	HB_SOCKET_CLASS(DATAGRAM),
	HB_SOCKET_CLASS(CONNECTION),
	HB_SOCKET_CLASS(READY),
	HB_SOCKET_CLASS(FAMILY),
	[HB_THREAD] = {UNKNOWN(HB_THREAD), .flags = HB_EVENT, .does = HB_DOES_COME_AFTER, .shape = HB_SHAPE_ORDER},
};

/* Whom a call of sockets needs: whoever can put something into its stream, or take something out. A datagram, or a connection, may come from anybody. */
#define SOCKET_NEEDS(what)                                                          \
	((what) == HB_DOES_BYTES_IN || (what) == HB_DOES_BYTES_OUT ? HB_NEEDS_PEERS \
		: (what) == HB_DOES_WAIT_CHILD                     ? HB_NEEDS_CHILD \
								   : HB_NEEDS_NOTHING)
#define SOCKET(function, class, what, again)                                                                 \
	{                                                                                                    \
		NAMED(function, class), .flags = HB_EVENT, .does = HB_DOES_##what, .shape = HB_SHAPE_VALUES, \
					.needs = SOCKET_NEEDS(HB_DOES_##what), .repeats = again              \
	}
enum { AGAIN_STREAM = 0, AGAIN_DATAGRAM = 3, AGAIN_CONNECTION = 0, AGAIN_READY = 3, AGAIN_FAMILY = 0 };
static const hb_meaning sockets[] = {
#define HB_SOCKET_FUNCTION(name, class, does) SOCKET(#name, HB_##class, does, AGAIN_##class),
#include "calls/sockets/sockets.def"
};

static const hb_meaning *socket_meaning(const char *name, uint8_t cls)
{
	for (unsigned i = 0; i < sizeof sockets / sizeof *sockets; i++)
		if (sockets[i].cls == cls && !strcmp(sockets[i].name, name))
			return &sockets[i];
	return NULL;
}

/* That a thread posts after another one orders what they get, and no events: either could have been first. */
static const hb_meaning posting = {
	UNKNOWN(HB_THREAD), .flags = HB_EVENT, .does = HB_DOES_POST_AFTER, .shape = HB_SHAPE_ORDER};

const hb_meaning *hb_meaning_of(const char *name, uint8_t cls)
{
	if (cls == HB_THREAD && !strcmp(name, "hb_posting"))
		return &posting;
	const hb_meaning *of_socket = HB_IS_SOCKET(cls) ? socket_meaning(name, cls) : NULL;
	if (of_socket)
		return of_socket;
	/* The program may call its own events as it likes. */
	for (unsigned low = 0, high = cls > HB_SPECIAL ? 0 : hb_meanings_known; low < high;) {
		unsigned middle = low + (high - low) / 2;
		int order = strcmp(name, hb_meanings[middle].name);
		if (!order)
			return &hb_meanings[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return &by_class[cls < sizeof by_class / sizeof *by_class ? cls : HB_SPECIAL];
}
