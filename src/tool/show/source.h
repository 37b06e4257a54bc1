/* Source lines of call sites, from DWARF. */
#ifndef HBDB_SHOW_SOURCE_H
#define HBDB_SHOW_SOURCE_H

#include "../tool.h"

typedef struct hb_place {
	const char *text; /* file.c:12, or program+0x1234 */
	const char *file; /* as the compiler wrote it, NULL when there is no line */
	int line;
} hb_place;

/* The place of the call that returns to `offset` from the load address of the
 * file. build_id: in hexadecimal, NULL or empty when not known; a file that
 * has another one now gives no lines. Owned by this part, valid to the end. */
const hb_place *hb__source_place(const char *module_path, const char *build_id, uint64_t offset);

/* The place of a call site of a log; NULL when it is not known. */
const hb_place *hb__place_of_site(const hb_log *log, uint32_t site);

/* The debugging information of a file; NULL: there is none. A place `offset` from its load address is offset + *ret_bias there. */
struct Dwfl_Module *hb__source_module(const char *path, const char *build_id, uint64_t *ret_bias);

/* A copy of a report's text with every @PATH+0xOFFSET@ replaced by its place. */
char *hb__with_places(const char *text);

#endif
