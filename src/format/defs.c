/* Definitions: functions, modules, call sites, communicators, datatypes, operations, and slots. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/internal.h"
#include "format/remark/remark.h"
#include "format/row.h"

/* Numbers are given densely. What came before bounds them, the same in a raw log and in its sealed form. */
static uint64_t limit(const struct hb__defs *defs) { return 65536 + defs->raw.n; }

static bool table_set(struct hb__defs *defs, struct hb__def_table *t, uint64_t number, void *what)
{
	if (!what || number > limit(defs) || number >= HB_NO)
		return false;
	if (number >= t->cap) {
		size_t old = t->cap;
		if (!HB_GROW(t->at, t->cap, number + 1))
			return false;
		memset(t->at + old, 0, (t->cap - old) * sizeof *t->at);
	}
	t->at[number] = what;
	if (number >= t->n)
		t->n = (uint32_t)number + 1;
	return true;
}

static const char *text(struct hb__defs *defs, struct hb__in *in)
{
	uint64_t n = hb__in_uv(in);
	const uint8_t *p = hb__in_bytes(in, n);
	char *s = p ? hb__arena_get(&defs->arena, n + 1) : NULL;
	if (!s) {
		in->bad = true;
		return NULL;
	}
	memcpy(s, p, n);
	s[n] = 0;
	return s;
}

static void *function(struct hb__defs *defs, struct hb__in *in)
{
	hb_function *f = hb__arena_get(&defs->arena, sizeof *f);
	if (!f)
		return NULL;
	*f = (hb_function){.cls = hb__in_u8(in)};
	f->layer = f->cls < HB_CLASSES_MPI ? "mpi" : "user"; /* unless the log says whose it is */
	f->name = text(defs, in);
	uint64_t n = hb__in_uv(in);
	if (in->bad || n > (uint64_t)(in->end - in->p) / 2)
		return NULL;
	f->nargs = (uint32_t)n;
	uint8_t *kind = hb__arena_get(&defs->arena, n);
	const char **name = hb__arena_get(&defs->arena, n * sizeof *name);
	if (!kind || !name)
		return NULL;
	for (uint64_t i = 0; i < n; i++) {
		kind[i] = hb__in_u8(in);
		name[i] = text(defs, in);
	}
	f->arg_kind = kind;
	f->arg_name = name;
	return f;
}

static const int32_t *members(struct hb__defs *defs, struct hb__in *in, uint32_t *ret_n)
{
	uint64_t n = hb__in_uv(in);
	if (in->bad || n > (uint64_t)(in->end - in->p)) {
		in->bad = true;
		return NULL;
	}
	int32_t *m = hb__arena_get(&defs->arena, n * sizeof *m);
	int64_t at = 0;
	for (uint64_t i = 0; m && i < n; i++) {
		at = (int64_t)((uint64_t)at + (uint64_t)hb__in_sv(in));
		if (at < (defs->version < 2 ? -1 : INT32_MIN) || at > INT32_MAX)
			in->bad = true;
		m[i] = (int32_t)at;
	}
	*ret_n = (uint32_t)n;
	return m;
}

static void *comm(struct hb__defs *defs, struct hb__in *in)
{
	hb_comm *c = hb__arena_get(&defs->arena, sizeof *c);
	if (!c)
		return NULL;
	*c = (hb_comm){.parent = hb__in_sv(in)};
	c->index = hb__in_uv(in);
	c->leader = hb__in_sv(in);
	c->rank = (uint32_t)hb__in_uv(in);
	c->flags = (uint32_t)hb__in_uv(in);
	c->member = members(defs, in, &c->size);
	if (c->flags & 1 && !in->bad)
		c->remote = members(defs, in, &c->remote_size);
	return c->member && (!(c->flags & 1) || c->remote) ? c : NULL;
}

