/* Calls that returned an error: what the library says of it. */
#include "capture/check/arguments/look.h"

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

void hb__check_failed(struct hb__call *c, int code)
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
	if (!strncmp(c->fn->name, "MPI_T_", 6) || strstr(c->fn->name, "call_errhandler") ||
		PMPI(Error_class)(code, &class) != MPI_SUCCESS || hb__fault_enough(c, HB_REMARK_CALL_FAILED, 31))
		return;
	const char *name = "an error class of its own";
	for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
		if (classes[i].library == class)
			name = classes[i].name;
	PMPI(Error_string)(code, text, &length);
	without_line_feeds(text);
	hb__remark(c, HB_REMARK_CALL_FAILED, "class=%d answer=%d value=%s text=%.300s", hb__error_class(code),
		answer(class), strchr(name, ' ') ? "MPI_ERR_UNKNOWN" : name, text);
}
