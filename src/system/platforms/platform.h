/* A platform: how programs are started, reached and debugged on a kind of node, as a file says it: hbdb-platform(5). */
#ifndef HBDB_SYSTEM_PLATFORMS_PLATFORM_H
#define HBDB_SYSTEM_PLATFORMS_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

#define HB_PLATFORM_WHY 512 /* bytes of a sentence that says what is wrong, with a null behind it */

/* Texts belong to it. NULL: the file does not say. */
typedef struct hb_platform {
	char *name, *file; /* what it was loaded as, without folder and ending; its path */
	char *processor, *runner, *library, *start, *reach, *list, *gdb, *stub;
	bool big_endian;
	unsigned word; /* bits of a pointer: 32 or 64 */
} hb_platform;

/* By its name, or by a path with a slash. NULL: ret_why says why not, with file and line. Free it with hb_platform_free. */
hb_platform *hb_platform_load(const char *name, char ret_why[HB_PLATFORM_WHY]);
void hb_platform_free(hb_platform *platform);

/* The names that hb_platform_load finds, sorted, each once, with NULL behind them: free them with hb_platform_words_free. A name is listed whether or not its
 * file can be read. NULL: out of memory. */
char **hb_platform_names(void);

/* The words of a line of a platform (start, reach, list; NULL: {command}), with {node}, {command} and {quoted} as given: free them with
 * hb_platform_words_free. node: NULL where the line has none; command: NULL likewise, else words up to NULL. NULL: ret_why says what is missing, or that
 * memory is. */
char **hb_platform_words(const char *line, const char *node, const char *const *command, char ret_why[HB_PLATFORM_WHY]);
void hb_platform_words_free(char **words);

/* The variable of `stub` with its value: free it. NULL: the platform has none, or memory is gone. */
char *hb_platform_stub(const hb_platform *platform, const char *socket);

/* The command as one word that a POSIX shell reads as these words: free it. NULL: out of memory. */
char *hb_platform_quoted(const char *const *command);

#endif
