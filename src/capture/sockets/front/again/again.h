/* Replay: calls are made as they were. What the record says is answered - which, how much, in which order, that nothing came - and what
 * went through the descriptors comes from the processes of this run. */
#ifndef HBDB_CAPTURE_SOCKETS_FRONT_AGAIN_H
#define HBDB_CAPTURE_SOCKETS_FRONT_AGAIN_H

#include "capture/sockets/front/front.h"

#pragma GCC visibility push(hidden)

/* Asks the record. True: the call is to be done as *ret_told says. False: *ret_got is its result, with errno; or the record has nothing,
 * t->again is false from here on, and the system is asked as in a run that is recorded. */
bool hb__again(struct hb_talk *t, bool may_say_no, struct hb_told *ret_told, int64_t *ret_got);
/* It is done; returns got. */
int64_t hb__again_over(struct hb_talk *t, const struct hb_told *told, int64_t got);

/* bytes.c and several messages: v, n of them, hold what goes out or take what comes in; of one datagram. */
int64_t hb__again_out(struct hb_talk *t, const struct hb_told *told, const struct iovec *v, size_t n, size_t asked);
int64_t hb__again_in(struct hb_talk *t, const struct hb_told *told, const struct iovec *v, size_t n);
int64_t hb__again_peek(struct hb_talk *t, const struct hb_told *told, const struct iovec *v, size_t n);
/* As many bytes as were spliced then: out of t, into u; NULL: that side is no event. */
ssize_t hb__again_splice(
	struct hb_talk *t, struct hb_talk *u, int in, off64_t *in_at, int out, off64_t *out_at, unsigned flags);
/* The i-th datagram that the record tells of: returns how many bytes. */
int64_t hb__again_send(
	struct hb_talk *t, const struct hb_told *told, size_t i, const struct iovec *v, size_t n, size_t asked);
int64_t hb__again_receive(struct hb_talk *t, const struct hb_told *told, size_t i, const struct iovec *v, size_t n,
	struct sockaddr *from, socklen_t *length);

/* The pieces from byte `at` on, of at most `most` bytes: how many. */
int hb__from_byte(const struct iovec *v, size_t n, size_t at, size_t most, struct iovec out[16]);

/* Whether who is at the other side of this call, or sent the i-th datagram of it, is not there: behind hb__again. */
bool hb__from_outside(const struct hb_talk *t, size_t i);
/* alone.c: what came is recorded, the i-th datagram or of a stream. */
int64_t hb__alone_in(struct hb_talk *t, const struct hb_told *told, size_t i, const struct iovec *v, size_t n);
/* Bytes of a stream that are sent: compared. */
int64_t hb__alone_out(struct hb_talk *t, const struct iovec *v, size_t n, size_t bytes);
void hb__alone_drop(int fd, off64_t *offset, size_t bytes);
/* A descriptor that leads to nobody in the place of one of this end. */
int hb__alone_nobody(const char *end, int flags);
/* Control messages and flags that came with the i-th message. */
void hb__again_control(const struct hb_talk *t, size_t i, struct msghdr *m);

/* What ends are called in the record, of descriptors of this run: the number of the text, HB_NO_TEXT: not known. */
int64_t hb__recorded(int fd);
void hb__recorded_is(int fd, int64_t text);
/* A stream's end that has an address, or is about to be connected, and nothing was moved or waited for there yet: the recorded run did not know
 * it, and told nothing when it was closed. */
void hb__recorded_unused(int fd);
bool hb__recorded_is_unused(int fd);
void hb__recorded_none(void); /* this process has another record */
/* The own address, or the other one, of an end as a program gets it. False: the name has none. */
bool hb__recorded_address(int64_t text, bool peer, struct sockaddr *address, socklen_t *length);
/* The same of a text that is an address. */
void hb__give_address(const char *name, struct sockaddr *address, socklen_t *length);
/* Waits until the descriptor may be read, or written; false: the job ends. */
bool hb__again_wait(int fd, short events);

int hb__again_connect(struct hb_talk *t, const struct hb_told *told, const struct sockaddr *to, socklen_t length);
int hb__again_accept(
	struct hb_talk *t, const struct hb_told *told, struct sockaddr *address, socklen_t *length, int flags);
int hb__again_bind(struct hb_talk *t, const struct hb_told *told, const struct sockaddr *at, socklen_t length);
int hb__again_listen(struct hb_talk *t, const struct hb_told *told, int n);

/* ---- queues.c ---- */
/* For the process of this number, beside the socket that listens; listener: a key of what that is called. */
void hb__queue_make(int listens, int n, uint64_t listener, int process);
/* That of this process; -1: there is none, it accepts from the socket itself. */
int hb__queue_here(uint64_t listener);
/* Its address, or its port, into *to. Waits until it is there; false: the job ends. */
bool hb__queue_find(uint64_t listener, int process, struct sockaddr_storage *to, socklen_t *length);

#pragma GCC visibility pop

#endif
