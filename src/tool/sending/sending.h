/* A recording that is sent to another machine while it is made.
 *
 * The stream: HB_STREAM_MAGIC, then frames. A frame is its kind (1 byte), the length of a name (1 byte), the name, an offset (8 bytes,
 * little-endian), a length (4 bytes) and that many bytes: they stand at this offset of the file of this name. A frame HB_FRAME_END
 * has no name and no bytes; without it the stream was cut. Frames are in such an order that what arrived of a log is a log up
 * to there: bytes of events come before the counters that say that they are valid. */
#ifndef HBDB_SENDING_SENDING_H
#define HBDB_SENDING_SENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../tool.h"

#define HB_STREAM_MAGIC "HBDBSEND"
enum { HB_FRAME_FILE = 1, HB_FRAME_END = 2 };
#define HB_FRAME_MOST (1u << 20) /* bytes of a frame */

/* ---- policy.c ---- */

/* Until `seconds` of the run: what is above `upper` events is sent at once, what is above `lower` when the process waits in MPI. */
typedef struct hb_send_rule {
	double seconds;
	uint64_t lower, upper;
} hb_send_rule;
typedef struct hb_send_policy {
	hb_send_rule *rule;
	size_t n;
	bool files; /* other files, too, as they come and change, of the folder itself alone: the reports of a replay */
} hb_send_policy;
/* `given`: "TIME LOWER UPPER", several separated by commas, or @FILE with one on each line; NULL: everything at once. Times ascend. 0, or an exit code
 * after having said what is wrong and where. Free .rule. */
int hb__read_send_policy(const char *given, hb_send_policy *ret);
/* Whether so many events that are not sent yet are to be sent now. The last rule holds after its time as well. */
bool hb__send_now(const hb_send_policy *policy, double seconds, uint64_t unsent, bool idle);

/* ---- copy.c ---- */

typedef struct hb_sent_log hb_sent_log;
/* Writes bytes of a file; false: the other end is gone. */
typedef bool hb_put_bytes(void *user, const char *name, uint64_t offset, const void *bytes, size_t n);
/* A log in a recording, by its file's name. NULL: out of memory. */
hb_sent_log *hb__sent_log_new(const char *recording, const char *name);
void hb__sent_log_free(hb_sent_log *log);
const char *hb__sent_log_name(const hb_sent_log *log);
/* How many of its events are not sent; *ret_idle: each of its threads is in a call. */
uint64_t hb__unsent(hb_sent_log *log, bool *ret_idle);
/* Sends what is not sent. False: the other end is gone. */
bool hb__send_log(hb_sent_log *log, hb_put_bytes *put, void *user);

/* ---- arrive.c ---- */

/* Whether a stream begins as one: the magic has been read. */
bool hb__stream_begins(FILE *from);
/* Writes its frames into the files of a folder, up to its end or to where it is cut. *ret_whole: its end came. 0, or an exit code after having said why. */
int hb__receive_stream(FILE *from, const char *recording, bool *ret_whole);

/* ---- sender.c ---- */

typedef struct hb_sender hb_sender;
/* Starts the command with a pipe to its standard input, and a thread that sends. The rules are the sender's from here on. 0, or an exit code after
 * having said why, and *ret is NULL. */
int hb__sender_begin(const char *command, const hb_send_policy *policy, const char *recording, hb_sender **ret);
/* The run is over: sends the rest of the logs, whatever the policy says. To be called before they are sealed. NULL is let pass. */
void hb__sender_flush(hb_sender *sender);
/* Sends what else the recording holds now, and the end; waits for the command, and says when something did not arrive. Frees. */
void hb__sender_end(hb_sender *sender);

#endif
