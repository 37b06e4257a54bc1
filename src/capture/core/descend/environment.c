/* hbdb's variables. A program that hands on an environment of its own making (env -i, sudo, a session of ssh) loses them, and with them
 * the recorder. Nothing is allocated: a child made by vfork asks, too. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/core/descend/descend.h"

#define KEPT_MOST 64
#define PRELOAD "LD_PRELOAD="

extern char **environ;

bool hb__descends;
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

/* Below another root, or as another user, our library may not be there, and the system would complain of that wherever a program begins. */
static bool within_reach(void)
{
	char path[4096];
	size_t n = strcspn(ours, ":");
	if (n >= sizeof path)
		return false;
	memcpy(path, ours, n);
	path[n] = 0;
	return !faccessat(AT_FDCWD, path, R_OK, AT_EACCESS);
}

enum hb__change hb__environment_change(char *const *given)
{
	if (likely(!ours) || !folder)
		return HB__AS_IT_IS;
	/* another hbdb begins a recording of its own */
	char *const *other = find(given, folder);
	if (other && strcmp(*other, folder))
		return HB__AS_IT_IS;
	bool has = preloads(preload_in(given)), reached = within_reach();
	bool all = has;
	for (size_t i = 0; all && i < nkept; i++)
		all = find(given, kept[i]) != NULL;
	return has && !reached ? HB__WITHOUT_OURS : !all && reached ? HB__WITH_OURS : HB__AS_IT_IS;
}

size_t hb__environment_places(char *const *given)
{
	size_t n = 0;
	while (given && given[n])
		n++;
	return n + nkept + 2;
}

size_t hb__environment_preload(char *const *given)
{
	const char *had = preload_in(given);
	return strlen(PRELOAD) + strlen(ours) + 2 + (had ? strlen(had) : 0);
}

static char *append(char *w, const char *text)
{
	size_t n = strlen(text);
	memcpy(w, text, n + 1);
	return w + n;
}

/* The libraries of others. */
static char *write_others(char *w, const char *had, const char *before)
{
	for (const char *p = had ? had + strlen(PRELOAD) : ""; *p; p += strspn(p, ": ")) {
		size_t n = strcspn(p, ": ");
		if (!is_ours(p, n)) {
			w = append(w, before);
			w = mempcpy(w, p, n);
			before = ":";
		}
		p += n;
	}
	*w = 0;
	return w;
}

void hb__environment_for(char *const *given, enum hb__change change, char **room, char *preload)
{
	char *const *all = given;
	const char *had = preload_in(given);
	for (; given && *given; given++)
		if (!same_name(PRELOAD, *given))
			*room++ = *given;
	char *w = append(preload, PRELOAD);
	if (change == HB__WITH_OURS)
		write_others(append(w, ours), had, ":");
	else
		write_others(w, had, "");
	if (*w)
		*room++ = preload;
	for (size_t i = 0; change == HB__WITH_OURS && i < nkept; i++)
		if (!find(all, kept[i]))
			*room++ = kept[i];
	*room = NULL;
}
