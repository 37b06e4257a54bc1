/* Collectives of windows and files, and accesses through windows: what belongs together, and what nothing orders. */
#include "job.h"

static struct job j;

/* ---- files ---- */

static void open_files(int n)
{
	job_begin(&j, 2);
	for (int k = 0; k < n; k++)
		for (int rank = 0; rank < 2; rank++) {
			job_remark(&j, rank, "check given amode=MPI_MODE_RDWR text=/tmp/a file");
			CALL(&j, rank, "MPI_File_open", {"comm", 0});
		}
}

static void files(void)
{
	open_files(1);
	ALL(&j, "MPI_File_read_all", {"fh", 0}, {"count", 1}, {"datatype", T_INT});
	ALL(&j, "MPI_File_close", {"fh", 0});
	job_silent(&j, "a file");

	open_files(1);
	CALL(&j, 0, "MPI_File_read_all", {"fh", 0}, {"count", 1}, {"datatype", T_INT});
	CALL(&j, 1, "MPI_File_write_all", {"fh", 0}, {"count", 1}, {"datatype", T_INT});
	job_found(&j, "reads and writes", "HB-COLLECTIVE-CALL",
		"rank 0 calls MPI_File_read_all, rank 1 calls MPI_File_write_all: the 1st collective call on the 1st file");

	open_files(1);
	ALL(&j, "MPI_File_sync", {"fh", 0});
	CALL(&j, 1, "MPI_File_sync", {"fh", 0});
	job_found(&j, "once more", "HB-COLLECTIVE-MISSING", "rank 0 never takes part in the 2nd collective call");

	open_files(2); /* which of two that were not used yet is meant is not known */
	for (int rank = 0; rank < 2; rank++) {
		CALL(&j, rank, "MPI_File_sync", {"fh", rank});
		CALL(&j, rank, "MPI_File_sync", {"fh", 1 - rank});
	}
	job_silent(&j, "two files");

	job_begin(&j, 2); /* the recorder says which: the second one is used first */
	for (int k = 0; k < 2; k++)
		for (int rank = 0; rank < 2; rank++) {
			CALL(&j, rank, "MPI_File_open", {"comm", 0});
			job_remark(&j, rank, k ? "check filesync late=1 file=1" : "check filesync late=1 file=0");
		}
	for (int rank = 0; rank < 2; rank++) {
		job_remark(&j, rank, "check filesync file=1");
		CALL(&j, rank, rank ? "MPI_File_sync" : "MPI_File_read_all", {"fh", 0});
	}
	job_found(&j, "the second of two files", "HB-COLLECTIVE-CALL", "the 1st collective call on the 2nd file");

	static const char *const say[3] = {"check given amode=MPI_MODE_RDWR text=/tmp/one",
		"check given amode=MPI_MODE_RDONLY text=/tmp/one",
		"check given amode=MPI_MODE_RDWR text=/tmp/other one"};
	for (int wrong = 0; wrong < 3; wrong++) {
		job_begin(&j, 2);
		for (int rank = 0; rank < 2; rank++) {
			job_remark(&j, rank, say[rank ? wrong : 0]);
			CALL(&j, rank, "MPI_File_open", {"comm", 0});
		}
		if (wrong)
			job_found(&j, wrong == 1 ? "another mode" : "another name", "HB-COLLECTIVE-VALUE",
				wrong == 1 ? "rank 1 has amode = MPI_MODE_RDONLY" : "filename = \"/tmp/other one\"");
		else
			job_silent(&j, "one mode and name");
	}
}

/* ---- windows ---- */

static void windows(int procs)
{
	job_begin(&j, procs);
	for (int rank = 0; rank < procs; rank++) {
		char text[120];
		CALL(&j, rank, "MPI_Win_create", {"comm", 0});
		snprintf(text, sizeof text,
			"check window late=1 fn=MPI_Win_create make=create win=0 base=%d size=64 unit=4 rank=%d n=%d",
			4096 * (rank + 1), rank, procs);
		job_remark(&j, rank, text);
	}
}

static void fence(int rank)
{
	job_remark(&j, rank, "check winsync fn=MPI_Win_fence kind=fence win=0 rank=-1");
	CALL(&j, rank, "MPI_Win_fence", {"win", 0});
}

static void fences(void)
{
	for (int rank = 0; rank < j.procs; rank++)
		fence(rank);
}

static void put_typed(int rank, int target, int disp, unsigned seq, int type, const char *how)
{
	char text[200];
	snprintf(text, sizeof text, "check rma fn=MPI_Put event=0 seq=%u win=0 target=%d disp=%d runs=0:4 type=%d %s",
		seq, target, disp, type, how);
	job_remark(&j, rank, text);
}

static void put(int rank, int target, int disp, unsigned seq, const char *how)
{
	put_typed(rank, target, disp, seq, T_INT, how);
}

