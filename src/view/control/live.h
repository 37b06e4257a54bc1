/* The live run: one thread, that of hb_view_turn, has the session; requests hand their wishes to it and read what it publishes. */
#ifndef HBDB_VIEW_CONTROL_LIVE_H
#define HBDB_VIEW_CONTROL_LIVE_H

#include "view/server.h"

/* A process as it was published. */
struct hb_shown {
	hb_process_name name;
	hb_life life;
	hb_why why;
	hb_arrival arrival;
	uint32_t lane; /* of the thread that is shown: the one that is held, else the first */
	uint64_t event;
	bool inside, attached;
	int signal;
	char bye[16], call[128];
	uint64_t changes;
	hb_gdb_reason reason;
	char function[128], file[512];
	int row;
};

struct hb_state {
	bool running, differs;
	double seconds, reached, at; /* `at`: when that was so, on the monotonic clock */
	char target[48];             /* the event that it runs to, or empty */
	int32_t size;
	struct hb_shown *process;
};

/* What is asked of the thread. Filled by the thread of the request, carried out by the other. */
struct hb_wish {
	struct hb_request *request;
	hb_at at;         /* run-to */
	const char *name; /* of that event */
	uint32_t *event;
	hb_stop *stop;
	const char *ranks; /* go, halt; NULL: all */
	int32_t rank;
	int32_t level; /* from the program's innermost frame; of a library's above it: negative */
	const char *expression;
	bool begun, done;
	struct hb_wish *next;
};

struct hb_view_live {
	pthread_mutex_t mutex;
	pthread_cond_t published, answered;
	int fd;
	bool ending;
	struct hb_wish *first, **last;
	uint64_t change;
	struct hb_state state;
	double looked; /* when the state was made last */
};

hb_status hb__live_new(hb_view_server *server, hb_error *err);
void hb__live_free(hb_view_server *server);
/* Who waits for something is told that it ends. */
void hb__live_end_waiting(hb_view_server *server);

/* hb_view_fd becomes readable. */
void hb__live_wake(hb_view_server *server);
/* Hands a wish over and waits until it was carried out. */
void hb__live_wish(hb_view_server *server, struct hb_wish *wish);
/* act.c: carries one out. */
void hb__live_act(hb_view_server *server, struct hb_wish *wish);

#endif
