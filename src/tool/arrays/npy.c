/* Arrays in the format of NumPy. */
#include "npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const descr[HB_ELEMENTS] = {[HB_REAL8] = "<f8",
	[HB_REAL4] = "<f4",
	[HB_INTEGER4] = "<i4",
	[HB_INTEGER8] = "<i8",
	[HB_INTEGER1] = "|i1",
	[HB_COMPLEX16] = "<c16",
	[HB_COMPLEX8] = "<c8"};
static const char magic[6] = "\x93NUMPY";

#define HEADER_MOST 65536u

bool hb__npy_elements(const hb_npy *a, uint64_t *ret)
{
	uint64_t n = 1;
	for (unsigned d = 0; d < a->rank; d++)
		if (a->extent[d] < 0 || __builtin_mul_overflow(n, (uint64_t)a->extent[d], &n))
			return false;
	*ret = n;
	return n <= SIZE_MAX / 16;
}

bool hb__npy_make(hb_npy *a)
{
	uint64_t n;
	if (!hb__npy_elements(a, &n))
		return false;
	a->at = calloc(n ? n : 1, hb_element_bytes(a->type));
	return a->at != NULL;
}

void hb__npy_free(hb_npy *a)
{
	free(a->at);
	a->at = NULL;
}

uint64_t hb__npy_offset(const hb_npy *a, const int64_t *index)
{
	uint64_t at = 0;
	for (unsigned k = 0; k < a->rank; k++) {
		unsigned d = a->columns ? a->rank - 1 - k : k;
		at = at * (uint64_t)a->extent[d] + (uint64_t)index[d];
	}
	return at;
}

double hb__npy_value(const hb_npy *a, uint64_t offset, unsigned part)
{
	switch (a->type) {
	case HB_REAL8:
		return ((const double *)a->at)[offset];
	case HB_COMPLEX16:
		return ((const double *)a->at)[2 * offset + part];
	case HB_REAL4:
		return (double)((const float *)a->at)[offset];
	case HB_COMPLEX8:
		return (double)((const float *)a->at)[2 * offset + part];
	case HB_INTEGER4:
		return ((const int32_t *)a->at)[offset];
	case HB_INTEGER8:
		return (double)((const int64_t *)a->at)[offset];
	default:
		return ((const int8_t *)a->at)[offset];
	}
}

/* ---- reading ---- */

/* What stands behind 'key': in the header, which is a dictionary as Python writes it. */
static const char *value_of(const char *header, const char *key)
{
	char quoted[32];
	snprintf(quoted, sizeof quoted, "'%s':", key);
	const char *at = strstr(header, quoted);
	if (!at)
		return NULL;
	at += strlen(quoted);
	return at + strspn(at, " ");
}

static bool read_shape(const char *at, hb_npy *a)
{
	a->rank = 0;
	if (*at++ != '(')
		return false;
	for (;;) {
		at += strspn(at, " ,");
		if (*at == ')')
			return true;
		char *end;
		errno = 0;
		long long n = strtoll(at, &end, 10);
		if (end == at || errno || n < 0 || a->rank == HB_DIMENSIONS)
			return false;
		a->extent[a->rank++] = n;
		at = end + (*end == 'L');
	}
}

static char *read_header(const char *header, hb_npy *a)
{
	const char *type = value_of(header, "descr"), *order = value_of(header, "fortran_order"),
		   *shape = value_of(header, "shape");
	if (!type || !order || !shape || *type != '\'')
		return hb__copy("its header is not one of NumPy's");
	size_t n = strcspn(type + 1, "'");
	unsigned e = 0;
	while (e < HB_ELEMENTS && (strlen(descr[e]) != n || memcmp(descr[e], type + 1, n)))
		e++;
	if (e == HB_ELEMENTS)
		return hb__format("elements of type %.*s are not read; those that are: <f8 <f4 <i4 <i8 |i1 <c16 <c8",
			(int)n, type + 1);
	a->type = (hb_element)e;
	a->columns = !strncmp(order, "True", 4);
	uint64_t elements;
	if (!read_shape(shape, a) || !hb__npy_elements(a, &elements))
		return hb__copy("its shape has more than 7 dimensions, or makes no sense");
	if (!a->rank)
		a->extent[a->rank++] = 1; /* a single number */
	return NULL;
}

static char *read_from(FILE *f, hb_npy *a)
{
	unsigned char head[12];
	if (fread(head, 1, 10, f) != 10 || memcmp(head, magic, sizeof magic) || head[6] < 1 || head[6] > 2)
		return hb__copy("it is no file of NumPy (.npy)");
	uint32_t n = head[8] | (uint32_t)head[9] << 8;
	if (head[6] == 2) {
		if (fread(head + 10, 1, 2, f) != 2)
			return hb__copy("it ends in its header");
		n |= (uint32_t)head[10] << 16 | (uint32_t)head[11] << 24;
	}
	if (n > HEADER_MOST)
		return hb__copy("its header is longer than any of NumPy's");
	char *header = hb__alloc(n + 1);
	header[n] = 0;
	char *why = fread(header, 1, n, f) == n ? read_header(header, a) : hb__copy("it ends in its header");
	free(header);
	uint64_t elements = 0;
	if (why || !hb__npy_elements(a, &elements))
		return why;
	/* a damaged header must not take memory that the file has nothing for */
	long begin = ftell(f);
	if (begin < 0 || fseek(f, 0, SEEK_END) || ftell(f) < begin ||
		(uint64_t)(ftell(f) - begin) < elements * hb_element_bytes(a->type))
		return hb__copy("it ends before its last element");
	fseek(f, begin, SEEK_SET);
	if (!hb__npy_make(a))
		return hb__copy("there is not enough memory for it");
	if (fread(a->at, hb_element_bytes(a->type), elements, f) == elements)
		return NULL;
	hb__npy_free(a);
	return hb__copy("it cannot be read to its end");
}

bool hb__npy_read(const char *path, hb_npy *ret, char **ret_why)
{
	*ret = (hb_npy){0};
	FILE *f = fopen(path, "rb");
	*ret_why = f ? read_from(f, ret) : hb__copy(strerror(errno));
	if (f)
		fclose(f);
	return !*ret_why;
}

/* ---- writing ---- */

bool hb__npy_write(const char *path, const hb_npy *a)
{
	char header[512];
	int n = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr[a->type],
		a->columns ? "True" : "False");
	for (unsigned d = 0; d < a->rank; d++)
		n += snprintf(header + n, sizeof header - (size_t)n, "%" PRId64 "%s", a->extent[d],
			a->rank > 1 && d + 1 == a->rank ? "" : ", ");
	n += snprintf(header + n, sizeof header - (size_t)n, "), }");
	while ((10 + n + 1) % 64)
		header[n++] = ' ';
	header[n++] = '\n';
	const unsigned char head[4] = {1, 0, (unsigned char)(n & 0xff), (unsigned char)(n >> 8)};
	uint64_t elements = 0;
	char *part = hb__format("%s.part", path);
	FILE *f = hb__npy_elements(a, &elements) ? fopen(part, "wb") : NULL;
	size_t bytes = hb_element_bytes(a->type);
	bool good = f && fwrite(magic, 1, sizeof magic, f) == sizeof magic &&
		    fwrite(head, 1, sizeof head, f) == sizeof head && fwrite(header, 1, (size_t)n, f) == (size_t)n &&
		    fwrite(a->at, bytes, elements, f) == elements;
	if (f && fclose(f))
		good = false;
	good = good && !rename(part, path);
	int saved = errno;
	if (!good)
		unlink(part);
	free(part);
	errno = saved;
	return good;
}
