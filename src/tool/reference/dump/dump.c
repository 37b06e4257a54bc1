/* hbdb dump --compare */
#include "dump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../show/source.h"
#include "../../store/find.h"
#include "../../terminal.h"
#include "../reference.h"

void hb__trace_source(const hb_trace *trace, uint64_t number, const char **ret_file, int *ret_line)
{
	const hb_trace_place *p = hb_trace_place_of(trace, number);
	const char *module = p ? hb_trace_module_of(trace, p->module) : NULL;
	/* what looks up lines takes the address behind an instruction */
	const hb_place *place = module ? hb__source_place(module, NULL, p->offset - p->back + 1) : NULL;
	const char *slash = place && place->file ? strrchr(place->file, '/') : NULL;
	*ret_file = !place ? "" : place->file ? (slash ? slash + 1 : place->file) : place->text;
	*ret_line = place && place->file ? place->line : 0;
}

void hb__put_element_value(hb_output *out, hb_element type, const void *value)
{
	char text[96] = "";
	double r[2];
	float f[2];
	int64_t l;
	int32_t i;
	switch (type) {
	case HB_REAL8:
	case HB_COMPLEX16:
		memcpy(r, value, type == HB_REAL8 ? sizeof *r : sizeof r);
		snprintf(text, sizeof text, type == HB_REAL8 ? "%.17g" : "(%.17g, %.17g)", r[0],
			type == HB_REAL8 ? 0 : r[1]);
		break;
	case HB_REAL4:
	case HB_COMPLEX8:
		memcpy(f, value, type == HB_REAL4 ? sizeof *f : sizeof f);
		snprintf(text, sizeof text, type == HB_REAL4 ? "%.9g" : "(%.9g, %.9g)", (double)f[0],
			type == HB_REAL4 ? 0 : (double)f[1]);
		break;
	case HB_INTEGER8:
		memcpy(&l, value, sizeof l);
		snprintf(text, sizeof text, "%lld", (long long)l);
		break;
	case HB_INTEGER4:
		memcpy(&i, value, sizeof i);
		snprintf(text, sizeof text, "%d", (int)i);
		break;
	default:
		snprintf(text, sizeof text, "%d", *(const int8_t *)value);
	}
	hb__put_text(out, text);
}

unsigned hb__trace_indices(const hb_trace_array *a, uint64_t element, int64_t index[HB_DIMENSIONS])
{
	bool owned;
	if (!a->tiled || (a->flags & HB_TRACE_ARRAY_OWN)) {
		index[0] = (int64_t)element;
		return 1;
	}
	hb_array_index(&a->as, (int64_t)element, index, &owned);
	for (unsigned d = 0; d < a->as.rank; d++)
		index[d] += a->as.base[d];
	return a->as.rank;
}

static int dump_one(const char *path, bool json, hb_output *out)
{
	hb_trace *t;
	hb_trace_record r;
	hb_error err = {0};
	size_t room = 0;
	if (hb_trace_open(path, &t, &err))
		return hb__fail_log(path, &err);
	const struct hb_trace_header *h = hb_trace_get_header(t);
	hb_dumped d = {.out = out, .trace = t, .rank = h->rank};
	if (!json) {
		hb__put_text(out, "process ");
		hb__put_int(out, h->rank);
		hb__put_text(out, " of ");
		hb__put_int(out, h->size);
		hb__put_char(out, '\n');
	}
	int got = 1;
	while (!out->broken && (got = hb_trace_next(t, &r, &err)) > 0) {
		if (d.opens + 1 > room) {
			room = 2 * room + 16;
			d.open = hb__resize(d.open, room * sizeof *d.open);
		}
		if (r.kind == HB_TRACE_BEGIN)
			d.open[d.opens++] = r.number;
		(json ? hb__put_record_json : hb__put_record_text)(&d, &r);
		if (r.kind == HB_TRACE_END)
			d.opens -= d.opens > 0;
	}
	int code = !out->broken && got < 0 ? hb__fail_log(path, &err) : 0;
	if (!code && !out->broken && !hb_trace_over(t)) {
		hb__say("%s is cut: its process did not come to its end", hb__short(path));
		code = HB_EXIT_RECORDING;
	}
	free(d.open);
	hb_trace_close(t);
	return code;
}

/* As a comment or as it is: the settings head the text. */
static void put_settings(const char *recording, hb_output *out)
{
	char *path = hb__format("%s/trace.settings", recording), line[4096];
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		hb__put_text(out, line);
	if (f)
		fclose(f);
	free(path);
}

int hb__dump_traces(const hb_args *args)
{
	const char *ranks = hb__option_value(args, "rank");
	bool json = hb__option_value(args, "json") != NULL;
	char *recording = NULL;
	hb_traced t = {0};
	int code = hb__find_recording(args->operand, &recording);
	if (code)
		return code;
	code = hb__open_traced(hb__short(recording), recording, &t);
	hb_output *out = hb__alloc(sizeof *out);
	out->fd = 1;
	if (!code) {
		hb__page();
		if (!json) {
			hb__put_text(out, "hbdb-trace 1\n");
			put_settings(recording, out);
		}
	}
	int worst = code;
	for (uint32_t i = 0; !code && i < hb_points_processes(t.points); i++) {
		hb_traced_process p;
		char name[16];
		hb_points_process(t.points, i, &p);
		snprintf(name, sizeof name, "%d", (int)p.rank);
		if (ranks && !hb__has_process(ranks, p.rank, name))
			continue;
		int one = dump_one(p.path, json, out);
		worst = one ? one : worst;
	}
	hb__flush(out);
	if (out->broken && out->error != EPIPE)
		worst = hb__fail_with(HB_EXIT_RECORDING, "cannot write the output: %s", strerror(out->error));
	free(out);
	hb__close_traced(&t);
	free(recording);
	return worst;
}
