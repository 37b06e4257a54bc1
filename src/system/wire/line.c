/* An object as others read it, who are no hbdb: their readers want whole numbers without an exponent, and UTF-8. On a connection bytes stay as they are: a
 * command may have any. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "system/wire/wire.h"

#define WHOLE 9007199254740992.0 /* as far as a double has every whole number */

/* What is no character becomes U+FFFD. NULL: nothing is to be done, or memory is gone. */
static char *characters(const char *text)
{
	size_t wrong = 0, n;
	for (const char *p = text; *p; p += n ? n : 1)
		wrong += !(n = hb_utf8_text(p));
	char *clean = wrong ? malloc(strlen(text) + 2 * wrong + 1) : NULL, *to = clean;
	for (const char *p = text; clean && *p; p += n ? n : 1) {
		n = hb_utf8_text(p);
		memcpy(to, n ? p : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
	}
	if (clean)
		*to = 0;
	return clean;
}

static void put(char **text, char *other)
{
	if (!other)
		return;
	cJSON_free(*text);
	*text = other;
}

/* cJSON prints 15 digits where these suffice, and an exponent with them: 1795735425505610 became 1.79573542550561e+15. */
static void whole(cJSON *item)
{
	char digits[32];
	if (item->valuedouble != floor(item->valuedouble) || fabs(item->valuedouble) > WHOLE)
		return;
	snprintf(digits, sizeof digits, "%.0f", item->valuedouble);
	char *copy = strdup(digits);
	if (!copy)
		return;
	item->type = (item->type & cJSON_StringIsConst) | cJSON_Raw;
	item->valuestring = copy;
}

static void tidy(cJSON *item)
{
	for (cJSON *child = item->child; child; child = child->next)
		tidy(child);
	if (item->string)
		put(&item->string, characters(item->string));
	if (cJSON_IsString(item))
		put(&item->valuestring, characters(item->valuestring));
	else if (cJSON_IsNumber(item))
		whole(item);
}

char *hb_wire_line(const cJSON *object)
{
	cJSON *copy = cJSON_Duplicate(object, true);
	if (!copy)
		return NULL;
	tidy(copy);
	char *text = cJSON_PrintUnformatted(copy);
	cJSON_Delete(copy);
	return text;
}
