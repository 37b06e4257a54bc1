/* Buffers against what they are declared as in the program: their type, and how long they are. */
#include <stdio.h>
#include <string.h>

#include "rules/finding.h"

static void type_name(const hb_log *log, int64_t number, char *ret, size_t size)
{
	const hb_datatype *d = number >= 0 && number < HB_NO ? hb_log_datatype(log, (uint32_t)number) : NULL;
	if (d && d->name && *d->name)
		snprintf(ret, size, "%s", d->name);
	else
		snprintf(ret, size, "the derived type#%lld", (long long)number);
}

/* The datatype that C and Fortran types go with. */
static const char *datatype_of(const char *element)
{
	static const struct {
		const char *element, *datatype;
	} pairs[] = {{"int", "MPI_INT"}, {"double", "MPI_DOUBLE"}, {"float", "MPI_FLOAT"}, {"long int", "MPI_LONG"},
		{"unsigned int", "MPI_UNSIGNED"}, {"long unsigned int", "MPI_UNSIGNED_LONG"},
		{"long long int", "MPI_LONG_LONG"}, {"long long unsigned int", "MPI_UNSIGNED_LONG_LONG"},
		{"short int", "MPI_SHORT"}, {"short unsigned int", "MPI_UNSIGNED_SHORT"},
		{"long double", "MPI_LONG_DOUBLE"}, {"_Bool", "MPI_C_BOOL"}, {"bool", "MPI_CXX_BOOL"},
		{"integer(kind=4)", "MPI_INTEGER"}, {"real(kind=4)", "MPI_REAL"},
		{"real(kind=8)", "MPI_DOUBLE_PRECISION"}, {"logical(kind=4)", "MPI_LOGICAL"},
		{"integer(kind=8)", "MPI_INTEGER8"}};
	for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (!strcmp(element, pairs[i].element))
			return pairs[i].datatype;
	return NULL;
}

static hb_status differs(hb_case *c, const hb_remark *r, const hb_declared *d, const char *type, hb_error *err)
{
	char advice[200], where[64] = "";
	hb_point point = hb__point_of_event(r);
	const char *arg = r->buffer->arg;
	if (!strcmp(d->element, "pointer"))
		snprintf(advice, sizeof advice,
			"The buffer holds a pointer, not the data that it points to: give the address of the data.");
	else if (datatype_of(d->element) && !d->offset)
		snprintf(advice, sizeof advice,
			"Give %s as the datatype, or declare the buffer with the type that %s stands for.",
			datatype_of(d->element), type);
	else
		snprintf(advice, sizeof advice, "Use a datatype that describes the buffer as it is declared.");
	if (!d->offset && strncmp(d->type, d->element, strlen(d->element)) != 0)
		snprintf(where, sizeof where, ": the buffer begins with ");
	else if (d->offset)
		snprintf(where, sizeof where, ": %lld bytes into the buffer there is ", (long long)d->offset);
	snprintf(point.role, sizeof point.role, "%.40s is %.50s, given as %.40s", d->variable, d->type, type);
	return hb__finding(c, HB_BUFFER_TYPE, false, advice, &point, 1, err,
		"rank %s calls %s with %s = %s and %s, but %s is declared as %s at %s%s%s",
		hb_model_processes(c->model)[r->process].name, point.function, arg, d->variable, type, d->variable,
		d->type, d->place, where, *where ? d->element : "");
}

static hb_status too_small(hb_case *c, const hb_remark *r, const hb_declared *d, const char *type, hb_error *err)
{
	hb_point point = hb__point_of_event(r);
	unsigned long long bytes = (unsigned long long)r->buffer->bytes;
	bool writes = r->buffer->writes;
	const char *arg = r->buffer->arg;
	snprintf(point.role, sizeof point.role, "%s %llu bytes from %.60s on", writes ? "may write" : "reads", bytes,
		d->room_of);
	return hb__finding(c, HB_BUFFER_SIZE, false,
		"The count is a number of elements, not of bytes: give no more than the buffer has.", &point, 1, err,
		"rank %s calls %s with %s = %llu bytes of %s, but %s (%s at %s) has %llu bytes from there on",
		hb_model_processes(c->model)[r->process].name, point.function, arg, bytes, type, d->room_of,
		d->room_type, d->room_place, (unsigned long long)d->room);
}

hb_status hb_rule_declared(hb_case *c, hb_error *err)
{
	hb_status status = HB_OK;
	for (size_t i = 0; c->declared && !status && i < c->remarks->n; i++) {
		const hb_remark *r = &c->remarks->at[i];
		const hb_log *log = hb_model_processes(c->model)[r->process].log;
		hb_declared d;
		char type[80];
		if (r->word != HB_REMARK_BUFFER || !log || !c->declared(log, r, &d))
			continue;
		type_name(log, r->buffer->type, type, sizeof type);
		if (d.fit == HB_DECLARED_DIFFERS)
			status = differs(c, r, &d, type, err);
		else if (d.room && (uint64_t)r->buffer->bytes > d.room)
			status = too_small(c, r, &d, type, err);
	}
	return status;
}
