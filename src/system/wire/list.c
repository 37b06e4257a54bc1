/* Lists that are longer than a frame are told in parts. */
#include <stdlib.h>
#include <string.h>

#include "system/wire/wire.h"

#define LIST_MOST (900u << 10) /* bytes of a part: a frame has a megabyte, and there are other fields */
#define TEXT_MOST 8192u        /* bytes that are left of a text in an object that is too long by itself */

static size_t length_of(const cJSON *object)
{
	char *text = cJSON_PrintUnformatted(object);
	size_t n = text ? strlen(text) + 1 : LIST_MOST + 1;
	cJSON_free(text);
	return n;
}

/* Not within a character of UTF-8. */
static void cut(char *text)
{
	size_t n = TEXT_MOST;
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	memcpy(text + n, "...", 4);
}

void hb_wire_shorten(cJSON *object)
{
	if (length_of(object) <= LIST_MOST)
		return;
	for (cJSON *field = object->child, *next; field; field = next) {
		next = field->next;
		if (cJSON_IsString(field) && strlen(field->valuestring) > TEXT_MOST + 3)
			cut(field->valuestring);
		else if (field->child && length_of(field) > TEXT_MOST)
			cJSON_Delete(cJSON_DetachItemViaPointer(object, field));
	}
}

bool hb_wire_list_add(hb_wire_list *list, cJSON *object)
{
	if (!list->rows)
		list->rows = cJSON_CreateArray();
	size_t n = length_of(object);
	if (n > LIST_MOST) {
		hb_wire_shorten(object);
		n = length_of(object);
	}
	if (list->full || list->bytes + n > LIST_MOST) {
		list->full = true;
		cJSON_Delete(object);
		return false;
	}
	list->bytes += n;
	cJSON_AddItemToArray(list->rows, object);
	return true;
}
