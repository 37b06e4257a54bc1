/* Calls that returned an error: what the library says of it. */
#include <stdarg.h>

#include "capture/mpi/check/arguments/look.h"

static void without_line_feeds(char *text)
{
	for (; *text; text++)
		if (*text == '\n' || *text == '\r')
			*text = ' ';
}

/* Not errors of the program: a file that is not there, a name that nobody published, and what a status tells. */
static bool answer(int class)
{
	switch (class) {
	case MPI_ERR_NO_SUCH_FILE:
	case MPI_ERR_FILE_EXISTS:
	case MPI_ERR_FILE_IN_USE:
	case MPI_ERR_ACCESS:
	case MPI_ERR_QUOTA:
	case MPI_ERR_NO_SPACE:
	case MPI_ERR_READ_ONLY:
	case MPI_ERR_NO_MEM:
	case MPI_ERR_NAME:
	case MPI_ERR_SERVICE:
	case MPI_ERR_PORT:
	case MPI_ERR_SPAWN:
	case MPI_ERR_UNSUPPORTED_DATAREP:
	case MPI_ERR_UNSUPPORTED_OPERATION:
	case MPI_ERR_INFO_NOKEY:
	case MPI_ERR_PENDING:
		return true;
	default:
		return false;
	}
}

static void tell(struct hb__call *c, int code, bool fatal)
{
	static const struct {
		int library;
		const char *name;
	} classes[] = {
#define HB_ERROR(name, number) {MPI_ERR_##name, "MPI_ERR_" #name},
#include "calls/errors.def"
#undef HB_ERROR
	};
	char text[MPI_MAX_ERROR_STRING + 1] = "";
	int class = code, length = 0;
	if (PMPI(Error_class)(code, &class) != MPI_SUCCESS)
		return;
	const char *name = "MPI_ERR_UNKNOWN";
	for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
		if (classes[i].library == class)
			name = classes[i].name;
	PMPI(Error_string)(code, text, &length);
	without_line_feeds(text);
	hb__remark(c, CALL_FAILED, .error = hb__error_class(code), .answer = answer(class) && !fatal, .fatal = fatal,
		.value = name, .text = text);
}

void hb__check_failed(struct hb__call *c, int code)
{
	if (!c->fn->means->tool && c->fn->means->does != HB_DOES_CALL_HANDLER &&
		!hb__fault_enough(c, HB_REMARK_CALL_FAILED, 31))
		tell(c, code, false);
}

/* ---- errors that end the process ---- */

/* MPI_ERRORS_ARE_FATAL ends the process inside the call, and the log with it. So it gets a handler in its place that
 * says which call it was and then does the same. */
static MPI_Errhandler ours;

static void before_the_end(MPI_Comm *comm, int *code, ...)
{
	va_list args;
	va_start(args, code);
	const char *message = HB__FATAL_MESSAGE ? va_arg(args, const char *) : NULL;
	va_end(args);
	if (hb__self && hb__self->checked)
		tell(hb__self->checked, *code, true);
	hb__fatal_error(comm, code, message);
}

static void replace(MPI_Comm comm)
{
	MPI_Errhandler now;
	if (PMPI(Comm_get_errhandler)(comm, &now) != MPI_SUCCESS)
		return;
	if (now == hb__known.errors_are_fatal)
		PMPI(Comm_set_errhandler)(comm, ours);
	PMPI(Errhandler_free)(&now);
}

void hb__fatal_begin(void)
{
	if (PMPI(Comm_create_errhandler)(before_the_end, &ours) != MPI_SUCCESS)
		return;
	replace(hb__known.comm_world);
	replace(hb__known.comm_self);
}

/* The program asks which handler there is, and is to see the one that it knows. */
void hb__fatal_asked(struct hb__call *c)
{
	if (c->fn->param[1].kind != HB_P_ERRHPTR)
		return;
	MPI_Errhandler *got = (MPI_Errhandler *)c->a[1];
	if (!got || *got != ours)
		return;
	MPI_Errhandler given = *got;
	PMPI(Errhandler_free)(&given);
	*got = hb__known.errors_are_fatal;
}