/* Of a communicator that was defined before, behind those that it has. */
static bool more_members(struct hb__defs *defs, struct hb__in *in)
{
	const struct hb__def_table *comms = &defs->table[HB_DEF_COMM];
	uint64_t number = hb__in_uv(in), side = hb__in_uv(in);
	hb_comm *c = !in->bad && number < comms->n ? comms->at[number] : NULL;
	uint32_t n = 0;
	if (!c || side > (c->flags & 1))
		return false;
	const int32_t *more = members(defs, in, &n), **member = side ? &c->remote : &c->member;
	uint32_t *size = side ? &c->remote_size : &c->size;
	int32_t *all = more && !in->bad && n <= INT32_MAX - *size
			       ? hb__arena_get(&defs->arena, ((size_t)*size + n) * sizeof *all)
			       : NULL;
	if (!all)
		return false;
	memcpy(all, *member, *size * sizeof *all);
	memcpy(all + *size, more, n * sizeof *all);
	*member = all;
	*size += n;
	return in->p == in->end;
}

static void *other(struct hb__defs *defs, uint8_t kind, struct hb__in *in)
{
	struct hb__arena *a = &defs->arena;
	if (kind == HB_DEF_MODULE) {
		hb_module *m = hb__arena_get(a, sizeof *m);
		if (m) {
			m->base = hb__in_uv(in);
			m->path = text(defs, in);
			m->build_id = text(defs, in);
		}
		return m;
	}
	if (kind == HB_DEF_SITE) {
		hb_site *s = hb__arena_get(a, sizeof *s);
		if (s) {
			uint64_t module = hb__in_uv(in);
			s->module = module < HB_NO ? (uint32_t)module : HB_NO;
			s->offset = hb__in_uv(in);
		}
		return s;
	}
	if (kind == HB_DEF_DATATYPE) {
		hb_datatype *d = hb__arena_get(a, sizeof *d);
		if (d) {
			*d = (hb_datatype){.size = hb__in_uv(in)};
			d->name = text(defs, in);
		}
		return d;
	}
	return (void *)text(defs, in);
}

static struct hb__array *cell_of(const struct hb__defs *defs, uint64_t digest)
{
	size_t mask = defs->arrays_cap - 1, i = (digest * 0x9e3779b97f4a7c15u >> 32) & mask;
	while (defs->array[i].value && defs->array[i].digest != digest)
		i = (i + 1) & mask;
	return &defs->array[i];
}

static bool more_cells(struct hb__defs *defs)
{
	struct hb__defs old = *defs;
	size_t cap = old.arrays_cap ? 2 * old.arrays_cap : 64;
	struct hb__array *array = calloc(cap, sizeof *array);
	if (!array)
		return false;
	defs->array = array;
	defs->arrays_cap = cap;
	for (size_t i = 0; i < old.arrays_cap; i++)
		if (old.array[i].value)
			*cell_of(defs, old.array[i].digest) = old.array[i];
	free(old.array);
	return true;
}

/* The last one of a digest holds. */
static bool array(struct hb__defs *defs, struct hb__in *in)
{
	uint64_t digest = hb__in_uv(in), n = hb__in_uv(in);
	if (in->bad || n > (uint64_t)(in->end - in->p))
		return false;
	int64_t *value = hb__arena_get(&defs->arena, (n + 1) * sizeof *value);
	if (!value || (2 * defs->arrays >= defs->arrays_cap && !more_cells(defs)))
		return false;
	for (uint64_t i = 0; i < n; i++)
		value[i] = hb__in_sv(in);
	struct hb__array *cell = cell_of(defs, digest);
	defs->arrays += !cell->value;
	*cell = (struct hb__array){digest, (uint32_t)n, value};
	return !in->bad && in->p == in->end;
}

const int64_t *hb_log_array(const hb_log *log, uint64_t digest, uint32_t *ret_n)
{
	const struct hb__array *cell = log->defs.arrays ? cell_of(&log->defs, digest) : NULL;
	if (!cell || !cell->value)
		return NULL;
	*ret_n = cell->n;
	return cell->value;
}