#define PUT "op=put aop=-1 ep=fence"
#define GET "op=get aop=-1 ep=fence"
#define SUM "op=acc aop=2 ep=fence"
#define MAX "op=acc aop=3 ep=fence"

/* Two accesses of ranks 0 and 2 to the window of rank 1 in one epoch. */
static void both(const char *one, const char *other, int disp)
{
	windows(3);
	fences();
	put(0, 1, 0, 1, one);
	put(2, 1, disp, 1, other);
	fences();
}

static void epochs(void)
{
	windows(2);
	fences();
	fences();
	job_silent(&j, "fences");

	windows(2); /* of two windows the second is used first, and one of them freed */
	for (int rank = 0; rank < 2; rank++) {
		CALL(&j, rank, "MPI_Win_create", {"comm", 0});
		job_remark(&j, rank,
			"check window late=1 fn=MPI_Win_create make=create win=1 base=99999 size=64 unit=4 rank=0 n=2");
		CALL(&j, rank, "MPI_Win_fence", {"win", 1});
		job_remark(&j, rank, "check winsync fn=MPI_Win_free kind=free win=0 rank=-1");
		CALL(&j, rank, "MPI_Win_free", {"x", 0});
		if (rank)
			CALL(&j, rank, "MPI_Win_fence", {"win", 1});
	}
	job_found(&j, "the second of two windows", "HB-COLLECTIVE-MISSING",
		"rank 0 never takes part in the 2nd collective call on the 2nd window");

	windows(2);
	fences();
	fence(0);
	job_remark(&j, 1, "check winsync fn=MPI_Win_free kind=free win=0 rank=-1");
	CALL(&j, 1, "MPI_Win_free", {"x", 0});
	job_run(&j);
	int calls = 0;
	for (int i = 0; i < j.nfound; i++)
		calls += !strcmp(j.found[i].id, "HB-COLLECTIVE-CALL");
	if (!check(calls >= 1, "a fence beside the end: HB-COLLECTIVE-CALL"))
		job_show(&j);

	for (int wrong = 0; wrong < 2; wrong++) {
		windows(2);
		for (int rank = 0; rank < 2; rank++) {
			job_remark(&j, rank,
				wrong && rank ? "check given MPI_MODE_NOPRECEDE=given"
					      : "check given MPI_MODE_NOPRECEDE=no");
			CALL(&j, rank, "MPI_Win_fence", {"win", 0});
		}
		if (wrong)
			job_found(&j, "an assertion of one", "HB-COLLECTIVE-VALUE",
				"rank 1 has MPI_MODE_NOPRECEDE = given");
		else
			job_silent(&j, "no assertion");
	}
}

static void races(void)
{
	both(PUT, PUT, 1);
	job_silent(&j, "puts beside each other");
	both(PUT, PUT, 0);
	job_found(&j, "two puts", "HB-RMA-RACE", "writes bytes 0 to 3 of the window of rank 1");
	both(PUT, GET, 0);
	job_found(&j, "a put and a get", "HB-RMA-RACE", "reads");
	both(GET, GET, 0);
	job_silent(&j, "two gets");
	both(SUM, SUM, 0);
	job_silent(&j, "two sums");
	both(SUM, MAX, 0);
	job_found(&j, "a sum and a maximum", "HB-RMA-RACE", "updates");
	both(SUM, GET, 0);
	job_found(&j, "a sum and a get", "HB-RMA-RACE", "reads");
	for (int type = T_FLOAT; type >= -1; type -= T_FLOAT + 1) { /* -1: not known */
		windows(3);
		fences();
		put_typed(0, 1, 0, 1, T_INT, SUM);
		put_typed(2, 1, 0, 1, type, SUM);
		fences();
		if (type == T_FLOAT)
			job_found(&j, "sums of two types", "HB-RMA-RACE", "updates");
		else
			job_silent(&j, "sums, one of a type that is not known");
	}

	windows(3); /* another epoch */
	fences();
	put(0, 1, 0, 1, PUT);
	fences();
	put(2, 1, 0, 1, PUT);
	fences();
	job_silent(&j, "puts of two epochs");

	windows(2); /* the target itself */
	fences();
	put(0, 1, 2, 1, PUT);
	job_remark(&j, 1, "check touch fn=MPI_Send win=0 off=8 len=4 write=0 lock=-");
	CALL(&j, 1, "MPI_Barrier", {"comm", 1});
	fences();
	job_found(&j, "the target reads what is put", "HB-RMA-RACE", "there");

	windows(2);
	fences();
	put(0, 1, 16, 1, PUT);
	fences();
	job_found(&j, "behind the end", "HB-RMA-RANGE", "64 to 67");
}

int main(void)
{
	files();
	epochs();
	races();
	check_clean();
	return check_end();
}
