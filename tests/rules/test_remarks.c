/* Remarks, as the log of one process has them typed and that of another as notes of version 1: each kind of the table, with and without
 * what it can tell, is the same structure of either. */
#include "format/remark/table.h"
#include "job.h"
#include "model/remark/remark.h"

static uint64_t state = 88172645463325252u;

/* ---- one remark in both forms ---- */

struct both {
	char text[2000];
	uint8_t value[2000], *w;
	uint64_t mask;
};

static void add(struct both *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct both *b, const char *format, ...)
{
	size_t n = strlen(b->text);
	va_list ap;
	va_start(ap, format);
	vsnprintf(b->text + n, sizeof b->text - n, format, ap);
	va_end(ap);
}

static void add_numbers(struct both *b, const struct hb_remark_column *c)
{
	unsigned n = c->type == HB_FIELD_RUNS ? 4 * (1 + (unsigned)(raw_random(&state) % 3))
					      : 1 + (unsigned)(raw_random(&state) % 5);
	b->w = hb_put_uv(b->w, n);
	for (unsigned i = 0; i < n; i++) {
		int64_t v = (int64_t)(raw_random(&state) % 2000) - 500;
		bool one = c->type == HB_FIELD_RUNS && n == 4;
		v = one && i == 2 ? 1 : one && i == 3 ? 0 : v;
		b->w = hb_put_sv(b->w, v);
		if (!one || i < 2) /* a run of one piece is told by two numbers */
			add(b, "%s%lld", !i ? "" : c->type == HB_FIELD_RUNS && i % 4 ? ":" : ",", (long long)v);
	}
}

static void add_field(struct both *b, const struct hb_remark_column *c, unsigned bit)
{
	uint64_t v = raw_random(&state) % 1000;
	b->mask |= UINT64_C(1) << bit;
	add(b, " %s=", c->name);
	switch (c->type) {
	case HB_FIELD_SITE:
	case HB_FIELD_ADDRESS:
		v += c->type == HB_FIELD_ADDRESS ? UINT64_C(0xffff800000000000) : 0;
		b->w = hb_put_uv(b->w, v);
		add(b, "%llu", (unsigned long long)v);
		return;
	case HB_FIELD_WORD:
		b->w = hb_put_uv(b->w, v %= c->words);
		add(b, "%s", c->word[v]);
		return;
	case HB_FIELD_FUNCTION:
		b->w = hb_put_uv(b->w, 0); /* what job_begin calls first */
		add(b, "MPI_Init");
		return;
	case HB_FIELD_FLAG:
		add(b, "%d", !c->otherwise);
		return;
	case HB_FIELD_TEXT:
		b->w = raw_text(b->w, strcmp(c->name, "text") ? "some" : "the rest, as it is = this");
		add(b, "%s", strcmp(c->name, "text") ? "some" : "the rest, as it is = this");
		return;
	case HB_FIELD_REQUEST:
		b->w = hb_put_uv(hb_put_uv(b->w, 2), v);
		add(b, "2.%llu", (unsigned long long)v);
		return;
	case HB_FIELD_LIST:
	case HB_FIELD_RUNS:
		add_numbers(b, c);
		return;
	default:
		b->w = hb_put_sv(b->w, (int64_t)v - 100);
		add(b, "%lld", (long long)v - 100);
	}
}

/* A field `text` goes last: in a note it is the rest of the line, and in the table it is the last one. */
static void put(struct job *j, enum hb_remark_word word, bool all)
{
	const struct hb_remark_shape *shape = &hb_remark_kinds[word];
	struct both b = {.mask = 0};
	unsigned bit = 0;
	b.w = b.value;
	add(&b, "check %s", shape->word);
	for (unsigned i = 0; shape->of_call && i < HB_CALL_COLUMNS; i++, bit++)
		if (all || raw_random(&state) % 2)
			add_field(&b, &hb_columns_call[i], bit);
	for (unsigned i = 0; i < shape->fields; i++, bit++)
		if (all || raw_random(&state) % 2)
			add_field(&b, &shape->field[i], bit);
	uint8_t body[2100], *w = hb_put_uv(body, b.mask);
	memcpy(w, b.value, (size_t)(b.w - b.value));
	raw_remark(&j->p[0].log, 0, 40 + word, body, (size_t)(w - body + (b.w - b.value)));
	job_remark(j, 1, b.text);
	for (int rank = 0; rank < 2; rank++)
		CALL(j, rank, "MPI_Barrier", {"comm", 0});
}

