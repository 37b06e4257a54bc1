/* What a few bytes hold, in sixteen bits: in the code of the caller, for a call would cost as much as the digest. */
#ifndef HBDB_CAPTURE_MPI_SLOTS_TINY_H
#define HBDB_CAPTURE_MPI_SLOTS_TINY_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture/core/memory/memory.h"
#include "capture/mpi/slots/slots.h"

#pragma GCC visibility push(hidden)

/* Bytes; a digest of less is another, and seldom. */
#define HB__TINY_LEAST 4
#define HB__TINY_MOST 16

/* 0 is kept for what is not known. */
static inline uint16_t hb__told(uint64_t h)
{
	uint16_t check = (uint16_t)h;
	return (uint16_t)(check + !check);
}

/* XXH3_64bits of so many bytes, in its pieces: whole it is a call. */
static inline __attribute__((always_inline)) uint64_t hb__hash_tiny(uintptr_t at, uint32_t bytes)
{
	const void *p = (const void *)at;
	return bytes <= 8 ? XXH3_len_4to8_64b(p, bytes, XXH3_kSecret, 0)
			  : XXH3_len_9to16_64b(p, bytes, XXH3_kSecret, 0);
}

/* No mapping has changed since the slot saw anything ... */
static inline __attribute__((always_inline)) bool hb__unchanged(const struct hb__slot *s)
{
	return likely(s->changes == __atomic_load_n(&hb__page_changes, __ATOMIC_RELAXED));
}
/* ... and this lies where it was seen to be readable. */
static inline __attribute__((always_inline)) bool hb__lies_there(const struct hb__seen *seen, uintptr_t buffer)
{
	return likely(buffer - seen->from <= seen->last);
}

/* hb__contents_both of two hashes that hb__told has not been asked about. */
static inline __attribute__((always_inline)) uint16_t hb__told_both(uint64_t in, uint64_t out)
{
	unsigned low = (uint8_t)in, high = (uint8_t)(out >> 8);
	return (uint16_t)((high + !high) << 8 | (low + !low));
}

#pragma GCC visibility pop

#endif
