/* Written for POSIX trace: it knows nothing of hbdb, which is in the command alone.
 *
 *   cc -g -o posix -I $(pkg-config --variable=tracedir hbdb-self) posix.c $(pkg-config --cflags --libs hbdb-self) && ./posix */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <trace.h>

int main(void)
{
	trace_attr_t attr;
	trace_id_t trid;
	trace_event_id_t odd, even;
	trace_event_set_t set;
	struct posix_trace_event_info event;
	char name[TRACE_EVENT_NAME_MAX + 1];
	size_t length;
	int number, unavailable, error;
	posix_trace_attr_init(&attr);
	posix_trace_attr_setname(&attr, "numbers");
	posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_UNTIL_FULL);
	if ((error = posix_trace_create(getpid(), &attr, &trid))) {
		fprintf(stderr, "posix_trace_create: %s\n", strerror(error));
		return 1;
	}
	posix_trace_eventid_open("odd", &odd);
	posix_trace_eventid_open("even", &even);
	posix_trace_eventset_empty(&set);
	posix_trace_eventset_add(even, &set);
	posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET); /* these are not recorded */
	posix_trace_start(trid);
	for (int i = 0; i < 6; i++)
		posix_trace_event(i % 2 ? odd : even, &i, sizeof i);
	posix_trace_stop(trid);
	while (!posix_trace_trygetnext_event(trid, &event, &number, sizeof number, &length, &unavailable) &&
		!unavailable) {
		posix_trace_eventid_get_name(trid, event.posix_event_id, name);
		printf(event.posix_event_id == odd ? "%s %d\n" : "%s\n", name, number);
	}
	posix_trace_attr_destroy(&attr);
	return posix_trace_shutdown(trid);
}
