/* Fields of JSON objects that came from elsewhere: any of them may be missing, or something else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/wire/wire.h"

const char *hb_wire_text(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

bool hb_wire_number(const cJSON *object, const char *name, int64_t *ret_number)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
	if (!cJSON_IsNumber(item) || !(fabs(item->valuedouble) <= 9007199254740992.0) ||
		item->valuedouble != floor(item->valuedouble))
		return false;
	*ret_number = (int64_t)item->valuedouble;
	return true;
}

char **hb_wire_words(const cJSON *object, const char *name)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, name), *word;
	size_t n = 0, bytes = 0;
	if (!cJSON_IsArray(array))
		return NULL;
	cJSON_ArrayForEach(word, array)
	{
		const char *text = cJSON_GetStringValue(word);
		if (!text)
			return NULL;
		bytes += strlen(text) + 1;
		n++;
	}
	char **argv = n ? malloc((n + 1) * sizeof *argv + bytes) : NULL;
	char *to = argv ? (char *)(argv + n + 1) : NULL;
	n = 0;
	if (argv)
		cJSON_ArrayForEach(word, array)
		{
			const char *text = cJSON_GetStringValue(word);
			size_t length = strlen(text) + 1;
			argv[n++] = memcpy(to, text, length);
			to += length;
		}
	if (argv)
		argv[n] = NULL;
	return argv;
}
