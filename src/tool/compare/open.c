/* A recording that is to be compared: its run, and the contents of its processes. */
#include <stdlib.h>
#include <string.h>

#include "../contents/files.h"
#include "../store/find.h"
#include "compare.h"

static int open_contents(struct hb_compared_side *s, const hb_manifest *m)
{
	int code = 0;
	uint32_t n = hb_model_get_info(s->run.model)->processes;
	s->data = hb__alloc((n + 1) * sizeof *s->data);
	s->contents = hb__alloc((n + 1) * sizeof *s->contents);
	s->kept = hb__alloc((n + 1) * sizeof *s->kept);
	for (uint32_t i = 0; i < n; i++) {
		hb_error err = {0};
		uint32_t log = s->run.log_of[i];
		if (log == HB_NO || !s->run.logs.at[log].log)
			continue;
		int one = hb__open_contents(&s->run.logs.at[log], &s->data[i]);
		if (!one && s->data[i] && hb_contents_open(s->run.logs.at[log].log, s->data[i], &s->contents[i], &err))
			one = hb__fail_log(s->run.path, &err);
		if (s->data[i] && hb_data_get_info(s->data[i])->recovered)
			one = HB_EXIT_RECORDING;
		s->kept[i] = s->contents[i] && hb__contents_wanted(m, hb_model_processes(s->run.model)[i].rank);
		code = one ? one : code;
	}
	return code;
}

static uint32_t died_first(const struct hb_compared_side *s, const hb_manifest *m)
{
	uint32_t n = hb_model_get_info(s->run.model)->processes;
	for (uint32_t i = 0; i < n && m->died_first; i++)
		if (!strcmp(hb_model_processes(s->run.model)[i].name, m->died_first))
			return i;
	return HB_NO;
}

int hb__open_compared(const char *name, const char *path, struct hb_compared_side *ret)
{
	hb_manifest m = {0};
	*ret = (struct hb_compared_side){.name = name};
	int code = hb__open_run(path, &ret->run);
	if (!ret->run.model)
		return code ? code : HB_EXIT_RECORDING;
	if (hb__manifest_read(path, &m))
		code = HB_EXIT_RECORDING;
	ret->whole = m.whole;
	ret->level_data = m.level && !strcmp(m.level, "data");
	ret->died_first = died_first(ret, &m);
	int contents = open_contents(ret, &m);
	hb__manifest_free(&m);
	ret->facts = hb__facts_open(ret->run.model);
	if (!code && !ret->run.ended)
		code = HB_EXIT_RECORDING;
	return code ? code : contents;
}

void hb__close_compared(struct hb_compared_side *s)
{
	uint32_t n = s->run.model ? hb_model_get_info(s->run.model)->processes : 0;
	for (uint32_t i = 0; i < n && s->data; i++) {
		hb_contents_close(s->contents[i]);
		hb_data_close(s->data[i]);
	}
	free(s->data);
	free(s->contents);
	free(s->kept);
	if (s->facts)
		hb__facts_close(s->facts);
	hb__close_run(&s->run);
}
