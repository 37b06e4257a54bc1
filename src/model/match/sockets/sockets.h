/* What the files of this folder share: what processes told of sockets and pipes while the model is built.
 *
 * A pass of its own before the processes are read (collect.c) keeps the events of the layer; connections.c, streams.c and datagrams.c find
 * out from them which event got what from which: pairs. When the processes are read, each pair becomes a send of the one event and a receive of the other (plan.c). */
#ifndef HBDB_MODEL_SOCKETS_H
#define HBDB_MODEL_SOCKETS_H

#include "model/match/read.h"

/* Processes of one host read the same clock, each by a counter of its own that it has set by it: what lies nearer together
 * than this, in nanoseconds, is not known to be in this order. Within a process there is one counter. */
#define HB__SLACK 20000

enum hb__end_kind {
	HB__END_OTHER,
	HB__END_TCP,
	HB__END_UNIX,
	HB__END_PIPE,
	HB__END_FIFO,
	HB__END_DATAGRAM,
	HB__END_KINDS
};

/* Where addresses of the machine itself, names of Unix sockets and numbers of pipes mean the same. */
struct hb__network {
	const char *host;
	uint64_t number;
	uint32_t clock; /* networks of one host have the same */
};

enum { HB__NO_ADDRESS, HB__NAME, HB__V4, HB__V6 };
struct hb__address {
	const char *text;
	uint32_t network; /* HB_NO: it means the same everywhere */
	uint8_t family;
	bool any, loopback, many; /* of these: all of the machine's; the machine itself; several receivers */
	uint32_t port;            /* 0: not known. Of a name a number that no other name of the network has */
	uint8_t ip[16];
};

struct hb__socket_end {
	const char *name;
	uint32_t network;
	uint8_t kind;        /* hb__end_kind */
	uint16_t protocol;   /* of datagrams: of IP, or HB__LOCAL */
	bool paired;         /* it has a peer */
	uint32_t own, peer;  /* addresses; HB_NO: none, or not known */
	uint32_t connection; /* of streams: it is side `side` of this; HB_NO: it listens */
	uint8_t side;
	uint32_t group;           /* HB_NO: none yet */
	uint32_t listen, listens; /* the talk that listened first, and how many did */
	VEC(uint32_t) processes;  /* that have it */
	uint32_t
		sent; /* the talk that sent a datagram from it last, of those of the process that is read; HB_NO: none */
	uint32_t taker; /* the process that took something from it; HB_NO: none did */
	bool takers;    /* several did */
};
#define HB__LOCAL 256 /* Unix sockets */

/* Both ends of a stream, by their names: connections of the same name follow each other. */
struct hb__connection {
	uint32_t address[2]; /* as of the ends; of a pipe twice its name; HB_NO: not known */
	uint32_t network;    /* of the first process that had an end */
	uint8_t kind;
	uint32_t group;          /* HB_NO: none yet */
	uint8_t first;           /* the side that accepted */
	bool paired;             /* it is known who made both ends */
	VEC(uint32_t) processes; /* that have an end of it */
};

/* An event of the layer. Times in nanoseconds of the host's clock. */
struct hb__talk {
	uint32_t line, event;
	int64_t enter, exit; /* exit INT64_MAX: never */
};

enum hb__piece_kind {
	HB__OUT,
	HB__IN,
	HB__END_SEEN, /* received the end of the stream */
	HB__SHUT,
	HB__CLOSED,
	HB__CONNECTS, /* from here on: the connection begins */
	HB__ACCEPTED,
	HB__PAIRED,
};
#define HB__BEGINS(kind) ((kind) >= HB__CONNECTS)
#define HB__UNTOLD UINT64_MAX /* how much a call that never returned has moved */

/* Something that happened at an end of a stream. */
struct hb__piece {
	int64_t time; /* from which on: the enter; of a connection that was accepted the exit */
	uint64_t
		amount; /* bytes; of packets 1. HB__ACCEPTED: the end that listens; HB__CONNECTS: 1 when it was made at once */
	uint32_t connection, talk;
	uint32_t bytes;
	uint8_t side, kind; /* hb__piece_kind */
};

