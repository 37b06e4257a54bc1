/* A program that goes forwards and backwards, for the gdb on the other side. */
#include "serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reverse/remote/remote.h"

int hb__read_budget(const char *text, uint64_t *ret)
{
	char *end;
	*ret = HB_CHECKPOINTS_DEFAULT;
	if (!text)
		return 0;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	static const char units[] = "KMG";
	const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	*ret = n << shift;
	if (*text < '0' || *text > '9' || errno || (*end && (!unit || end[1])) || *ret >> shift != n)
		return hb__fail_with(
			HB_EXIT_USAGE, "--checkpoints %s: a size is a number with K, M or G, as in 512M", text);
	return 0;
}

struct serving {
	const hb_service *service;
	bool told;    /* that it differs, or that its record ends */
	bool serving; /* gdb is asking */
	hb_remote *gdb;
};

/* What gdb is not asking for yet is said to the user. */
static void note(void *user, const char *text)
{
	const struct serving *s = user;
	if (s->serving)
		hb_remote_note(s->gdb, text);
	else
		hb__say("%s", text);
}

/* Asked while the process runs. One that differs from its record, or has come to the end of it, waits for us. */
static bool cancel(void *user)
{
	struct serving *s = user;
	char *report = s->service->one && !s->told ? hb__one_report(s->service->one) : NULL;
	bool stop = report || (s->serving && hb_remote_cancel(s->gdb)) ||
		    (s->service->interrupted && s->service->interrupted());
	if (report) {
		s->told = true;
		for (char *next = report, *line; (line = strsep(&next, "\n"));)
			if (*line)
				note(s, line);
		note(s, "It stops here: what it would do now is not what was recorded.");
		free(report);
	}
	return stop;
}

int hb__serve(const hb_service *service)
{
	char *why;
	struct serving s = {.service = service, .gdb = hb_remote_new(service->in, service->out)};
	if (!s.gdb)
		return hb__fail_with(HB_EXIT_USAGE, "out of memory");
	hb_reverse_setup setup = {.argv = service->command,
		.environment = service->environment,
		.in = service->program_in,
		.out = service->program_out,
		.clocks = service->one != NULL,
		.budget = service->budget,
		.note = note,
		.cancel = cancel,
		.user = &s};
	hb_reverse *process = hb_reverse_start(&setup, &why);
	int code = HB_EXIT_OK;
	if (!process) {
		code = hb__fail_with(HB_EXIT_USAGE, "cannot run the program: %s", why ? why : "out of memory");
		free(why);
	} else {
		if (service->one)
			hb_reverse_begin_at(process, 1);
		s.serving = true;
		if (hb_remote_serve(s.gdb, process))
			code = hb__fail_with(HB_EXIT_USAGE, "what came is not gdb's remote protocol");
		hb_reverse_end(process);
	}
	hb_remote_free(s.gdb);
	return code;
}
