/* The second run of a compilation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "building.h"

/* What a macro says of ThreadSanitizer would make the copy another program than the user's. -g: accesses have source lines. */
static const char *const added[] = {"-c", "-fsanitize=thread", "-U__SANITIZE_THREAD__", "-g",
	"-gno-record-gcc-switches", "-w", "-fno-lto", "-fno-profile-arcs", "-fno-test-coverage", NULL};
/* GCC would turn loops and assignments into instructions and calls that no call is put in front of; what it calls now is seen, as link.c says. */
static const char *const added_gcc[] = {"-fno-tree-loop-distribute-patterns",
#ifdef __x86_64__
	"-mmemcpy-strategy=libcall:-1:noalign", "-mmemset-strategy=libcall:-1:noalign",
#endif
	NULL};
/* clang leaves out reads of what the next statement writes, as no race could be missed by that. */
static const char *const added_clang[] = {"-mllvm", "-tsan-instrument-read-before-write=1", NULL};

char *hb__build_said(const char *path)
{
	hb_bytes text;
	char *found = NULL;
	if (!path || !hb__bytes_read(path, &text))
		return hb__copy("it said nothing");
	text.at[text.n] = 0;
	for (char *line = (char *)text.at, *rest = line; (line = strsep(&rest, "\n"));)
		if (*line && (!found || (strstr(line, "rror") && !strstr(found, "rror")))) {
			free(found);
			found = hb__copy(line);
		}
	hb__bytes_free(&text);
	return found ? found : hb__copy("it said nothing");
}

char *hb__build_file(hb_build *build, const char *suffix)
{
	if (!build->folder) {
		const char *where = getenv("TMPDIR");
		char *folder = hb__format("%s/hbdb-cc-XXXXXX", where && *where ? where : "/tmp");
		if (!mkdtemp(folder)) {
			free(folder);
			return NULL;
		}
		build->folder = folder;
	}
	return hb__format("%s/%u%s", build->folder, ++build->files, suffix);
}

static void push_all(hb_strings *to, const char *const *words)
{
	for (; *words; words++)
		hb__push(to, *words);
}

/* Modules are written into a folder of ours, and read from where the user has his. The compiler itself looks there first. */
static void push_modules(const hb_build *b, const char *folder, hb_strings *to)
{
	hb__push(to, "-J");
	hb__push(to, folder);
	hb__push(to, "-I");
	hb__push(to, b->modules ? b->modules : ".");
}

bool hb__build_source(hb_build *build, const char *source, const char *to, char **ret_why)
{
	hb_strings words = {0};
	char *said = hb__build_file(build, ".said"),
	     *modules = build->is_fortran ? hb__build_file(build, ".modules") : NULL;
	int error;
	if (modules && mkdir(modules, 0700)) {
		free(modules);
		modules = NULL;
	}
	for (size_t i = 0; i < build->word.n; i++) {
		const char *word = build->word.at[i];
		if (build->kind[i] == HB_WORD_KEPT || (build->kind[i] == HB_WORD_SOURCE && !strcmp(word, source)))
			hb__push(&words, word);
	}
	push_all(&words, added);
	push_all(&words, build->clang ? added_clang : added_gcc);
	if (modules)
		push_modules(build, modules, &words);
	hb__push(&words, "-o");
	hb__push(&words, to);
	bool good = !hb__build_run(words.at, said, &error) && !access(to, R_OK);
	*ret_why = good ? NULL : hb__build_said(said);
	hb__strings_free(&words);
	free(said);
	free(modules);
	return good;
}

bool hb__build_is_clangs(const char *path)
{
	static const char mark[] = "clang version ";
	hb_bytes file;
	if (!hb__bytes_read(path, &file))
		return false;
	bool found = memmem(file.at, file.n, mark, sizeof mark - 1) != NULL;
	hb__bytes_free(&file);
	return found;
}

static void compile_one(hb_build *build, const char *source)
{
	char *made = hb__build_object(source), *copy = hb__build_file(build, ".o"), *said = NULL;
	const char *object = build->output ? build->output : made, *why = NULL;
	struct stat st;
	/* to /dev/null, or something else that is no file */
	if (!copy || stat(object, &st) || !S_ISREG(st.st_mode))
		goto done;
	build->clang = hb__build_is_clangs(object);
	if (!hb__build_source(build, source, copy, &said))
		hb__say("%s: there is an object, but no instrumented copy of it: %s", source, said);
	else if ((why = hb__copy_attach(object, copy)) != NULL)
		hb__say("%s: the instrumented copy cannot be put into it: %s", object, why);
done:
	free(made);
	free(copy);
	free(said);
}

void hb__build_compile(hb_build *build)
{
	for (size_t i = 1; i < build->word.n; i++)
		if (build->kind[i] == HB_WORD_SOURCE)
			compile_one(build, build->word.at[i]);
}
