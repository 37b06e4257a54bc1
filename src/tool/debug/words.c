/* Words and options of commands; lists of named texts. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug.h"

char *hb__d_trim(char *text)
{
	text += strspn(text, " \t\r\n");
	size_t n = strlen(text);
	while (n && strchr(" \t\r\n", text[n - 1]))
		text[--n] = 0;
	return text;
}

char *hb__d_word(char **p)
{
	char *at = *p + strspn(*p, " \t"), *end;
	if (!*at) {
		*p = at;
		return NULL;
	}
	if ((*at == '"' || *at == '\'') && (end = strchr(at + 1, *at)))
		at++;
	else
		end = at + strcspn(at, " \t");
	*p = end + (*end != 0);
	*end = 0;
	return at;
}

/* The option of the table that begins at `at`, as a whole word. */
static hb_d_option *option_at(hb_d_option *options, const char *text, const char *at)
{
	if (*at != '-' || (at > text && at[-1] != ' ' && at[-1] != '\t'))
		return NULL;
	for (hb_d_option *o = options; o->name; o++) {
		size_t n = strlen(o->name);
		if (!strncmp(at, o->name, n) && (!at[n] || at[n] == ' ' || at[n] == '\t'))
			return o;
	}
	return NULL;
}

/* Without the quotes that hold all of it. */
static char *unquoted(char *value)
{
	size_t n = strlen(value);
	if (n > 1 && value[0] == '"' && strchr(value + 1, '"') == value + n - 1) {
		value[n - 1] = 0;
		value++;
	}
	return value;
}

/* The value of an option that begins at *p, up to the next option; *p moves there. */
static char *value_at(hb_d_option *options, const char *text, char **p)
{
	char *end = *p;
	while (*end && !option_at(options, text, end))
		end++;
	char *raw = hb__format("%.*s", (int)(end - *p), *p), *value = hb__copy(unquoted(hb__d_trim(raw)));
	free(raw);
	*p = end;
	return value;
}

int hb__d_options(char *args, hb_d_option *options)
{
	char *copy = hb__copy(args), *to = args;
	int code = 0;
	for (char *p = copy; *p && !code;) {
		hb_d_option *o = option_at(options, copy, p);
		if (!o) {
			*to++ = *p++; /* belongs to the rest, which is never longer */
			continue;
		}
		p += strlen(o->name);
		free(o->value);
		o->value = o->flag ? hb__copy("") : value_at(options, copy, &p);
		if (!o->flag && !*o->value)
			code = hb__fail_with(HB_EXIT_USAGE, "%s needs a value", o->name);
	}
	*to = 0;
	free(copy);
	char *trimmed = hb__d_trim(args);
	memmove(args, trimmed, strlen(trimmed) + 1);
	return code;
}

long hb__d_number(const char *text)
{
	char *end;
	if (!text || !isdigit((unsigned char)*text))
		return -1;
	long n = strtol(text, &end, 10);
	return *end || n < 0 || n > 1000000000 ? -1 : n;
}

const char *hb__d_get(const hb_pairs *pairs, const char *name)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (!strcmp(pairs->at[i].name, name))
			return pairs->at[i].value;
	return NULL;
}

void hb__d_put(hb_pairs *pairs, const char *name, const char *value)
{
	hb__d_drop(pairs, name);
	pairs->at = hb__resize(pairs->at, (pairs->n + 1) * sizeof *pairs->at);
	pairs->at[pairs->n++] = (hb_pair){hb__copy(name), hb__copy(value)};
}

bool hb__d_drop(hb_pairs *pairs, const char *name)
{
	for (size_t i = 0; i < pairs->n; i++) {
		if (strcmp(pairs->at[i].name, name))
			continue;
		free(pairs->at[i].name);
		free(pairs->at[i].value);
		memmove(&pairs->at[i], &pairs->at[i + 1], (--pairs->n - i) * sizeof *pairs->at);
		return true;
	}
	return false;
}

void hb__d_pairs_free(hb_pairs *pairs)
{
	while (pairs->n)
		hb__d_drop(pairs, pairs->at[0].name);
	free(pairs->at);
	*pairs = (hb_pairs){0};
}

bool hb__d_is_name(const char *text)
{
	if (!text || !(isalpha((unsigned char)*text) || *text == '_'))
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && *text != '_' && *text != '-')
			return false;
	return true;
}
