/* Another program. A log of this one ends with it, as it would at its end; the process goes on, and the next program begins a log of its
 * own. */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <unistd.h>

#include "capture/core/descend/descend.h"

extern char **environ;

#define NEXT(name) ((__typeof__(&name))next_of(#name))

/* Looked up each time: it is rare, and a child made by vfork may be the first that asks. */
static void *next_of(const char *name) { return dlsym(RTLD_NEXT, name); }

/* envp, or what is handed on in its place, on the stack of the caller. */
#define HANDED_ON(envp)                                                                                       \
	({                                                                                                    \
		char *const *given_ = (envp);                                                                 \
		enum hb__change change_ = hb__environment_change(given_);                                     \
		char **room_ = change_ ? alloca(hb__environment_places(given_) * sizeof *room_) : NULL;       \
		if (room_)                                                                                    \
			hb__environment_for(given_, change_, room_, alloca(hb__environment_preload(given_))); \
		room_ ? (char *const *)room_ : given_;                                                        \
	})

/* A call that comes back only where it failed. */
#define IN_OUR_PLACE(call)                               \
	do {                                             \
		bool told_ = hb__process_replaced(true); \
		int got_ = (call), error_ = errno;       \
		if (told_)                               \
			hb__process_replaced(false);     \
		errno = error_;                          \
		return got_;                             \
	} while (0)

HB__EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	IN_OUR_PLACE(NEXT(execve)(path, argv, HANDED_ON(envp)));
}

HB__EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	IN_OUR_PLACE(NEXT(execvpe)(file, argv, HANDED_ON(envp)));
}

HB__EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	IN_OUR_PLACE(NEXT(fexecve)(fd, argv, HANDED_ON(envp)));
}

HB__EXPORT int execveat(int folder, const char *path, char *const argv[], char *const envp[], int flags)
{
	int (*next)(int, const char *, char *const[], char *const[], int) = (__typeof__(next))next_of("execveat");
	if (!next) { /* the C library is older than the call */
		errno = ENOSYS;
		return -1;
	}
	IN_OUR_PLACE(next(folder, path, argv, HANDED_ON(envp), flags));
}

HB__EXPORT int execv(const char *path, char *const argv[]) { return execve(path, argv, environ); }
HB__EXPORT int execvp(const char *file, char *const argv[]) { return execvpe(file, argv, environ); }

/* The arguments up to NULL as a list on the stack, and what stands behind that. */
#define LISTED(first, list, behind)                    \
	va_list args_;                                 \
	size_t n_ = 1;                                 \
	va_start(args_, first);                        \
	while (va_arg(args_, char *))                  \
		n_++;                                  \
	va_end(args_);                                 \
	char **list = alloca((n_ + 1) * sizeof *list); \
	va_start(args_, first);                        \
	list[0] = (char *)first;                       \
	for (size_t i_ = 1; i_ <= n_; i_++)            \
		list[i_] = va_arg(args_, char *);      \
	behind;                                        \
	va_end(args_)

HB__EXPORT int execl(const char *path, const char *arg, ...)
{
	LISTED(arg, argv, );
	return execve(path, argv, environ);
}

HB__EXPORT int execlp(const char *file, const char *arg, ...)
{
	LISTED(arg, argv, );
	return execvpe(file, argv, environ);
}

HB__EXPORT int execle(const char *path, const char *arg, ...)
{
	LISTED(arg, argv, char *const *envp = va_arg(args_, char *const *));
	return execve(path, argv, envp);
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
	return NEXT(posix_spawn)(pid, path, actions, attributes, argv, HANDED_ON(envp));
}

HB__EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	return NEXT(posix_spawnp)(pid, file, actions, attributes, argv, HANDED_ON(envp));
}
