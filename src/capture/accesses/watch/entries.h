/* What the code of -fsanitize=thread calls, of gcc 12 and later and clang 14 and later: each of it defined. Included once by a library that
 * has defined, before that:
 *
 *   SEEN_READ(p, n), SEEN_WRITE(p, n)   an access of n bytes that is one element, 1 to 16, to be made behind the call
 *   SEEN_RANGE(p, n, access)            of n bytes, of which nobody says what they are: ENTRY_READ or ENTRY_WRITE
 *   SEEN_ATOMIC(p, n)                   n bytes are read and written, and no other thread comes between; SEEN_ATOMIC_READ, SEEN_ATOMIC_WRITE
 *   SEEN_CODE()                         there is instrumented code
 *
 * Atomic operations are done here, for the compiler has put nothing but the call. All of them are sequentially consistent: the order that was
 * asked for is a least one. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ENTRY __attribute__((visibility("default")))
enum { ENTRY_READ = 1, ENTRY_WRITE = 2 }; /* as HB_ACCESS_* */

/* ---- plain accesses ---- */

#define ENTRY_PLAIN(n, size)                                                 \
	ENTRY void __tsan_##n##read##size(void *p) { SEEN_READ(p, size); }   \
	ENTRY void __tsan_##n##write##size(void *p) { SEEN_WRITE(p, size); } \
	ENTRY void __tsan_##n##read_write##size(void *p)                     \
	{                                                                    \
		SEEN_READ(p, size);                                          \
		SEEN_WRITE(p, size);                                         \
	}
#define ENTRY_SIZES(m, n) m(n, 1) m(n, 2) m(n, 4) m(n, 8) m(n, 16)
ENTRY_SIZES(ENTRY_PLAIN, )
ENTRY_SIZES(ENTRY_PLAIN, unaligned_)

#define ENTRY_VOLATILE(n, size)                                                     \
	ENTRY void __tsan_##n##volatile_read##size(void *p) { SEEN_READ(p, size); } \
	ENTRY void __tsan_##n##volatile_write##size(void *p) { SEEN_WRITE(p, size); }
ENTRY_SIZES(ENTRY_VOLATILE, )
ENTRY_SIZES(ENTRY_VOLATILE, unaligned_)

/* With the place given: by interfaces of other languages. */
#define ENTRY_PLACED(n, size)                                 \
	ENTRY void __tsan_read##size##_pc(void *p, void *pc)  \
	{                                                     \
		(void)pc;                                     \
		SEEN_READ(p, size);                           \
	}                                                     \
	ENTRY void __tsan_write##size##_pc(void *p, void *pc) \
	{                                                     \
		(void)pc;                                     \
		SEEN_WRITE(p, size);                          \
	}
ENTRY_SIZES(ENTRY_PLACED, )

ENTRY void __tsan_read_range(void *p, size_t n) { SEEN_RANGE(p, n, ENTRY_READ); }
ENTRY void __tsan_write_range(void *p, size_t n) { SEEN_RANGE(p, n, ENTRY_WRITE); }
ENTRY void __tsan_read_range_pc(void *p, size_t n, void *pc)
{
	(void)pc;
	SEEN_RANGE(p, n, ENTRY_READ);
}
ENTRY void __tsan_write_range_pc(void *p, size_t n, void *pc)
{
	(void)pc;
	SEEN_RANGE(p, n, ENTRY_WRITE);
}

ENTRY void *__tsan_memcpy(void *to, const void *from, size_t n)
{
	SEEN_RANGE((void *)from, n, ENTRY_READ);
	SEEN_RANGE(to, n, ENTRY_WRITE);
	return memcpy(to, from, n);
}
ENTRY void *__tsan_memmove(void *to, const void *from, size_t n)
{
	SEEN_RANGE((void *)from, n, ENTRY_READ);
	SEEN_RANGE(to, n, ENTRY_WRITE);
	return memmove(to, from, n);
}
ENTRY void *__tsan_memset(void *to, int value, size_t n)
{
	SEEN_RANGE(to, n, ENTRY_WRITE);
	return memset(to, value, n);
}