/* Of a datatype that was defined before. */
static bool signature(struct hb__defs *defs, struct hb__in *in)
{
	const struct hb__def_table *types = &defs->table[HB_DEF_DATATYPE];
	uint64_t number = hb__in_uv(in);
	hb_datatype *d = !in->bad && number < types->n ? types->at[number] : NULL;
	hb_signature *s = d ? hb__arena_get(&defs->arena, sizeof *s) : NULL;
	if (!s)
		return false;
	*s = (hb_signature){.elements = hb__in_uv(in)};
	s->digest = hb__in_uv(in);
	uint64_t n = hb__in_uv(in), listed = 0;
	if (in->bad || n > (uint64_t)(in->end - in->p) / 2)
		return false;
	hb_signature_run *run = hb__arena_get(&defs->arena, (n + 1) * sizeof *run);
	if (!run)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t basic = hb__in_uv(in);
		run[i] = (hb_signature_run){(uint32_t)basic, hb__in_uv(in)};
		if (basic >= HB_NO || !run[i].elements || run[i].elements > s->elements - listed)
			return false;
		listed += run[i].elements;
	}
	s->n = (uint32_t)n;
	s->run = run;
	s->complete = listed == s->elements;
	d->signature = s;
	return !in->bad && in->p == in->end;
}

/* What the results of a function are that was defined before. */
static bool values(struct hb__defs *defs, struct hb__in *in)
{
	const struct hb__def_table *functions = &defs->table[HB_DEF_FUNCTION];
	uint64_t number = hb__in_uv(in), n = hb__in_uv(in);
	hb_function *f = !in->bad && number < functions->n ? functions->at[number] : NULL;
	if (!f || n > (uint64_t)(in->end - in->p) / 2)
		return false;
	uint8_t *type = hb__arena_get(&defs->arena, n + 1);
	const char **name = hb__arena_get(&defs->arena, (n + 1) * sizeof *name);
	if (!type || !name)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		type[i] = hb__in_u8(in);
		name[i] = text(defs, in);
		if (in->bad || type[i] >= HB_TYPES)
			return false;
	}
	f->nvalues = (uint32_t)n;
	f->value_type = type;
	f->value_name = name;
	return in->p == in->end;
}

static bool given_text(struct hb__defs *defs, struct hb__in *in)
{
	uint64_t number = hb__in_uv(in);
	const char *s = in->bad ? NULL : text(defs, in);
	return s && in->p == in->end && table_set(defs, &defs->text, number, (void *)s);
}

static bool process(struct hb__defs *defs, struct hb__in *in)
{
	hb_identity *p = &defs->identity;
	if (defs->version < 2 || (p->world && *p->world))
		return defs->version < 2; /* there is one; another one of a process that got a rank after all */
	const char *world = text(defs, in);
	uint64_t made = hb__in_uv(in);
	p->spawned = made == 1;
	p->forked = made == 2;
	p->maker = text(defs, in);
	int64_t rank = hb__in_sv(in);
	p->maker_rank = rank < -1 || rank > INT32_MAX ? -1 : (int32_t)rank;
	p->began = hb__in_uv(in);
	p->world = in->bad ? NULL : world;
	return !in->bad && in->p == in->end;
}

/* Of a communicator that was defined before. */
static bool bridge(struct hb__defs *defs, struct hb__in *in)
{
	const struct hb__def_table *comms = &defs->table[HB_DEF_COMM];
	if (defs->version < 2)
		return true;
	uint64_t comm = hb__in_uv(in), kind = hb__in_uv(in);
	int64_t root = hb__in_sv(in);
	hb_bridge b = {.kind = (uint32_t)kind, .comm = (uint32_t)comm, .root = (int32_t)root};
	b.entered = hb__in_uv(in);
	b.returned = hb__in_uv(in);
	b.port = text(defs, in);
	bool good = !in->bad && in->p == in->end && comm < comms->n && comms->at[comm] && kind <= UINT32_MAX &&
		    root >= INT32_MIN && root <= INT32_MAX;
	if (!good || !HB_GROW(defs->bridge, defs->bridges_cap, defs->bridges + 1))
		return false;
	defs->bridge[defs->bridges++] = b;
	return true;
}

