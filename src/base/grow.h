/* Arrays that grow: a pointer, how many elements there are, and how many there is room for. */
#ifndef HBDB_BASE_GROW_H
#define HBDB_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for at least `need` elements of `size` bytes each; what is added is not set. It grows by half, so that adding one after
 * the other takes constant time for each. False: out of memory; the array is as it was. */
bool hb_grow(void **at, size_t *room, size_t need, size_t size);
#define HB_GROW(at, room, need) hb_grow((void **)&(at), &(room), (need), sizeof *(at))

#endif
