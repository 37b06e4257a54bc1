/* hbdb info, for programs. */
#include <stdlib.h>
#include <string.h>

#include "../show/out.h"
#include "../findings/findings.h"
#include "info.h"
#include "talked.h"

static void field(hb_output *o, bool first, const char *name, const char *value)
{
	hb__put_text(o, first ? "" : ",");
	hb__put_json(o, name);
	hb__put_char(o, ':');
	if (value)
		hb__put_json(o, value);
	else
		hb__put_text(o, "null");
}

static void field_number(hb_output *o, bool first, const char *name, int64_t value)
{
	hb__put_text(o, first ? "" : ",");
	hb__put_json(o, name);
	hb__put_char(o, ':');
	hb__put_int(o, value);
}

static void field_list(hb_output *o, const char *name, const hb_strings *list)
{
	hb__put_text(o, ",");
	hb__put_json(o, name);
	hb__put_text(o, ":[");
	for (size_t i = 0; i < list->n; i++) {
		hb__put_text(o, i ? "," : "");
		hb__put_json(o, list->at[i]);
	}
	hb__put_char(o, ']');
}

static void json_run(hb_output *o, const hb_facts *f)
{
	const hb_manifest *m = &f->manifest;
	hb__put_char(o, '{');
	field(o, true, "recording", f->recording);
	field_list(o, "command", &m->command);
	field(o, false, "folder", m->folder);
	field(o, false, "started", m->started);
	field(o, false, "mpi", f->mpi || !f->logs.n ? m->mpi : NULL);
	field(o, false, "mpi_version", f->version_text);
	field(o, false, "level", m->level);
	hb_strings layers = hb__layer_names(m->layers);
	if (layers.n)
		field_list(o, "layers", &layers);
	hb__strings_free(&layers);
	if (m->data_ranks)
		field(o, false, "data_ranks", m->data_ranks);
	if (m->traced)
		field(o, false, "traced", m->traced);
	field(o, false, "program", m->program.path);
	field(o, false, "hbdb", m->version);
	field(o, false, "replay_of", m->replay_of);
	field(o, false, "imported_from", m->imported_from);
	field(o, false, "imported_file", m->imported_file);
	field(o, false, "imported_with", m->imported_with);
	if (m->finished) {
		if (m->kept)
			hb__put_text(o, ",\"kept\":true");
		else
			field_number(o, false, "exit_status", m->exit_status);
		if (m->open)
			hb__put_text(o, ",\"open\":true");
		field_number(o, false, "duration_ns", (int64_t)(m->seconds * 1e9));
		if (m->died_first && !m->died_first[strspn(m->died_first, "0123456789")])
			field_number(o, false, "died_first", strtol(m->died_first, NULL, 10));
		else if (m->died_first)
			field(o, false, "died_first", m->died_first);
	}
	field_number(o, false, "world_size", f->sum.size);
	field_number(o, false, "events", (int64_t)f->sum.events);
	field_number(o, false, "remarks", (int64_t)f->remarks);
	field_number(o, false, "bytes", (int64_t)f->sum.bytes);
	field_number(o, false, "events_not_stored", (int64_t)f->sum.lost);
	if (f->sum.racing) {
		field_number(o, false, "wildcard_receives", (int64_t)(f->sum.kept + f->sum.skipped));
		field_number(o, false, "wildcard_receives_stored", (int64_t)f->sum.kept);
	}
}