struct hb__datagram {
	uint64_t hash; /* 0: not known */
	int64_t time;  /* sent: the enter; received: the exit */
	uint32_t talk, end, process;
	uint32_t place;    /* among those of its call */
	uint32_t from, to; /* addresses, HB_NO: not known. to: of one that was received that of its end */
	uint32_t bytes;
	uint32_t
		taken; /* sent: 1 + the end that received it last, 0: none. Received: the place of the one that was sent, while equal ones are matched */
	uint32_t pair; /* the first; HB_NO: none */
	bool doubt;    /* sent to one, received at several ends */
};

/* The event `to` got from the event `from`. */
struct hb__pair {
	uint32_t from, to;     /* talks; to HB_NO: nobody did */
	uint32_t put, got;     /* which of the datagrams of either call it is */
	uint32_t bytes, group; /* group: of hb__sockets */
	uint32_t dest;         /* when nobody got it: the process that it went to */
	bool ambiguous, wild;
	bool twice;             /* it came to this end before */
	bool among;             /* other calls put something into the stream meanwhile: which was first is not known */
	uint32_t send, receive; /* what they became */
};

/* What becomes a group of the model. */
struct hb__socket_group {
	char *title;
	uint32_t *process; /* that have part in it */
	uint32_t n;
	uint32_t number; /* in the model; HB_NO: none yet */
};

struct hb__family_call {
	uint32_t talk, process;
	int64_t pid;
};

/* What a process did with an end, of those that are told which ends are ready (ready.c). */
enum hb__use_kind {
	HB__MADE, /* from here on it is there, or is another one of this name */
	HB__SENT, /* a datagram: it was there at the latest then */
	HB__TOOK, /* what had come, or was told an error */
	HB__SAID, /* it is ready: somebody can take something */
};
struct hb__use {
	uint32_t end, process, talk;
	uint32_t ready; /* HB__SAID: of hb__sockets */
	uint8_t kind;
};
/* An end in the answer of a call that says what is ready; pair HB_NO: it is not known what was there then. */
struct hb__ready {
	uint32_t talk, pair;
	uint32_t since;         /* as in hb_chosen */
	uint32_t chosen, probe; /* what it became; probe HB_NO: none */
};

/* A call that never returned, and the end that it works on. */
struct hb__stuck {
	uint32_t talk, end;
};

struct hb__last {       /* of a line */
	uint32_t event; /* the last one that returned */
	int64_t exit;
};

struct hb__sockets {
	hb_model *m;
	VEC(struct hb__network) networks;
	uint32_t *network_of; /* by process */
	VEC(struct hb__socket_end) ends;
	VEC(struct hb__address) addresses;
	VEC(struct hb__connection) connections;
	struct hb__table end_of, address_of, connection_of, outside_of;
	struct hb__table machine_of; /* addresses that ends of a network have: numbers of networks */
	VEC(struct hb__talk) talks;
	uint32_t next; /* of the talks, while the processes are read */
	struct hb__last *last;
	int64_t *fault;     /* by process: by how much its times may be wrong, in nanoseconds */
	int64_t most_fault; /* of these */
	VEC(struct hb__piece) pieces;
	VEC(struct hb__datagram) out, in;
	VEC(struct hb__family_call) forks, waits;
	VEC(struct hb__stuck) stuck;
	VEC(struct hb__use) uses;
	VEC(struct hb__ready) ready;
	uint32_t next_ready; /* of these, while the processes are read */
	VEC(struct hb__pair) pairs;
	VEC(struct hb__socket_group) groups;
	uint32_t *from_first, *from_pair, *to_first, *to_pair; /* pairs by talk: from_pair[from_first[t]] and on */
	VEC(uint32_t) listens;                                 /* talks, beside listen_ends */
	VEC(uint32_t) listen_ends;
	uint32_t many, strays; /* of what is told as a trouble: connections, datagrams */
	uint32_t contradicted; /* directions of streams about which clocks contradict each other ... */
	int64_t contradiction; /* ... by up to so many nanoseconds */
	bool no_memory;
};

static inline const struct hb__talk *hb__talk_of(const struct hb__sockets *s, uint32_t talk)
{
	return &s->talks.at[talk];
}
static inline uint32_t hb__talker(const struct hb__sockets *s, uint32_t talk)
{
	return s->m->lines.at[s->talks.at[talk].line].process;
}
static inline uint32_t hb__clock_of(const struct hb__sockets *s, uint32_t process)
{
	return s->networks.at[s->network_of[process]].clock;
}

