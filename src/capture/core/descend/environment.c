/* hbdb's variables. A program that hands on an environment of its own making (env -i, sudo, a session of ssh) loses them, and with them
 * the recorder. Nothing is allocated: a child made by vfork asks, too. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/core/descend/descend.h"

#define KEPT_MOST 64
#define PRELOAD "LD_PRELOAD="

extern char **environ;

static char *kept[KEPT_MOST]; /* NAME=VALUE, of the names that begin with HBDB_ */
static size_t nkept;
static char *ours;   /* PATH:PATH, the libraries of hbdb in LD_PRELOAD */
static char *folder; /* HBDB_DIR=... */

static bool is_ours(const char *path, size_t n)
{
	const char *slash = memrchr(path, '/', n);
	const char *name = slash ? slash + 1 : path;
	return (size_t)(path + n - name) > 8 && !strncmp(name, "libhbdb-", 8);
}

void hb__environment_keep(void)
{
	const char *preload = getenv("LD_PRELOAD");
	if (!preload)
		return;
	ours = malloc(strlen(preload) + 1);
	char *w = ours;
	for (const char *p = preload; w && *p; p += strspn(p, ": ")) {
		size_t n = strcspn(p, ": ");
		if (is_ours(p, n)) {
			w += w > ours ? (*w = ':', 1) : 0;
			memcpy(w, p, n);
			w += n;
		}
		p += n;
	}
	if (w)
		*w = 0;
	if (w == ours)
		ours = NULL;
	for (char **e = environ; ours && *e && nkept < KEPT_MOST; e++)
		if (!strncmp(*e, "HBDB_", 5) && (kept[nkept] = strdup(*e))) {
			folder = strncmp(*e, "HBDB_DIR=", 9) ? folder : kept[nkept];
			nkept++;
		}
}

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");
	return !strncmp(a, b, n + 1);
}

static char *const *find(char *const *given, const char *variable)
{
	for (; given && *given; given++)
		if (same_name(variable, *given))
			return given;
	return NULL;
}

/* Whether its LD_PRELOAD has the first of our libraries. */
static bool preloads(const char *variable)
{
	size_t n = strcspn(ours, ":");
	for (const char *p = variable ? variable + strlen(PRELOAD) : ""; *p; p += strspn(p, ": ")) {
		size_t m = strcspn(p, ": ");
		if (m == n && !strncmp(p, ours, n))
			return true;
		p += m;
	}
	return false;
}

static const char *preload_in(char *const *given)
{
	char *const *found = find(given, PRELOAD);
	return found ? *found : NULL;
}

/* Below another root our library is not there, and the system would complain of that. */
static bool within_reach(void)
{
	char path[4096];
	size_t n = strcspn(ours, ":");
	if (n >= sizeof path)
		return false;
	memcpy(path, ours, n);
	path[n] = 0;
	return !access(path, R_OK);
}

size_t hb__environment_lacks(char *const *given)
{
	size_t lacks = 0;
	if (likely(!ours) || !folder)
		return 0;
	/* another hbdb begins a recording of its own */
	char *const *other = find(given, folder);
	if (other && strcmp(*other, folder))
		return 0;
	for (size_t i = 0; i < nkept; i++)
		lacks += !find(given, kept[i]);
	lacks += !preloads(preload_in(given));
	return lacks && within_reach() ? lacks : 0;
}

size_t hb__environment_preload(char *const *given)
{
	const char *had = preload_in(given);
	return strlen(PRELOAD) + strlen(ours) + 2 + (had ? strlen(had) : 0);
}

void hb__environment_for(char *const *given, char **room, char *preload)
{
	char *const *all = given;
	const char *had = preload_in(given);
	bool added = !preloads(had);
	for (; given && *given; given++)
		if (!added || !same_name(PRELOAD, *given))
			*room++ = *given;
	if (added) {
		const char *others = had && had[strlen(PRELOAD)] ? had + strlen(PRELOAD) : NULL;
		char *w = stpcpy(stpcpy(preload, PRELOAD), ours);
		if (others)
			stpcpy(stpcpy(w, ":"), others);
		*room++ = preload;
	}
	for (size_t i = 0; i < nkept; i++)
		if (!find(all, kept[i]))
			*room++ = kept[i];
	*room = NULL;
}
