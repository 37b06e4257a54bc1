/* The file of a node: the logs and contents of all its processes, one after the other (hbdb-recording(5), FILES OF NODES), and
 * files within it by their paths: FILE.hbn/NAME stands for the file NAME within it, wherever a log or contents are opened. */
#ifndef HBDB_FORMAT_WITHIN_H
#define HBDB_FORMAT_WITHIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hbdb/format.h>

#define HB_WITHIN_SUFFIX ".hbn"

typedef struct hb_within {
	char *name;
	uint64_t offset, bytes; /* where it stands; of one that is cut off, bytes are those that are there */
	uint64_t sum;           /* XXH3 of all its bytes */
} hb_within;

typedef struct hb_within_list {
	char *node; /* the name of the host */
	hb_within *at;
	size_t n;
	bool cut;          /* it ends early: what stands behind is missing, and its last file may be cut off */
	char trouble[256]; /* why, when cut */
} hb_within_list;

/* What is in the file of a node, by its index, or where it is cut off by the heads of its files. Free with hb_within_close. */
hb_status hb_within_list_open(const char *path, hb_within_list *ret, hb_error *err);
void hb_within_list_close(hb_within_list *list);
/* Also reads all of it, and compares the checksums. */
hb_status hb_within_verify(const char *path, hb_error *err);

/* Whether there is a file at this path, also within a node's. */
bool hb_within_exists(const char *path);
/* How many bytes it has; 0: there is none. */
uint64_t hb_within_bytes(const char *path);

/* Copies a file, also one within a node's, to a new one. */
hb_status hb_within_copy(const char *from, const char *to, hb_error *err);

/* Writes one into a descriptor, which need not be a file: a pipe will do. The calls after one that failed do nothing, and the last one says so. */
typedef struct hb_within_writer {
	int fd;
	uint64_t offset;
	hb_within *at;
	size_t n, cap;
	hb_status status;
	hb_error err;
} hb_within_writer;
void hb_within_begin(hb_within_writer *w, int fd, const char *node);
/* The file at `path` as `name`: a file that does not grow any more. */
void hb_within_add(hb_within_writer *w, const char *path, const char *name);
/* Index and end. */
hb_status hb_within_end(hb_within_writer *w, hb_error *err);

/* A file, mapped: one of its own, or one within a node's. */
typedef struct hb_mapped {
	const uint8_t *at;
	uint64_t bytes;
	int fd;      /* open, of one that is a file of its own: it may grow. -1: it does not */
	void *whole; /* what is mapped, from the begin of a page */
	size_t mapped;
} hb_mapped;
/* HB_E_SYSTEM: not there, or not to be read; HB_E_FOREIGN: not a file; HB_E_DAMAGED: empty. head: the first bytes of a file of its own are read
 * before its size is looked at, so that one that grows meanwhile does not look cut; what is not there of them is left as it is. */
hb_status hb__map(const char *path, void *head, size_t head_bytes, hb_mapped *ret, hb_error *err);
void hb__unmap(hb_mapped *m);

#endif
