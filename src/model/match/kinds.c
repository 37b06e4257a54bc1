/* What the functions of a log are to the model, and whether it has some at all. */
#include "model/internal.h"

static int8_t place(const hb_function *f, const char *name)
{
	for (uint32_t i = 0; i < f->nargs && i < 127; i++)
		if (!strcmp(f->arg_name[i], name))
			return (int8_t)i;
	return -1;
}

void hb__know(const hb_function *f, struct hb__function *ret)
{
	*ret = (struct hb__function){.means = hb_meaning_of(f->name, f->cls),
		.root = place(f, "root"),
		.win = place(f, "win"),
		.dest = place(f, "dest")};
}

bool hb__has_sockets(const hb_log *log)
{
	for (uint32_t i = 0; i < hb_log_get_info(log)->functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		if (f && f->name && HB_IS_SOCKET(f->cls))
			return true;
	}
	return false;
}

bool hb__by_time(const hb_log *log)
{
	for (uint32_t i = 0; i < hb_log_get_info(log)->functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		if (f && f->name && HB_IS_USER(f->cls))
			return true;
	}
	return hb__has_sockets(log);
}

bool hb_log_calls(const hb_log *log, uint8_t does)
{
	for (uint32_t i = 0; i < hb_log_get_info(log)->functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		if (f && f->name && f->calls && hb_meaning_of(f->name, f->cls)->does == does)
			return true;
	}
	return false;
}
