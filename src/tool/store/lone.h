/* A file in the place of a recording: a log of libhbdb-self, which is read as it is, wherever the name of a recording is taken. */
#ifndef HBDB_STORE_LONE_H
#define HBDB_STORE_LONE_H

#include "foreign/foreign.h"
#include "manifest.h"

/* Whether the file begins as such a log does. */
bool hb__is_lone(const char *path);
/* Makes a recording of it in the folder for temporary files, which is removed when this process ends. 0 and its absolute path, or an exit code after having
 * said why. */
int hb__find_lone(const char *path, char **ret_path);
/* The file that a recording was made of by that; the recording itself, when it was not. */
const char *hb__lone_file(const char *recording);
/* The manifest of a recording that was made of a file. */
void hb__lone_manifest(const hb_import_told *told, const char *file, hb_manifest *ret);

#endif
