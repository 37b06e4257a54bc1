/* A server that watches itself: its queue must not grow, its loop must not stand still, and each request is an event of its trace.
 *
 *   cc -g -O2 -o server server.c $(pkg-config --cflags --libs hbdb-self)
 *   ./server server.trace
 *   hbdb dump server.trace */
#include <stdio.h>
#include <stdlib.h>

#include <hbdb/self.h>

static void shed(hb_sensor *sensor, const char *name, double value, void *user)
{
	(void)sensor;
	printf("%s is %g: requests are refused for a while\n", name, value);
	*(int *)user = 5;
}

int main(int argc, char **argv)
{
	hb_trace_id_t stream;
	hb_trace_event_id_t request, refused;
	int refuse = 0, queue = 0;
	if (argc < 2 || hb_self_open(argv[1], NULL, &stream)) {
		fprintf(stderr, "usage: %s FILE, which can be written\n", argv[0]);
		return 2;
	}
	hb_posix_trace_eventid_open("request", &request);
	hb_posix_trace_eventid_open("refused", &refused);
	hb_sensor *length = hb_self_value("queue", 0, 10), *loop = hb_self_heartbeat("loop", 5);
	hb_self_on(length, HB_SELF_CALL, shed, &refuse);
	hb_self_on(length, HB_SELF_NOTIFY, NULL, NULL);
	hb_self_on(loop, HB_SELF_DEBUG, NULL, NULL);
	hb_self_watch(1);
	for (int i = 0; i < 40; i++) {
		hb_self_beat(loop);
		if (refuse > 0) {
			refuse--;
			hb_posix_trace_event(refused, &i, sizeof i);
		} else {
			queue++;
			hb_posix_trace_event(request, &i, sizeof i);
		}
		if (queue && (refuse || i % 4 == 0))
			queue--;
		hb_self_set(length, queue);
	}
	return hb_posix_trace_shutdown(stream);
}
