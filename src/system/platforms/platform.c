/* Reads a platform: lines KEY = VALUE. */
#include "system/platforms/platform.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/platforms/words.h"

#define ENDING ".platform"
#define SIZE_MOST 65536 /* bytes of a file */

static const struct {
	const char *key;
	size_t at;             /* of a text in hb_platform */
	unsigned placeholders; /* HB__NODE, ...: which may stand in it; 0: it is no list of words */
	unsigned needed;       /* one of these has to: else it would do something else than it is for; 0: none */
} texts[] = {
	{"processor", offsetof(hb_platform, processor), 0, 0},
	{"runner", offsetof(hb_platform, runner), 0, 0},
	{"library", offsetof(hb_platform, library), 0, 0},
	{"gdb", offsetof(hb_platform, gdb), 0, 0},
	{"start", offsetof(hb_platform, start), HB__COMMAND | HB__QUOTED | HB__NODE, HB__COMMAND | HB__QUOTED},
	{"reach", offsetof(hb_platform, reach), HB__COMMAND | HB__QUOTED | HB__NODE, HB__COMMAND | HB__QUOTED},
	{"list", offsetof(hb_platform, list), HB__LITERAL, 0},
	{"stub", offsetof(hb_platform, stub), HB__SOCKET, HB__SOCKET},
};
#define TEXTS (sizeof texts / sizeof *texts)

static char **text_of(hb_platform *p, size_t i) { return (char **)(void *)((char *)p + texts[i].at); }

void hb_platform_free(hb_platform *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < TEXTS; i++)
		free(*text_of(p, i));
	free(p->name);
	free(p->file);
	free(p);
}

/* ---- where they are ---- */

/* The folders in which a name is looked for; false: there is no such one any more. */
static bool folder(unsigned nth, char *ret, size_t size)
{
	const char *own = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char self[PATH_MAX];
	*ret = 0;
	switch (nth) {
	case 0:
		if (own && *own)
			snprintf(ret, size, "%s/hbdb/platforms", own);
		else if (home)
			snprintf(ret, size, "%s/.config/hbdb/platforms", home);
		return true;
	case 1:
		snprintf(ret, size, "/etc/hbdb/platforms");
		return true;
	case 2:
	case 3: {
		ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
		self[n > 0 ? n : 0] = 0;
		char *slash = strrchr(self, '/');
		if (slash)
			*slash = 0;
		snprintf(ret, size, "%.4000s%s", self, nth == 2 ? "/platforms" : "/../share/hbdb/platforms");
		return true;
	}
	default:
		return false;
	}
}

static FILE *open_named(const char *name, char *ret_path, size_t size)
{
	char in[PATH_MAX];
	if (strchr(name, '/')) {
		snprintf(ret_path, size, "%s", name);
		return fopen(name, "re");
	}
	for (unsigned i = 0; folder(i, in, sizeof in); i++) {
		snprintf(ret_path, size, "%s/%s" ENDING, in, name);
		FILE *f = *in ? fopen(ret_path, "re") : NULL;
		if (f || (*in && errno != ENOENT && errno != ENOTDIR))
			return f;
	}
	*ret_path = 0;
	errno = ENOENT;
	return NULL;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool is_in(const hb__words *w, const char *name)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->word[i], name))
			return true;
	return false;
}

char **hb_platform_names(void)
{
	hb__words names = {0};
	char in[PATH_MAX];
	bool good = true;
	for (unsigned i = 0; good && folder(i, in, sizeof in); i++) {
		DIR *all = *in ? opendir(in) : NULL;
		for (struct dirent *e; good && all && (e = readdir(all));) {
			size_t n = strlen(e->d_name), ending = strlen(ENDING);
			if (n <= ending || strcmp(e->d_name + n - ending, ENDING))
				continue;
			e->d_name[n - ending] = 0;
			good = is_in(&names, e->d_name) || hb__words_add(&names, e->d_name);
		}
		if (all)
			closedir(all);
	}
	char **list = good ? hb__words_end(&names) : NULL;
	if (!list)
		hb__words_clear(&names);
	else
		qsort(list, names.n, sizeof *list, by_name);
	return list;
}

/* ---- reading ---- */

struct reader {
	hb_platform *p;
	unsigned line;
	bool order, word; /* stood already */
	char *why;
};

static bool fail(const struct reader *r, const char *format, const char *what)
{
	char text[256];
	snprintf(text, sizeof text, format, what);
	snprintf(r->why, HB_PLATFORM_WHY, "%.200s:%u: %.250s", r->p->file, r->line, text);
	return false;
}

