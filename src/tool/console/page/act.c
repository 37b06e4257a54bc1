/* What the page asks of the manager. */
#include <stdlib.h>
#include <string.h>

#include "page.h"

#define PATIENCE_S 20.0 /* seconds: a program may take so long to be begun, or a node to be found gone */

static bool allowed(const char *name)
{
	static const char *const all[] = {"begin", "end", "restart", "stop", "go", "signal", "hold", "release"};
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
	const cJSON *signal = cJSON_GetObjectItemCaseSensitive(body, "signal");
	cJSON *ask = cJSON_CreateObject();
	for (size_t i = 0; i < 2; i++) {
		const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, texts[i]));
		if (text)
			cJSON_AddStringToObject(ask, texts[i], text);
	}
	if (cJSON_IsNumber(process))
		cJSON_AddNumberToObject(ask, "process", process->valuedouble);
	if (cJSON_IsNumber(signal))
		cJSON_AddNumberToObject(ask, "signal", signal->valuedouble);
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(body, "force")))
		cJSON_AddBoolToObject(ask, "force", true);
	if (cJSON_IsNumber(process) || cJSON_HasObjectItem(ask, "program"))
		return ask;
	cJSON_Delete(ask);
	return NULL;
}

/* ask: taken over. NULL: it is done, and *ret_answer (may be NULL) the answer; else why not, free it. */
static char *ask_manager(const char *socket, const char *name, cJSON *ask, cJSON **ret_answer)
{
	char *error = NULL;
	hb_asker *asker = hb__asker_reach(socket, &error);
	if (!asker) {
		cJSON_Delete(ask);
		return error;
	}
	hb__asker_try(asker, name, ask, PATIENCE_S, ret_answer, &error);
	hb__asker_close(asker);
	return error;
}

/* That threads are not known is an answer, too. */
int hb__answer_threads(const char *socket, const hb_view_asked *asked, hb_text *ret)
{
	char number[32];
	cJSON *answer = NULL, *ask = cJSON_CreateObject();
	hb_view_parameter(asked->query, "process", number, sizeof number);
	cJSON_AddNumberToObject(ask, "process", (double)strtoll(number, NULL, 10));
	cJSON_AddBoolToObject(ask, "alone", true);
	char *why = ask_manager(socket, "state", ask, &answer);
	const cJSON *processes = cJSON_GetObjectItemCaseSensitive(answer, "processes");
	const cJSON *threads = cJSON_GetObjectItemCaseSensitive(processes ? processes->child : NULL, "threads");
	char *text = threads ? cJSON_PrintUnformatted(threads) : NULL;
	hb_text_format(ret, "{\"now\":%lld,\"process\":%lld,\"threads\":%s,\"why\":", (long long)hb_complex_now(),
		strtoll(number, NULL, 10), text ? text : "null");
	if (text)
		hb_text_put(ret, "null");
	else
		hb_text_json(ret, why ? why : "the agent of its node does not know it (yet)");
	hb_text_put(ret, "}");
	cJSON_free(text);
	cJSON_Delete(answer);
	free(why);
	return 200;
}

int hb__answer_act(const char *socket, const hb_view_asked *asked, hb_text *ret)
{
	cJSON *body = cJSON_Parse(asked->body), *ask = body ? question(body) : NULL;
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "ask"));
	int status = 400;
	if (allowed(name) && ask) {
		char *why = ask_manager(socket, name, ask, NULL);
		hb_text_put(ret, why ? why : "{}");
		status = why ? 409 : 200;
		free(why);
	} else {
		hb_text_put(ret, "this asks for nothing that the page can do");
		cJSON_Delete(ask);
	}
	cJSON_Delete(body);
	return status;
}
