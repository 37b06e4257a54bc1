/* Programs that run programs of another processor, as qemu-s390x does. They are loaded with the libraries of their own processor, and their
 * environment is that of the program which they run: before their main function it is made one for that program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hbdb/control.h>

#include "capture/core/descend/descend.h"

#define SOCKET_MOST 104 /* bytes of the path of a Unix socket */

/* What HBDB_RUNNERS says of this program; FOLDER=VARIABLE=VALUE behind its name, with colons between programs. Both parts may be empty. */
struct runner {
	const char *folder, *stub;
	size_t folder_n, stub_n;
};

/* False: it runs no others. */
static bool find_this(struct runner *ret)
{
	const char *list = getenv("HBDB_RUNNERS"), *self = program_invocation_short_name;
	size_t length = strlen(self);
	for (const char *p = list; p && *p; p += strspn(p, ":")) {
		size_t n = strcspn(p, ":");
		if (n > length && !strncmp(p, self, length) && p[length] == '=') {
			ret->folder = p + length + 1;
			ret->folder_n = strcspn(ret->folder, "=:");
			ret->stub = ret->folder + ret->folder_n + 1;
			ret->stub_n = ret->stub < p + n ? (size_t)(p + n - ret->stub) : 0;
			return true;
		}
		p += n;
	}
	return false;
}

/* What a library of this processor is called there; its length in *ret_n. NULL: there is none, or it is not one of ours. */
static const char *name_there(const char *path, size_t n, bool *ret_ours, size_t *ret_n)
{
	static const char *const names[][2] = {{"libhbdb-openmpi.so", "libhbdb-core.so"},
		{"libhbdb-mpich.so", "libhbdb-core.so"}, {"libhbdb-sockets.so", "libhbdb-sockets.so"},
		{"libhbdb-inputs.so", "libhbdb-inputs.so"}, {"libhbdb-threads.so", "libhbdb-threads.so"}};
	const char *slash = memrchr(path, '/', n), *name = slash ? slash + 1 : path;
	size_t length = (size_t)(path + n - name);
	*ret_ours = length > 8 && !strncmp(name, "libhbdb-", 8);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i][0]) == length && !strncmp(name, names[i][0], length)) {
			*ret_n = strlen(names[i][1]);
			return names[i][1];
		}
	return NULL;
}

/* Its libraries in the place of ours; those of others stay as they are. folder: of n bytes; 0: there are none. */
static void write_preload(const char *preload, const char *folder, size_t n)
{
	size_t all = strlen(preload), most = (n + 32) * (1 + all / 2) + all + 1;
	char *rest = malloc(most), *w = rest;
	for (const char *p = preload; rest && *p; p += strspn(p, ": ")) {
		size_t length = strcspn(p, ": "), there = 0;
		bool ours;
		const char *name = name_there(p, length, &ours, &there), *before = w > rest ? ":" : "";
		size_t more = 0;
		if (ours && name && n)
			more = (size_t)snprintf(
				w, most - (size_t)(w - rest), "%s%.*s/%.*s", before, (int)n, folder, (int)there, name);
		/* of 32 bits there are fewer layers */
		if (more && !access(w + strlen(before), R_OK))
			w += more;
		else if (!ours)
			w += snprintf(w, most - (size_t)(w - rest), "%s%.*s", before, (int)length, p);
		p += length;
	}
	if (!rest)
		return;
	*w = 0;
	if (w > rest)
		setenv("LD_PRELOAD", rest, 1);
	else
		unsetenv("LD_PRELOAD");
	free(rest);
}

/* Has it wait for a gdb before its program begins: by a variable of its own, in which {socket} stands for a path. */
static void wait_for_gdb(const struct runner *r)
{
	static const char place[] = "{socket}";
	const char *in = getenv("HBDB_STUBS");
	const char *equal = r->stub_n ? memchr(r->stub, '=', r->stub_n) : NULL;
	const char *at = equal ? memmem(r->stub, r->stub_n, place, strlen(place)) : NULL;
	char path[SOCKET_MOST], name[64], value[SOCKET_MOST + 256];
	if (!in || !*in || !at || at < equal)
		return;
	int n = snprintf(path, sizeof path, "%s/%s.%d", in, program_invocation_short_name, (int)getpid());
	if (n < 0 || n >= (int)sizeof path) {
		hb__say("%s is too long for the name of a socket: no gdb can come to %s", in,
			program_invocation_short_name);
		return;
	}
	const char *behind = at + strlen(place);
	snprintf(name, sizeof name, "%.*s", (int)(equal - r->stub), r->stub);
	snprintf(value, sizeof value, "%.*s%s%.*s", (int)(at - equal - 1), equal + 1, path,
		(int)(r->stub + r->stub_n - behind), behind);
	setenv(name, value, 1);
	/* a session has the gdb, and nobody needs to be told */
	if (!getenv(HB_CONTROL_ENV))
		hb__say("%s waits for gdb: target remote %s", program_invocation_short_name, path);
}

/* This program runs programs of another processor, which are recorded, and not it: its environment is made one for them. */
static bool gives_way(void)
{
	struct runner r;
	const char *preload = find_this(&r) ? getenv("LD_PRELOAD") : NULL;
	if (!preload)
		return false;
	wait_for_gdb(&r);
	if (!r.folder_n)
		hb__say("what %s runs is not recorded: there is no capture library for its processor (./dev build --processors)",
			program_invocation_short_name);
	write_preload(preload, r.folder, r.folder_n);
	return true;
}

enum hb__mode hb__mode_asked(void)
{
	const char *mode = getenv("HBDB_MODE");
	if (!mode || unlikely(gives_way()))
		return HB__OFF;
	return !strcmp(mode, "record") ? HB__RECORD : !strcmp(mode, "replay") ? HB__REPLAY : HB__OFF;
}
