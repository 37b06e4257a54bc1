/* Attributes that say what a span is about: the semantic conventions of OpenTelemetry, the names of today and those before. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foreign/spans/spans.h"

static const char *const names[] = {"http.request.method", "http.method", "http.route", "url.path", "http.target",
	"http.response.status_code", "http.status_code", "rpc.system", "rpc.service", "rpc.method", "db.system",
	"db.operation.name", "db.operation", "db.collection.name", "messaging.system", "messaging.operation.type",
	"messaging.operation", "messaging.destination.name", "messaging.message.id", "server.address", "server.port",
	"net.peer.name", "error.type", "exception.type", "code.function.name", "code.function", "thread.id",
	"thread.name"};
#define NAMES (sizeof names / sizeof *names)
_Static_assert(NAMES <= HB_ATTRIBUTES, "as many as a function can have values");

const char *hb__attribute_name(uint32_t key) { return key < NAMES ? names[key] : NULL; }

uint32_t hb__attribute_key(const char *name)
{
	for (uint32_t i = 0; i < NAMES; i++)
		if (!strcmp(names[i], name))
			return i;
	return HB_NO;
}

char *hb__attribute_text(const cJSON *value)
{
	const cJSON *one = value ? value->child : NULL; /* {"stringValue": "..."} */
	char text[32];
	if (cJSON_IsString(one))
		return strdup(one->valuestring);
	if (cJSON_IsBool(one))
		return strdup(cJSON_IsTrue(one) ? "true" : "false");
	if (!cJSON_IsNumber(one))
		return NULL;
	snprintf(text, sizeof text, "%.17g", one->valuedouble);
	return strdup(text);
}
