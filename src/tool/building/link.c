/* The second run of a link: of the copies, to a file beside the user's. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../job/setup.h"
#include "building.h"

typedef struct linking {
	hb_build *build;
	hb_strings words, folders; /* folders: -L */
	size_t copies;             /* objects that have one */
	char *lacks;               /* the first object that has none, while there are others */
	hb_strings searched;       /* folders in which copies of shared libraries are */
} linking;

/* ---- objects and archives ---- */

/* The parts of an object's section as files, into `to`. How many. */
static size_t extract(linking *l, hb_bytes object, hb_strings *to)
{
	hb_bytes section = hb__copy_section(object), part;
	size_t n = 0;
	while (hb__copy_next(&section, &part)) {
		char *file = hb__build_file(l->build, ".o");
		if (file && hb__bytes_write(file, part.at, part.n)) {
			hb__push(to, file);
			n++;
		}
		free(file);
	}
	l->copies += n;
	return n;
}

/* The members of an archive with copies in the places of those that have one; free it. NULL: none has, or it cannot be done. */
static char *archive_of_copies(linking *l, const char *path, hb_bytes file)
{
	hb_member *member;
	size_t n, found = 0;
	if (!hb__archive_members(path, file, &member, &n))
		return NULL;
	char *archive = hb__build_file(l->build, ".a"), *list = hb__build_file(l->build, ".list"),
	     *said = hb__build_file(l->build, ".said");
	hb_strings files = {0};
	for (size_t i = 0; i < n; i++) {
		size_t parts = extract(l, member[i].bytes, &files);
		found += parts;
		char *plain = parts ? NULL : hb__build_file(l->build, ".o");
		if (plain && hb__bytes_write(plain, member[i].bytes.at, member[i].bytes.n))
			hb__push(&files, plain);
		free(plain);
	}
	hb__archive_free(member, n);
	FILE *f = found && list ? fopen(list, "we") : NULL;
	for (size_t i = 0; f && i < files.n; i++)
		fprintf(f, "%s\n", files.at[i]);
	int error = 0;
	char *at_list = hb__format("@%s", list ? list : "");
	hb_strings ar = {0};
	hb__push(&ar, "ar");
	hb__push(&ar, "qcs");
	hb__push(&ar, archive ? archive : "");
	hb__push(&ar, at_list);
	bool good = f && !fclose(f) && !hb__build_run(ar.at, said, &error);
	hb__strings_free(&ar);
	free(at_list);
	free(list);
	free(said);
	hb__strings_free(&files);
	if (good)
		return archive;
	free(archive);
	return NULL;
}

/* ---- shared libraries ---- */

/* The copy of a shared library lies in a folder beside it, under the name by which it is loaded. NULL: there is none; free it. */
static char *copy_of_shared(linking *l, const char *path)
{
	char *real = realpath(path, NULL), *here = real ? hb__copy(real) : NULL;
	char *folder = here ? hb__format("%s/" HB_WATCHED_FOLDER, dirname(here)) : NULL;
	const char *slash = real ? strrchr(real, '/') : NULL;
	char *copy = folder ? hb__format("%s%s", folder, slash) : NULL;
	/* libx.so.1.2.3 is loaded as libx.so.1 */
	while (copy && access(copy, R_OK)) {
		char *dot = strrchr(copy, '.');
		if (dot && dot[1] >= '0' && dot[1] <= '9')
			*dot = 0;
		else {
			free(copy);
			copy = NULL;
		}
	}
	if (copy) {
		hb__push(&l->searched, folder);
		l->copies++;
	}
	free(real);
	free(here);
	free(folder);
	return copy;
}

/* ---- words ---- */

/* What stands in the place of a file, into `to`. */
static void push_file(linking *l, const char *path, hb_strings *to)
{
	hb_bytes file;
	char *other = NULL;
	if (!hb__bytes_read(path, &file)) {
		hb__push(to, path);
		return;
	}
	if (hb__is_archive(file))
		other = archive_of_copies(l, path, file);
	else if (hb__is_object(file)) {
		if (extract(l, file, to)) {
			hb__bytes_free(&file);
			return;
		}
		if (!l->lacks)
			l->lacks = hb__copy(path);
	} else
		other = copy_of_shared(l, path);
	hb__push(to, other ? other : path);
	free(other);
	hb__bytes_free(&file);
}

/* -lNAME: as the linker looks for it, in the folders of -L alone; the system's have no copies. */
static void push_library(linking *l, const char *word)
{
	for (size_t i = 0; i < l->folders.n; i++) {
		bool exact = word[2] == ':';
		char *shared = exact ? hb__format("%s/%s", l->folders.at[i], word + 3)
				     : hb__format("%s/lib%s.so", l->folders.at[i], word + 2);
		char *archive = hb__format("%s/lib%s.a", l->folders.at[i], word + 2);
		const char *found = !access(shared, R_OK) ? shared : !exact && !access(archive, R_OK) ? archive : NULL;
		hb_strings files = {0};
		if (found)
			push_file(l, found, &files);
		/* a library without copies stays as it was named */
		bool other = files.n == 1 && strcmp(files.at[0], found) != 0;
		if (found)
			hb__push(&l->words, other ? files.at[0] : word);
		hb__strings_free(&files);
		free(shared);
		free(archive);
		if (found)
			return;
	}
	hb__push(&l->words, word);
}

