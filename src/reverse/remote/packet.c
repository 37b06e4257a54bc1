#include "packet.h"

#include <string.h>

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

hb_packet_kind hb_packet_take(const char *in, size_t n, size_t *ret_used, char *ret, size_t *ret_size)
{
	*ret_used = n ? 1 : 0;
	*ret_size = 0;
	if (!n)
		return HB_PACKET_MORE;
	if (*in != '$')
		return *in == '+'   ? HB_PACKET_ACCEPTED
		       : *in == '-' ? HB_PACKET_AGAIN
		       : *in == 3   ? HB_PACKET_INTERRUPT
				    : HB_PACKET_NOISE;
	unsigned char sum = 0;
	size_t size = 0, i = 1;
	for (; i < n && in[i] != '#'; i++) {
		sum = (unsigned char)(sum + (unsigned char)in[i]);
		char c = in[i];
		if (c == '}') {
			if (++i == n)
				break;
			sum = (unsigned char)(sum + (unsigned char)in[i]);
			c = (char)(in[i] ^ 0x20);
		}
		if (size == HB_PACKET_MAX)
			return HB_PACKET_TOO_LONG;
		ret[size++] = c;
	}
	*ret_used = 0;
	if (i + 2 >= n)
		return HB_PACKET_MORE;
	*ret_used = i + 3;
	ret[size] = 0;
	*ret_size = size;
	int high = digit(in[i + 1]), low = digit(in[i + 2]);
	return high < 0 || low < 0 || high * 16 + low != sum ? HB_PACKET_BAD : HB_PACKET_WHOLE;
}

size_t hb_packet_frame(const char *data, size_t n, char *ret)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char sum = 0;
	size_t size = 0;
	ret[size++] = '$';
	for (size_t i = 0; i < n; i++) {
		char c = data[i];
		/* `*` would be read as a repetition */
		if (c == '$' || c == '#' || c == '}' || c == '*') {
			ret[size++] = '}';
			sum = (unsigned char)(sum + '}');
			c ^= 0x20;
		}
		ret[size++] = c;
		sum = (unsigned char)(sum + (unsigned char)c);
	}
	ret[size++] = '#';
	ret[size++] = digits[sum >> 4];
	ret[size++] = digits[sum & 15];
	return size;
}

size_t hb_hex_number(const char *text, uint64_t *ret)
{
	size_t n = 0;
	*ret = 0;
	for (; digit(text[n]) >= 0; n++)
		*ret = *ret << 4 | (uint64_t)digit(text[n]);
	return n;
}

bool hb_hex_bytes(const char *text, void *ret, size_t n)
{
	unsigned char *to = ret;
	for (size_t i = 0; i < n; i++) {
		int high = digit(text[2 * i]), low = high < 0 ? -1 : digit(text[2 * i + 1]);
		if (low < 0)
			return false;
		to[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

void hb_hex(const void *bytes, size_t n, char *ret)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *from = bytes;
	for (size_t i = 0; i < n; i++) {
		ret[2 * i] = digits[from[i] >> 4];
		ret[2 * i + 1] = digits[from[i] & 15];
	}
	ret[2 * n] = 0;
}
