/* What the logs of a recording say of the ends that its processes have: their names, and which host, network and clock they are of. */
#ifndef HBDB_FOREIGN_KNOWN_H
#define HBDB_FOREIGN_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hbdb/format.h>

struct hb__known {
	char **text;           /* of the processes that talk: open addressing */
	size_t n, cap;         /* cap: a power of two */
	char host[65];         /* of the processes that talk ... */
	uint64_t network;      /* ... and their network namespace */
	bool several;          /* they are of several hosts or network namespaces: those are of the first one */
	uint64_t begun, ended; /* nanoseconds since the epoch: when the first log begins, and its last event is over */
	uint64_t ahead;        /* the host's clock of the time of day minus its monotonic one, nanoseconds */
};

/* Reads logs. HB_E_ARGUMENT: they tell of no process that talks, or not of all calls. hb__known_free in any case. */
hb_status hb__known_read(const char *const *log, size_t logs, struct hb__known *ret, hb_error *err);
void hb__known_free(struct hb__known *known);
/* Whether one of the processes says this text: the name of an end, or an address as events name peers. */
bool hb__known_has(const struct hb__known *known, const char *text);

#endif
