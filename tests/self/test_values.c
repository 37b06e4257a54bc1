/* Attributes, sets and types of events, by the standard's own names. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include <hbdb/self/trace.h>

#include "tests/unit/check.h"

#define IS(call, code) check((call) == (code), "%s is " #code, #call)

static void attributes(void)
{
	trace_attr_t a;
	struct timespec t = {.tv_nsec = -1};
	char text[TRACE_NAME_MAX];
	int policy;
	size_t size, small, large;
	IS(posix_trace_attr_init(&a), 0);
	check(!posix_trace_attr_getclockres(&a, &t) && t.tv_sec == 0 && t.tv_nsec > 0,
		"getclockres gives a resolution");
	check(!posix_trace_attr_getcreatetime(&a, &t) && !t.tv_sec, "getcreatetime: no stream was made with it");
	check(!posix_trace_attr_getgenversion(&a, text) && text[0], "getgenversion gives a text: %s", text);
	check(!posix_trace_attr_getname(&a, text) && !text[0], "getname: there is none at first");
	char longer[200];
	memset(longer, 'n', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	check(!posix_trace_attr_setname(&a, longer) && !posix_trace_attr_getname(&a, text) &&
			strlen(text) == TRACE_NAME_MAX - 1,
		"setname cuts a name to TRACE_NAME_MAX - 1");
	check(!posix_trace_attr_setname(&a, "mine") && !posix_trace_attr_getname(&a, text) && !strcmp(text, "mine"),
		"setname, getname");
	check(!posix_trace_attr_getinherited(&a, &policy) && policy == POSIX_TRACE_CLOSE_FOR_CHILD,
		"getinherited: CLOSE_FOR_CHILD at first");
	check(!posix_trace_attr_setinherited(&a, POSIX_TRACE_INHERITED) &&
			!posix_trace_attr_getinherited(&a, &policy) && policy == POSIX_TRACE_INHERITED,
		"setinherited");
	IS(posix_trace_attr_setinherited(&a, POSIX_TRACE_LOOP), EINVAL);
	check(!posix_trace_attr_getlogfullpolicy(&a, &policy) && policy == POSIX_TRACE_LOOP,
		"getlogfullpolicy: LOOP at first");
	check(!posix_trace_attr_setlogfullpolicy(&a, POSIX_TRACE_APPEND) &&
			!posix_trace_attr_getlogfullpolicy(&a, &policy) && policy == POSIX_TRACE_APPEND,
		"setlogfullpolicy");
	IS(posix_trace_attr_setlogfullpolicy(&a, POSIX_TRACE_FLUSH), EINVAL);
	check(!posix_trace_attr_getstreamfullpolicy(&a, &policy) && policy == POSIX_TRACE_LOOP,
		"getstreamfullpolicy: LOOP at first");
	check(!posix_trace_attr_setstreamfullpolicy(&a, POSIX_TRACE_UNTIL_FULL) &&
			!posix_trace_attr_getstreamfullpolicy(&a, &policy) && policy == POSIX_TRACE_UNTIL_FULL,
		"setstreamfullpolicy");
	IS(posix_trace_attr_setstreamfullpolicy(&a, POSIX_TRACE_APPEND), EINVAL);
	check(!posix_trace_attr_setlogsize(&a, 12345) && !posix_trace_attr_getlogsize(&a, &size) && size == 12345,
		"setlogsize, getlogsize");
	check(!posix_trace_attr_setstreamsize(&a, 54321) && !posix_trace_attr_getstreamsize(&a, &size) && size == 54321,
		"setstreamsize, getstreamsize");
	check(!posix_trace_attr_setmaxdatasize(&a, 100) && !posix_trace_attr_getmaxdatasize(&a, &size) && size == 100,
		"setmaxdatasize, getmaxdatasize");
	IS(posix_trace_attr_setmaxdatasize(&a, HB_TRACE_DATA_MAX + 1), EINVAL);
	check(!posix_trace_attr_getmaxsystemeventsize(&a, &size) && size >= 2 * sizeof(trace_event_set_t),
		"getmaxsystemeventsize: room for two filters");
	check(!posix_trace_attr_getmaxusereventsize(&a, 8, &small) &&
			!posix_trace_attr_getmaxusereventsize(&a, 100, &large) && small >= 8 && large > small &&
			!posix_trace_attr_getmaxusereventsize(&a, 5000, &size) && size == large,
		"getmaxusereventsize grows with the data, up to the most of these");
	IS(posix_trace_attr_destroy(&a), 0);
	IS(posix_trace_attr_destroy(&a), EINVAL);
	IS(posix_trace_attr_getlogsize(&a, &size), EINVAL);
	IS(posix_trace_attr_setlogsize(&a, 1), EINVAL);
	IS(posix_trace_attr_getname(&a, text), EINVAL);
	IS(posix_trace_attr_setname(&a, "x"), EINVAL);
	IS(posix_trace_attr_getclockres(&a, &t), EINVAL);
	IS(posix_trace_attr_getinherited(&a, &policy), EINVAL);
}

static void sets(void)
{
	trace_event_set_t set;
	trace_event_id_t id;
	int is = -1;
	posix_trace_eventid_open("of a set", &id);
	check(!posix_trace_eventset_empty(&set) && !posix_trace_eventset_ismember(id, &set, &is) && !is,
		"eventset_empty");
	check(!posix_trace_eventset_add(id, &set) && !posix_trace_eventset_add(id, &set) &&
			!posix_trace_eventset_ismember(id, &set, &is) && is,
		"eventset_add, twice");
	check(!posix_trace_eventset_ismember(POSIX_TRACE_START, &set, &is) && !is, "eventset_ismember of another one");
	check(!posix_trace_eventset_del(id, &set) && !posix_trace_eventset_del(id, &set) &&
			!posix_trace_eventset_ismember(id, &set, &is) && !is,
		"eventset_del, twice");
	check(!posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS) &&
			!posix_trace_eventset_ismember(id, &set, &is) && is &&
			!posix_trace_eventset_ismember(POSIX_TRACE_STOP, &set, &is) && is,
		"eventset_fill ALL_EVENTS");
	check(!posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS) &&
			!posix_trace_eventset_ismember(id, &set, &is) && !is &&
			!posix_trace_eventset_ismember(POSIX_TRACE_FLUSH_STOP, &set, &is) && is,
		"eventset_fill SYSTEM_EVENTS");
	check(!posix_trace_eventset_fill(&set, POSIX_TRACE_WOPID_EVENTS) &&
			!posix_trace_eventset_ismember(POSIX_TRACE_START, &set, &is) && !is,
		"eventset_fill WOPID_EVENTS: there are none");
	IS(posix_trace_eventset_fill(&set, 77), EINVAL);
	IS(posix_trace_eventset_add(HB_TRACE_EVENT_IDS, &set), EINVAL);
	IS(posix_trace_eventset_del(HB_TRACE_EVENT_IDS, &set), EINVAL);
	IS(posix_trace_eventset_ismember(HB_TRACE_EVENT_IDS, &set, &is), EINVAL);
	IS(posix_trace_eventset_empty(NULL), EINVAL);
}

static void types(void)
{
	trace_event_id_t a, b, again, other;
	trace_id_t trid;
	char name[TRACE_EVENT_NAME_MAX + 1], longest[TRACE_EVENT_NAME_MAX + 2];
	int unavailable, seen = 0, system = 0;
	memset(longest, 'e', sizeof longest - 1);
	longest[sizeof longest - 1] = 0;
	check(!posix_trace_eventid_open("first", &a) && !posix_trace_eventid_open("second", &b) && a != b,
		"eventid_open: two names");
	check(!posix_trace_eventid_open("first", &again) && again == a, "eventid_open: a name again");
	IS(posix_trace_eventid_open(longest, &other), ENAMETOOLONG);
	longest[TRACE_EVENT_NAME_MAX] = 0;
	IS(posix_trace_eventid_open(longest, &other), 0);
	IS(posix_trace_create(0, NULL, &trid), 0);
	check(!posix_trace_trid_eventid_open(trid, "second", &again) && again == b,
		"trid_eventid_open: the name of a process");
	check(!posix_trace_trid_eventid_open(trid, "third", &other) && other != a && other != b,
		"trid_eventid_open: a new one");
	IS(posix_trace_trid_eventid_open(trid + 4096, "third", &other), EINVAL);
	longest[TRACE_EVENT_NAME_MAX] = 'e';
	IS(posix_trace_trid_eventid_open(trid, longest, &other), ENAMETOOLONG);
	check(posix_trace_eventid_equal(trid, a, again = a) && !posix_trace_eventid_equal(trid, a, b), "eventid_equal");
	check(!posix_trace_eventid_get_name(trid, a, name) && !strcmp(name, "first"), "eventid_get_name");
	check(!posix_trace_eventid_get_name(trid, POSIX_TRACE_OVERFLOW, name) && !strcmp(name, "posix_trace_overflow"),
		"eventid_get_name of the system's");
	check(!posix_trace_eventid_get_name(trid, POSIX_TRACE_UNNAMED_USEREVENT, name) &&
			!strcmp(name, "posix_trace_unnamed_userevent"),
		"eventid_get_name of the unnamed");
	IS(posix_trace_eventid_get_name(trid, 1000, name), EINVAL);
	IS(posix_trace_eventid_get_name(trid + 4096, a, name), EINVAL);
	while (!posix_trace_eventtypelist_getnext_id(trid, &other, &unavailable) && !unavailable) {
		seen += other == a || other == b;
		system += other <= POSIX_TRACE_UNNAMED_USEREVENT;
	}
	check(seen == 2 && system == 9, "eventtypelist_getnext_id lists %d, and %d of the system", seen, system);
	check(!posix_trace_eventtypelist_rewind(trid) &&
			!posix_trace_eventtypelist_getnext_id(trid, &other, &unavailable) && !unavailable &&
			other == POSIX_TRACE_ERROR,
		"eventtypelist_rewind");
	IS(posix_trace_eventtypelist_rewind(trid + 4096), EINVAL);
	IS(posix_trace_eventtypelist_getnext_id(trid + 4096, &other, &unavailable), EINVAL);
	IS(posix_trace_shutdown(trid), 0);
	/* a child's names are the parent's, too */
	pid_t pid = fork();
	if (!pid)
		_exit(posix_trace_eventid_open("of the child", &other) || posix_trace_eventid_open("first", &again) ||
			again != a);
	int status;
	waitpid(pid, &status, 0);
	posix_trace_eventid_open("of the parent", &again);
	check(!status, "a child has its parent's types");
	for (unsigned i = 0; i < TRACE_USER_EVENT_MAX; i++) {
		snprintf(name, sizeof name, "type %u", i);
		if (posix_trace_eventid_open(name, &other))
			break;
	}
	check(other == POSIX_TRACE_UNNAMED_USEREVENT, "past TRACE_USER_EVENT_MAX there is the unnamed");
}

int main(void)
{
	check(_POSIX_TRACE > 0 && TRACE_EVENT_NAME_MAX >= _POSIX_TRACE_EVENT_NAME_MAX &&
			TRACE_NAME_MAX >= _POSIX_TRACE_NAME_MAX && TRACE_SYS_MAX >= _POSIX_TRACE_SYS_MAX &&
			TRACE_USER_EVENT_MAX >= _POSIX_TRACE_USER_EVENT_MAX,
		"the limits are at least the standard's");
	attributes();
	sets();
	types();
	return check_end();
}
