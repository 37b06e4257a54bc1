/* The words of a call of a compiler: which are files, which are values of options, and what is built. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "building.h"

static bool among(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

static bool begins(const char *word, const char *with) { return !strncmp(word, with, strlen(with)); }

static bool begins_among(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (begins(word, *list))
			return true;
	return false;
}

/* Options whose value is the next word, where it does not hang on them. */
static const char *const valued[] = {"-D", "-U", "-I", "-L", "-A", "-B", "-u", "-e", "-z", "-T", "-x", "-include",
	"-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot",
	"-imultilib", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xclang", "-Xopenmp-target", "-aux-info", "--param",
	"-target", "--sysroot", "-wrapper", "-dumpbase", "-dumpbase-ext", "-dumpdir", "-fintrinsic-modules-path",
	"-mllvm", "-arch", "-R", "-h", "-G", NULL};
/* The same of options that are not for the second run. */
static const char *const valued_dropped[] = {"-MF", "-MT", "-MQ", "-MJ", NULL};
/* They write files of the user's, or take part in what does. -c and -o: we say where. */
static const char *const dropped[] = {
	"-c", "-MD", "-MMD", "-MP", "-MG", "-gsplit-dwarf", "-fstack-usage", "-fcallgraph-info", NULL};
static const char *const dropped_begins[] = {"-MF", "-MT", "-MQ", "-MJ", "-Wp,-M", "-save-temps", "--save-temps",
	"-fdump-", "-Wl,-Map", "-Wl,--Map", "-Wl,--dependency-file", "-fsave-optimization-record", "-ftime-trace",
	"-fopt-info", NULL};
/* Of a program that is linked they must stay, for what has no copy; a copy is compiled without. */
static const char *const linking_begins[] = {"-flto", "--coverage", "-ftest-coverage", "-fprofile-", NULL};
/* Nothing is built, or nothing that a copy could be of. */
static const char *const other[] = {"-E", "-S", "-M", "-MM", "-r", "-fsyntax-only", "-###", "--help", "--version",
	"-showme", "-show", "--showme", "-compile_info", "-link_info", "-emit-llvm", "-fgnu-tm", "-m32", "-mx32", "-",
	NULL};
static const char *const other_begins[] = {"-print", "--print", "-dumpmachine", "-dumpversion", "-dumpspecs",
	"-dumpfullversion", "--target-help", "--help=", "-showme:", "--showme:", "-fsanitize=thread",
	"-fsanitize=address", "-fsanitize=memory", "-fsanitize=hwaddress", NULL};

static const char *suffix_of(const char *path)
{
	const char *name = strrchr(path, '/'), *dot;
	name = name ? name + 1 : path;
	dot = strrchr(name, '.');
	return dot ? dot + 1 : "";
}

static bool is_fortran(const char *suffix)
{
	static const char *const list[] = {"f", "for", "ftn", "F", "FOR", "FTN", "fpp", "FPP", "f90", "f95", "f03",
		"f08", "F90", "F95", "F03", "F08", NULL};
	return among(list, suffix);
}

/* Assembler is none: there is nothing to put calls in front of. */
static bool is_source(const char *suffix)
{
	static const char *const list[] = {
		"c", "i", "C", "cc", "cp", "cpp", "CPP", "cxx", "c++", "ii", "m", "mi", "mm", NULL};
	return among(list, suffix) || is_fortran(suffix);
}

/* ---- response files ---- */

static void push_words(hb_strings *list, const char *word, int depth);

/* As GCC reads them: words between white space, quotes of both kinds, and a backslash before any character. */
static void push_file(hb_strings *list, hb_bytes text, int depth)
{
	char *word = hb__alloc(text.n + 1);
	for (size_t i = 0; i < text.n;) {
		size_t n = 0;
		char quote = 0;
		while (i < text.n && isspace(text.at[i]))
			i++;
		if (i == text.n)
			break;
		for (; i < text.n && (quote || !isspace(text.at[i])); i++) {
			char c = (char)text.at[i];
			if (c == '\\' && i + 1 < text.n)
				word[n++] = (char)text.at[++i];
			else if (quote ? c == quote : c == '\'' || c == '"')
				quote = quote ? 0 : c;
			else
				word[n++] = c;
		}
		word[n] = 0;
		push_words(list, word, depth + 1);
	}
	free(word);
}

static void push_words(hb_strings *list, const char *word, int depth)
{
	hb_bytes text;
	if (*word == '@' && depth < 32 && hb__bytes_read(word + 1, &text)) {
		push_file(list, text, depth);
		hb__bytes_free(&text);
	} else
		hb__push(list, word);
}

/* ---- reading ---- */

/* The name by which a shared library is loaded, where the linker is told: -Wl,-soname,NAME, -Wl,-soname=NAME, -Wl,-h,NAME. */
static const char *soname_of(const char *word)
{
	static const char *const form[] = {
		"-Wl,-soname,", "-Wl,-soname=", "-Wl,--soname,", "-Wl,--soname=", "-Wl,-h,", NULL};
	for (const char *const *f = form; *f; f++)
		if (begins(word, *f))
			return word + strlen(*f);
	return NULL;
}