static bool set_text(struct reader *r, size_t i, const char *value)
{
	char **text = text_of(r->p, i);
	char wrong[128];
	if (*text)
		return fail(r, "%s stands twice", texts[i].key);
	if (!*value)
		return fail(r, "%s has no value", texts[i].key);
	if (texts[i].placeholders && !hb__words_check(value, texts[i].placeholders, wrong, sizeof wrong))
		return fail(r, "%s", wrong);
	if ((texts[i].needed & HB__COMMAND) && !strstr(value, "{command}") && !strstr(value, "{quoted}"))
		return fail(r, "%s has neither {command} nor {quoted}: nothing would be run by it", texts[i].key);
	if ((texts[i].needed & HB__SOCKET) && !strstr(value, "={socket}"))
		return fail(r, "%s is VARIABLE={socket}", texts[i].key);
	if (!(*text = strdup(value)))
		return fail(r, "%s", "out of memory");
	return true;
}

static bool set(struct reader *r, const char *key, const char *value)
{
	if (!strcmp(key, "byte-order")) {
		if (r->order)
			return fail(r, "%s stands twice", key);
		r->order = true;
		r->p->big_endian = !strcmp(value, "big");
		return r->p->big_endian || !strcmp(value, "little") ||
		       fail(r, "byte-order is little or big, not %.80s", value);
	}
	if (!strcmp(key, "word")) {
		if (r->word)
			return fail(r, "%s stands twice", key);
		r->word = true;
		r->p->word = !strcmp(value, "32") ? 32 : 64;
		return r->p->word == 32 || !strcmp(value, "64") || fail(r, "word is 32 or 64, not %.80s", value);
	}
	for (size_t i = 0; i < TEXTS; i++)
		if (!strcmp(key, texts[i].key))
			return set_text(r, i, value);
	return fail(r, "there is no key %.80s: hbdb-platform(5) lists them", key);
}

static char *trimmed(char *s)
{
	s += strspn(s, " \t\r");
	size_t n = strlen(s);
	while (n && strchr(" \t\r\n", s[n - 1]))
		s[--n] = 0;
	return s;
}

static bool read_line(struct reader *r, char *line)
{
	char *key = trimmed(line), *equal = strchr(key, '=');
	if (!*key || *key == '#')
		return true;
	if (!equal)
		return fail(r, "a line is KEY = VALUE, not %.80s", key);
	*equal = 0;
	char *value = trimmed(equal + 1);
	return set(r, trimmed(key), value);
}

static bool read_file(struct reader *r, FILE *f)
{
	char *line = NULL;
	size_t room = 0, all = 0;
	bool good = true;
	for (ssize_t n; good && (n = getline(&line, &room, f)) >= 0;) {
		r->line++;
		all += (size_t)n;
		if (all > SIZE_MOST)
			good = fail(r, "%s", "the file is longer than a platform's");
		else if (memchr(line, 0, (size_t)n))
			good = fail(r, "%s", "a byte 0 in a text");
		else
			/* an editor says that it is UTF-8 */
			good = read_line(r, line + (r->line == 1 && !strncmp(line, "\xef\xbb\xbf", 3) ? 3 : 0));
	}
	if (good && ferror(f))
		good = fail(r, "%s", strerror(errno));
	free(line);
	return good;
}

/* The name of a file without its folder and its ending. */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name), ending = strlen(ENDING);
	return strndup(name, n > ending && !strcmp(name + n - ending, ENDING) ? n - ending : n);
}

hb_platform *hb_platform_load(const char *name, char ret_why[HB_PLATFORM_WHY])
{
	char path[PATH_MAX + 64];
	*ret_why = 0;
	FILE *f = open_named(name, path, sizeof path);
	if (!f && *path) {
		snprintf(ret_why, HB_PLATFORM_WHY, "%.300s: %s", path, strerror(errno));
		return NULL;
	}
	if (!f) {
		snprintf(ret_why, HB_PLATFORM_WHY,
			"there is no platform %.100s: it would be a file %.100s" ENDING
			" in ~/.config/hbdb/platforms or /etc/hbdb/platforms, see hbdb-platform(5)",
			name, name);
		return NULL;
	}
	hb_platform *p = calloc(1, sizeof *p);
	bool good = p && (p->name = name_of(path)) && (p->file = strdup(path));
	if (!good)
		snprintf(ret_why, HB_PLATFORM_WHY, "out of memory");
	if (good) {
		struct reader r = {.p = p, .why = ret_why};
		p->word = 64;
		good = read_file(&r, f);
	}
	fclose(f);
	if (good)
		return p;
	hb_platform_free(p);
	return NULL;
}
