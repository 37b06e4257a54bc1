/* Programs that are built twice: `hbdb cc` and `hbdb fc`.
 *
 * The compiler is run as it was called; what it makes is the user's. Then it is run once more with -fsanitize=thread -g, which has a call in
 * front of each access to memory. That copy of an object lies in a section of the object itself, SECTION, which linkers leave out of
 * programs (SHF_EXCLUDE) and keep where they make an object of objects. Where a program is linked, another one is linked of the copies, and
 * laid beside it. Whatever goes wrong in the second run is one line, and nothing else: the user's program is there.
 *
 * The section: parts, one behind the other, each of them PART_MAGIC, its length (u64), and an object. Several where objects were joined (ld -r). */
#ifndef HBDB_BUILDING_H
#define HBDB_BUILDING_H

#include "../tool.h"

#define HB_WATCHED_SECTION ".hbdb.watched"
#define HB_WATCHED_SUFFIX ".hbdb-watched"
#define HB_WATCHED_FOLDER \
	".hbdb-watched" /* in the folder of a shared library: its copy under the name by which it is loaded */

typedef enum hb_word {
	HB_WORD_KEPT,
	HB_WORD_DROPPED, /* not for the second run: it would write a file of the user's again */
	HB_WORD_LINKING, /* for the linker alone */
	HB_WORD_SOURCE,  /* a file that is compiled */
	HB_WORD_FILE,    /* a file that is linked */
	HB_WORD_LIBRARY, /* -lNAME */
	HB_WORD_MODULES, /* -JFOLDER: where Fortran's modules are written, and looked for */
} hb_word;

typedef enum hb_purpose {
	HB_PURPOSE_OTHER, /* nothing is built that a copy would be of any use for */
	HB_PURPOSE_COMPILE,
	HB_PURPOSE_LINK,
} hb_purpose;

/* A call of a compiler, read. */
typedef struct hb_build {
	hb_strings word; /* its words, those of response files in their places; the first one is the compiler */
	hb_word *kind;   /* of each word */
	hb_purpose purpose;
	const char *output;  /* -o; NULL: none was given */
	const char *modules; /* -J; NULL: none was given */
	const char *soname;  /* as the linker was told; NULL: it was not */
	bool shared, is_static, is_fortran;
	bool clang;     /* the compiler is clang: seen in what it made */
	char *folder;   /* of ours, for the second run's files */
	unsigned files; /* that were made in it */
} hb_build;

/* Reads the words of a call. */
void hb__build_read(char **words, hb_build *ret_build);
void hb__build_free(hb_build *build);
/* The object that the compiler makes of a source, where it is not told: free it. */
char *hb__build_object(const char *source);
/* A path in the folder for files of the second run, NULL where there is none: free it. */
char *hb__build_file(hb_build *build, const char *suffix);

/* Runs a command; output: NULL, or the file that gets what it prints. Its exit status: 128 + signal where it was killed, 126 and
 * 127 where it did not start, which *ret_error tells by errno (0: it did). */
int hb__build_run(char *const *words, const char *output, int *ret_error);

/* The first line of a compiler's output that tells of an error, or its first one: free it. */
char *hb__build_said(const char *path);
/* Whether clang made a file: that stands in it. */
bool hb__build_is_clangs(const char *path);

/* The second run, behind the compiler's own. */
void hb__build_compile(hb_build *build);
void hb__build_link(hb_build *build);
/* One instrumented object of one source at `to`. False: the compiler made none, *ret_why is the first line that it said; free it. */
bool hb__build_source(hb_build *build, const char *source, const char *to, char **ret_why);

/* hbdb cc and hbdb fc: does all of it, and returns the exit status of the compiler. */
int hb__build(const char *command, char **words);

/* ---- copies.c: the section ---- */

/* A file in memory. */
typedef struct hb_bytes {
	unsigned char *at;
	size_t n;
} hb_bytes;
bool hb__bytes_read(const char *path, hb_bytes *ret_bytes);
void hb__bytes_free(hb_bytes *bytes);
bool hb__bytes_write(const char *path, const void *at, size_t n);

/* Writes `object` again with the section, of the contents of `copy`; its other bytes stay as they are. NULL, or why it could not
 * be done: static. */
const char *hb__copy_attach(const char *object, const char *copy);
/* The section of an object in memory; n 0: it has none. The bytes are those of `object`. */
hb_bytes hb__copy_section(hb_bytes object);
/* The next object of a section; false: there is none. */
bool hb__copy_next(hb_bytes *section, hb_bytes *ret_object);
bool hb__is_object(hb_bytes file);

/* ---- archive.c ---- */

typedef struct hb_member {
	char *name;
	hb_bytes bytes; /* aligned: its own */
} hb_member;
bool hb__is_archive(hb_bytes file);
/* The members of an archive that lies at `path`, but for its tables. False: it is damaged. hb__archive_free. */
bool hb__archive_members(const char *path, hb_bytes archive, hb_member **ret_member, size_t *ret_n);
void hb__archive_free(hb_member *member, size_t n);

#endif
