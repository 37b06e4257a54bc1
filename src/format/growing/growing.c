/* Reading the header and the counters of a log that still grows. */
#include "base/grow.h"
#include "format/growing/growing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/internal.h"
#include "format/row.h"

/* A sealed log may be shorter than the header of a raw one: only the numbers before the texts are at the same place. */
static hb_status read_head(int fd, const char *path, hb_log_head *ret, hb_error *err)
{
	struct hb_log_header h = {0};
	*ret = (hb_log_head){0};
	ssize_t n = pread(fd, &h, sizeof h, 0);
	if (n < 0)
		return hb__fail(err, HB_E_SYSTEM, path, 0, "cannot read %s", path);
	if (n >= (ssize_t)sizeof h.magic && h.magic[0] && memcmp(h.magic, HB_LOG_MAGIC, sizeof h.magic) != 0)
		return hb__fail(err, HB_E_FOREIGN, path, 0, "%s is not an hbdb log", path);
	/* room for the log is made first, as zeros; the number of its process is never 0 */
	if (n < HB__HEAD || !h.magic[0] || !h.pid)
		return hb__fail(err, HB_E_DAMAGED, path, (uint64_t)n, "%s ends within its header", path);
	if (h.version < HB_LOG_OLDEST || h.version > HB_LOG_VERSION || h.incompatible & ~HB_LOG_KNOWN)
		return hb__fail(err, HB_E_VERSION, path, 8,
			"%s has format version %u and flags %x, which are not known", path, h.version, h.incompatible);
	*ret = (hb_log_head){.rank = h.rank,
		.size = h.size,
		.pid = h.pid,
		.level = h.level,
		.state = h.state,
		.stopped = h.stopped,
		.sealed = h.incompatible & HB_LOG_INCOMPAT_SEALED};
	ret->gave_up = ret->sealed && h.incompatible & HB_LOG_INCOMPAT_RING;
	if (ret->sealed)
		return HB_OK;
	if (n < (ssize_t)sizeof h) {
		*ret = (hb_log_head){0};
		return hb__fail(err, HB_E_DAMAGED, path, (uint64_t)n, "%s ends within its header", path);
	}
	ret->units = h.units;
	ret->gave_up = h.incompatible & HB_LOG_INCOMPAT_RING && h.account;
	memcpy(ret->host, h.host, sizeof h.host);
	return HB_OK;
}

static int open_log(const char *path, hb_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		hb__fail(err, HB_E_SYSTEM, path, 0, "cannot open %s", path);
	return fd;
}

hb_status hb_log_head_read(const char *path, hb_log_head *ret, hb_error *err)
{
	*ret = (hb_log_head){0};
	int fd = open_log(path, err);
	if (fd < 0)
		return HB_E_SYSTEM;
	hb_status status = read_head(fd, path, ret, err);
	close(fd);
	return status;
}

/* Lane controls lie anywhere among the units: those that were not there the last time are looked at. A unit that the header
 * counts may not be filled in yet; the next look begins with it. */
static bool find_controls(hb_growing *g, int fd, uint64_t units)
{
	for (; g->scanned + 1 < units; g->scanned++) {
		struct hb_unit_header u;
		uint64_t offset = (g->scanned + 1) * HB_UNIT_SIZE;
		if (pread(fd, &u, sizeof u, (off_t)offset) != (ssize_t)sizeof u || u.magic != HB_UNIT_MAGIC)
			return true;
		if (u.kind != HB_UNIT_LANE)
			continue;
		if (!HB_GROW(g->lane, g->room, g->nlanes + 1))
			return false;
		g->lane[g->nlanes++] = (hb_counters){.lane = u.lane, .offset = offset};
	}
	return true;
}

static void read_counters(hb_counters *c, int fd)
{
	struct hb_lane_control k;
	const ssize_t first = offsetof(struct hb_lane_control, calls); /* the counters stand before the lists */
	if (pread(fd, &k, (size_t)first, (off_t)c->offset) != first)
		return;
	c->events = k.events;
	c->polls = k.polls;
	c->inside = k.inside;
	c->inside_enter = k.inside_enter;
	c->task = k.task;
	c->faults = k.faults;
}

hb_status hb_growing_look(hb_growing *g, const char *path, hb_error *err)
{
	hb_log_head head;
	int fd = open_log(path, err);
	if (fd < 0)
		return HB_E_SYSTEM;
	hb_status status = read_head(fd, path, &head, err);
	if (!status && !head.sealed && !find_controls(g, fd, head.units))
		status = hb__fail(err, HB_E_MEMORY, path, 0, "out of memory");
	if (!status) {
		g->head = head;
		for (size_t i = 0; i < g->nlanes && !head.sealed; i++)
			read_counters(&g->lane[i], fd);
	}
	close(fd);
	return status;
}

hb_status hb_growing_calls(const hb_growing *g, const char *path, uint64_t *ret_calls, size_t n, hb_error *err)
{
	const size_t most = HB_FUNCTIONS_MOST;
	uint64_t calls[HB_FUNCTIONS_MOST];
	int fd = open_log(path, err);
	if (fd < 0)
		return HB_E_SYSTEM;
	n = n < most ? n : most;
	memset(ret_calls, 0, n * sizeof *ret_calls);
	for (size_t i = 0; i < g->nlanes; i++) {
		off_t at = (off_t)(g->lane[i].offset + offsetof(struct hb_lane_control, calls));
		ssize_t got = pread(fd, calls, n * sizeof *calls, at);
		for (size_t k = 0; got > 0 && k < (size_t)got / sizeof *calls; k++)
			ret_calls[k] += calls[k];
	}
	close(fd);
	return HB_OK;
}

void hb_growing_free(hb_growing *g)
{
	free(g->lane);
	*g = (hb_growing){0};
}