static void json_processes(hb_output *o, const hb_facts *f)
{
	bool first = true;
	hb__put_text(o, ",\"processes\":[");
	for (size_t i = 0; i < f->logs.n; i++) {
		if (!f->logs.at[i].log)
			continue;
		const hb_log_info *p = hb_log_get_info(f->logs.at[i].log);
		hb__put_text(o, first ? "{" : ",{");
		first = false;
		field_number(o, true, "rank", p->rank);
		if (f->logs.at[i].world)
			field_number(o, false, "world", f->logs.at[i].world);
		field(o, false, "name", f->logs.worlds.name[i]);
		field(o, false, "host", p->host);
		field_number(o, false, "pid", p->pid);
		field(o, false, "state", hb__state_text(&f->manifest, p));
		field_number(o, false, "events", (int64_t)p->events);
		field_number(o, false, "events_before",
			hb_log_before(f->logs.at[i].log) ? (int64_t)hb_log_before(f->logs.at[i].log)->events : 0);
		field_number(o, false, "lanes", p->lanes);
		field_number(o, false, "bytes", (int64_t)p->bytes);
		field_number(o, false, "thread_level", p->thread_level);
		field(o, false, "program", p->program);
		const hb_processor *processor = hb_log_processor(f->logs.at[i].log);
		if (processor) {
			field(o, false, "processor", processor->name);
			field(o, false, "byte_order", processor->big_endian ? "big" : "little");
			field_number(o, false, "word", processor->word);
		}
		hb__put_text(o, p->sealed ? ",\"sealed\":true" : ",\"sealed\":false");
		if (p->stopped)
			field(o, false, "stopped", strerror((int)p->stopped));
		if (p->recovered)
			field(o, false, "trouble", p->trouble);
		if (hb__has_contents(&f->contents[i]))
			hb__put_contents_members(o, &f->contents[i]);
		hb__put_char(o, '}');
	}
	hb__put_char(o, ']');
}

static void json_worlds(hb_output *o, const hb_facts *f)
{
	const hb_worlds *w = &f->logs.worlds;
	hb__put_text(o, ",\"worlds\":[");
	for (uint32_t i = 0; i < w->n; i++) {
		hb_named_process maker = w->world[i].maker;
		hb__put_text(o, i ? ",{" : "{");
		field_number(o, true, "number", w->world[i].number);
		field_number(o, false, "size", w->world[i].size);
		if (maker.world != HB_NO) {
			field_number(o, false, "maker_world", w->world[maker.world].number);
			field_number(o, false, "maker_rank", maker.rank);
		}
		hb__put_char(o, '}');
	}
	hb__put_char(o, ']');
}

static void json_nodes(hb_output *o, const hb_facts *f)
{
	const hb_manifest *m = &f->manifest;
	hb__put_text(o, ",\"nodes\":[");
	for (size_t i = 0; i < m->nnodes; i++) {
		hb__put_text(o, i ? ",{" : "{");
		field(o, true, "name", m->node[i].name);
		if (m->node[i].host)
			field(o, false, "host", m->node[i].host);
		field(o, false, "folder", m->node[i].folder);
		hb__put_text(o, m->node[i].missing ? ",\"missing\":true}" : ",\"missing\":false}");
	}
	hb__put_text(o, "]");
}

void hb__info_json(const hb_facts *f)
{
	hb_output *o = hb__alloc(sizeof *o);
	o->fd = 1;
	json_run(o, f);
	json_nodes(o, f);
	json_processes(o, f);
	json_worlds(o, f);
	hb__talked_json(o, f);
	hb__put_text(o, ",\"calls\":{");
	for (size_t i = 0; i < f->ncalled; i++)
		field_number(o, !i, f->called[i].name, (int64_t)f->called[i].calls);
	hb__put_text(o, "},\"communicators\":[");
	for (size_t i = 0; i < f->ncomms; i++) {
		hb__put_text(o, i ? ",{" : "{");
		field(o, true, "identity", f->comms[i].identity);
		field_number(o, false, "number", f->comms[i].number);
		field_number(o, false, "parent", f->comms[i].parent);
		field_number(o, false, "size", (int64_t)f->comms[i].size);
		field_number(o, false, "remote_size", (int64_t)f->comms[i].remote_size);
		field_number(o, false, "seen_in", (int64_t)f->comms[i].processes);
		if (f->comms[i].name)
			field(o, false, "name", f->comms[i].name);
		hb__put_char(o, '}');
	}
	char text[HB_WORLDS_TEXT];
	hb__put_text(o, "],\"missing\":[");
	for (uint32_t i = 0; hb_worlds_missing(&f->logs.worlds, i, text); i++) {
		hb__put_text(o, i ? "," : "");
		hb__put_json(o, text);
	}
	hb__put_text(o, "],\"not_covered\":[");
	for (size_t i = 0; i < f->sum.nnotes; i++) {
		hb__put_text(o, i ? ",{" : "{");
		field(o, true, "text", f->sum.notes[i].text);
		field_number(o, false, "processes", (int64_t)f->sum.notes[i].processes);
		hb__put_char(o, '}');
	}
	hb__put_text(o, "]}\n");
	hb__flush(o);
	free(o);
}
