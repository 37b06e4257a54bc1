/* Where processes stand, by gdb. */
#include <stdlib.h>
#include <string.h>

#include "session/gdb/gdb.h"
#include "../show/inert.h"
#include "watch.h"

#define FRAMES 400
#define SHOWN 10

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void put_frame(const hb_frame *f, int number, FILE *to)
{
	fprintf(to, "    #%d  %s", number, f->function[0] ? hb__tame(f->function) : "??");
	if (f->line)
		fprintf(to, " (%s:%d)", hb__tame(base(f->file)), f->line);
	else if (f->module[0])
		fprintf(to, " (%s)", hb__tame(base(f->module)));
	fprintf(to, "\n");
}

static void put_stack(hb_gdb *gdb, int32_t rank, FILE *to)
{
	hb_error err = {0};
	hb_frame *frame;
	size_t n;
	int shown = 0;
	fprintf(to, "  rank %d\n", rank);
	if (hb_gdb_stack(gdb, rank, FRAMES, &frame, &n, &err)) {
		fprintf(to, "    the stack cannot be read: %s\n", err.message);
		return;
	}
	for (size_t i = 0; i < n && shown < SHOWN; i++)
		if (!frame[i].ours)
			put_frame(&frame[i], shown++, to);
	for (size_t i = 0; i < n && !shown && i < SHOWN; i++)
		put_frame(&frame[i], (int)i, to);
	free(frame);
}

/* One that stands by SIGSTOP. */
static void put_standing(const hb_process_now *p, FILE *to)
{
	hb_error err = {0};
	hb_gdb *gdb;
	if (hb_gdb_open_standing(NULL, NULL, NULL, p->rank, (int32_t)p->pid, &gdb, &err)) {
		hb__say("gdb: %s", err.message);
		return;
	}
	put_stack(gdb, p->rank, to);
	hb_gdb_close(gdb);
}

void hb__put_stacks(const hb_lanes *l, FILE *to)
{
	int32_t id[HB_GDB_MOST], pid[HB_GDB_MOST];
	bool failed[HB_GDB_MOST] = {false};
	size_t n = 0, more = 0;
	hb_error err = {0};
	hb_gdb *gdb;
	for (size_t i = 0; i < l->n; i++) {
		const hb_process_now *p = &l->at[i];
		if (!p->seen || p->gone || hb_gdb_stands(NULL, (int32_t)p->pid))
			continue;
		if (n == HB_GDB_MOST) {
			more++;
			continue;
		}
		id[n] = p->rank;
		pid[n++] = (int32_t)p->pid;
	}
	if (hb_gdb_open(NULL, NULL, NULL, &gdb, &err)) {
		hb__say("the stacks cannot be read: %s", err.message);
		return;
	}
	hb_status status = hb_gdb_attach(gdb, id, pid, n, failed, &err);
	if (status)
		hb__say("gdb: %s", err.message);
	fprintf(to, "the stack of each process (frames of hbdb and MPI are left out):\n");
	for (size_t i = 0; i < n; i++)
		if (!failed[i])
			put_stack(gdb, id[i], to);
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].seen && !l->at[i].gone && hb_gdb_stands(NULL, (int32_t)l->at[i].pid))
			put_standing(&l->at[i], to);
	if (more)
		fprintf(to, "  and %zu more processes\n", more);
	if (l->elsewhere)
		fprintf(to, "  not of %u %s on other machines: hbdb hang sees what their logs say\n", l->elsewhere,
			hb__plural(l->elsewhere, "process", "processes"));
	fflush(to);
	hb_gdb_close(gdb);
}
