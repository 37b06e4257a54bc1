/* The copy of a program whose accesses are seen, in its place: hbdb cc leaves it as PROGRAM.hbdb-watched. */
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/accesses/watch/watch.h"

#define SUFFIX ".hbdb-watched"

/* Whether the program has marks (hbdb/compare.h looks for this name): then it says which arrays it has. */
static int has_marks(struct dl_phdr_info *info, size_t size, void *user)
{
	static const char name[] = "hb_tracer_1";
	(void)size, (void)user;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && p->p_flags & PF_R &&
			memmem((const void *)(info->dlpi_addr + p->p_vaddr), p->p_filesz, name, sizeof name))
			return 1;
	}
	return -1; /* the program is the first one; nothing else is looked at */
}

/* Whether the settings ask for what only accesses tell. Checksums need them where nobody has told the arrays of the constructs: neither the settings
 * nor, by marks, the program, of which all registered arrays are summed then. */
static bool asked(void)
{
	if (!hb__settings_early())
		return false;
	const hb_trace_settings *s = hb__settings();
	bool details =
		s->level == HB_TRACE_MODIFY || s->level == HB_TRACE_FULL || s->control || s->dry || s->trap_anyway;
	bool told = s->constructs != 0;
	for (size_t i = 0; i < s->constructs; i++) {
		details |= s->construct[i].level == HB_TRACE_MODIFY || s->construct[i].level == HB_TRACE_FULL;
		told &= s->construct[i].knows_arrays;
	}
	return details || (s->level == HB_TRACE_CHECKSUM && !told && dl_iterate_phdr(has_marks, NULL) != 1);
}

static bool older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Before anything of the program or of its libraries has run: it is the same process, with the same arguments. Where the copy cannot be run the
 * program goes on, and whoever compares finds no accesses and says so. */
__attribute__((constructor(101))) static void exec_watched(int argc, char **argv, char **envp)
{
	char path[PATH_MAX];
	ssize_t n = argc > 0 ? readlink("/proc/self/exe", path, sizeof path - sizeof SUFFIX) : -1;
	if (n <= 0)
		return;
	path[n] = 0;
	if ((size_t)n > strlen(SUFFIX) && !strcmp(path + n - strlen(SUFFIX), SUFFIX))
		return;
	struct stat plain, copy;
	bool there = !stat(path, &plain);
	memcpy(path + n, SUFFIX, sizeof SUFFIX);
	/* one that is older than the program is of an older program */
	if (there && !stat(path, &copy) && !older(&copy.st_mtim, &plain.st_mtim) && !access(path, X_OK) && asked())
		execve(path, argv, envp);
}
