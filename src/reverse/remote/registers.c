/* Registers of amd64 in gdb's order, which its description of the target tells. */
#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/user.h>

#include "parts.h"

enum {
	FLAGS = 17 * 8,         /* after 16 registers and rip: eflags and six segments of 4 bytes */
	FLOATS = FLAGS + 7 * 4, /* st0 to st7, 10 bytes each */
	CONTROL = FLOATS + 80,  /* fctrl, fstat, ftag, fiseg, fioff, foseg, fooff, fop */
	VECTORS = CONTROL + 32, /* xmm0 to xmm15 */
	MXCSR = VECTORS + 256,
	ORIG = MXCSR + 4,  /* orig_rax, fs_base, gs_base */
	UPPER = ORIG + 24, /* upper halves of ymm0 to ymm15 */
	WITH_UPPER = UPPER + 256,
	AREA = 16384,
};

/* Where the processor's XSAVE area has the upper halves; 0: it has none. */
static unsigned upper_halves(void)
{
	unsigned a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_AVX) || !(c & bit_OSXSAVE) ||
		!__get_cpuid_count(0xd, 2, &a, &b, &c, &d))
		return 0;
	return a >= 256 ? b : 0;
}

static size_t total(void) { return upper_halves() ? WITH_UPPER : UPPER; }

static size_t add(char *text, size_t n, size_t room, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int more = vsnprintf(text + n, room - n, format, ap);
	va_end(ap);
	return more > 0 && (size_t)more < room - n ? n + (size_t)more : n;
}

static size_t add_core(char *t, size_t n, size_t room)
{
	static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10",
		"r11", "r12", "r13", "r14", "r15"};
	static const char *const small[] = {"cs", "ss", "ds", "es", "fs", "gs"};
	static const char *const control[] = {"fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop"};
	n = add(t, n, room, "<feature name=\"org.gnu.gdb.i386.core\"><flags id=\"i386_eflags\" size=\"4\">");
	static const struct {
		const char *name;
		int at;
	} flags[] = {{"CF", 0}, {"", 1}, {"PF", 2}, {"AF", 4}, {"ZF", 6}, {"SF", 7}, {"TF", 8}, {"IF", 9}, {"DF", 10},
		{"OF", 11}, {"NT", 14}, {"RF", 16}, {"VM", 17}, {"AC", 18}, {"VIF", 19}, {"VIP", 20}, {"ID", 21}};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		n = add(t, n, room, "<field name=\"%s\" start=\"%d\" end=\"%d\"/>", flags[i].name, flags[i].at,
			flags[i].at);
	n = add(t, n, room, "</flags>");
	for (int i = 0; i < 16; i++)
		n = add(t, n, room, "<reg name=\"%s\" bitsize=\"64\" type=\"%s\"/>", names[i],
			i == 6 || i == 7 ? "data_ptr" : "int64");
	n = add(t, n, room,
		"<reg name=\"rip\" bitsize=\"64\" type=\"code_ptr\"/>"
		"<reg name=\"eflags\" bitsize=\"32\" type=\"i386_eflags\"/>");
	for (int i = 0; i < 6; i++)
		n = add(t, n, room, "<reg name=\"%s\" bitsize=\"32\" type=\"int32\"/>", small[i]);
	for (int i = 0; i < 8; i++)
		n = add(t, n, room, "<reg name=\"st%d\" bitsize=\"80\" type=\"i387_ext\"/>", i);
	for (int i = 0; i < 8; i++)
		n = add(t, n, room, "<reg name=\"%s\" bitsize=\"32\" type=\"int\" group=\"float\"/>", control[i]);
	return add(t, n, room, "</feature>");
}

