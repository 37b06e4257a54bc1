/* How functions answer and which of them post, by name: the log gives only the
 * class, and within a class functions differ. */
#include <string.h>

#include "event.h"

enum {
	CLASS_LOCAL,
	CLASS_SEND,
	CLASS_RECV,
	CLASS_COMPLETE,
	CLASS_PROBE,
	CLASS_COLLECTIVE,
	CLASS_COMM,
	CLASS_RMA,
	CLASS_IO,
	CLASS_SPECIAL
};

static const struct named {
	const char *name; /* without the prefix of the library and _c */
	hb_behaviour behaviour;
} table[] = {
	{"Start", {HB_SHAPE_STARTED, HB_POSTS_ONE, false}},
	{"Startall", {HB_SHAPE_STARTED, HB_POSTS_COUNT, false}},
	{"Mprobe", {HB_SHAPE_MESSAGE, HB_POSTS_ONE, false}},
	{"Improbe", {HB_SHAPE_MESSAGE, HB_POSTS_ONE, true}},
	{"Probe", {HB_SHAPE_MESSAGE, HB_POSTS_NONE, false}},
	{"Iprobe", {HB_SHAPE_MESSAGE, HB_POSTS_NONE, true}},
	{"Mrecv", {HB_SHAPE_MATCHED, HB_POSTS_NONE, false}},
	{"Imrecv", {HB_SHAPE_MATCHED, HB_POSTS_ONE, false}},
	{"Wait", {HB_SHAPE_STATUS, HB_POSTS_NONE, false}},
	{"Test", {HB_SHAPE_STATUS, HB_POSTS_NONE, true}},
	{"Request_get_status", {HB_SHAPE_STATUS, HB_POSTS_NONE, true}},
	{"Waitall", {HB_SHAPE_ALL, HB_POSTS_NONE, false}},
	{"Testall", {HB_SHAPE_ALL, HB_POSTS_NONE, true}},
	{"Waitany", {HB_SHAPE_ANY, HB_POSTS_NONE, true}},
	{"Testany", {HB_SHAPE_ANY, HB_POSTS_NONE, true}},
	{"Waitsome", {HB_SHAPE_SOME, HB_POSTS_NONE, true}},
	{"Testsome", {HB_SHAPE_SOME, HB_POSTS_NONE, true}},
	{"Cancel", {HB_SHAPE_REQUEST, HB_POSTS_NONE, false}},
	{"Request_free", {HB_SHAPE_REQUEST, HB_POSTS_NONE, false}},
	{"Grequest_start", {HB_SHAPE_NONE, HB_POSTS_ONE, false}},
	{"Buffer_iflush", {HB_SHAPE_NONE, HB_POSTS_ONE, false}},
	{"Comm_iflush_buffer", {HB_SHAPE_NONE, HB_POSTS_ONE, false}},
	{"Session_iflush_buffer", {HB_SHAPE_NONE, HB_POSTS_ONE, false}},
	{"Parrived", {HB_SHAPE_NONE, HB_POSTS_NONE, true}},
	{"Win_test", {HB_SHAPE_NONE, HB_POSTS_NONE, true}},
	{"Wtime", {HB_SHAPE_CLOCK, HB_POSTS_NONE, false}},
	{"Comm_idup", {HB_SHAPE_COMM, HB_POSTS_ONE, false}},
	{"Comm_idup_with_info", {HB_SHAPE_COMM, HB_POSTS_ONE, false}},
	{"Comm_free", {HB_SHAPE_NONE, HB_POSTS_NONE, false}},
	{"Comm_disconnect", {HB_SHAPE_NONE, HB_POSTS_NONE, false}},
};

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);
	return length >= n && !strncmp(text + length - n, end, n);
}

/* Nonblocking and persistent calls are regular: an I before the name, _init behind it. */
static bool makes_request(const char *name, size_t length, uint8_t cls)
{
	static const char *const blocking[] = {"Intercomm_create", "Intercomm_merge", "Ibsend_"};
	for (size_t i = 0; i < sizeof blocking / sizeof *blocking; i++)
		if (!strncmp(name, blocking[i], strlen(blocking[i])))
			return false;
	switch (cls) {
	case CLASS_SEND:
	case CLASS_RECV:
	case CLASS_COLLECTIVE:
		return (name[0] == 'I' && name[1] >= 'a' && name[1] <= 'z') || ends_with(name, length, "_init");
	case CLASS_IO:
		return !strncmp(name, "File_iread", 10) || !strncmp(name, "File_iwrite", 11);
	case CLASS_RMA:
		return length > 1 && name[0] == 'R' && name[1] >= 'a' && name[1] <= 'z';
	default:
		return false;
	}
}

hb_behaviour hb_behaviour_of(const char *full, uint8_t cls)
{
	const char *underscore = strchr(full, '_');
	const char *name = underscore ? underscore + 1 : full;
	size_t length = strlen(name);
	if (ends_with(name, length, "_c"))
		length -= 2;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strlen(table[i].name) == length && !strncmp(table[i].name, name, length))
			return table[i].behaviour;
	if (makes_request(name, length, cls))
		return (hb_behaviour){HB_SHAPE_NONE, HB_POSTS_ONE, false};
	if (cls == CLASS_SEND || cls == CLASS_RECV)
		return (hb_behaviour){HB_SHAPE_MESSAGE, HB_POSTS_NONE, false};
	if (cls == CLASS_COMM)
		return (hb_behaviour){HB_SHAPE_COMM, HB_POSTS_NONE, false};
	return (hb_behaviour){HB_SHAPE_NONE, HB_POSTS_NONE, false};
}
