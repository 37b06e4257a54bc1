/* Frames: what file their code is in, and whose they are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hbdb/mpis.h>

#include "session/gdb/inside.h"

enum owner { PROGRAM, MPI, SYSTEM };

void hb__gdb_read_frame(const struct hb__mi *mi, const struct hb__mi_value *tuple, hb_frame *frame)
{
	*frame = (hb_frame){0};
	const char *address = hb__mi_text(mi, tuple, "addr"), *function = hb__mi_text(mi, tuple, "func"),
		   *file = hb__mi_text(mi, tuple, "file"), *fullname = hb__mi_text(mi, tuple, "fullname"),
		   *from = hb__mi_text(mi, tuple, "from");
	frame->pc = address ? strtoull(address, NULL, 16) : 0;
	frame->line = hb__mi_int(mi, tuple, "line", 0);
	frame->level = (uint32_t)hb__mi_int(mi, tuple, "level", 0);
	if (function && strcmp(function, "??") != 0)
		snprintf(frame->function, sizeof frame->function, "%s", function);
	if (file && frame->line)
		snprintf(frame->file, sizeof frame->file, "%s", file);
	/* of sources that were never on this machine gdb makes up names such as ./io/../sysdeps */
	if (fullname && frame->line && *fullname == '/')
		snprintf(frame->fullname, sizeof frame->fullname, "%s", fullname);
	if (from)
		snprintf(frame->module, sizeof frame->module, "%s", from);
}

/* ---- modules ---- */

/* Takes the modules of all frames from the process's map of its memory. */
static void find_modules(char *maps, hb_frame *frames, size_t n)
{
	char *rest = NULL;
	for (char *line = maps ? strtok_r(maps, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
		uint64_t from, to;
		int at = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &from, &to, &at) < 2 || !at)
			continue;
		for (size_t i = 0; i < n; i++)
			if (frames[i].pc >= from && frames[i].pc < to && line[at])
				snprintf(frames[i].module, sizeof frames[i].module, "%s", line + at);
	}
}

static bool begins(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strncmp(name, *list, strlen(*list)))
			return true;
	return false;
}

static enum owner owner_of(const char *module, const char *program)
{
	/* used by these, and by others: they count as what they are called from */
	static const char *const system[] = {"[", "libc.", "libc-", "ld-", "libpthread", "libm.", "libm-", "libdl",
		"librt", "libevent", "libhwloc", "libfabric", "libpsm", "libibverbs", "librdmacm", "libnl", "libmlx",
		"libopa", "libgcc_s", "libstdc++", "libgfortran", "libquadmath", "libasan", "libubsan", "libtsan",
		NULL};
	const char *slash = strrchr(module, '/'), *name = slash ? slash + 1 : module;
	enum hb_mpi_part part = hb_mpi_library_of(module)->part;
	if (!*module || !strcmp(module, program))
		return PROGRAM;
	if (part != HB_PART_NONE && part != HB_PART_SHARED)
		return MPI;
	return begins(name, system) ? SYSTEM : PROGRAM;
}

/* From the outermost frame inwards: those below main, or below the function that a thread began with, are not the
 * program's; a library of the system belongs to whoever called it. */
static void find_owners(hb_frame *frames, size_t n, const char *program, bool whole)
{
	size_t outer = n, main_at = n;
	enum owner caller = PROGRAM;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(frames[i].function, "main"))
			main_at = i;
	if (main_at < n)
		outer = main_at + 1;
	else if (whole)
		while (outer && owner_of(frames[outer - 1].module, program) == SYSTEM)
			outer--;
	for (size_t i = n; i-- > 0;) {
		enum owner owner = owner_of(frames[i].module, program);
		caller = owner == SYSTEM ? caller : owner;
		frames[i].ours = caller == MPI || (outer && i >= outer) ||
				 !strcmp(frames[i].function, "<signal handler called>");
	}
}

void hb__gdb_place_frames(hb_gdb *gdb, const struct hb__inferior *inf, hb_frame *frames, size_t n, bool whole)
{
	char *program = gdb->place->file(gdb->place, inf->pid, inf->life, "exe"),
	     *maps = gdb->place->file(gdb->place, inf->pid, inf->life, "maps");
	find_modules(maps, frames, n);
	find_owners(frames, n, program ? program : "", whole);
	free(program);
	free(maps);
}
