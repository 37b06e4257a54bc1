/* Buffers in blocks of memory that are too small, or were freed. */
#include <stdio.h>
#include <string.h>

#include "rules/lifecycle/parts.h"

/* The library of a language or of MPI called malloc or free: its place says nothing. */
static bool of_program(const hb_case *c, const hb_remark *r, const char *key)
{
	static const char *const others[] = {
		"libstdc++", "libgfortran", "libc.", "libmpi", "libopen-", "libc++", "libpython", "ld-linux"};
	const hb_log *log = hb_model_processes(c->model)[r->process].log;
	const hb_site *site = hb_log_site(log, (uint32_t)hb_remark_number(r, key, 0));
	const hb_module *module = site ? hb_log_module(log, site->module) : NULL;
	if (!module)
		return false;
	const char *slash = strrchr(module->path, '/'), *name = slash ? slash + 1 : module->path;
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	return true;
}

static uint32_t add_place(
	const hb_case *c, const hb_remark *r, const char *key, const char *role, hb_point *points, uint32_t n)
{
	if (of_program(c, r, key))
		points[n++] = hb__other_point(r, key, "", role);
	return n;
}

hb_status hb__told_small(hb_case *c, const hb_remark *r, hb_error *err)
{
	char fn[64], arg[48], role[120];
	long long bytes = (long long)hb_remark_number(r, "bytes", 0), room = (long long)hb_remark_number(r, "room", 0);
	long long size = (long long)hb_remark_number(r, "size", 0);
	bool writes = hb_remark_number(r, "writes", 0);
	hb_remark_text(r, "fn", fn, sizeof fn);
	hb_remark_text(r, "arg", arg, sizeof arg);
	snprintf(role, sizeof role, "%s %lld byte%s from %s on", writes ? "may write" : "reads", bytes,
		bytes == 1 ? "" : "s", arg);
	hb_point points[2] = {hb__call_point(c, r, role)};
	snprintf(role, sizeof role, "allocated the %lld byte%s", size, size == 1 ? "" : "s");
	uint32_t n = add_place(c, r, "made", role, points, 1);
	return hb__finding(c, HB_BUFFER_SIZE, false,
		"The count is a number of elements, not of bytes: give no more than the buffer has, or allocate more.",
		points, n, err,
		"rank %d calls %s with %s = %lld byte%s, but the block of %lld byte%s that was allocated there ends after %lld",
		hb__rank_of(c, r), fn, arg, bytes, bytes == 1 ? "" : "s", size, size == 1 ? "" : "s", room);
}

static hb_status freed_pending(hb_case *c, const hb_remark *r, hb_error *err)
{
	char made[64], fn[64];
	bool writes = hb_remark_number(r, "writes", 0);
	hb_remark_text(r, "givenfn", made, sizeof made);
	hb_remark_text(r, "fn", fn, sizeof fn);
	hb_point points[3] = {
		hb__other_point(r, "given", "givenfn", writes ? "receives into the buffer" : "sends the buffer")};
	uint32_t n = add_place(c, r, "ended", "frees its memory", points, 1);
	points[n++] = hb__call_point(c, r, "completes it");
	return hb__finding(c, HB_BUFFER_FREED, false,
		"Free the memory only after the request has completed (MPI_Wait, MPI_Test).", points, n, err,
		"rank %d frees the buffer of %s before %s completes it", hb__rank_of(c, r), made, fn);
}

hb_status hb__told_buffer_freed(hb_case *c, const hb_remark *r, hb_error *err)
{
	char fn[64], arg[48];
	if (hb_remark_number(r, "pending", 0))
		return freed_pending(c, r, err);
	hb_remark_text(r, "fn", fn, sizeof fn);
	hb_remark_text(r, "arg", arg, sizeof arg);
	hb_point points[3] = {hb__call_point(c, r, "uses it")};
	uint32_t n = add_place(c, r, "ended", "freed it", points, 1);
	n = add_place(c, r, "made", "allocated it", points, n);
	return hb__finding(c, HB_BUFFER_FREED, false,
		"Free the memory after its last use. After realloc only the address that it returned is valid.", points,
		n, err, "rank %d calls %s with %s in memory that it has freed", hb__rank_of(c, r), fn, arg);
}