static bool remark_field(struct hb__defs *defs, struct hb__in *in, hb_remark_field *ret)
{
	ret->type = hb__in_u8(in);
	ret->name = in->bad ? NULL : text(defs, in);
	ret->otherwise = hb__in_sv(in);
	if (in->bad || !ret->name || ret->type != HB_FIELD_WORD)
		return !in->bad && ret->name;
	uint64_t n = hb__in_uv(in);
	if (in->bad || n > (uint64_t)(in->end - in->p))
		return false;
	const char **word = hb__arena_get(&defs->arena, (n + 1) * sizeof *word);
	for (uint64_t i = 0; word && i < n; i++)
		if (!(word[i] = in->bad ? NULL : text(defs, in)))
			return false;
	ret->words = (uint32_t)n;
	ret->word = word;
	return word;
}

static bool remark_kind(struct hb__defs *defs, struct hb__in *in)
{
	if (defs->version < 2)
		return true;
	uint64_t number = hb__in_uv(in);
	hb_remark_kind *k = hb__arena_get(&defs->arena, sizeof *k);
	const char *word = in->bad ? NULL : text(defs, in);
	uint64_t n = hb__in_uv(in);
	hb_remark_field *field =
		in->bad || n > HB_REMARK_FIELDS_MOST ? NULL : hb__arena_get(&defs->arena, (n + 1) * sizeof *field);
	if (!k || !word || !field || number > limit(defs))
		return false;
	memset(field, 0, (n + 1) * sizeof *field);
	*k = (hb_remark_kind){.word = word, .fields = (uint32_t)n, .field = field};
	for (uint64_t i = 0; i < n; i++)
		if (!remark_field(defs, in, &field[i]))
			return false;
	return in->p == in->end && table_set(defs, &defs->remark, number, k);
}

/* Of functions that are defined before or after it. */
static bool layer(struct hb__defs *defs, struct hb__in *in)
{
	const char *name = text(defs, in);
	uint64_t first = hb__in_uv(in), functions = hb__in_uv(in);
	if (in->bad || in->p != in->end || !name || defs->layers == HB__LAYERS_MOST)
		return false;
	defs->layer[defs->layers++] = (struct hb__layer_told){name, first, functions};
	return true;
}

void hb__defs_layers(struct hb__defs *defs)
{
	const struct hb__def_table *functions = &defs->table[HB_DEF_FUNCTION];
	for (uint32_t i = 0; i < functions->n; i++)
		for (uint32_t k = 0; functions->at[i] && k < defs->layers; k++)
			if (i >= defs->layer[k].first && i - defs->layer[k].first < defs->layer[k].functions)
				((hb_function *)functions->at[i])->layer = defs->layer[k].name;
}

static bool place(struct hb__defs *defs, struct hb__in *in)
{
	uint64_t n = hb__in_uv(in);
	if (defs->ancestor)
		return true; /* there is one */
	if (in->bad || !n || n > (uint64_t)(in->end - in->p) / 3)
		return false;
	hb_ancestor *a = hb__arena_get(&defs->arena, n * sizeof *a);
	for (uint64_t i = 0; a && i < n; i++) {
		a[i].started = hb__in_uv(in);
		a[i].pid = (uint32_t)hb__in_uv(in);
		a[i].name = text(defs, in);
		if (in->bad)
			return false;
	}
	if (!a || in->p != in->end)
		return false;
	defs->ancestor = a;
	defs->ancestors = (uint32_t)n;
	return true;
}

static bool network(struct hb__defs *defs, struct hb__in *in)
{
	uint64_t number = hb__in_uv(in);
	if (in->bad || in->p != in->end)
		return false;
	if (!defs->network) /* there is one */
		defs->network = number;
	return true;
}

static bool processor(struct hb__defs *defs, struct hb__in *in)
{
	hb_processor told = {.name = text(defs, in)};
	uint8_t order = hb__in_u8(in);
	uint64_t word = hb__in_uv(in);
	if (in->bad || in->p != in->end || !told.name || order > 1 || word > 1024)
		return false;
	told.big_endian = order;
	told.word = (uint32_t)word;
	if (!defs->processor.name) /* there is one */
		defs->processor = told;
	return true;
}

const hb_processor *hb_log_processor(const hb_log *log)
{
	return log->defs.processor.name ? &log->defs.processor : NULL;
}

uint64_t hb_log_network(const hb_log *log) { return log->defs.network; }