static hb_word option(hb_build *b, const char *word, bool *ret_compiles)
{
	if (!strcmp(word, "-c"))
		*ret_compiles = true;
	if (among(other, word) || begins_among(other_begins, word))
		b->purpose = HB_PURPOSE_OTHER;
	if (!strcmp(word, "-shared") || !strcmp(word, "--shared"))
		b->shared = true;
	if (!strcmp(word, "-static") || !strcmp(word, "--static") || !strcmp(word, "-static-pie"))
		b->is_static = true;
	if (soname_of(word))
		b->soname = soname_of(word);
	if (begins(word, "-l") && word[2])
		return HB_WORD_LIBRARY;
	if (begins_among(linking_begins, word))
		return HB_WORD_LINKING;
	return among(dropped, word) || begins_among(dropped_begins, word) ? HB_WORD_DROPPED : HB_WORD_KEPT;
}

/* `ccache gcc -c a.c`: how many words name the compiler. What comes behind them is an option, a source, or a file that nobody can run. */
static size_t compiler_of(const hb_build *b)
{
	size_t n = 1;
	while (n < b->word.n && *b->word.at[n] != '-' && !is_source(suffix_of(b->word.at[n])) &&
		(access(b->word.at[n], R_OK) || !access(b->word.at[n], X_OK)))
		n++;
	return n;
}

/* The kind of word i, and of its value, which may be the next one. Returns how many words that are. */
static size_t read_word(hb_build *b, size_t i, const char **language, bool *ret_compiles)
{
	const char *word = b->word.at[i], *next = i + 1 < b->word.n ? b->word.at[i + 1] : NULL;
	if (*word != '-' || !word[1]) {
		bool told = *language && strcmp(*language, "none") != 0;
		const char *suffix = told ? "" : suffix_of(word);
		b->is_fortran |= told ? begins(*language, "f") : is_fortran(suffix);
		b->kind[i] = told                ? begins(*language, "assembler") ? HB_WORD_FILE : HB_WORD_SOURCE
			     : is_source(suffix) ? HB_WORD_SOURCE
						 : HB_WORD_FILE;
		if (!strcmp(word, "-") || (told && strstr(*language, "-header")))
			b->purpose = HB_PURPOSE_OTHER;
		return 1;
	}
	/* -xHOST and the like are of compilers that have processors there, not languages */
	if (begins(word, "-J") || begins(word, "-o") || (begins(word, "-x") && !isupper((unsigned char)word[2]))) {
		const char *value = word[2] ? word + 2 : next;
		hb_word kind = word[1] == 'J' ? HB_WORD_MODULES : word[1] == 'o' ? HB_WORD_DROPPED : HB_WORD_KEPT;
		*(word[1] == 'J' ? &b->modules : word[1] == 'o' ? &b->output : language) = value;
		b->kind[i] = kind;
		if (!word[2] && next)
			b->kind[i + 1] = kind;
		return word[2] || !next ? 1 : 2;
	}
	bool is_dropped = among(valued_dropped, word);
	if (next && (is_dropped || among(valued, word))) {
		bool ours = is_dropped || (!strcmp(word, "-Xlinker") &&
						  (begins(next, "-Map=") || begins(next, "--dependency-file=")));
		b->kind[i] = b->kind[i + 1] = ours ? HB_WORD_DROPPED : HB_WORD_KEPT;
		return 2;
	}
	b->kind[i] = option(b, word, ret_compiles);
	return 1;
}

void hb__build_read(char **words, hb_build *ret_build)
{
	*ret_build = (hb_build){.purpose = HB_PURPOSE_LINK};
	for (char **w = words; *w; w++)
		push_words(&ret_build->word, *w, w == words ? 32 : 0);
	ret_build->kind = hb__alloc((ret_build->word.n + 1) * sizeof *ret_build->kind);
	const char *language = NULL;
	bool compiles = false;
	size_t files = 0, sources = 0;
	size_t compiler = compiler_of(ret_build);
	for (size_t i = 0; i < compiler; i++)
		ret_build->kind[i] = HB_WORD_KEPT;
	for (size_t i = compiler; i < ret_build->word.n;)
		i += read_word(ret_build, i, &language, &compiles);
	for (size_t i = 1; i < ret_build->word.n; i++) {
		sources += ret_build->kind[i] == HB_WORD_SOURCE;
		files += ret_build->kind[i] == HB_WORD_SOURCE || ret_build->kind[i] == HB_WORD_FILE;
	}
	if (ret_build->purpose == HB_PURPOSE_LINK && compiles)
		ret_build->purpose = sources ? HB_PURPOSE_COMPILE : HB_PURPOSE_OTHER;
	else if (!files)
		ret_build->purpose = HB_PURPOSE_OTHER;
}

void hb__build_free(hb_build *build)
{
	hb__strings_free(&build->word);
	free(build->kind);
	free(build->folder);
}

char *hb__build_object(const char *source)
{
	const char *name = strrchr(source, '/');
	name = name ? name + 1 : source;
	const char *dot = strrchr(name, '.');
	return hb__format("%.*s.o", (int)(dot ? dot - name : (long)strlen(name)), name);
}
