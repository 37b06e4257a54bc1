/* Little-endian bytes in memory that other processors read, too: files that are mapped, and what processes of several processors share. On a
 * little-endian machine all of this is nothing. */
#ifndef HBDB_BASE_LITTLE_H
#define HBDB_BASE_LITTLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* Behind a structure: its numbers are stored so, and swapped by plain loads and stores. */
#define HB_LITTLE_ENDIAN
/* The address of a number in it, for atomic access; what is stored or was loaded there, to swap. */
#define HB_PLACE(p, member) (&(p)->member)
#define HB_LITTLE(v) (v)
#define HB_ADD(p, member, n, order) __atomic_fetch_add(HB_PLACE(p, member), n, order)

static inline uint16_t hb_little16(uint16_t v) { return v; }
static inline uint32_t hb_little32(uint32_t v) { return v; }
static inline uint64_t hb_little64(uint64_t v) { return v; }

#else

#define HB_LITTLE_ENDIAN __attribute__((scalar_storage_order("little-endian")))
/* The language has no address of a number that is stored so. */
#define HB_PLACE(p, member) ((__typeof__((p)->member) *)(void *)((char *)(p) + offsetof(__typeof__(*(p)), member)))

static inline uint16_t hb_little16(uint16_t v) { return __builtin_bswap16(v); }
static inline uint32_t hb_little32(uint32_t v) { return __builtin_bswap32(v); }
static inline uint64_t hb_little64(uint64_t v) { return __builtin_bswap64(v); }

#define HB_LITTLE(v)                                                   \
	((__typeof__(v))(sizeof(v) == 8   ? hb_little64((uint64_t)(v)) \
			 : sizeof(v) == 4 ? hb_little32((uint32_t)(v)) \
			 : sizeof(v) == 2 ? hb_little16((uint16_t)(v)) \
					  : (v)))
#define HB_ADD(p, member, n, order)                                                                                \
	do {                                                                                                       \
		__typeof__((p)->member) *at_ = HB_PLACE(p, member), was_ = __atomic_load_n(at_, __ATOMIC_RELAXED), \
					now_;                                                                      \
		do                                                                                                 \
			now_ = HB_LITTLE((__typeof__(was_))(HB_LITTLE(was_) + (n)));                               \
		while (!__atomic_compare_exchange_n(at_, &was_, now_, 0, order, __ATOMIC_RELAXED));                \
	} while (0)

#endif

/* A number is stored by one store that others may be reading. */
#define HB_STORE(p, member, v, order) \
	__atomic_store_n(HB_PLACE(p, member), HB_LITTLE((__typeof__((p)->member))(v)), order)

/* Bytes of a row, wherever they stand. */
static inline void hb_put16(uint8_t *w, uint16_t v)
{
	v = hb_little16(v);
	memcpy(w, &v, sizeof v);
}

static inline void hb_put32(uint8_t *w, uint32_t v)
{
	v = hb_little32(v);
	memcpy(w, &v, sizeof v);
}

#endif