/* The linker puts these in the places of the C library's (--wrap): no call is put in front of those. */
ENTRY void *__wrap_memcpy(void *to, const void *from, size_t n)
{
	SEEN_RANGE((void *)from, n, ENTRY_READ);
	SEEN_RANGE(to, n, ENTRY_WRITE);
	return memcpy(to, from, n);
}
ENTRY void *__wrap_memmove(void *to, const void *from, size_t n)
{
	SEEN_RANGE((void *)from, n, ENTRY_READ);
	SEEN_RANGE(to, n, ENTRY_WRITE);
	return memmove(to, from, n);
}
ENTRY void *__wrap_memset(void *to, int value, size_t n)
{
	SEEN_RANGE(to, n, ENTRY_WRITE);
	return memset(to, value, n);
}

/* ---- what tells nothing of elements: functions, tables of virtual functions, locks of the program's own, other languages ---- */

#define ENTRY_EMPTY(name, ...) \
	ENTRY void name(__VA_ARGS__) {}
ENTRY void __tsan_init(void) { SEEN_CODE(); }
ENTRY_EMPTY(__tsan_func_entry, void *pc __attribute__((unused)))
ENTRY_EMPTY(__tsan_func_exit, void)
ENTRY_EMPTY(__tsan_vptr_read, void **at __attribute__((unused)))
ENTRY_EMPTY(__tsan_vptr_update, void **at __attribute__((unused)), void *to __attribute__((unused)))
ENTRY_EMPTY(__tsan_acquire, void *p __attribute__((unused)))
ENTRY_EMPTY(__tsan_release, void *p __attribute__((unused)))
ENTRY_EMPTY(__tsan_ignore_thread_begin, void)
ENTRY_EMPTY(__tsan_ignore_thread_end, void)
ENTRY_EMPTY(__tsan_flush_memory, void)
ENTRY_EMPTY(__tsan_mutex_create, void *p __attribute__((unused)), unsigned flags __attribute__((unused)))
ENTRY_EMPTY(__tsan_mutex_destroy, void *p __attribute__((unused)), unsigned flags __attribute__((unused)))
ENTRY_EMPTY(__tsan_mutex_pre_lock, void *p __attribute__((unused)), unsigned flags __attribute__((unused)))
ENTRY_EMPTY(__tsan_mutex_post_lock, void *p __attribute__((unused)), unsigned flags __attribute__((unused)),
	int n __attribute__((unused)))
ENTRY_EMPTY(__tsan_mutex_post_unlock, void *p __attribute__((unused)), unsigned flags __attribute__((unused)))
ENTRY_EMPTY(__tsan_mutex_pre_signal, void *p __attribute__((unused)), unsigned flags __attribute__((unused)))
ENTRY_EMPTY(__tsan_mutex_post_signal, void *p __attribute__((unused)), unsigned flags __attribute__((unused)))
ENTRY_EMPTY(__tsan_mutex_pre_divert, void *p __attribute__((unused)), unsigned flags __attribute__((unused)))
ENTRY_EMPTY(__tsan_mutex_post_divert, void *p __attribute__((unused)), unsigned flags __attribute__((unused)))
ENTRY int __tsan_mutex_pre_unlock(void *p, unsigned flags)
{
	(void)p;
	(void)flags;
	return 0;
}

/* ---- atomic operations ---- */

#define ENTRY_FETCH(bits, type, what, operation)                                           \
	ENTRY type __tsan_atomic##bits##_fetch_##what(volatile type *p, type v, int order) \
	{                                                                                  \
		(void)order;                                                               \
		SEEN_ATOMIC((void *)p, bits / 8);                                          \
		return operation(p, v, __ATOMIC_SEQ_CST);                                  \
	}
#define ENTRY_COMPARE(bits, type, what)                                                                        \
	ENTRY int __tsan_atomic##bits##_compare_exchange_##what(                                               \
		volatile type *p, type *expected, type v, int order, int failed)                               \
	{                                                                                                      \
		(void)order;                                                                                   \
		(void)failed;                                                                                  \
		SEEN_ATOMIC((void *)p, bits / 8);                                                              \
		return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	}
