/* What descriptors lead to, and what that is called (hbdb-recording(5), SOCKETS, Ends). */
#ifndef HBDB_CAPTURE_SOCKETS_ENDS_H
#define HBDB_CAPTURE_SOCKETS_ENDS_H

#include "capture/core/record/record.h"
#include "calls/sockets/shared.h"
#include "capture/sockets/door.h"

#pragma GCC visibility push(hidden)

/* A word for each descriptor; NULL: memory is gone. */
uint32_t *hb__ends_table(void);
int hb__ends_most_leading(void); /* of those that lead somewhere */
int hb__ends_most(void);         /* the greatest descriptor that stands in it, plus 1 */
/* The texts have other numbers from now on: everything is found out anew. */
void hb__ends_again(void);
uint32_t hb__ends_find(int fd);
void hb__ends_same(int fd, uint32_t end);
void hb__ends_foresee(void);
/* Whether the descriptor, 0 or more, leads anywhere; what is kept of it is that it does not. */
bool hb__ends_lead(int fd);
/* The text of the end of a connection to this address that is under way. */
uint32_t hb__ends_connecting(int fd, const struct sockaddr *to, socklen_t length);
void hb__ends_name(int fd, char ret_name[HB_NAME_MOST]);
int64_t hb__ends_address(const struct sockaddr *address, socklen_t length);

/* What one leads to, without its name. */
enum hb_leads hb__ends_kind(int fd);
/* Of n pieces of memory the first so many bytes. */
int64_t hb__ends_hash(const struct iovec *piece, size_t n, size_t bytes);

/* quick.c: see hb_sockets_door */
bool hb__talk_quick(struct hb_quick *ret, enum hb_socket_function function, uint32_t argument, const void *pc);
void hb__talk_quick_moved(const struct hb_quick *quick, size_t got, size_t asked);
void hb__talk_quick_end(const struct hb_quick *quick, const int64_t *results, size_t n);
bool hb__talk_quick_no(const struct hb_quick *quick, bool may_wait);
/* A call that has its slot: it may go the quick way from now on. number: of its function. */
void hb__talk_know(const struct hb_talk *talk, uint16_t number);

/* keep.c: see hb_sockets_door */
bool hb__talk_keeps_contents(void);
void hb__talk_moved(struct hb_talk *talk, const struct iovec *piece, size_t n, size_t bytes, bool in);
void hb__talk_came(struct hb_talk *talk, const struct mmsghdr *message, size_t n);
void hb__talk_begin(void);
int hb__talk_outside(int fd);
void hb__talk_told(const struct hb__lane *lane); /* the call of this lane that its record has now */
const void *hb__talk_piece(uint32_t what, size_t *ret_bytes);
int64_t hb__talk_number(uint32_t what);
bool hb__talk_child(uint32_t pid);
void hb__talk_becomes(pid_t pid) __attribute__((noreturn));

/* board.c: in a replay, see hb_sockets_door */
bool hb__board_leave(const char *place, uint64_t key, const struct iovec *piece, size_t n, size_t bytes);
const void *hb__board_take(const char *place, uint64_t key, int ms, size_t *ret_bytes);
void hb__board_forked(void);
/* A file of the folder that all processes of the replay open to read and write, whoever they are; it is made where it is not there. */
int hb__board_open(const char *path, int flags);
/* The same file by another number, at which no program looks; the old one is closed. */
int hb__board_high(int fd);

/* shared.c */
/* What is to be known of the event that the lane follows just now; NULL: nothing. */
const struct hb_shared *hb__shared_of(const struct hb__lane *lane, size_t *ret_n);
/* Of one of kind HB_SHARED_TURN: until all before it are over. False: the job ends. */
bool hb__shared_wait(const struct hb_shared *turn);
void hb__shared_over(const struct hb_shared *turn);
void hb__shared_forked(void);

/* names.c */
#define HB__END_NAME HB_NAME_MOST
/* Writes the name of what a socket leads to. */
enum hb_leads hb__socket_end(int fd, uint64_t inode, char name[HB__END_NAME]);
/* Of an address; false: it is none. */
bool hb__address_name(const struct sockaddr *address, socklen_t length, char *name, size_t size);

#pragma GCC visibility pop

#endif
