/* Arrays in files, in the format of NumPy (.npy, versions 1.0 and 2.0): https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef HBDB_ARRAYS_NPY_H
#define HBDB_ARRAYS_NPY_H

#include "format/trace/tiles.h"

#include "../tool.h"

typedef struct hb_npy {
	hb_element type;
	unsigned rank;
	int64_t extent[HB_DIMENSIONS];
	bool columns; /* the first index is next to each other */
	void *at;     /* all elements, without gaps */
} hb_npy;

/* 0: elements of `rank` extents multiply to this many; else false (more than fit in memory). */
bool hb__npy_elements(const hb_npy *array, uint64_t *ret_n);
/* Makes room, all zero; the rest of *array is set. False: out of memory. */
bool hb__npy_make(hb_npy *array);
/* Reads a file. False: *ret_why says what is wrong, without the path; free it. hb__npy_free. */
bool hb__npy_read(const char *path, hb_npy *ret_array, char **ret_why);
/* Writes it, whole or not at all. False: errno says why. */
bool hb__npy_write(const char *path, const hb_npy *array);
void hb__npy_free(hb_npy *array);
/* Number of an element in `at`. */
uint64_t hb__npy_offset(const hb_npy *array, const int64_t *index);
/* An element as a number; of a complex one `part` 0 or 1. */
double hb__npy_value(const hb_npy *array, uint64_t offset, unsigned part);

#endif
