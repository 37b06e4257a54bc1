/* Printing, failing and memory: the only folder that may do so is src/tool. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "show/inert.h"

static bool hushed;

void hb__hush(void) { hushed = true; }

static void say(const char *format, va_list ap)
{
	if (hushed)
		return;
	/* One write per line: ranks and launcher print on the same terminal. What a program, a file or a recording
	 * is called must not act on it. */
	char text[4000], line[4096];
	bool colour = hb__colour(2);
	vsnprintf(text, sizeof text, format, ap);
	for (size_t end = strlen(text); end && text[end - 1] == '\n';)
		text[--end] = 0;
	char *inert = hb__inert(text);
	int n = snprintf(line, sizeof line, "%shbdb:%s %s", colour ? "\033[1m" : "", colour ? "\033[0m" : "", inert);
	free(inert);
	if (n > (int)sizeof line - 2)
		n = (int)sizeof line - 2;
	line[n++] = '\n';
	fflush(stdout);
	for (char *p = line; n > 0;) {
		ssize_t w = write(2, p, (size_t)n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			break;
		p += w;
		n -= (int)w;
	}
}

void hb__say(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	say(format, ap);
	va_end(ap);
}

int hb__fail_with(int code, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	say(format, ap);
	va_end(ap);
	return code;
}

int hb__fail_log(const char *path, const hb_error *err)
{
	const char *file = err->file[0] ? err->file : path;
	switch (err->status) {
	case HB_E_SYSTEM:
		return hb__fail_with(HB_EXIT_RECORDING, "%s: %s", file, err->sys ? strerror(err->sys) : err->message);
	case HB_E_FOREIGN:
		return hb__fail_with(HB_EXIT_RECORDING, "%s is not an hbdb log", file);
	case HB_E_VERSION:
		return hb__fail_with(HB_EXIT_RECORDING,
			"%s: %s (this is hbdb %s; read the log with the version that wrote it)", file, err->message,
			HBDB_VERSION);
	case HB_E_MEMORY:
		return hb__fail_with(HB_EXIT_RECORDING, "%s: out of memory", file);
	default:
		if (!err->offset)
			return hb__fail_with(HB_EXIT_RECORDING, "%s is damaged: %s", file, err->message);
		return hb__fail_with(HB_EXIT_RECORDING, "%s: damaged at offset %llu: %s", file,
			(unsigned long long)err->offset, err->message);
	}
}

static void *or_die(void *p)
{
	if (!p) {
		hb__say("out of memory");
		exit(HB_EXIT_RECORDING);
	}
	return p;
}

void *hb__alloc(size_t size) { return or_die(calloc(1, size ? size : 1)); }
void *hb__resize(void *old, size_t size) { return or_die(realloc(old, size ? size : 1)); }
char *hb__copy(const char *text) { return or_die(strdup(text ? text : "")); }

char *hb__format(const char *format, ...)
{
	char *text;
	va_list ap;
	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	return or_die(text);
}

void hb__insert(hb_strings *list, size_t before, const char *text)
{
	list->at = hb__resize(list->at, (list->n + 2) * sizeof *list->at);
	memmove(list->at + before + 1, list->at + before, (list->n - before) * sizeof *list->at);
	list->at[before] = hb__copy(text);
	list->at[++list->n] = NULL;
}

void hb__push(hb_strings *list, const char *text) { hb__insert(list, list->n, text); }

void hb__strings_free(hb_strings *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i]);
	free(list->at);
	*list = (hb_strings){0};
}

const char *hb__plural(uint64_t n, const char *one, const char *many) { return n == 1 ? one : many; }
