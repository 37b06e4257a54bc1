/* Buffers in blocks of memory that are too small, or were freed. */
#include <stdio.h>
#include <string.h>

#include "rules/lifecycle/parts.h"

/* The library of a language or of MPI called malloc or free: its place says nothing. */
static bool of_program(const hb_case *c, const hb_remark *r, uint32_t at)
{
	static const char *const others[] = {
		"libstdc++", "libgfortran", "libc.", "libmpi", "libopen-", "libc++", "libpython", "ld-linux"};
	const hb_log *log = hb_model_processes(c->model)[r->process].log;
	const hb_site *site = hb_log_site(log, at);
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
	const hb_case *c, const hb_remark *r, uint32_t site, const char *role, hb_point *points, uint32_t n)
{
	if (of_program(c, r, site))
		points[n++] = hb__other_point(r, site, "", role);
	return n;
}

hb_status hb__told_small(hb_case *c, const hb_remark *r, hb_error *err)
{
	char role[120];
	long long bytes = (long long)r->block->bytes, room = (long long)r->block->room;
	long long size = (long long)r->block->size;
	bool writes = r->block->writes;
	const char *fn = r->call->fn;
	const char *arg = r->block->arg;
	snprintf(role, sizeof role, "%s %lld byte%s from %s on", writes ? "may write" : "reads", bytes,
		bytes == 1 ? "" : "s", arg);
	hb_point points[2] = {hb__call_point(c, r, role)};
	snprintf(role, sizeof role, "allocated the %lld byte%s", size, size == 1 ? "" : "s");
	uint32_t n = add_place(c, r, r->block->made, role, points, 1);
	return hb__finding(c, HB_BUFFER_SIZE, false,
		"The count is a number of elements, not of bytes: give no more than the buffer has, or allocate more.",
		points, n, err,
		"rank %s calls %s with %s = %lld byte%s, but the block of %lld byte%s that was allocated there ends after %lld",
		hb__named_of(c, r), fn, arg, bytes, bytes == 1 ? "" : "s", size, size == 1 ? "" : "s", room);
}

static hb_status freed_pending(hb_case *c, const hb_remark *r, hb_error *err)
{
	bool writes = r->block->writes;
	const char *made = r->block->givenfn;
	const char *fn = r->call->fn;
	hb_point points[3] = {hb__other_point(
		r, r->block->given, r->block->givenfn, writes ? "receives into the buffer" : "sends the buffer")};
	uint32_t n = add_place(c, r, r->block->ended, "frees its memory", points, 1);
	points[n++] = hb__call_point(c, r, "completes it");
	return hb__finding(c, HB_BUFFER_FREED, false,
		"Free the memory only after the request has completed (MPI_Wait, MPI_Test).", points, n, err,
		"rank %s frees the buffer of %s before %s completes it", hb__named_of(c, r), made, fn);
}

hb_status hb__told_buffer_freed(hb_case *c, const hb_remark *r, hb_error *err)
{
	if (r->block->pending)
		return freed_pending(c, r, err);
	const char *fn = r->call->fn;
	const char *arg = r->block->arg;
	hb_point points[3] = {hb__call_point(c, r, "uses it")};
	uint32_t n = add_place(c, r, r->block->ended, "freed it", points, 1);
	n = add_place(c, r, r->block->made, "allocated it", points, n);
	return hb__finding(c, HB_BUFFER_FREED, false,
		"Free the memory after its last use. After realloc only the address that it returned is valid.", points,
		n, err, "rank %s calls %s with %s in memory that it has freed", hb__named_of(c, r), fn, arg);
}
