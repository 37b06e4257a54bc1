/* Data compared by what is in it: the sequence of basic types of so many of a datatype, walked through run by run. */
#include "rules/signature.h"

#include <stdio.h>
#include <string.h>

#define STEPS 4000000 /* that a comparison may take; what is not walked through is not said to differ */

/* Names for the same thing, one group a line; of C and of Fortran alike. A message sent under one of them and received under
 * another arrives everywhere where hbdb runs. */
static const char *const alike[][12] = {
	{"MPI_INT", "MPI_INT32_T", "MPI_INTEGER", "MPI_INTEGER4"},
	{"MPI_LONG", "MPI_LONG_LONG_INT", "MPI_INT64_T", "MPI_INTEGER8", "MPI_AINT", "MPI_OFFSET", "MPI_COUNT"},
	{"MPI_SHORT", "MPI_INT16_T", "MPI_INTEGER2"},
	{"MPI_SIGNED_CHAR", "MPI_INT8_T", "MPI_INTEGER1"},
	{"MPI_UNSIGNED_CHAR", "MPI_UINT8_T"},
	{"MPI_UNSIGNED_SHORT", "MPI_UINT16_T"},
	{"MPI_UNSIGNED", "MPI_UINT32_T"},
	{"MPI_UNSIGNED_LONG", "MPI_UNSIGNED_LONG_LONG", "MPI_UINT64_T"},
	{"MPI_CHAR", "MPI_CHARACTER"},
	{"MPI_FLOAT", "MPI_REAL", "MPI_REAL4"},
	{"MPI_DOUBLE", "MPI_DOUBLE_PRECISION", "MPI_REAL8"},
	{"MPI_C_FLOAT_COMPLEX", "MPI_COMPLEX", "MPI_COMPLEX8", "MPI_CXX_FLOAT_COMPLEX"},
	{"MPI_C_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX", "MPI_COMPLEX16", "MPI_CXX_DOUBLE_COMPLEX"},
	{"MPI_C_LONG_DOUBLE_COMPLEX", "MPI_CXX_LONG_DOUBLE_COMPLEX"},
	{"MPI_C_BOOL", "MPI_CXX_BOOL"},
};

/* Predefined datatypes that the standard defines as structures of two others. */
static const char *const pairs[][3] = {
	{"MPI_FLOAT_INT", "MPI_FLOAT", "MPI_INT"},
	{"MPI_DOUBLE_INT", "MPI_DOUBLE", "MPI_INT"},
	{"MPI_LONG_DOUBLE_INT", "MPI_LONG_DOUBLE", "MPI_INT"},
	{"MPI_LONG_INT", "MPI_LONG", "MPI_INT"},
	{"MPI_SHORT_INT", "MPI_SHORT", "MPI_INT"},
	{"MPI_2INT", "MPI_INT", "MPI_INT"},
	{"MPI_2REAL", "MPI_REAL", "MPI_REAL"},
	{"MPI_2DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION"},
	{"MPI_2INTEGER", "MPI_INTEGER", "MPI_INTEGER"},
};

static const char *first_name(const char *name)
{
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
		for (size_t k = 1; k < 12 && alike[i][k]; k++)
			if (!strcmp(alike[i][k], name))
				return alike[i][0];
	return name;
}

/* ---- walking through ---- */

struct walk {
	const hb_log *log;
	hb_signature_run one; /* of a predefined datatype */
	const hb_signature_run *run;
	uint32_t n, at;
	uint64_t rounds; /* still to come, with this one */
	bool beginning;  /* the runs are not all: nothing is known behind them */
	/* what comes next */
	const char *name[2]; /* of a pair both */
	bool pair, second;
	uint64_t left; /* of this run (pairs: pairs) */
};

static const hb_datatype *type_of(const hb_data *d)
{
	return d->type < 0 || d->type >= HB_NO ? NULL : hb_log_datatype(d->log, (uint32_t)d->type);
}

static bool enter_run(struct walk *w)
{
	const hb_datatype *t = hb_log_datatype(w->log, w->run[w->at].basic);
	if (!t)
		return false;
	w->left = w->run[w->at].elements;
	w->name[0] = w->name[1] = first_name(t->name);
	w->pair = w->second = false;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (!strcmp(pairs[i][0], t->name)) {
			w->pair = true;
			w->name[0] = first_name(pairs[i][1]);
			w->name[1] = first_name(pairs[i][2]);
			if (w->name[0] == w->name[1]) { /* two of the same */
				w->pair = false;
				w->left *= 2;
			}
		}
	return true;
}

