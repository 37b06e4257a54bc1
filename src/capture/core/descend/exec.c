/* Another program. A log of this one ends with it, as it would at its end; the process goes on, and the next program begins a log of its
 * own. */
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/core/data/data.h"
#include "capture/core/descend/descend.h"
#include "capture/core/record/record.h"

extern char **environ;

#define NEXT(name) ((__typeof__(&name))next_of(#name))

/* Looked up each time: it is rare, and a child made by vfork may be the first that asks. */
static void *next_of(const char *name) { return dlsym(RTLD_NEXT, name); }

/* Room for a list that is handed on. Of a child made by vfork it is in the memory of its parent, which gives it back when it goes on. */
struct handed_on {
	char *const *list;
	void *room; /* NULL: none */
	size_t bytes;
};

static void *take_room(struct handed_on *h, size_t bytes)
{
	h->bytes = bytes;
	h->room = hb__pages(bytes);
	if (hb__vforks && h->room)
		hb__vfork_leaves(h->room, bytes);
	return h->room;
}

static void give_back(const struct handed_on *h)
{
	int error = errno;
	if (h->room && !hb__vforks)
		munmap(h->room, h->bytes);
	errno = error;
}

static struct handed_on hand_on(char *const *given)
{
	struct handed_on h = {.list = given};
	enum hb__change change = hb__environment_change(given);
	size_t places = change ? hb__environment_places(given) * sizeof *given : 0;
	char **list = places ? take_room(&h, places + hb__environment_preload(given)) : NULL;
	if (list) {
		hb__environment_for(given, change, list, (char *)list + places);
		h.list = list;
	}
	return h;
}

/* A call that comes back only where it failed. envp: what is handed on in its place is h.list. One process alone ends with its record: the next
 * program has another one. */
#define IN_OUR_PLACE(envp, call)                         \
	do {                                             \
		struct handed_on h = hand_on(envp);      \
		bool told_ = hb__process_replaced(true); \
		if (told_ && hb__alone)                  \
			_exit(0);                        \
		int got_ = (call), error_ = errno;       \
		if (told_)                               \
			hb__process_replaced(false);     \
		errno = error_;                          \
		give_back(&h);                           \
		return got_;                             \
	} while (0)

HB__EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	IN_OUR_PLACE(envp, NEXT(execve)(path, argv, h.list));
}

HB__EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	IN_OUR_PLACE(envp, NEXT(execvpe)(file, argv, h.list));
}

HB__EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	IN_OUR_PLACE(envp, NEXT(fexecve)(fd, argv, h.list));
}

HB__EXPORT int execveat(int folder, const char *path, char *const argv[], char *const envp[], int flags)
{
	int (*next)(int, const char *, char *const[], char *const[], int) = (__typeof__(next))next_of("execveat");
	if (!next) { /* the C library is older than the call */
		errno = ENOSYS;
		return -1;
	}
	IN_OUR_PLACE(envp, next(folder, path, argv, h.list, flags));
}

HB__EXPORT int execv(const char *path, char *const argv[]) { return execve(path, argv, environ); }
HB__EXPORT int execvp(const char *file, char *const argv[]) { return execvpe(file, argv, environ); }

/* The arguments up to NULL as a list, and what stands behind that; NULL: no memory. */
static char **listed(struct handed_on *h, const char *first, va_list args, char *const **ret_behind)
{
	va_list again;
	size_t n = 1;
	va_copy(again, args);
	while (va_arg(again, char *))
		n++;
	va_end(again);
	char **list = take_room(h, (n + 1) * sizeof *list);
	if (!list) {
		errno = ENOMEM;
		return NULL;
	}
	list[0] = (char *)(uintptr_t)first;
	for (size_t i = 1; i <= n; i++)
		list[i] = va_arg(args, char *);
	if (ret_behind)
		*ret_behind = va_arg(args, char *const *);
	return list;
}

HB__EXPORT int execl(const char *path, const char *arg, ...)
{
	struct handed_on h;
	va_list args;
	va_start(args, arg);
	char **argv = listed(&h, arg, args, NULL);
	va_end(args);
	int got = argv ? execve(path, argv, environ) : -1;
	give_back(&h);
	return got;
}

HB__EXPORT int execlp(const char *file, const char *arg, ...)
{
	struct handed_on h;
	va_list args;
	va_start(args, arg);
	char **argv = listed(&h, arg, args, NULL);
	va_end(args);
	int got = argv ? execvpe(file, argv, environ) : -1;
	give_back(&h);
	return got;
}

HB__EXPORT int execle(const char *path, const char *arg, ...)
{
	struct handed_on h;
	char *const *envp = NULL;
	va_list args;
	va_start(args, arg);
	char **argv = listed(&h, arg, args, &envp);
	va_end(args);
	int got = argv ? execve(path, argv, envp) : -1;
	give_back(&h);
	return got;
}

/* The parent leaves inside of the C library, where nobody sees it. */
HB__EXPORT int daemon(int stays_here, int keeps_files)
{
	bool told = hb__process_replaced(true);
	int got = NEXT(daemon)(stays_here, keeps_files), error = errno;
	if (told && got)
		hb__process_replaced(false);
	errno = error;
	return got;
}

HB__EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	struct handed_on h = hand_on(envp);
	int got = NEXT(posix_spawn)(pid, path, actions, attributes, argv, h.list);
	give_back(&h);
	return got;
}

HB__EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	struct handed_on h = hand_on(envp);
	int got = NEXT(posix_spawnp)(pid, file, actions, attributes, argv, h.list);
	give_back(&h);
	return got;
}
