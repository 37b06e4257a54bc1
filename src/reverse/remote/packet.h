/* Packets of the Remote Serial Protocol as bytes. Knows nothing of what they mean. */
#ifndef HBDB_REVERSE_PACKET_H
#define HBDB_REVERSE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most that gdb may send in one packet, and we in an answer. */
#define HB_PACKET_MAX 0x8000

typedef enum {
	HB_PACKET_MORE, /* it goes on with bytes that are not there yet */
	HB_PACKET_WHOLE,
	HB_PACKET_BAD,       /* its sum is wrong */
	HB_PACKET_ACCEPTED,  /* + */
	HB_PACKET_AGAIN,     /* - */
	HB_PACKET_INTERRUPT, /* a byte 3 */
	HB_PACKET_NOISE,     /* anything else, one byte */
	HB_PACKET_TOO_LONG,
} hb_packet_kind;

/* The first of what is in the n bytes. *ret_used: how many bytes it takes; HB_PACKET_WHOLE: what it holds is in ret[*ret_size], without the
 * signs of the frame and with a null behind it; ret has room for HB_PACKET_MAX + 1 bytes. */
hb_packet_kind hb_packet_take(const char *in, size_t n, size_t *ret_used, char *ret, size_t *ret_size);
/* The frame around n bytes (at most HB_PACKET_MAX); ret has room for 2 * n + 4. The length. */
size_t hb_packet_frame(const char *data, size_t n, char *ret);

/* Hexadecimal. The number of digits read from a text that ends with a null; 0: there is none. */
size_t hb_hex_number(const char *text, uint64_t *ret);
/* n bytes from 2n digits; false: they are none. */
bool hb_hex_bytes(const char *text, void *ret, size_t n);
void hb_hex(const void *bytes, size_t n, char *ret);

#endif