/* -Wl,--whole-archive,liba.a,...: files in it have copies, too. */
static void push_for_linker(linking *l, const char *word)
{
	char *parts = hb__copy(word), *rest = parts, *all = hb__copy("");
	for (char *part; (part = strsep(&rest, ","));) {
		size_t n = strlen(part);
		bool is_file = n > 2 && *part != '-' && (!strcmp(part + n - 2, ".a") || !strcmp(part + n - 2, ".o"));
		hb_strings files = {0};
		if (is_file)
			push_file(l, part, &files);
		else
			hb__push(&files, part);
		for (size_t i = 0; i < files.n; i++) {
			char *more = hb__format("%s%s%s", all, *all ? "," : "", files.at[i]);
			free(all);
			all = more;
		}
		hb__strings_free(&files);
	}
	hb__push(&l->words, all);
	free(all);
	free(parts);
}

/* A source that is linked in the same call. */
static void push_source(linking *l, const char *source)
{
	char *copy = hb__build_file(l->build, ".o"), *why = NULL;
	bool good = copy && hb__build_source(l->build, source, copy, &why);
	if (good)
		l->copies++;
	else
		hb__say("%s: no instrumented copy of it can be made: %s", source, why ? why : "no folder for it");
	/* -x in front of it would be said of the object, too */
	if (good)
		hb__push(&l->words, "-xnone");
	hb__push(&l->words, good ? copy : source);
	free(copy);
	free(why);
}

static void find_folders(linking *l)
{
	const hb_build *b = l->build;
	for (size_t i = 1; i < b->word.n; i++) {
		const char *word = b->word.at[i], *next = i + 1 < b->word.n ? b->word.at[i + 1] : "";
		if (b->kind[i] == HB_WORD_KEPT && !strncmp(word, "-L", 2))
			hb__push(&l->folders, word[2] ? word + 2 : next);
	}
}

static void push_word(linking *l, size_t i)
{
	const char *word = l->build->word.at[i];
	switch (l->build->kind[i]) {
	case HB_WORD_DROPPED:
	case HB_WORD_MODULES:
		break;
	case HB_WORD_SOURCE:
		push_source(l, word);
		break;
	case HB_WORD_FILE:
		push_file(l, word, &l->words);
		break;
	case HB_WORD_LIBRARY:
		push_library(l, word);
		break;
	case HB_WORD_KEPT:
	case HB_WORD_LINKING:
		if (!strncmp(word, "-Wl,", 4))
			push_for_linker(l, word);
		else
			hb__push(&l->words, word);
	}
}

/* ---- the program ---- */

/* Where the copy of a program or library goes: free it. */
static char *place_of(const hb_build *b, const char *output)
{
	if (!b->shared)
		return hb__format("%s" HB_WATCHED_SUFFIX, output);
	char *first = hb__copy(output), *second = hb__copy(output);
	char *place =
		hb__format("%s/" HB_WATCHED_FOLDER "/%s", dirname(first), b->soname ? b->soname : basename(second));
	free(first);
	free(second);
	return place;
}

/* Copies of shared libraries go before the others, wherever the user says that those are: DT_RPATH, which is asked first. */
static void push_searched(linking *l)
{
	for (size_t i = 0; i < l->searched.n; i++) {
		char *word = hb__format("-Wl,-rpath,%s", l->searched.at[i]);
		hb__push(&l->words, word);
		free(word);
	}
	if (l->searched.n)
		hb__push(&l->words, "-Wl,--disable-new-dtags");
}

/* `to`: where it is made, before it takes its place. */
static void link_copies(linking *l, const char *quiet, const char *to, const char *place)
{
	char *said = hb__build_file(l->build, ".said"), *folder = hb__copy(quiet);
	char *rpath = hb__format("-Wl,-rpath,%s", dirname(folder));
	int error;
	push_searched(l);
	hb__push(&l->words, "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset");
	hb__push(&l->words, "-xnone");
	hb__push(&l->words, quiet);
	hb__push(&l->words, rpath);
	hb__push(&l->words, "-o");
	hb__push(&l->words, to);
	if (hb__build_run(l->words.at, said, &error) || rename(to, place)) {
		char *why = hb__build_said(said);
		hb__say("%s cannot be linked: %s", place, why);
		free(why);
		unlink(to);
	} else if (l->lacks)
		hb__say("%s: objects without an instrumented copy are in it as they are, %s for one: what they access is not seen",
			place, l->lacks);
	free(said);
	free(folder);
	free(rpath);
}

void hb__build_link(hb_build *build)
{
	const char *output = build->output ? build->output : "a.out";
	struct stat st;
	if (stat(output, &st) || !S_ISREG(st.st_mode))
		return; /* /dev/null, or a wrapper that only told what it would do */
	linking l = {.build = build};
	char *place = place_of(build, output), *to = hb__format("%s-%d", place, (int)getpid()),
	     *quiet = hb__find_library("quiet");
	unlink(place); /* an older one is not of this program */
	build->clang = hb__build_is_clangs(output);
	find_folders(&l);
	hb__push(&l.words, build->word.at[0]);
	for (size_t i = 1; i < build->word.n; i++)
		push_word(&l, i);
	if (!l.copies)
		goto done;
	if (build->is_static)
		hb__say("%s is linked statically: nothing can be loaded into it, and there is no instrumented copy",
			output);
	else if (!quiet)
		hb__say("libhbdb-quiet.so was found neither next to hbdb nor in ../lib/hbdb: there is no %s", place);
	else {
		char *folder = hb__copy(place);
		if (build->shared)
			mkdir(dirname(folder), 0777);
		free(folder);
		link_copies(&l, quiet, to, place);
	}
done:
	hb__strings_free(&l.words);
	hb__strings_free(&l.folders);
	hb__strings_free(&l.searched);
	free(l.lacks);
	free(place);
	free(to);
	free(quiet);
}