static uint8_t *put_columns(uint8_t *w, const struct hb_remark_column *c, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		*w++ = c[i].type;
		w = hb_put_sv(raw_text(w, c[i].name), c[i].otherwise);
		if (c[i].type != HB_FIELD_WORD)
			continue;
		w = hb_put_uv(w, c[i].words);
		for (unsigned k = 0; k < c[i].words; k++)
			w = raw_text(w, c[i].word[k]);
	}
	return w;
}

static void define(struct job *j, enum hb_remark_word word)
{
	const struct hb_remark_shape *shape = &hb_remark_kinds[word];
	uint8_t b[4000], *w = raw_text(hb_put_uv(b, 40 + word), shape->word);
	w = hb_put_uv(w, shape->fields + (shape->of_call ? HB_CALL_COLUMNS : 0u));
	w = shape->of_call ? put_columns(w, hb_columns_call, HB_CALL_COLUMNS) : w;
	w = put_columns(w, shape->field, shape->fields);
	raw_definition(&j->p[0].log, RAW_LANES, HB_DEF_REMARK, b, (size_t)(w - b));
}

/* ---- comparing ---- */

static bool runs_differ; /* the remarks are of two runs: addresses may be others */

static bool same_numbers(const hb_numbers *a, const hb_numbers *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->at, b->at, a->n * sizeof *a->at));
}

static bool same_field(const struct hb_remark_column *c, const char *a, const char *b)
{
	a += c->offset;
	b += c->offset;
	switch (c->type) {
	case HB_FIELD_SITE:
	case HB_FIELD_WORD:
		return *(const uint32_t *)a == *(const uint32_t *)b;
	case HB_FIELD_FLAG:
		return *(const bool *)a == *(const bool *)b;
	case HB_FIELD_TEXT:
	case HB_FIELD_FUNCTION:
		return !strcmp(*(const char *const *)a, *(const char *const *)b);
	case HB_FIELD_REQUEST:
		return ((const hb_request_name *)a)->told == ((const hb_request_name *)b)->told &&
		       (!((const hb_request_name *)a)->told ||
			       hb_remark_same_request(*(const hb_request_name *)a, *(const hb_request_name *)b));
	case HB_FIELD_LIST:
	case HB_FIELD_RUNS:
		return same_numbers((const hb_numbers *)a, (const hb_numbers *)b);
	case HB_FIELD_ADDRESS:
		return runs_differ || *(const int64_t *)a == *(const int64_t *)b;
	default:
		return *(const int64_t *)a == *(const int64_t *)b;
	}
}

static bool same(const hb_remark *a, const hb_remark *b)
{
	const struct hb_remark_shape *shape = &hb_remark_kinds[a->word];
	bool good = a->word == b->word && a->at.event == b->at.event;
	for (unsigned i = 0; good && i < HB_CALL_COLUMNS; i++)
		good = same_field(&hb_columns_call[i], (const char *)a->call, (const char *)b->call);
	for (unsigned i = 0; good && i < shape->fields; i++)
		good = same_field(&shape->field[i], a->fields, b->fields);
	return good;
}

