/* Copies of logs whose processes go on writing: what a ring holds now. Units are copied while they may be given up and used again, so each is
 * looked at before and after; the account in force when all rows are copied says which of them hold. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/internal.h"
#include "format/growing/growing.h"
#include "format/raw/keep.h"
#include "format/row.h"

#define TRIES \
	100000 /* to copy an account that no other one replaces meanwhile: that takes less than the next one needs to come */

struct copy {
	const char *path, *to;
	int in, out;
	const uint8_t *from;
	uint8_t *at;
	size_t from_size, size;
};

static const struct hb_log_header *header_of(const struct copy *c) { return (const struct hb_log_header *)c->from; }

static uint64_t word(const uint8_t *p)
{
	return hb_little64(__atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_ACQUIRE));
}

static uint64_t account_of(const struct copy *c) { return word(c->from + offsetof(struct hb_log_header, account)); }

/* Maps both files up to the units that are in use now. */
static bool map(struct copy *c)
{
	struct stat st;
	if (c->from)
		munmap((void *)c->from, c->from_size);
	c->from = NULL;
	if (fstat(c->in, &st) || st.st_size < (off_t)HB_UNIT_SIZE)
		return false;
	c->from_size = (size_t)st.st_size;
	void *p = mmap(NULL, c->from_size, PROT_READ, MAP_SHARED, c->in, 0);
	if (p == MAP_FAILED)
		return false;
	c->from = p;
	uint64_t units = word(c->from + offsetof(struct hb_log_header, units)), in_file = c->from_size / HB_UNIT_SIZE;
	size_t size = (size_t)(units < in_file ? units : in_file) * HB_UNIT_SIZE, old = c->size;
	if (size <= old)
		return true;
	/* allocated, so that a full disk is an error here and no signal */
	int error = posix_fallocate(c->out, 0, (off_t)size);
	if (error) {
		errno = error;
		return false;
	}
	if (c->at)
		munmap(c->at, old);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, c->out, 0);
	c->at = p == MAP_FAILED ? NULL : p;
	c->size = c->at ? size : 0;
	return c->at;
}

static bool same_unit(const struct hb_unit_header *a, const struct hb_unit_header *b)
{
	return a->magic == b->magic && a->kind == b->kind && a->lane == b->lane && a->seq == b->seq &&
	       a->generation == b->generation;
}

static void copy_unit(struct copy *c, size_t at)
{
	const struct hb_unit_header *live = (const struct hb_unit_header *)(const void *)(c->from + at);
	struct hb_unit_header h = *live;
	if (!h.closed)
		h.committed = HB_LITTLE(__atomic_load_n(HB_PLACE(live, committed), __ATOMIC_ACQUIRE));
	size_t bytes = h.kind == HB_UNIT_LANE ? HB_UNIT_SIZE - HB_UNIT_PAYLOAD : h.committed;
	if (bytes > HB_UNIT_SIZE - HB_UNIT_PAYLOAD)
		bytes = 0;
	memcpy(c->at + at + HB_UNIT_PAYLOAD, c->from + at + HB_UNIT_PAYLOAD, bytes);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!same_unit(&h, live))
		h.magic = 0; /* it was given up meanwhile */
	memcpy(c->at + at, &h, sizeof h);
}

enum which { ROWS, CONTROLS, DEFINITIONS };

static bool is(enum which which, const struct hb_unit_header *h)
{
	if (h->magic != HB_UNIT_MAGIC)
		return false;
	if (which == CONTROLS)
		return h->kind == HB_UNIT_LANE;
	return h->kind == HB_UNIT_ROWS && (h->lane == HB_LANE_DEFINITIONS) == (which == DEFINITIONS);
}

static void copy_units(struct copy *c, enum which which)
{
	for (size_t at = HB_UNIT_SIZE; at + HB_UNIT_SIZE <= c->size; at += HB_UNIT_SIZE)
		if (is(which, (const struct hb_unit_header *)(const void *)(c->from + at)))
			copy_unit(c, at);
}

/* The account in force, whole; 0 with *ret_good: there is none. */
static uint64_t copy_account(struct copy *c, bool *ret_good)
{
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t account = account_of(c);
		uint32_t found = 0;
		for (size_t at = HB_UNIT_SIZE; account && at + HB_UNIT_SIZE <= c->size; at += HB_UNIT_SIZE) {
			const struct hb_unit_header *h = (const struct hb_unit_header *)(const void *)(c->from + at);
			if (h->magic != HB_UNIT_MAGIC || h->kind != HB_UNIT_ACCOUNT ||
				h->generation != (uint32_t)(account >> 32))
				continue;
			copy_unit(c, at);
			found++;
		}
		*ret_good = account == account_of(c) && found == (uint32_t)account;
		if (*ret_good)
			return account;
		if (!map(c)) /* it may stand in a unit that was not there yet */
			break;
	}
	*ret_good = false;
	return 0;
}

/* What stands in the copies of controls was so at some other moment than the rows. */
static void quiet_controls(struct copy *c)
{
	for (size_t at = HB_UNIT_SIZE; at + HB_UNIT_SIZE <= c->size; at += HB_UNIT_SIZE) {
		struct hb_lane_control *k = (struct hb_lane_control *)(void *)(c->at + at);
		if (k->unit.magic != HB_UNIT_MAGIC || k->unit.kind != HB_UNIT_LANE || k->unit.closed)
			continue;
		k->inside = k->polls = k->asked = 0;
	}
}

