/* Sockets and pipes in hbdb info: how much went through them, and who is outside of the recording. */
#include "talked.h"

#include <stdio.h>
#include <stdlib.h>

#include "../show/inert.h"
#include "calls/calls.h"
#include "calls/meaning.h"

static void count(hb_talked *t, uint8_t does, uint64_t calls)
{
	switch (does) {
	case HB_DOES_CONNECT:
		t->connects += calls;
		break;
	case HB_DOES_ACCEPT:
		t->accepts += calls;
		break;
	case HB_DOES_DATAGRAM_OUT:
		t->datagrams_out += calls;
		break;
	case HB_DOES_DATAGRAM_IN:
		t->datagrams_in += calls;
		break;
	case HB_DOES_BYTES_OUT:
		t->streams_out += calls;
		break;
	case HB_DOES_BYTES_IN:
		t->streams_in += calls;
		break;
	default:
		break;
	}
}

void hb__talked_add(hb_talked *t, const hb_log *log, const hb_log_info *info)
{
	for (uint32_t i = 0; i < info->functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		if (!f || !f->name || !f->calls || !HB_IS_SOCKET(f->cls))
			continue;
		t->any = true;
		count(t, (uint8_t)hb_meaning_of(f->name, f->cls)->does, f->calls);
	}
}

void hb__talked_match(hb_talked *t, const hb_logs *logs)
{
	size_t n;
	hb_error err;
	if (!t->any)
		return;
	hb_source *sources = hb__make_sources(logs, &n, &t->log_of);
	if (hb_model_build(sources, n, NULL, NULL, &t->model, &err)) {
		t->model = NULL;
		hb__say("who is outside of the recording is not known: %s", err.message);
	}
	free(sources);
}

static const char *name_of(const hb_facts *f, const hb_outside *o)
{
	uint32_t log = f->talked.log_of[o->process];
	return log == HB_NO ? "?" : f->logs.worlds.name[log];
}

void hb__talked_text(const hb_facts *f)
{
	const hb_talked *t = &f->talked;
	if (!t->any)
		return;
	printf("sockets       calls: %llu connect, %llu accept; datagrams: %llu out, %llu in; streams and pipes: %llu out, %llu in\n",
		(unsigned long long)t->connects, (unsigned long long)t->accepts, (unsigned long long)t->datagrams_out,
		(unsigned long long)t->datagrams_in, (unsigned long long)t->streams_out,
		(unsigned long long)t->streams_in);
	uint32_t n = t->model ? hb_model_get_info(t->model)->outside : 0;
	if (!n)
		return;
	printf("outside       %u %s not recorded:\n", n, hb__plural(n, "peer is", "peers are"));
	for (uint32_t i = 0; i < n; i++) {
		const hb_outside *o = &hb_model_outside(t->model)[i];
		if (i == HB_INFO_SHOWN) {
			printf("              and %u more (--json lists all)\n", n - i);
			break;
		}
		printf("              %s, of %s: %llu to it, %llu from it\n", hb__tame(o->name), name_of(f, o),
			(unsigned long long)o->sent, (unsigned long long)o->received);
	}
}

static void number(hb_output *o, const char *before, uint64_t value)
{
	hb__put_text(o, before);
	hb__put_int(o, (int64_t)value);
}

void hb__talked_json(hb_output *o, const hb_facts *f)
{
	const hb_talked *t = &f->talked;
	if (!t->any)
		return;
	number(o, ",\"sockets\":{\"connects\":", t->connects);
	number(o, ",\"accepts\":", t->accepts);
	number(o, ",\"datagrams_out\":", t->datagrams_out);
	number(o, ",\"datagrams_in\":", t->datagrams_in);
	number(o, ",\"streams_out\":", t->streams_out);
	number(o, ",\"streams_in\":", t->streams_in);
	hb__put_text(o, ",\"outside\":");
	if (!t->model) {
		hb__put_text(o, "null}");
		return;
	}
	for (uint32_t i = 0, n = hb_model_get_info(t->model)->outside; i <= n; i++) {
		const hb_outside *p = &hb_model_outside(t->model)[i];
		hb__put_text(o, i == n ? (n ? "]" : "[]") : i ? "," : "[");
		if (i == n)
			break;
		hb__put_text(o, "{\"process\":");
		hb__put_json(o, name_of(f, p));
		hb__put_text(o, ",\"peer\":");
		hb__put_json(o, p->name);
		number(o, ",\"sent\":", p->sent);
		number(o, ",\"received\":", p->received);
		hb__put_char(o, '}');
	}
	hb__put_char(o, '}');
}

void hb__talked_release(hb_talked *t)
{
	hb_model_close(t->model);
	free(t->log_of);
}