static void compare(const hb_model *model)
{
	hb_remarks *all = NULL;
	hb_error err;
	static const size_t n = 3 * HB_REMARKS;
	bool read = !hb_remarks_read(model, &all, &err);
	/* the note that job_begin writes, and then the remarks of either */
	if (check(read && all->n == 2 * n + 2 && all->all, "all remarks of both are read"))
		for (size_t i = 0; i < n; i++)
			check(same(&all->at[1 + i], &all->at[2 + n + i]), "%s: both are the same",
				hb_remark_kinds[all->at[1 + i].word].word);
	if (read)
		hb_remarks_free(all);
}

/* What is no remark as the page says, or of a kind or with a field that is not known, harms nothing. */
static void strange(struct job *j)
{
	static const uint8_t cut[] = {1, 0x80}, many[] = {1, 0, 0, 0}, unknown[] = {0};
	raw_remark(&j->p[0].log, 0, 40 + HB_REMARK_UNREADY, cut, sizeof cut);
	raw_remark(&j->p[0].log, 0, 40 + HB_REMARK_UNREADY, many, sizeof many);
	raw_remark(&j->p[0].log, 0, 4000, unknown, sizeof unknown);
	job_remark(j, 1, "check of-another-kind fn=MPI_Init n=1");
}

static hb_remarks *golden(const char *path, hb_log **ret_log, hb_model **ret_model)
{
	hb_remarks *all = NULL;
	hb_error err;
	if (!hb_log_open(path, ret_log, &err)) {
		hb_source source[2] = {{.log = *ret_log, .rank = 0}, {.rank = 1}};
		if (!hb_model_build(source, 2, NULL, NULL, ret_model, &err) && hb_remarks_read(*ret_model, &all, &err))
			all = NULL;
	}
	return all;
}

/* The same program, recorded when remarks were notes, and when they were typed. */
static void goldens(void)
{
	hb_log *log[2] = {0};
	hb_model *model[2] = {0};
	hb_remarks *notes = golden("tests/golden/raw-notes.log", &log[0], &model[0]);
	hb_remarks *typed = golden("tests/golden/sealed-remarks.log", &log[1], &model[1]);
	runs_differ = true;
	if (check(notes && typed && notes->n == typed->n && typed->n > 20, "golden: both say as much"))
		for (size_t i = 0; i < typed->n; i++)
			check(same(&notes->at[i], &typed->at[i]), "golden: %s is the same",
				hb_remark_kinds[typed->at[i].word].word);
	hb_remarks_free(notes);
	hb_remarks_free(typed);
	for (int i = 0; i < 2; i++) {
		hb_model_close(model[i]);
		hb_log_close(log[i]);
	}
}

int main(void)
{
	goldens();
	runs_differ = false;
	struct job j;
	hb_log *log[2] = {0};
	hb_source source[2] = {0};
	hb_model *model = NULL;
	hb_error err;
	job_begin(&j, 2);
	for (unsigned word = 0; word < HB_REMARKS; word++)
		define(&j, (enum hb_remark_word)word);
	for (unsigned i = 0; i < 3 * HB_REMARKS; i++)
		put(&j, (enum hb_remark_word)(i % HB_REMARKS), i < HB_REMARKS);
	strange(&j);
	bool good = true;
	for (int rank = 0; rank < 2; rank++) {
		char name[32], sealed[32];
		snprintf(name, sizeof name, "raw.%d.log", rank);
		snprintf(sealed, sizeof sealed, "rank.%d.log", rank);
		job_call(&j, rank, "MPI_Finalize", NULL, NULL, 0);
		raw_save(&j.p[rank].log, check_path(name));
		raw_free(&j.p[rank].log);
		good = good && !hb_log_seal(check_path(name), check_path(sealed), NULL, NULL, &err) &&
		       !hb_log_open(check_path(sealed), &log[rank], &err);
		source[rank] = (hb_source){.log = log[rank], .rank = rank};
	}
	if (check(good && !hb_model_build(source, 2, NULL, NULL, &model, &err), "the job is read"))
		compare(model);
	hb_model_close(model);
	for (int rank = 0; rank < 2; rank++)
		hb_log_close(log[rank]);
	check_clean();
	return check_end();
}
