/* Handles of what is not there. */
#include <fcntl.h>
#include <unistd.h>

#include "capture/core/control/control.h"
#include "capture/mpi/alone/alone.h"
#include "capture/mpi/family/family.h"

/* ---- requests: generalised ones that nobody waits for, used again ---- */

static struct {
	struct hb__map ours;
	MPI_Request *unused;
	size_t n, room;
} requests;

static int query(void *state, MPI_Status *st)
{
	(void)state;
	PMPI(Status_set_elements)(st, hb__known.byte, 0);
	PMPI(Status_set_cancelled)(st, 0);
	return MPI_SUCCESS;
}

static int forget(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

MPI_Request hb__alone_request(void)
{
	MPI_Request made = hb__known.request_null;
	hb__track_lock();
	if (requests.n)
		made = requests.unused[--requests.n];
	else if (PMPI(Grequest_start)(query, forget, cancel, NULL, &made) == MPI_SUCCESS)
		hb__map_put(&requests.ours, (uintptr_t)made, &requests);
	hb__track_unlock();
	return made;
}

bool hb__alone_is_ours(MPI_Request request)
{
	hb__track_lock();
	bool ours = hb__map_find(&requests.ours, (uintptr_t)request) != NULL;
	hb__track_unlock();
	return ours;
}

void hb__alone_request_over(MPI_Request request)
{
	hb__track_lock();
	if (requests.n == requests.room) {
		size_t more = requests.room ? 2 * requests.room : 1024;
		MPI_Request *p = hb__pool(more * sizeof *p);
		for (size_t i = 0; p && i < requests.n; i++)
			p[i] = requests.unused[i];
		requests.unused = p ? p : requests.unused;
		requests.room = p ? more : requests.room;
	}
	if (requests.n < requests.room)
		requests.unused[requests.n++] = request;
	hb__track_unlock();
}

/* ---- messages that a probe took: real ones, of this process to itself ---- */

static struct {
	MPI_Message unused[64];
	unsigned n;
	MPI_Comm comm;
} messages;

MPI_Message hb__alone_message(void)
{
	MPI_Message made = hb__known.message_no_proc;
	MPI_Request request;
	hb__track_lock();
	if (messages.n) {
		made = messages.unused[--messages.n];
	} else {
		if (!messages.comm)
			PMPI(Comm_dup)(hb__known.comm_self, &messages.comm);
		if (PMPI(Isend)(NULL, 0, hb__known.byte, 0, 0, messages.comm, &request) == MPI_SUCCESS &&
			PMPI(Request_free)(&request) == MPI_SUCCESS)
			PMPI(Mprobe)(0, 0, messages.comm, &made, MPI_STATUS_IGNORE);
	}
	hb__track_unlock();
	return made;
}

void hb__alone_message_over(MPI_Message message)
{
	hb__track_lock();
	if (messages.n < sizeof messages.unused / sizeof *messages.unused)
		messages.unused[messages.n++] = message;
	hb__track_unlock();
}

/* ---- communicators ---- */

int hb__alone_comm(struct hb__call *c)
{
	const struct hb__row *row = hb__expected(c);
	MPI_Comm parent = hb__has(c, HB_R_COMM) ? (MPI_Comm)hb__arg(c, HB_R_COMM) : hb__known.comm_self;
	MPI_Comm *made = (MPI_Comm *)hb__arg(c, HB_R_NEWCOMM);
	bool later = c->fn->flags & HB_NONBLOCKING,
	     none = c->followed && !later && row->n && row->results[0] == HB_NONE;
	int code = MPI_SUCCESS;
	if (made && none)
		*made = hb__known.comm_null;
	else if (made && c->fn->means->alone == HB_ALONE_LIBRARY) /* attributes go along, by the program's functions */
		code = PMPI(Comm_dup)(parent, made);
	else if (made)
		code = PMPI(Comm_split)(parent, 0, 0, made);
	if (later)
		*(MPI_Request *)hb__arg(c, HB_R_NEWREQ) = hb__alone_request();
	return code;
}

int hb__alone_window(struct hb__call *c)
{
	void *memory;
	return PMPI(Win_allocate)(sizeof(uint64_t), 1, hb__known.info_null, (MPI_Comm)hb__arg(c, HB_R_COMM), &memory,
		(MPI_Win *)hb__arg(c, HB_R_WINPTR));
}

/* ---- files: what was read is given, and what is written goes nowhere ---- */

/* A file of this process alone, empty, and opened as the program wants to: what a view may be, and where one may be asked to go, depends on that. */
int hb__alone_file(struct hb__call *c)
{
	static unsigned made;
	char path[sizeof hb__config.dir + 32];
	/* communicator, name, mode, info, file */
	int how = (int)c->a[2] & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL);
	snprintf(path, sizeof path, "%s/file.%u", hb__config.dir, __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED));
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return PMPI(File_open)(hb__known.comm_self, path, how | MPI_MODE_DELETE_ON_CLOSE, hb__known.info_null,
		(MPI_File *)hb__arg(c, HB_R_FILEPTR));
}

/* ---- nothing is there to be given ---- */

void hb__alone_without(struct hb__call *c)
{
	int stopped;
	if (!hb__job_ends())
		hb__report_without(c, hb__data_ended(&stopped) ? stopped : 0);
}
