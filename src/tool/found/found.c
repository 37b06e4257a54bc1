/* By default what is found is recorded: of programs without MPI, how they talk. Only when the run is over it is known whether they did. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../store/logs.h"
#include "calls/calls.h"
#include "calls/meaning.h"
#include "found.h"

/* What a process had events of. */
enum { TALKED = 1, FURTHER = 2, ANY = 4 /* of the layer of sockets */ };

static unsigned seen_in(const hb_log *log)
{
	unsigned seen = 0;
	uint32_t n = hb_log_get_info(log)->functions;
	for (uint32_t i = 0; i < n; i++) {
		const hb_function *f = hb_log_function(log, i);
		if (!f || !f->name || !f->calls)
			continue;
		/* who only makes others, waits for them or for time to pass, or makes a pipe, talks to nobody */
		if (HB_IS_SOCKET(f->cls))
			seen |= f->cls == HB_FAMILY || f->cls == HB_READY ||
						hb_meaning_of(f->name, f->cls)->does == HB_DOES_PAIR
					? ANY
					: ANY | TALKED;
		else
			seen |= f->cls == HB_THREAD ? 0 : FURTHER;
	}
	return seen;
}

static void drop(const char *log, bool with_log)
{
	char *data = hb__format("%.*s.data", (int)(strlen(log) - strlen(".log")), log);
	unlink(data);
	if (with_log)
		unlink(log);
	free(data);
}

/* A child by fork that has given up its user or its root, and has ended without having said anything: its log had to begin before that. */
static bool says_nothing(const hb_log *log)
{
	const hb_log_info *info = hb_log_get_info(log);
	for (uint32_t i = 0; i < info->functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		if (f && f->calls)
			return false;
	}
	const hb_identity *who = hb_log_identity(log);
	return who && who->forked && info->state == HB_STATE_FINALIZED;
}

static void drop_silent(const char *recording)
{
	hb_logs logs;
	if (hb__list_logs(recording, &logs))
		return;
	for (size_t i = 0; i < logs.n; i++) {
		hb_log *log;
		if (hb_log_open(logs.at[i].path, &log, NULL))
			continue;
		if (says_nothing(log))
			drop(logs.at[i].path, true);
		hb_log_close(log);
	}
	hb__close_logs(&logs);
}

unsigned hb__keep_found(const char *recording, unsigned layers, bool data)
{
	hb_logs logs;
	unsigned all = 0, stay = 0; /* of all processes; of those whose logs stay */
	if (layers & HB_LAYER_SOCKETS)
		drop_silent(recording);
	if (!(layers & HB_LAYERS_FOUND) || hb__list_logs(recording, &logs))
		return layers;
	unsigned *seen = hb__alloc(logs.n * sizeof *seen + 1);
	for (size_t i = 0; i < logs.n; i++) {
		hb_log *log;
		/* of one that cannot be read nothing is known: it stays, with all that there is */
		bool readable = !hb_log_open(logs.at[i].path, &log, NULL);
		seen[i] = readable ? seen_in(log) : TALKED;
		all |= seen[i];
		stay |= seen[i] & FURTHER ? seen[i] : 0;
		if (readable)
			hb_log_close(log);
	}
	bool none = !(all & TALKED) && !(stay & ANY);
	for (size_t i = 0; i < logs.n && !(all & TALKED); i++)
		if (!(seen[i] & FURTHER) || (none && !data))
			drop(logs.at[i].path, !(seen[i] & FURTHER));
	free(seen);
	hb__close_logs(&logs);
	if (!none)
		return layers;
	return layers & ~(unsigned)(HB_LAYERS_FOUND | HB_LAYER_SOCKETS | (data ? 0 : HB_LAYER_INPUTS));
}