const hb_ancestor *hb_log_ancestor(const hb_log *log, uint32_t index)
{
	return index < log->defs.ancestors ? &log->defs.ancestor[index] : NULL;
}

const hb_identity *hb_log_identity(const hb_log *log) { return log->defs.identity.world ? &log->defs.identity : NULL; }

const hb_bridge *hb_log_bridge(const hb_log *log, uint32_t index)
{
	return index < log->defs.bridges ? &log->defs.bridge[index] : NULL;
}

bool hb__define(struct hb__defs *defs, uint8_t kind, const uint8_t *p, size_t n)
{
	struct hb__in in = {p, p + n, false};
	if (kind < HB_DEF_FUNCTION || kind == HB_DEF_SLOT)
		return false;
	if (kind <= HB_DEF_OP) { /* later kinds are kept and not understood */
		uint64_t number = hb__in_uv(&in);
		if (in.bad || number > limit(defs))
			return false;
		void *what = kind == HB_DEF_FUNCTION ? function(defs, &in)
			     : kind == HB_DEF_COMM   ? comm(defs, &in)
						     : other(defs, kind, &in);
		if (!what || in.bad || in.p != in.end || !table_set(defs, &defs->table[kind], number, what))
			return false;
	}
	if ((kind == HB_DEF_SIGNATURE && !signature(defs, &in)) || (kind == HB_DEF_ARRAY && !array(defs, &in)) ||
		(kind == HB_DEF_TEXT && !given_text(defs, &in)) || (kind == HB_DEF_VALUES && !values(defs, &in)) ||
		(kind == HB_DEF_PROCESS && !process(defs, &in)) || (kind == HB_DEF_BRIDGE && !bridge(defs, &in)) ||
		(kind == HB_DEF_REMARK && !remark_kind(defs, &in)) || (kind == HB_DEF_LAYER && !layer(defs, &in)) ||
		(kind == HB_DEF_PLACE && !place(defs, &in)) || (kind == HB_DEF_NETWORK && !network(defs, &in)) ||
		(kind == HB_DEF_PROCESSOR && !processor(defs, &in)) ||
		(kind == HB_DEF_MEMBERS && !more_members(defs, &in)))
		return false;
	hb__bytes_u8(&defs->raw, kind);
	hb__bytes_uv(&defs->raw, n);
	hb__bytes_put(&defs->raw, p, n);
	return !defs->raw.failed;
}

void hb__defs_free(struct hb__defs *defs)
{
	for (int i = 0; i < 8; i++)
		free(defs->table[i].at);
	free(defs->text.at);
	free(defs->remark.at);
	free(defs->array);
	free(defs->bridge);
	hb__arena_free(&defs->arena);
	free(defs->raw.p);
}

bool hb__slotdef_read(struct hb__in *in, struct hb__slotdef *slot)
{
	uint64_t function_number = hb__in_uv(in), site = hb__in_uv(in), flags = hb__in_uv(in), n = hb__in_uv(in);
	if (in->bad || function_number >= HB_NO || site >= HB_NO || flags > UINT32_MAX ||
		n > (uint64_t)(in->end - in->p))
		return false;
	if (n > slot->cap) {
		int64_t *arg = realloc(slot->arg, n * sizeof *arg);
		if (!arg)
			return false;
		slot->arg = arg;
		slot->cap = (uint32_t)n;
	}
	slot->function = (uint32_t)function_number;
	slot->site = (uint32_t)site;
	slot->flags = (uint32_t)flags;
	slot->nargs = (uint32_t)n;
	for (uint64_t i = 0; i < n; i++)
		slot->arg[i] = hb__in_sv(in);
	slot->defined = !in->bad;
	return slot->defined;
}

void hb__slotdef_row(const struct hb__slotdef *slot, uint32_t number, hb_row *ret_row)
{
	ret_row->slot = number;
	ret_row->era = slot->era;
	ret_row->function = slot->function;
	ret_row->site = slot->site;
	ret_row->nargs = slot->nargs;
	ret_row->arg = slot->arg;
	ret_row->has_digest = slot->flags & HB_SLOT_CHECK;
}
