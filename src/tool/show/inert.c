/* Text that no terminal obeys. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "inert.h"

bool hb__unsafe(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static size_t as_byte(char *to, unsigned char byte) { return (size_t)snprintf(to, HB_INERT_MOST, "\\x%02x", byte); }

size_t hb__inert_step(const unsigned char *p, size_t n, char to[HB_INERT_MOST], size_t *ret_length)
{
	uint32_t code = 0;
	size_t length = hb_utf8(p, n, &code);
	if (length > n)
		return 0;
	if (length && !hb__unsafe(code)) {
		memcpy(to, p, length);
		*ret_length = length;
		return length;
	}
	if (length > 1)
		*ret_length = (size_t)snprintf(to, HB_INERT_MOST, "\\u%04x", (unsigned)code & 0xffff);
	else if (*p == '\n' || *p == '\t')
		*ret_length = (size_t)snprintf(to, HB_INERT_MOST, *p == '\n' ? "\\n" : "\\t");
	else
		*ret_length = as_byte(to, *p);
	return length ? length : 1;
}

/* Whether nothing in the text needs a look. */
static bool plain(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < 0x20 || *p >= 0x7f)
			return false;
	return true;
}

char *hb__inert(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = strlen(text), at = 0;
	char *ret = hb__alloc(n * HB_INERT_MOST + 1);
	while (n) {
		size_t length = 0, used = hb__inert_step(p, n, ret + at, &length);
		if (!used) { /* the text ends inside a character */
			length = as_byte(ret + at, *p);
			used = 1;
		}
		at += length;
		p += used;
		n -= used;
	}
	ret[at] = 0;
	return ret;
}

const char *hb__tame(const char *text)
{
	static char *last[16];
	static unsigned next;
	if (!text || plain(text))
		return text;
	char **own = &last[next++ % 16];
	free(*own);
	return *own = hb__inert(text);
}

void hb__put_inert(hb_output *out, const char *text)
{
	if (plain(text)) {
		hb__put_text(out, text);
		return;
	}
	char *copy = hb__inert(text);
	hb__put_text(out, copy);
	free(copy);
}

static char *add(char *to, const char *text)
{
	size_t n = strlen(text);
	memcpy(to, text, n + 1);
	return to + n;
}

char *hb__shell_word(const char *word)
{
	if (*word && plain(word) && !strpbrk(word, " '\"\\$`;&|<>()*?[]#~!{}"))
		return hb__copy(word);
	char *text = hb__inert(word), *ret = hb__alloc(4 * strlen(text) + 5), *p = ret;
	bool escapes = strcmp(text, word) != 0; /* which $'...' reads back */
	const unsigned char *w = (const unsigned char *)word;
	p = add(p, escapes ? "$'" : "'");
	for (size_t n = strlen(word); n;) {
		char one[HB_INERT_MOST];
		size_t length = 0, used = hb__inert_step(w, n, one, &length);
		bool same = used && length == used && !memcmp(one, w, used);
		if (!same && used < 2) {
			used = 1;
			p += as_byte(p, *w);
		} else if (*w == '\'')
			p = add(p, escapes ? "\\'" : "'\\''");
		else if (*w == '\\' && escapes)
			p = add(p, "\\\\");
		else {
			memcpy(p, one, length);
			p += length;
		}
		w += used;
		n -= used;
	}
	add(p, "'");
	free(text);
	return ret;
}

/* ---- the fence ---- */

struct fence {
	int fd;
	char held[16]; /* the beginning of a character or a colour that is not whole yet */
	size_t nheld;
	int error; /* the first one with which something was not written */
};

/* Every sequence that hbdb itself writes: what "ESC [ ... m" may be. */
static const char *const colours[] = {
	"\033[0m", "\033[1m", "\033[4m", "\033[33m", "\033[1;31m", "\033[1;33m", "\033[1;36m"};

/* Length of the colour at p; 0: none; n + 1: what is there could become one. */
static size_t colour_at(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof colours / sizeof *colours; i++) {
		size_t length = strlen(colours[i]);
		if (!strncmp(p, colours[i], n < length ? n : length))
			return n < length ? n + 1 : length;
	}
	return 0;
}

static bool write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t w = write(fd, bytes, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return false;
		bytes += w;
		n -= (size_t)w;
	}
	return true;
}

static ssize_t fence_write(void *cookie, const char *bytes, size_t size)
{
	struct fence *f = cookie;
	size_t n = f->nheld + size, at = 0, used = 0;
	char *in = hb__alloc(n + 1), *out = hb__alloc(n * HB_INERT_MOST + 1);
	memcpy(in, f->held, f->nheld);
	memcpy(in + f->nheld, bytes, size);
	f->nheld = 0;
	for (size_t i = 0; i < n; i += used) {
		size_t length = 1, colour = hb__colour(f->fd) && in[i] == '\033' ? colour_at(in + i, n - i) : 0;
		used = 1;
		if (colour > n - i)
			used = 0;
		else if (colour) {
			memcpy(out + at, in + i, colour);
			used = length = colour;
		} else if (in[i] == '\n' || in[i] == '\t' || (in[i] >= 0x20 && in[i] < 0x7f))
			out[at] = in[i];
		else
			used = hb__inert_step((const unsigned char *)in + i, n - i, out + at, &length);
		if (!used) {
			f->nheld = n - i;
			memcpy(f->held, in + i, f->nheld);
			break;
		}
		at += length;
	}
	bool good = write_all(f->fd, out, at);
	int error = errno;
	if (!good && !f->error)
		f->error = error;
	free(in);
	free(out);
	errno = error;
	return good ? (ssize_t)size : 0;
}

static int fence_close(void *cookie)
{
	struct fence *f = cookie;
	if (f->fd < 3)
		return 0;
	int failed = close(f->fd);
	free(f);
	return failed;
}

static struct fence standard[3]; /* they last as long as the program */

int hb__fence_error(int fd) { return standard[fd].error; }

FILE *hb__fenced(int fd)
{
	struct fence *f = fd < 3 ? &standard[fd] : hb__alloc(sizeof *f);
	*f = (struct fence){.fd = fd};
	FILE *stream = fopencookie(f, "w", (cookie_io_functions_t){.write = fence_write, .close = fence_close});
	if (!stream) {
		if (fd > 2)
			free(f);
		return NULL;
	}
	setvbuf(stream, NULL, fd == 2 ? _IONBF : isatty(fd) ? _IOLBF : _IOFBF, BUFSIZ);
	return stream;
}