static void write_header(struct copy *c, uint64_t account)
{
	struct hb_log_header h = *header_of(c);
	if (h.state == HB_STATE_RUNNING && !h.stopped)
		h.stopped = HB_LOG_TOLD;
	h.units = c->size / HB_UNIT_SIZE;
	h.account = account;
	h.checksum = 0;
	memcpy(c->at, &h, sizeof h);
}

/* A unit that was begun behind where the copying stood is not there, and one that follows it may be. */
static hb_status drop_loose(struct copy *c, hb_error *err)
{
	hb_log *log;
	hb_status status = hb_log_open(c->to, &log, err);
	if (status)
		return status;
	for (size_t at = HB_UNIT_SIZE; at + HB_UNIT_SIZE <= c->size; at += HB_UNIT_SIZE) {
		struct hb_unit_header *h = (struct hb_unit_header *)(void *)(c->at + at);
		if (!is(ROWS, h) || h->lane >= log->lanes)
			continue;
		const struct hb__lane_rows *l = &log->lane[h->lane];
		if (h->seq >= l->first_unit + l->units || h->seq < l->first_unit)
			h->magic = 0;
	}
	hb_log_close(log);
	return HB_OK;
}

static hb_status copy(struct copy *c, hb_error *err)
{
	bool good = map(c) && !memcmp(header_of(c)->magic, HB_LOG_MAGIC, 8) &&
		    !(header_of(c)->incompatible & HB_LOG_INCOMPAT_SEALED);
	if (!good)
		return hb__fail(err, HB_E_SYSTEM, c->path, 0, "%s cannot be copied to %s", c->path, c->to);
	copy_units(c, ROWS);
	uint64_t account = map(c) ? copy_account(c, &good) : 0;
	if (!good || !c->from || !c->at)
		return hb__fail(err, HB_E_SYSTEM, c->path, 0, "%s changed faster than it could be copied", c->path);
	copy_units(c, CONTROLS);
	copy_units(c, DEFINITIONS);
	quiet_controls(c);
	write_header(c, account);
	return drop_loose(c, err);
}

hb_status hb_log_keep(const char *from, const char *to, hb_error *err)
{
	struct copy c = {.path = from, .to = to, .in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
	c.out = c.in < 0 ? -1 : open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	hb_status status =
		c.out < 0 ? hb__fail(err, HB_E_SYSTEM, c.in < 0 ? from : to, 0, "cannot open %s", c.in < 0 ? from : to)
			  : copy(&c, err);
	if (c.from)
		munmap((void *)c.from, c.from_size);
	if (c.at)
		munmap(c.at, c.size);
	if (c.in >= 0)
		close(c.in);
	if (c.out >= 0)
		close(c.out);
	if (status && c.out >= 0)
		unlink(to);
	return status;
}

/* ---- a recording ---- */

struct kept {
	const char *recording, *to;
	uint64_t logs;
	hb_error *err;
};

/* One log: first all are copied, so that they are of one time, then they are sealed. */
static hb_status copy_one(struct kept *k, const char *name)
{
	char from[4400], raw[4400];
	hb_log_head head;
	snprintf(from, sizeof from, "%.4000s/%.250s", k->recording, name);
	snprintf(raw, sizeof raw, "%.4000s/%.250s", k->to, name);
	k->logs++;
	if (!hb_log_head_read(from, &head, NULL) && head.sealed) /* its process had come to its end, and hbdb with it */
		return hb_log_seal(from, raw, NULL, NULL, k->err);
	return hb_log_keep(from, raw, k->err);
}

static hb_status seal_one(struct kept *k, const char *name)
{
	char raw[4400], sealed[4400];
	hb_log_head head;
	snprintf(raw, sizeof raw, "%.4000s/%.250s", k->to, name);
	snprintf(sealed, sizeof sealed, "%.4000s/%.250s.sealed", k->to, name);
	if (!hb_log_head_read(raw, &head, NULL) && head.sealed)
		return HB_OK;
	hb_status status = hb_log_seal(raw, sealed, NULL, NULL, k->err);
	if (!status && rename(sealed, raw))
		status = hb__fail(k->err, HB_E_SYSTEM, raw, 0, "cannot write %s", raw);
	return status;
}

static hb_status each(struct kept *k, const char *folder, hb_status (*does)(struct kept *k, const char *name))
{
	hb_status status = HB_OK;
	DIR *dir = opendir(folder);
	if (!dir)
		return hb__fail(k->err, HB_E_SYSTEM, folder, 0, "cannot open %s", folder);
	for (struct dirent *e; !status && (e = readdir(dir));) {
		size_t n = strlen(e->d_name);
		if (strncmp(e->d_name, "rank.", 5) == 0 && n > 9 && strcmp(e->d_name + n - 4, ".log") == 0)
			status = does(k, e->d_name);
	}
	closedir(dir);
	return status;
}

hb_status hb_recording_keep(const char *recording, const char *to, uint64_t *ret_logs, hb_error *err)
{
	struct kept k = {.recording = recording, .to = to, .err = err};
	*ret_logs = 0;
	if (mkdir(to, 0777))
		return hb__fail(err, HB_E_SYSTEM, to, 0, "cannot create the folder %s", to);
	hb_status status = each(&k, recording, copy_one);
	status = status ? status : each(&k, to, seal_one);
	*ret_logs = k.logs;
	return status;
}