#define ENTRY_ATOMIC(bits, type)                                                               \
	ENTRY type __tsan_atomic##bits##_load(const volatile type *p, int order)               \
	{                                                                                      \
		(void)order;                                                                   \
		SEEN_ATOMIC_READ((void *)p, bits / 8);                                         \
		return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                   \
	}                                                                                      \
	ENTRY void __tsan_atomic##bits##_store(volatile type *p, type v, int order)            \
	{                                                                                      \
		(void)order;                                                                   \
		SEEN_ATOMIC_WRITE((void *)p, bits / 8);                                        \
		__atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                      \
	}                                                                                      \
	ENTRY_FETCH(bits, type, add, __atomic_fetch_add)                                       \
	ENTRY_FETCH(bits, type, sub, __atomic_fetch_sub)                                       \
	ENTRY_FETCH(bits, type, and, __atomic_fetch_and)                                       \
	ENTRY_FETCH(bits, type, or, __atomic_fetch_or)                                         \
	ENTRY_FETCH(bits, type, xor, __atomic_fetch_xor)                                       \
	ENTRY_FETCH(bits, type, nand, __atomic_fetch_nand)                                     \
	ENTRY type __tsan_atomic##bits##_exchange(volatile type *p, type v, int order)         \
	{                                                                                      \
		(void)order;                                                                   \
		SEEN_ATOMIC((void *)p, bits / 8);                                              \
		return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                            \
	}                                                                                      \
	ENTRY_COMPARE(bits, type, strong)                                                      \
	ENTRY_COMPARE(bits, type, weak)                                                        \
	ENTRY type __tsan_atomic##bits##_compare_exchange_val(                                 \
		volatile type *p, type expected, type v, int order, int failed)                \
	{                                                                                      \
		__tsan_atomic##bits##_compare_exchange_strong(p, &expected, v, order, failed); \
		return expected;                                                               \
	}
ENTRY_ATOMIC(8, unsigned char)
ENTRY_ATOMIC(16, unsigned short)
ENTRY_ATOMIC(32, unsigned int)
ENTRY_ATOMIC(64, unsigned long long)

/* Of 16 bytes there is one instruction on this processor, which compares and exchanges; it wants -mcx16. */
typedef unsigned __int128 entry_wide;
#define ENTRY_WIDE(what, value)                                                                   \
	ENTRY entry_wide __tsan_atomic128_##what(volatile entry_wide *p, entry_wide v, int order) \
	{                                                                                         \
		(void)order;                                                                      \
		SEEN_ATOMIC((void *)p, 16);                                                       \
		for (entry_wide was = __sync_val_compare_and_swap(p, 0, 0), now;; was = now)      \
			if ((now = __sync_val_compare_and_swap(p, was, value)) == was)            \
				return was;                                                       \
	}
ENTRY_WIDE(exchange, v)
ENTRY_WIDE(fetch_add, was + v)
ENTRY_WIDE(fetch_sub, was - v)
ENTRY_WIDE(fetch_and, was &v)
ENTRY_WIDE(fetch_or, was | v)
ENTRY_WIDE(fetch_xor, was ^ v)
ENTRY_WIDE(fetch_nand, ~(was &v))
ENTRY entry_wide __tsan_atomic128_load(volatile entry_wide *p, int order)
{
	(void)order;
	SEEN_ATOMIC_READ((void *)p, 16);
	return __sync_val_compare_and_swap(p, 0, 0);
}
ENTRY void __tsan_atomic128_store(volatile entry_wide *p, entry_wide v, int order)
{
	__tsan_atomic128_exchange(p, v, order);
}
ENTRY entry_wide __tsan_atomic128_compare_exchange_val(
	volatile entry_wide *p, entry_wide expected, entry_wide v, int order, int failed)
{
	(void)order;
	(void)failed;
	SEEN_ATOMIC((void *)p, 16);
	return __sync_val_compare_and_swap(p, expected, v);
}
ENTRY int __tsan_atomic128_compare_exchange_strong(
	volatile entry_wide *p, entry_wide *expected, entry_wide v, int order, int failed)
{
	entry_wide was = *expected;
	*expected = __tsan_atomic128_compare_exchange_val(p, was, v, order, failed);
	return *expected == was;
}
ENTRY int __tsan_atomic128_compare_exchange_weak(
	volatile entry_wide *p, entry_wide *expected, entry_wide v, int order, int failed)
{
	return __tsan_atomic128_compare_exchange_strong(p, expected, v, order, failed);
}

ENTRY void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
ENTRY void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
