/* The clocks of the nodes of a recording, brought together so that no message arrives before it was sent: clocks.json (hbdb-recording(5), CLOCKS). */
#ifndef HBDB_STORE_CLOCKS_H
#define HBDB_STORE_CLOCKS_H

#include "../logs.h"

#define HB_CLOCKS_FILE "clocks.json"

typedef struct hb_host_clock {
	char *host;
	double shift_ns, rate; /* what is added to a time t of its: shift_ns + rate * (t - origin) */
	bool known;            /* false: no messages connect it with the reference in both directions */
} hb_host_clock;

typedef struct hb_log_clock {
	char *log; /* path in the recording */
	double shift_ns;
} hb_log_clock;

typedef struct hb_clocks {
	int64_t origin;      /* seconds since the epoch */
	hb_host_clock *host; /* the first is the reference */
	size_t hosts;
	hb_log_clock
		*log; /* those that are set forward beside that, as what its own host measures is not exact either */
	size_t logs;
	uint64_t messages, early; /* that were looked at; of these, those that still arrive before they were sent */
	double early_ns;          /* by how much at most */
} hb_clocks;

/* Those that a recording has; false: none. hb__clocks_free. A file that cannot be read is said. */
bool hb__clocks_read(const char *recording, hb_clocks *ret);
void hb__clocks_write(const char *recording, const hb_clocks *clocks);
/* Corrects the times of logs that are open. */
void hb__clocks_apply(const char *recording, hb_logs *logs);
void hb__clocks_free(hb_clocks *clocks);

#endif
