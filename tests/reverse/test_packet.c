/* Packets of gdb's remote protocol: what goes into a frame comes out of it, in however many parts it comes; damage is noticed, and nothing is
 * read or written outside of its room (the sanitizers look). */
#include "reverse/remote/packet.h"

#include <string.h>

#include "check.h"

static unsigned state = 1;
static unsigned next(void) { return state = state * 1103515245u + 12345u, state >> 16; }

static char room[HB_PACKET_MAX + 1];

static void round_trips(void)
{
	char data[600], frame[2 * sizeof data + 4];
	bool good = true;
	for (int turn = 0; turn < 3000; turn++) {
		size_t n = next() % sizeof data, used, size;
		for (size_t i = 0; i < n; i++)
			data[i] = (char)(next() % 4 ? (int)next() : "$#}*+-"[next() % 6]);
		size_t length = hb_packet_frame(data, n, frame);
		good &= hb_packet_take(frame, length, &used, room, &size) == HB_PACKET_WHOLE && used == length &&
			size == n && !memcmp(room, data, n) && !room[n];
		size_t part = next() % length;
		char *copy = malloc(part + 1);
		memcpy(copy, frame, part);
		good &= hb_packet_take(copy, part, &used, room, &size) == HB_PACKET_MORE;
		free(copy);
	}
	check(good, "3000 packets, whole and in parts");
}

static void known(void)
{
	size_t used, size;
	check(hb_packet_take("$OK#9a+", 7, &used, room, &size) == HB_PACKET_WHOLE && used == 6 && !strcmp(room, "OK"),
		"OK");
	check(hb_packet_take("$OK#9b", 6, &used, room, &size) == HB_PACKET_BAD && used == 6, "a wrong sum");
	check(hb_packet_take("$OK#zz", 6, &used, room, &size) == HB_PACKET_BAD, "a sum that is no number");
	check(hb_packet_take("+", 1, &used, room, &size) == HB_PACKET_ACCEPTED && used == 1, "+");
	check(hb_packet_take("-", 1, &used, room, &size) == HB_PACKET_AGAIN, "-");
	check(hb_packet_take("\3", 1, &used, room, &size) == HB_PACKET_INTERRUPT, "an interrupt");
	check(hb_packet_take("x", 1, &used, room, &size) == HB_PACKET_NOISE, "anything else");
	check(hb_packet_take("", 0, &used, room, &size) == HB_PACKET_MORE && !used, "nothing");
	check(hb_packet_take("$}", 2, &used, room, &size) == HB_PACKET_MORE, "half of a marked byte");
	static char much[HB_PACKET_MAX + 10];
	memset(much, 'a', sizeof much);
	much[0] = '$';
	check(hb_packet_take(much, sizeof much, &used, room, &size) == HB_PACKET_TOO_LONG,
		"more than there is room for");
	uint64_t number;
	char bytes[2];
	check(hb_hex_number("1fz", &number) == 2 && number == 31, "a number");
	check(!hb_hex_number("z", &number), "no number");
	check(hb_hex_bytes("0aff", bytes, 2) && bytes[0] == 10 && !hb_hex_bytes("0aff", bytes, 3) &&
			!hb_hex_bytes("0g", bytes, 1),
		"bytes");
}

static void noise(void)
{
	char text[200];
	size_t taken = 0;
	for (int turn = 0; turn < 20000; turn++) {
		size_t n = next() % sizeof text, at = 0, used, size;
		char *copy = malloc(n + 1);
		for (size_t i = 0; i < n; i++)
			copy[i] = (char)(next() % 3 ? (int)next() : "$#}0"[next() % 4]);
		while (at < n && hb_packet_take(copy + at, n - at, &used, room, &size) != HB_PACKET_MORE && used) {
			at += used;
			taken++;
		}
		free(copy);
	}
	check(taken > 20000, "random bytes: %zu things taken from them", taken);
}

int main(void)
{
	known();
	round_trips();
	noise();
	return check_end();
}
