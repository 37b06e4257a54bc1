/* A connection to an agent, for those who wait for its answers: a thread of the link's keeps it going, so that descriptors of its channels
 * can be used as any others. All calls may come from several threads. */
#ifndef HBDB_SYSTEM_LINK_H
#define HBDB_SYSTEM_LINK_H

#include "system/wire/wire.h"

typedef struct hb_link hb_link;

/* News of the agent (docs/system/agent.md), in the link's thread: no call of the link's may be made in it. */
typedef void hb_link_news(void *user, hb_link *link, const char *name, const cJSON *news);

typedef struct hb_link_options {
	char *const *argv; /* the command that reaches the agent: its standard input and output are the connection */
	int error;         /* its standard error; -1: ours */
	double seconds;    /* that it may take until the agent has said hello */
	hb_link_news *news;
	void *user;
} hb_link_options;

/* Starts the command and waits for the agent's hello. HB_E_SYSTEM: it cannot be started, ended, or did not say hello in time. */
hb_status hb_link_open(const hb_link_options *options, hb_link **ret_link, hb_error *err);
/* Ends the connection, and the command that kept it. Descriptors that were handed out get an end of file; streams are closed before. */
void hb_link_close(hb_link *link);
/* What the agent said of itself: a copy, cJSON_Delete. */
cJSON *hb_link_peer(hb_link *link);
/* NULL: it is there; else why it is not. Free it. */
char *hb_link_lost(hb_link *link);

/* Asks and waits for the answer, at most `seconds` (< 0: for ever). ask: taken over; NULL: no fields. *ret_answer (may be NULL): cJSON_Delete. HB_E_ARGUMENT:
 * refused, in the agent's words; HB_E_SYSTEM: the connection is lost, or no answer came in time. */
hb_status hb_link_ask(hb_link *link, const char *name, cJSON *ask, double seconds, cJSON **ret_answer, hb_error *err);

/* How what is behind a descriptor ended. */
typedef struct hb_link_end {
	bool over;
	int status;    /* of a process: 128 + signal when one killed it; -1: not told */
	char why[256]; /* "": as it should; else the error */
} hb_link_end;
typedef struct hb_stream hb_stream;
/* An ask with a channel (run, follow, fetch): a field `channel` is added. *ret_fd: a socket whose other end is the agent's; the caller closes it. As
 * hb_link_ask. hb_stream_close. */
hb_status hb_link_stream(hb_link *link, const char *name, cJSON *ask, double seconds, int *ret_fd,
	hb_stream **ret_stream, hb_error *err);
/* Waits for its end, at most `seconds` (0: looks). */
hb_link_end hb_stream_wait(hb_stream *stream, double seconds);
/* Ends it when it is not over: a process that was run is killed. */
void hb_stream_close(hb_stream *stream);

/* A process of the node, its standard input and output in *ret_fd. environment: "NAME=VALUE", NULL ended; NULL: nothing is added. cwd: NULL: the agent's. */
hb_status hb_link_run(hb_link *link, char *const *argv, const char *cwd, char *const *environment, int *ret_fd,
	hb_stream **ret_stream, hb_error *err);

/* What the agent answered to the ask of a stream. Owned by the stream. */
const cJSON *hb_stream_answer(const hb_stream *stream);

/* Has processes of that node dial in (docs/control.md) at *ret_address: what HBDB_CONTROL is to be there. Each is a socket that `dialled` gets, in the
 * link's thread; it closes it. name: makes the address the same wherever it is asked for with this name; NULL: any. secret: is put into a file there, whose path is *ret_file, the
 * same, too; NULL: there is none. Both are to be freed; ret_file may be NULL with the secret. One at a time; again with the same name: as before, with another secret. */
hb_status hb_link_dial(hb_link *link, const char *name, const char *secret, void (*dialled)(void *user, int fd),
	void *user, char **ret_address, char **ret_file, hb_error *err);
/* `dialled` is called no more when this returns. */
void hb_link_undial(hb_link *link);

#endif
