/* Lines of a platform as lists of words. No shell reads them. */
#include "system/platforms/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "system/platforms/platform.h"

static const struct {
	const char *name;
	unsigned bit;
} placeholders[] = {{"node", HB__NODE}, {"command", HB__COMMAND}, {"quoted", HB__QUOTED}, {"socket", HB__SOCKET}};

bool hb__words_add(hb__words *w, const char *word)
{
	char *copy = strdup(word);
	if (!copy || !HB_GROW(w->word, w->room, w->n + 1)) {
		free(copy);
		return false;
	}
	w->word[w->n++] = copy;
	return true;
}

char **hb__words_end(hb__words *w)
{
	if (!HB_GROW(w->word, w->room, w->n + 1))
		return NULL;
	w->word[w->n] = NULL;
	return w->word;
}

void hb__words_clear(hb__words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->word[i]);
	free(w->word);
	*w = (hb__words){0};
}

void hb_platform_words_free(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}

/* The next word of a line, of which *at is moved behind it. NULL: there is none any more, or (ret_open) a quote is not closed. The caller frees it. */
static char *next_word(const char **at, bool *ret_open)
{
	const char *p = *at + strspn(*at, " \t");
	*ret_open = false;
	if (!*p)
		return NULL;
	char *word = malloc(strlen(p) + 1), *w = word;
	bool inside = false;
	for (; word && *p && (inside || !strchr(" \t", *p)); p++)
		if (*p == '"')
			inside = !inside;
		else
			*w++ = *p;
	*at = p;
	if (word)
		*w = 0;
	*ret_open = inside;
	return word;
}

/* What {NAME} at p is: its bit, and how many bytes it has. 0: no placeholder; *ret_bytes is 0 then, or those of one that does not exist. */
static unsigned placeholder(const char *p, size_t *ret_bytes)
{
	size_t n = *p == '{' ? strcspn(p, "}") : 0;
	*ret_bytes = *p == '{' && p[n] ? n + 1 : 0;
	for (size_t i = 0; *ret_bytes && i < sizeof placeholders / sizeof *placeholders; i++)
		if (strlen(placeholders[i].name) == n - 1 && !strncmp(p + 1, placeholders[i].name, n - 1))
			return placeholders[i].bit;
	return 0;
}

static bool check_word(const char *word, unsigned may, char *ret_why, size_t size)
{
	size_t bytes;
	for (const char *p = word; *p; p++) {
		unsigned bit = placeholder(p, &bytes);
		if (!bytes)
			continue;
		if (!(bit & may)) {
			snprintf(ret_why, size, "%.*s has no meaning here", (int)(bytes > 60 ? 60 : bytes), p);
			return false;
		}
		if (bit == HB__COMMAND && strlen(word) != bytes) {
			snprintf(ret_why, size, "{command} is a word by itself; as part of one it is {quoted}");
			return false;
		}
		p += bytes - 1;
	}
	return true;
}

bool hb__words_check(const char *line, unsigned may, char *ret_why, size_t size)
{
	bool open = false, good = true;
	for (char *word; good && (word = next_word(&line, &open)); free(word)) {
		if (open)
			snprintf(ret_why, size, "a double quote is not closed");
		good = !open && check_word(word, may, ret_why, size);
	}
	return good;
}

/* ---- with what they stand for ---- */

struct values {
	const char *node, *socket;
	const char *const *command;
	char *why;
};

static bool fail(const struct values *v, const char *why)
{
	snprintf(v->why, HB_PLATFORM_WHY, "%s", why);
	return false;
}

static const char *value_of(const struct values *v, unsigned bit, const char *quoted)
{
	return bit == HB__NODE ? v->node : bit == HB__QUOTED ? quoted : bit == HB__SOCKET ? v->socket : NULL;
}

/* A word with texts in the place of its placeholders: the caller frees it. NULL: a text is missing, or memory. */
static char *filled(const char *word, const struct values *v, const char *quoted)
{
	char *text = NULL;
	size_t size, bytes;
	FILE *out = open_memstream(&text, &size);
	bool good = out != NULL;
	for (const char *p = word; good && *p; p++) {
		unsigned bit = placeholder(p, &bytes);
		if (!bit) {
			fputc(*p, out);
			continue;
		}
		const char *value = value_of(v, bit, quoted);
		good = value || fail(v, bit == HB__NODE ? "the platform wants the address of a node"
							: "the platform wants a command");
		/* {node} at the beginning of a word would be an option of its program */
		if (good && bit == HB__NODE && (*value == '-' || !*value))
			good = fail(v, "the address of a node is not empty and begins with no -");
		if (good)
			fputs(value, out);
		p += bytes - 1;
	}
	if (out && fclose(out))
		good = fail(v, "out of memory");
	if (!good) {
		free(text);
		text = NULL;
	}
	return text;
}

static bool add_command(hb__words *w, const struct values *v)
{
	if (!v->command)
		return fail(v, "the platform wants a command");
	for (const char *const *c = v->command; *c; c++)
		if (!hb__words_add(w, *c))
			return fail(v, "out of memory");
	return true;
}

static bool add_word(hb__words *w, const char *word, const struct values *v, const char *quoted)
{
	size_t bytes;
	if (placeholder(word, &bytes) == HB__COMMAND && !word[bytes])
		return add_command(w, v);
	char *text = filled(word, v, quoted);
	bool good = text && (hb__words_add(w, text) || fail(v, "out of memory"));
	free(text);
	return good;
}

char **hb_platform_words(const char *line, const char *node, const char *const *command, char ret_why[HB_PLATFORM_WHY])
{
	struct values v = {.node = node, .command = command, .why = ret_why};
	hb__words w = {0};
	bool open, good = true;
	char *quoted = command ? hb_platform_quoted(command) : NULL, **list = NULL;
	const char *at = line ? line : "{command}";
	snprintf(ret_why, HB_PLATFORM_WHY, "out of memory");
	for (char *word; good && (word = next_word(&at, &open)); free(word))
		good = add_word(&w, word, &v, quoted);
	free(quoted);
	if (good)
		list = hb__words_end(&w);
	if (!list)
		hb__words_clear(&w);
	return list;
}

char *hb_platform_stub(const hb_platform *platform, const char *socket)
{
	char why[HB_PLATFORM_WHY];
	struct values v = {.socket = socket, .why = why};
	return platform->stub ? filled(platform->stub, &v, NULL) : NULL;
}

/* A word that is more than letters which no shell looks at stands in single quotes, and a single quote in it as '\''. */
static void quote(FILE *out, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%";
	size_t n = strspn(word, plain);
	/* NAME=VALUE at the front would be a variable, and not the command */
	if (n && !word[n] && !strchr(word, '=')) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (const char *p = word; *p; p++)
		if (*p == '\'')
			fputs("'\\''", out);
		else
			fputc(*p, out);
	fputc('\'', out);
}

char *hb_platform_quoted(const char *const *command)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	for (const char *const *c = command; *c; c++) {
		if (c != command)
			fputc(' ', out);
		quote(out, *c);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
