/* What the page asks of the manager. */
#include <stdlib.h>
#include <string.h>

#include "page.h"

#define PATIENCE_S 20.0 /* seconds: a program may take so long to be begun, or a node to be found gone */

static bool allowed(const char *name)
{
	static const char *const all[] = {"begin", "end", "restart", "stop", "go", "hold", "release"};
	for (size_t i = 0; name && i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i], name))
			return true;
	return false;
}

/* Only what is known is passed on; NULL: it is no such question. */
static cJSON *question(const cJSON *body)
{
	static const char *const texts[] = {"program", "why"};
	const cJSON *process = cJSON_GetObjectItemCaseSensitive(body, "process");
	cJSON *ask = cJSON_CreateObject();
	for (size_t i = 0; i < 2; i++) {
		const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, texts[i]));
		if (text)
			cJSON_AddStringToObject(ask, texts[i], text);
	}
	if (cJSON_IsNumber(process))
		cJSON_AddNumberToObject(ask, "process", process->valuedouble);
	if (cJSON_IsNumber(process) || cJSON_HasObjectItem(ask, "program"))
		return ask;
	cJSON_Delete(ask);
	return NULL;
}

static int ask_manager(const char *socket, const char *name, cJSON *ask, hb_text *ret)
{
	char *error = NULL;
	hb_asker *asker = hb__asker_reach(socket, &error);
	if (!asker) {
		cJSON_Delete(ask);
		hb_text_put(ret, error);
		free(error);
		return 409;
	}
	int status = hb__asker_try(asker, name, ask, PATIENCE_S, NULL, &error);
	hb__asker_close(asker);
	hb_text_put(ret, status ? error : "{}");
	free(error);
	return status ? 409 : 200;
}

int hb__answer_act(const char *socket, const hb_view_asked *asked, hb_text *ret)
{
	cJSON *body = cJSON_Parse(asked->body), *ask = body ? question(body) : NULL;
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "ask"));
	int status = 400;
	if (allowed(name) && ask)
		status = ask_manager(socket, name, ask, ret);
	else {
		hb_text_put(ret, "this asks for nothing that the page can do");
		cJSON_Delete(ask);
	}
	cJSON_Delete(body);
	return status;
}