static size_t add_vectors(char *t, size_t n, size_t room)
{
	static const char *const types[][3] = {{"v4f", "ieee_single", "4"}, {"v2d", "ieee_double", "2"},
		{"v16i8", "int8", "16"}, {"v8i16", "int16", "8"}, {"v4i32", "int32", "4"}, {"v2i64", "int64", "2"}};
	static const char *const fields[] = {"v4_float", "v2_double", "v16_int8", "v8_int16", "v4_int32", "v2_int64"};
	n = add(t, n, room, "<feature name=\"org.gnu.gdb.i386.sse\">");
	for (int i = 0; i < 6; i++)
		n = add(t, n, room, "<vector id=\"%s\" type=\"%s\" count=\"%s\"/>", types[i][0], types[i][1],
			types[i][2]);
	n = add(t, n, room, "<union id=\"vec128\">");
	for (int i = 0; i < 6; i++)
		n = add(t, n, room, "<field name=\"%s\" type=\"%s\"/>", fields[i], types[i][0]);
	n = add(t, n, room, "<field name=\"uint128\" type=\"uint128\"/></union>");
	for (int i = 0; i < 16; i++)
		n = add(t, n, room, "<reg name=\"xmm%d\" bitsize=\"128\" type=\"vec128\"/>", i);
	n = add(t, n, room,
		"<reg name=\"mxcsr\" bitsize=\"32\" type=\"int\" group=\"vector\"/></feature>"
		"<feature name=\"org.gnu.gdb.i386.linux\"><reg name=\"orig_rax\" bitsize=\"64\" type=\"int\"/></feature>"
		"<feature name=\"org.gnu.gdb.i386.segments\"><reg name=\"fs_base\" bitsize=\"64\" type=\"int\"/>"
		"<reg name=\"gs_base\" bitsize=\"64\" type=\"int\"/></feature>");
	if (upper_halves()) {
		n = add(t, n, room, "<feature name=\"org.gnu.gdb.i386.avx\">");
		for (int i = 0; i < 16; i++)
			n = add(t, n, room, "<reg name=\"ymm%dh\" bitsize=\"128\" type=\"uint128\"/>", i);
		n = add(t, n, room, "</feature>");
	}
	return n;
}

const char *hb__description(void)
{
	static char text[16384];
	if (!text[0]) {
		size_t n = add(text, 0, sizeof text,
			"<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
			"<architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>");
		n = add_core(text, n, sizeof text);
		n = add_vectors(text, n, sizeof text);
		add(text, n, sizeof text, "</target>");
	}
	return text;
}

/* One direction or the other: registers of the system, and where they are in gdb's block. */
static void move_words(struct user_regs_struct *u, unsigned char *block, bool to_block)
{
	unsigned long long *const words[] = {&u->rax, &u->rbx, &u->rcx, &u->rdx, &u->rsi, &u->rdi, &u->rbp, &u->rsp,
		&u->r8, &u->r9, &u->r10, &u->r11, &u->r12, &u->r13, &u->r14, &u->r15, &u->rip};
	unsigned long long *const small[] = {&u->eflags, &u->cs, &u->ss, &u->ds, &u->es, &u->fs, &u->gs};
	unsigned long long *const last[] = {&u->orig_rax, &u->fs_base, &u->gs_base};
	for (int i = 0; i < 17; i++)
		to_block ? memcpy(block + i * 8, words[i], 8) : memcpy(words[i], block + i * 8, 8);
	for (int i = 0; i < 7; i++)
		to_block ? memcpy(block + FLAGS + i * 4, small[i], 4) : memcpy(small[i], block + FLAGS + i * 4, 4);
	for (int i = 0; i < 3; i++)
		to_block ? memcpy(block + ORIG + i * 8, last[i], 8) : memcpy(last[i], block + ORIG + i * 8, 8);
}

/* The old control registers: 16 bits each, and the tag word, of which the processor keeps one bit for each register. */
static void control_to_block(const unsigned char *area, unsigned char *block)
{
	uint16_t w[4];
	uint32_t control[8] = {0}, word;
	memcpy(w, area, sizeof w);
	control[0] = w[0];
	control[1] = w[1];
	for (int i = 0; i < 8; i++)
		control[2] |= (w[2] >> i & 1 ? 0u : 3u) << (2 * i);
	control[7] = w[3];
	memcpy(&word, area + 8, 4);
	control[4] = word;
	memcpy(&word, area + 16, 4);
	control[6] = word;
	memcpy(block + CONTROL, control, sizeof control);
}

static void control_from_block(const unsigned char *block, unsigned char *area)
{
	uint32_t control[8];
	uint16_t w[4] = {0};
	memcpy(control, block + CONTROL, sizeof control);
	w[0] = (uint16_t)control[0];
	w[1] = (uint16_t)control[1];
	for (int i = 0; i < 8; i++)
		w[2] |= (uint16_t)((control[2] >> (2 * i) & 3) != 3) << i;
	w[3] = (uint16_t)control[7];
	memcpy(area, w, sizeof w);
}

