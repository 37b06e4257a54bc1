/* Arguments of windows, files, attributes and memory, beside what their kinds say. */
#include "capture/mpi/check/arguments/look.h"

static void wrong(struct hb__look *l, const char *name, int64_t value, const char *text)
{
	int i = hb__find_param(l, name);
	if (i >= 0)
		hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)i, -1, value, "%s", text);
}

static int64_t number(const struct hb__look *l, const char *name)
{
	int i = hb__find_param(l, name);
	return i >= 0 ? hb__value(l, (unsigned)i) : 0;
}

/* ---- windows ---- */

static void window(struct hb__look *l)
{
	int unit = hb__find_param(l, "disp_unit");
	int64_t size = number(l, "size");
	if (size < 0)
		return; /* said with the counts */
	if (unit >= 0 && hb__value(l, (unsigned)unit) <= 0)
		wrong(l, "disp_unit", hb__value(l, (unsigned)unit), "the unit of displacements has to be positive");
	int base = hb__find_param(l, "base");
	if (base >= 0 && !l->c->a[base] && size > 0)
		hb__fault(l, HB_REMARK_ARG_BUFFER, (unsigned)base, -1, "NULL", "size = %lld", (long long)size);
}

static void assertion(struct hb__look *l, int allowed, const char *text)
{
	int64_t v = number(l, "assert");
	if (v & ~(int64_t)allowed)
		wrong(l, "assert", v, text);
}

static void synchronization(struct hb__look *l)
{
	switch (l->fn->means->does) {
	case HB_DOES_WINDOW_FENCE:
		assertion(l, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED,
			"a fence takes MPI_MODE_NOSTORE, NOPUT, NOPRECEDE and NOSUCCEED");
		break;
	case HB_DOES_WINDOW_POST:
		assertion(l, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT,
			"MPI_Win_post takes MPI_MODE_NOCHECK, NOSTORE and NOPUT");
		break;
	case HB_DOES_WINDOW_START:
		assertion(l, MPI_MODE_NOCHECK, "MPI_Win_start takes MPI_MODE_NOCHECK only");
		break;
	default:
		assertion(l, MPI_MODE_NOCHECK, "a lock takes MPI_MODE_NOCHECK only");
		if (l->fn->means->does == HB_DOES_WINDOW_LOCK && number(l, "lock_type") != MPI_LOCK_EXCLUSIVE &&
			number(l, "lock_type") != MPI_LOCK_SHARED)
			wrong(l, "lock_type", number(l, "lock_type"),
				"it has to be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED");
	}
}

/* ---- files ---- */

static void file_open(struct hb__look *l)
{
	int64_t mode = number(l, "amode");
	int access = !!(mode & MPI_MODE_RDONLY) + !!(mode & MPI_MODE_WRONLY) + !!(mode & MPI_MODE_RDWR);
	if (access != 1)
		wrong(l, "amode", mode,
			"exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR has to be given");
	else if (mode & MPI_MODE_RDONLY && mode & (MPI_MODE_CREATE | MPI_MODE_EXCL))
		wrong(l, "amode", mode, "MPI_MODE_CREATE and MPI_MODE_EXCL do not go with MPI_MODE_RDONLY");
	else if (mode & MPI_MODE_RDWR && mode & MPI_MODE_SEQUENTIAL)
		wrong(l, "amode", mode, "MPI_MODE_SEQUENTIAL does not go with MPI_MODE_RDWR");
}

static void file(struct hb__look *l)
{
	int whence = hb__find_param(l, "whence"), offset = hb__find_param(l, "offset"),
	    size = hb__find_param(l, "size");
	if (whence >= 0) {
		int64_t v = hb__value(l, (unsigned)whence);
		if (v != MPI_SEEK_SET && v != MPI_SEEK_CUR && v != MPI_SEEK_END)
			wrong(l, "whence", v, "it has to be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END");
	} else if (offset >= 0 && hb__kind(l, (unsigned)offset) == HB_P_OFFSET && hb__value(l, (unsigned)offset) < 0 &&
		   l->fn->cls == HB_IO) {
		wrong(l, "offset", hb__value(l, (unsigned)offset), "an offset cannot be negative");
	}
	if (size >= 0 && hb__kind(l, (unsigned)size) == HB_P_OFFSET && hb__value(l, (unsigned)size) < 0)
		wrong(l, "size", hb__value(l, (unsigned)size), "a size cannot be negative");
}

/* ---- attributes ---- */

static void keyval(struct hb__look *l)
{
	for (unsigned i = 0; i < l->fn->nargs; i++) {
		const int *at = hb__kind(l, i) == HB_P_KEYVALPTR ? (const int *)l->c->a[i] : NULL;
		bool value = hb__kind(l, i) == HB_P_KEYVAL;
		if (value ? (int)l->c->a[i] == MPI_KEYVAL_INVALID : at && *at == MPI_KEYVAL_INVALID)
			hb__fault(l, HB_REMARK_ARG_VALUE, i, -1, "MPI_KEYVAL_INVALID", "it needs a key");
	}
}

/* ---- operations and memory ---- */

static void attach(struct hb__look *l)
{
	unsigned size = l->fn->nargs - 1u; /* behind the buffer */
	if (!l->c->a[size - 1] && hb__value(l, size) > 0)
		hb__fault(l, HB_REMARK_ARG_BUFFER, size - 1, -1, "NULL", "size = %lld", (long long)hb__value(l, size));
}

/* Nothing is said of what several messages need together, nor of what the library adds to each. */
static void buffered(struct hb__look *l)
{
	unsigned buf = (unsigned)hb__role(l->c, HB_R_SBUF);
	const struct hb__type *t = hb__type_look(hb__arg(l->c, HB_R_TYPE));
	int64_t bytes = t->size * hb__value(l, (unsigned)hb__role(l->c, HB_R_COUNT)), room = hb__attached();
	if (t->number == HB_NONE || t->size <= 0 || bytes <= room || bytes == 0 ||
		(int)hb__arg(l->c, HB_R_DEST) == MPI_PROC_NULL)
		return;
	if (room < 0)
		hb__fault(
			l, HB_REMARK_ARG_BUFFER, buf, -1, "data", "no buffer for it was attached (MPI_Buffer_attach)");
	else
		hb__fault(l, HB_REMARK_ARG_BUFFER, buf, -1, "data", "it has %lld bytes and the buffer attached %lld",
			(long long)bytes, (long long)room);
}

static void op_create(struct hb__look *l)
{
	if (!l->c->a[0])
		hb__fault(l, HB_REMARK_ARG_POINTER, 0, -1, "NULL", "an operation needs a function");
}

void hb__look_other(struct hb__look *l)
{
	if (l->faulty || l->lost)
		return;
	if (hb__find_kind(l, HB_P_FILE) >= 0)
		file(l);
	keyval(l);
	if (hb__find_kind(l, HB_P_OPPTR) >= 0 && !l->fn->means->frees)
		op_create(l);
	if (l->fn->means->mode == HB_MODE_BUFFERED)
		buffered(l);
	switch (l->fn->means->does) {
	case HB_DOES_WINDOW_MAKE:
		window(l);
		break;
	case HB_DOES_WINDOW_FENCE:
	case HB_DOES_WINDOW_POST:
	case HB_DOES_WINDOW_START:
	case HB_DOES_WINDOW_LOCK:
	case HB_DOES_WINDOW_LOCK_ALL:
		synchronization(l);
		break;
	case HB_DOES_FILE_OPEN:
		file_open(l);
		break;
	case HB_DOES_ATTACH_BUFFER:
		attach(l);
		break;
	default:
		break;
	}
}
