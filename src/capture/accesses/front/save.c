/* An array saved at a point, as a file of NumPy (numpy.org/doc/stable/reference/generated/numpy.lib.format.html): what this process owns. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/accesses/front/front.h"

static const char *type_of(hb_element type)
{
	static const char *const name[HB_ELEMENTS] = {[HB_REAL8] = "<f8",
		[HB_REAL4] = "<f4",
		[HB_INTEGER4] = "<i4",
		[HB_INTEGER8] = "<i8",
		[HB_INTEGER1] = "|i1",
		[HB_COMPLEX16] = "<c16",
		[HB_COMPLEX8] = "<c8"};
	return name[type];
}

static bool write_head(FILE *out, const hb_array *a)
{
	char text[512];
	int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (", type_of(a->type),
		a->columns ? "True" : "False");
	for (unsigned i = 0; i < a->rank; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%lld,", (long long)a->count[i]);
	n += snprintf(text + n, sizeof text - (size_t)n, "), }");
	while ((10 + n + 1) % 64)
		text[n++] = ' ';
	text[n++] = '\n';
	const unsigned char head[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)n, (unsigned char)(n >> 8)};
	return fwrite(head, 1, sizeof head, out) == sizeof head && fwrite(text, 1, (size_t)n, out) == (size_t)n;
}

/* Rows of the storage, the fastest dimension at once, without its halo. */
static bool write_box(FILE *out, const hb_array *a)
{
	unsigned bytes = hb_element_bytes(a->type), rank = a->rank;
	int64_t stride[HB_DIMENSIONS], index[HB_DIMENSIONS] = {0}, offset = 0, step = 1;
	for (unsigned k = 0; k < rank; k++) {
		unsigned d = a->columns ? k : rank - 1 - k;
		stride[d] = step;
		step *= a->below[d] + a->count[d] + a->above[d];
		offset += a->below[d] * stride[d];
		if (a->count[d] < 1)
			return true;
	}
	unsigned fast = a->columns ? 0 : rank - 1;
	for (;;) {
		int64_t at = offset;
		for (unsigned d = 0; d < rank; d++)
			at += index[d] * stride[d];
		size_t n = (size_t)a->count[fast];
		if (fwrite((const char *)a->at + (size_t)at * bytes, bytes, n, out) != n)
			return false;
		unsigned k = 1;
		for (; k < rank; k++) {
			unsigned d = a->columns ? k : rank - 1 - k;
			if (++index[d] < a->count[d])
				break;
			index[d] = 0;
		}
		if (k == rank)
			return true;
	}
}

static bool write_file(const char *path, const hb_array *a)
{
	FILE *out = fopen(path, "wxe");
	if (!out)
		return false;
	bool good = write_head(out, a) && write_box(out, a);
	int why = errno;
	good = !fclose(out) && good;
	errno = why;
	return good;
}

/* Letters of a name that may stand in that of a file. */
static void plain_name(const char *name, char *to, size_t size)
{
	size_t n = 0;
	for (; name[n] && n + 1 < size; n++)
		to[n] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+", name[n]) ? name[n]
													     : '_';
	to[n] = 0;
}

static void save(struct hb__thread *t, struct hb__array *a, const hb_point *point)
{
	char folder[4200], stem[64], name[64], at[HB_POINT_TEXT], file[256], path[4600];
	uint64_t number = hb__array_number(t, a);
	hb__file_folder(folder, sizeof folder);
	hb__file_stem(stem, sizeof stem);
	plain_name(a->id.name, name, sizeof name);
	hb_point_text(point, at);
	snprintf(file, sizeof file, "array.%s.%s.%s.npy", name, at, stem);
	snprintf(path, sizeof path, "%s/%s", folder, file);
	if (a->strange || !*folder || (a->high > a->low && !hb__may_read(a->as.at, a->high - a->low))) {
		hb__put_trouble(
			t, HB_TROUBLE_SAVE, number, "array \"%s\" cannot be saved: it cannot be read", a->id.name);
		return;
	}
	if (!write_file(path, &a->as)) {
		hb__put_trouble(t, HB_TROUBLE_SAVE, number, "array \"%s\" cannot be saved in %s: %s", a->id.name, path,
			strerror(errno));
		return;
	}
	if (!hb__put_begin(t, 8 * HB__UV + sizeof file, false))
		return;
	uint8_t *w = hb__uv(t->w, HB_TRACE_SAVED);
	w = hb__uv(w, number);
	w = hb__point(w, point);
	t->w = hb__str(w, file);
	hb__put_done(t);
}

void hb__save_at(struct hb__thread *t, const hb_point *point)
{
	if (likely(!hb__wanted.save_at.number || hb_point_compare(&hb__wanted.save_at, point) != HB_POINT_EQUAL))
		return;
	uint8_t before = hb__door->aside();
	struct hb__array *a = hb__wanted.save.name ? hb__array_named(&hb__wanted.save) : NULL;
	if (a)
		save(t, a, point);
	else
		hb__put_trouble(t, HB_TROUBLE_SAVE, 0, "there is no array \"%s\" to be saved",
			hb__wanted.save.name ? hb__wanted.save.name : "");
	hb__door->back(before);
}