/* Floating point: the area of XSAVE has it as FXSAVE has. */
static void move_floats(unsigned char *area, size_t size, unsigned char *block, bool to_block)
{
	unsigned upper = upper_halves();
	uint64_t states;
	for (int i = 0; i < 8; i++)
		to_block ? memcpy(block + FLOATS + i * 10, area + 32 + i * 16, 10)
			 : memcpy(area + 32 + i * 16, block + FLOATS + i * 10, 10);
	to_block ? memcpy(block + VECTORS, area + 160, 256) : memcpy(area + 160, block + VECTORS, 256);
	to_block ? memcpy(block + MXCSR, area + 24, 4) : memcpy(area + 24, block + MXCSR, 4);
	to_block ? control_to_block(area, block) : control_from_block(block, area);
	if (!upper || size < upper + 256 || size < 576)
		return;
	/* which parts are not as after a reset */
	memcpy(&states, area + 512, 8);
	if (to_block && !(states & 4))
		memset(block + UPPER, 0, 256);
	else
		to_block ? memcpy(block + UPPER, area + upper, 256) : memcpy(area + upper, block + UPPER, 256);
	states |= 7;
	if (!to_block)
		memcpy(area + 512, &states, 8);
}

static int get(hb_remote *g, struct user_regs_struct *regs, unsigned char *area, size_t *size, unsigned char *block)
{
	*size = AREA;
	if (hb_reverse_registers(g->r, g->thread, regs) || hb_reverse_floats(g->r, g->thread, area, size))
		return -1;
	memset(block, 0, WITH_UPPER);
	move_words(regs, block, true);
	move_floats(area, *size, block, true);
	return 0;
}

static void put(hb_remote *g, const unsigned char *old, unsigned char *block, struct user_regs_struct *regs,
	unsigned char *area, size_t size)
{
	move_words(regs, block, false);
	int bad = hb_reverse_set_registers(g->r, g->thread, regs);
	if (!bad && memcmp(old + FLOATS, block + FLOATS, ORIG - FLOATS) | memcmp(old + UPPER, block + UPPER, 256)) {
		move_floats(area, size, block, false);
		bad = hb_reverse_set_floats(g->r, g->thread, area, size);
	}
	hb__reply(g, bad ? "E01" : "OK");
}

void hb__read_registers(hb_remote *g)
{
	struct user_regs_struct regs;
	unsigned char area[AREA], block[WITH_UPPER];
	char hex[2 * WITH_UPPER + 1];
	size_t size;
	if (get(g, &regs, area, &size, block)) {
		hb__reply(g, "E01");
		return;
	}
	hb_hex(block, total(), hex);
	hb__reply(g, "%s", hex);
}

void hb__write_registers(hb_remote *g, const char *text)
{
	struct user_regs_struct regs;
	unsigned char area[AREA], block[WITH_UPPER], old[WITH_UPPER];
	size_t size, n = strlen(text) / 2;
	if (n > total() || get(g, &regs, area, &size, block)) {
		hb__reply(g, "E01");
		return;
	}
	memcpy(old, block, sizeof old);
	if (!hb_hex_bytes(text, block, n))
		hb__reply(g, "E01");
	else
		put(g, old, block, &regs, area, size);
}

/* Where a register is in the block. The size; 0: there is none. */
static size_t place(uint64_t n, size_t *ret_at)
{
	static const struct {
		size_t count, at, size;
	} groups[] = {{17, 0, 8}, {7, FLAGS, 4}, {8, FLOATS, 10}, {8, CONTROL, 4}, {16, VECTORS, 16}, {1, MXCSR, 4},
		{3, ORIG, 8}, {16, UPPER, 16}};
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		if (n < groups[i].count) {
			*ret_at = groups[i].at + n * groups[i].size;
			return *ret_at < total() ? groups[i].size : 0;
		}
		n -= groups[i].count;
	}
	return 0;
}

void hb__read_register(hb_remote *g, const char *number)
{
	struct user_regs_struct regs;
	unsigned char area[AREA], block[WITH_UPPER];
	char hex[33];
	uint64_t n;
	size_t size, at, one;
	if (!hb_hex_number(number, &n) || !(one = place(n, &at)) || get(g, &regs, area, &size, block)) {
		hb__reply(g, "E01");
		return;
	}
	hb_hex(block + at, one, hex);
	hb__reply(g, "%s", hex);
}

void hb__write_register(hb_remote *g, const char *text)
{
	struct user_regs_struct regs;
	unsigned char area[AREA], block[WITH_UPPER], old[WITH_UPPER];
	uint64_t n;
	size_t size, at, one, digits = hb_hex_number(text, &n);
	if (!digits || text[digits] != '=' || !(one = place(n, &at)) || get(g, &regs, area, &size, block)) {
		hb__reply(g, "E01");
		return;
	}
	memcpy(old, block, sizeof old);
	if (!hb_hex_bytes(text + digits + 1, block + at, one))
		hb__reply(g, "E01");
	else
		put(g, old, block, &regs, area, size);
}