/* False: nothing is known of it. */
static bool begin(struct walk *w, const hb_data *d)
{
	const hb_datatype *t = type_of(d);
	*w = (struct walk){.log = d->log};
	if (!t || d->count < 0 || (!t->signature && strchr(t->name, '#')))
		return false;
	w->one = (hb_signature_run){(uint32_t)d->type, 1};
	w->run = t->signature ? t->signature->run : &w->one;
	w->n = t->signature ? t->signature->n : 1;
	w->beginning = t->signature && !t->signature->complete;
	w->rounds = (uint64_t)d->count;
	if (w->n == 1 && !w->beginning) { /* one run, however often */
		w->one = w->run[0];
		w->one.elements *= w->rounds;
		w->run = &w->one;
		w->rounds = w->one.elements ? 1 : 0;
	}
	if (!w->n)
		w->rounds = 0;
	return !w->rounds || enter_run(w);
}

static bool over(const struct walk *w) { return !w->rounds; }
static const char *next_name(const struct walk *w) { return w->name[w->second]; }
/* How many of the same name follow. */
static uint64_t stretch(const struct walk *w) { return w->pair ? 1 : w->left; }

/* Past so many; false: not known what comes then. */
static bool go(struct walk *w, uint64_t elements)
{
	if (w->pair && !w->second) {
		w->second = true;
		return true;
	}
	w->second = false;
	w->left -= w->pair ? 1 : elements;
	if (w->left)
		return true;
	if (++w->at == w->n) {
		if (w->beginning)
			return false;
		w->at = 0;
		if (!--w->rounds)
			return true;
	}
	return enter_run(w);
}

/* ---- comparing ---- */

static uint64_t bytes_of(const hb_data *d)
{
	const hb_datatype *t = type_of(d);
	return t ? t->size * (uint64_t)d->count : 0;
}

/* Where nothing but the sizes counts. */
static hb_data_relation by_size(const hb_data *a, const hb_data *b)
{
	uint64_t m = bytes_of(a), n = bytes_of(b);
	return m == n ? HB_DATA_UNKNOWN : m < n ? HB_DATA_SHORTER : HB_DATA_LONGER;
}

static bool same_runs(const struct walk *x, const struct walk *y)
{
	return x->log == y->log && x->run == y->run && x->n == y->n;
}

static bool is_raw(const char *name) { return !strcmp(name, "MPI_BYTE") || !strcmp(name, "MPI_PACKED"); }

hb_data_relation hb__data_difference(const hb_data *a, const hb_data *b, struct hb__data_difference *ret)
{
	struct walk x, y;
	*ret = (struct hb__data_difference){0};
	if (!type_of(a) || !type_of(b) || a->count < 0 || b->count < 0)
		return HB_DATA_UNKNOWN;
	if (!bytes_of(a) && !bytes_of(b))
		return HB_DATA_SAME;
	if (!begin(&x, a) || !begin(&y, b))
		return by_size(a, b);
	if (same_runs(&x, &y))
		return a->count == b->count ? HB_DATA_SAME : a->count < b->count ? HB_DATA_SHORTER : HB_DATA_LONGER;
	for (uint32_t step = 0; !over(&x) && !over(&y); step++) {
		const char *m = next_name(&x), *n = next_name(&y);
		if (strcmp(m, n) != 0) {
			ret->name_a = m;
			ret->name_b = n;
			ret->bytes = is_raw(m) || is_raw(n);
			ret->packed = !strcmp(m, "MPI_PACKED") || !strcmp(n, "MPI_PACKED");
			return ret->bytes ? by_size(a, b) : HB_DATA_DIFFERENT;
		}
		uint64_t same = stretch(&x) < stretch(&y) ? stretch(&x) : stretch(&y);
		ret->position += same;
		if (step == STEPS || !go(&x, same) || !go(&y, same))
			return by_size(a, b);
	}
	return over(&x) && over(&y) ? HB_DATA_SAME : over(&x) ? HB_DATA_SHORTER : HB_DATA_LONGER;
}

hb_data_relation hb__data_compare(const hb_data *a, const hb_data *b)
{
	struct hb__data_difference d;
	return hb__data_difference(a, b, &d);
}

/* ---- as text ---- */

#define TOLD 4 /* runs of a datatype that are named */

const char *hb__data_text(const hb_data *d, char *ret, size_t size)
{
	const hb_datatype *t = type_of(d);
	const hb_signature *s = t ? t->signature : NULL;
	const char *given = t ? hb_log_name(d->log, HB_NAMED_TYPE, d->type) : NULL;
	int at = snprintf(ret, size, "%lld %s%s%s%s", (long long)d->count, t ? t->name : "of an unknown datatype",
		given ? " \"" : "", given ? given : "", given ? "\"" : "");
	for (uint32_t i = 0; s && i < s->n && i < TOLD && at > 0 && (size_t)at < size; i++) {
		const hb_datatype *basic = hb_log_datatype(d->log, s->run[i].basic);
		at += snprintf(ret + at, size - (size_t)at, "%s%llu %s",
			i               ? ", "
			: d->count == 1 ? " ("
					: " (each ",
			(unsigned long long)s->run[i].elements, basic ? basic->name : "of an unknown datatype");
	}
	if (s && s->n && at > 0 && (size_t)at < size)
		snprintf(ret + at, size - (size_t)at, s->n > TOLD || !s->complete ? ", ...)" : ")");
	return ret;
}