/* How near together calls of two processes of one host are whose order is not known. */
static inline int64_t hb__slack(const struct hb__sockets *s, uint32_t p, uint32_t q)
{
	return p == q ? 0 : HB__SLACK + s->fault[p] + s->fault[q];
}

/* ---- faults.c ---- */
/* Counters of one machine run alike: a process that has another measure of its counter than most has measured it wrongly. */
bool hb__find_faults(struct hb__sockets *s);

/* ---- ends.c ---- */
bool hb__place_network(struct hb__sockets *s, uint32_t process);
/* The number of an end by its name in a process, the same for all that have it. HB_NO: no memory. */
uint32_t hb__socket_end(struct hb__sockets *s, uint32_t process, const char *name);
/* The number of an address as it stands in a name. HB_NO: it names none. */
uint32_t hb__socket_address(struct hb__sockets *s, uint32_t network, const char *text, size_t n);
/* Whether two that are known, or not, may be one: where one says nothing they may. */
bool hb__may_be(const struct hb__sockets *s, uint32_t a, uint32_t b);
/* Whether the address is one of the machine's on which the network is. */
bool hb__of_machine(const struct hb__sockets *s, uint32_t address, uint32_t network);

/* ---- collect.c ---- */
hb_status hb__collect_sockets(struct hb__sockets *s, hb_error *err);

/* ---- connections.c, streams.c ---- */
void hb__match_streams(struct hb__sockets *s);
/* What one side put in and the other took out, of one connection: pieces in the order of time. */
struct hb__side {
	const struct hb__piece *at;
	size_t n;
};
void hb__match_direction(struct hb__sockets *s, uint32_t connection, struct hb__side out, struct hb__side in);
/* Who received the end of it, after whom. */
void hb__match_ends(struct hb__sockets *s, struct hb__side out, struct hb__side in);
/* The name of a connection for people, in `ret`. */
#define HB__NAME_ROOM 512
const char *hb__connection_name(const struct hb__sockets *s, uint32_t connection, char ret[HB__NAME_ROOM]);

/* ---- datagrams.c, cut.c ---- */
void hb__match_datagrams(struct hb__sockets *s);
bool hb__may_be_of(const struct hb__sockets *s, const struct hb__datagram *sent, const struct hb__datagram *got);
/* Whether it was sent before the other was received, as far as their clocks tell. */
bool hb__in_time(const struct hb__sockets *s, const struct hb__datagram *sent, const struct hb__datagram *got);
uint32_t hb__give(struct hb__sockets *s, struct hb__datagram *sent, struct hb__datagram *got, bool ambiguous);
/* Those that were cut when they were received. */
void hb__match_cut(struct hb__sockets *s);
/* What nobody got, and what nobody sent. */
void hb__tell_strays(struct hb__sockets *s);

/* ---- ready.c ---- */
/* What was there when a call said that an end is ready. */
void hb__find_ready(struct hb__sockets *s);
/* The answers of the event at hand, and what they are about, once all is linked. */
void hb__on_ready(struct hb__reading *r, struct hb__sockets *s, uint32_t talk);
void hb__link_ready(struct hb__sockets *s);

/* ---- plan.c ---- */
/* The group as the model numbers it. */
uint32_t hb__group_number(hb_model *m, struct hb__socket_group *known);
uint32_t hb__pair_of(struct hb__sockets *s, uint32_t from, uint32_t to, uint32_t bytes, uint32_t group);
void hb__socket_edge(struct hb__sockets *s, hb_edge_kind kind, uint32_t from, uint32_t to);
/* The group of an end, or of a connection. */
uint32_t hb__group_of_end(struct hb__sockets *s, uint32_t end);
uint32_t hb__group_of_connection(struct hb__sockets *s, uint32_t connection);
/* Somebody who is not recorded, as a process knows him; HB_NO: no memory. */
uint32_t hb__outside(struct hb__sockets *s, uint32_t process, const char *what, uint32_t address);
/* What a call sent there or received from there. */
void hb__crosses(struct hb__sockets *s, uint32_t outside, uint32_t talk, uint32_t bytes, bool in);

#endif
