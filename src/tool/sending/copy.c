/* What of a log is not sent yet. The log grows while it is read (format/growing/growing.h): of each unit first the bytes that its counter
 * says are there, then the counter as it was before they were read. Lane controls change in place and are sent whole. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "format/growing/growing.h"
#include "format/row.h"
#include "sending.h"

#define HEAD 4096 /* of the file: what the header takes */

struct hb_sent_log {
	char *name, *path;
	hb_growing growing;
	uint64_t events;     /* that were sent */
	uint32_t *committed; /* by unit: its bytes that were sent, and whether it was closed: 2 * bytes + closed */
	size_t units, room;
};

hb_sent_log *hb__sent_log_new(const char *recording, const char *name)
{
	hb_sent_log *log = calloc(1, sizeof *log);
	if (!log)
		return NULL;
	log->name = hb__copy(name);
	log->path = hb__format("%s/%s", recording, name);
	return log;
}

void hb__sent_log_free(hb_sent_log *log)
{
	if (!log)
		return;
	hb_growing_free(&log->growing);
	free(log->committed);
	free(log->name);
	free(log->path);
	free(log);
}

const char *hb__sent_log_name(const hb_sent_log *log) { return log->name; }

static uint64_t events_of(const hb_growing *g)
{
	uint64_t n = 0;
	for (size_t i = 0; i < g->nlanes; i++)
		n += g->lane[i].events;
	return n;
}

uint64_t hb__unsent(hb_sent_log *log, bool *ret_idle)
{
	hb_error err = {0};
	*ret_idle = true;
	if (hb_growing_look(&log->growing, log->path, &err))
		return 0;
	for (size_t i = 0; i < log->growing.nlanes; i++)
		*ret_idle = *ret_idle && log->growing.lane[i].inside;
	uint64_t all = events_of(&log->growing);
	return all > log->events ? all - log->events : 0;
}

/* ---- units ---- */

static const volatile struct hb_unit_header *unit_at(const uint8_t *at, uint64_t k)
{
	return (const volatile void *)(at + k * HB_UNIT_SIZE);
}

static uint32_t state_of(const volatile struct hb_unit_header *u)
{
	uint32_t closed = __atomic_load_n(&u->closed, __ATOMIC_ACQUIRE);
	return 2 * __atomic_load_n(&u->committed, __ATOMIC_ACQUIRE) + (closed != 0);
}

/* state: up to where. */
static bool send_rows(hb_sent_log *log, uint64_t k, const uint8_t *at, uint32_t state, hb_put_bytes *send, void *user)
{
	struct hb_unit_header head;
	uint64_t offset = k * HB_UNIT_SIZE;
	uint32_t from = log->committed[k] / 2, committed = state / 2;
	if (state == log->committed[k])
		return true;
	memcpy(&head, at + offset, sizeof head);
	if (!(state & 1)) { /* it may have been closed since */
		head.closed = 0;
		head.checksum = head.head = 0;
	}
	head.committed = committed;
	log->committed[k] = state;
	return (committed == from || send(user, log->name, offset + HB_UNIT_PAYLOAD + from,
					     at + offset + HB_UNIT_PAYLOAD + from, committed - from)) &&
	       send(user, log->name, offset, &head, sizeof head);
}

/* What defines something goes first, as far as it is there now; then what may rest on that, as far as it was there before. */
static bool send_units(
	hb_sent_log *log, const uint8_t *at, uint64_t units, uint32_t *state, hb_put_bytes *send, void *user)
{
	bool good = true;
	for (uint64_t k = 1; k < units; k++)
		state[k] = state_of(unit_at(at, k));
	for (int rest = 0; rest < 2; rest++)
		for (uint64_t k = 1; k < units && good; k++) {
			const volatile struct hb_unit_header *u = unit_at(at, k);
			if (u->magic != HB_UNIT_MAGIC || (u->lane != HB_LANE_DEFINITIONS) != rest)
				continue;
			uint32_t to = rest ? state[k] : state_of(u);
			if (u->kind == HB_UNIT_LANE)
				good = send(user, log->name, k * HB_UNIT_SIZE, at + k * HB_UNIT_SIZE, HB_UNIT_SIZE);
			else if (to / 2 <= HB_UNIT_SIZE - HB_UNIT_PAYLOAD)
				good = send_rows(log, k, at, to, send, user);
		}
	return good;
}

/* *ret_sent: what was there. False: the other end is gone. */
static bool send_mapped(
	hb_sent_log *log, const uint8_t *at, size_t size, hb_put_bytes *send, void *user, bool *ret_sent)
{
	struct hb_log_header head;
	memcpy(&head, at, sizeof head);
	if (memcmp(head.magic, HB_LOG_MAGIC, sizeof head.magic) || head.incompatible & HB_LOG_INCOMPAT_SEALED)
		return true;
	size_t units = size / HB_UNIT_SIZE;
	units = head.units < units ? head.units : units;
	uint32_t *state = calloc(units + 1, sizeof *state);
	bool good = state && HB_GROW(log->committed, log->room, units + 1);
	for (; good && log->units <= units; log->units++)
		log->committed[log->units] = 0;
	/* without memory nothing is sent now, and all of it by one of the next looks */
	bool gone = good && !(send(user, log->name, 0, at, HEAD) && send_units(log, at, units, state, send, user) &&
				    send(user, log->name, 0, at, HEAD));
	free(state);
	*ret_sent = good && !gone;
	return !gone;
}

bool hb__send_log(hb_sent_log *log, hb_put_bytes *send, void *user)
{
	struct stat st;
	uint64_t events = events_of(&log->growing);
	int fd = open(log->path, O_RDONLY | O_CLOEXEC);
	bool there = fd >= 0 && !fstat(fd, &st) && st.st_size >= HB_UNIT_SIZE;
	uint8_t *at = there ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED)
		return true;
	bool sent = false, good = send_mapped(log, at, (size_t)st.st_size, send, user, &sent);
	log->events = sent ? events : log->events;
	munmap(at, (size_t)st.st_size);
	return good;
}
