#include "state.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "wire/link.h"
#include "wire/said.h"
#include "work/host.h"
#include "work/lost.h"

struct farm farm;

int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

const char *hb_farm_error(void) { return farm.error; }

void hb_farm_monitor(int on) { said_switch(on); }

void farm_no_memory(void)
{
	MPI_Abort(MPI_COMM_WORLD, 1);
	for (;;)
		pause();
}

void farm_fail(int status, const char *format, ...)
{
	va_list arguments;
	if (farm.status < 0)
		return;
	farm.status = status;
	va_start(arguments, format);
	int n = vsnprintf(farm.error, sizeof farm.error - 1, format, arguments);
	va_end(arguments);
	snprintf(farm.error + (n < (int)sizeof farm.error - 2 ? n : (int)sizeof farm.error - 2), 2, "\n");
	for (int rank = 0; rank < farm.processes; rank++)
		if (rank != farm.rank && lives(rank))
			send_alone(rank, FLAG_FAIL, (uint64_t)-status, NULL, 0);
}

/* The arguments of this process as the system knows them, for programs that have none at hand. */
static char **system_arguments(int *ret_argc, char *text, size_t room)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, room - 1);
	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = 0;
	char **argv = calloc(room / 2, sizeof *argv);
	int argc = 0;
	for (char *at = text; argv && at < text + n; at += strlen(at) + 1)
		argv[argc++] = at;
	*ret_argc = argc;
	return argv;
}

/* Rank 0 reads the specification, for all: the others may have no such file and another environment. */
static int read_settings(int *argc, char **argv, int take)
{
	int failed, splits = farm.program->split && farm.program->join;
	struct settings mine;
	failed = settings_read(&mine, argc, argv, take, farm.error, sizeof farm.error);
	if (!farm.rank) {
		farm.settings = mine;
		failed = failed ||
			 settings_complete(&farm.settings, farm.processes, splits, farm.error, sizeof farm.error);
	} else {
		farm.error[0] = 0;
	}
	MPI_Bcast(&failed, 1, MPI_INT, 0, farm.comm);
	if (failed)
		return HB_FARM_BAD_SPECIFICATION;
	MPI_Bcast(&farm.settings, (int)sizeof farm.settings, MPI_BYTE, 0, farm.comm);
	return HB_FARM_OK;
}

static int settings_of_all(int *argc, char ***argv)
{
	static char text[65536];
	if (argc && argv)
		return read_settings(argc, *argv, 1);
	int count;
	char **arguments = system_arguments(&count, text, sizeof text);
	int status = read_settings(&count, arguments, 0);
	free(arguments);
	return status;
}

/* Standard input or output of this process becomes a file, for C and for Fortran. */
static int redirect(int to, enum key key)
{
	const char *path = settings_text(&farm.settings, key);
	if (!*path)
		return 0;
	int fd = open(path, (to ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY) | O_CLOEXEC, 0666);
	if (fd < 0 || dup2(fd, to) < 0) {
		snprintf(farm.error, sizeof farm.error, "%s: %s: %m\n", farm.settings.origin[key], path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(fd);
	return 0;
}

static int open_streams(void)
{
	int hosts_both = farm.settings.number[KEY_HOST] == HOST_ONE && !farm.node, failed = 0, all;
	if (farm.node == NODE_GENERATOR || hosts_both)
		failed = redirect(STDIN_FILENO, KEY_INPUT);
	if (!failed && (farm.node == NODE_RECEIVER || hosts_both))
		failed = redirect(STDOUT_FILENO, KEY_OUTPUT);
	MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MIN, farm.comm);
	return all ? HB_FARM_BAD_SPECIFICATION : HB_FARM_OK;
}

static void work(int argc, char **argv)
{
	int one = farm.settings.number[KEY_HOST] == HOST_ONE;
	if (farm.node >= 0)
		node_start();
	if (farm.program->init_master &&
		(farm.node == NODE_GENERATOR || farm.node == NODE_RECEIVER || (one && !farm.node)))
		farm.program->init_master(argc, argv);
	if (farm.node == NODE_GENERATOR)
		host_generator();
	else if (farm.node == NODE_RECEIVER)
		host_receiver();
	else if (one && !farm.node)
		host_both();
	else if (farm.node >= 0)
		node_run();
}

static int go;

/* Rank 0: whether of each process is known what it has done, or that it is dead. */
static int all_known(int looks)
{
	for (int i = 1; i < farm.processes; i++) {
		if (farm.all[i].node != NODE_UNKNOWN)
			continue;
		if (looks < LOOKS_LONG || lives(i))
			return 0;
		farm.all[i].node = NODE_DEAD;
	}
	return 1;
}

/* Takes what still comes until rank 0 has what all have done: credits that nobody needs any more, results of dead ones' tasks. A barrier would wait
 * for the dead. */
static void gather(void)
{
	int rank;
	struct parcel *parcel;
	if (farm.rank && lives(0))
		send_alone(0, FLAG_COUNTS, 0, &farm.counts, sizeof farm.counts);
	for (int looks = 0; farm.rank ? !go && (looks < LOOKS_LONG || lives(0)) : !all_known(looks);
		looks += looks < LOOKS_LONG + 10) {
		while ((parcel = take(&rank))) {
			go |= !!(parcel_head(parcel)->flags & FLAG_GO);
			parcel_drop(parcel);
		}
		leave(looks);
	}
	for (int i = 1; i < farm.processes && !farm.rank; i++)
		if (farm.all[i].node != NODE_DEAD && lives(i))
			send_alone(i, FLAG_GO, 0, NULL, 0);
	while ((parcel = take(&rank)))
		parcel_drop(parcel);
}

static int missing(void)
{
	const hb_farm_program *p = farm.program;
	const char *name = !p->data_generator      ? "data_generator"
			   : !p->compute           ? "compute"
			   : !p->result_receiver   ? "result_receiver"
			   : !p->split != !p->join ? (p->split ? "join" : "split")
						   : NULL;
	if (name && !farm.rank)
		snprintf(farm.error, sizeof farm.error, "hb_farm_run: the program has no function %s\n", name);
	return name ? HB_FARM_BAD_PROGRAM : HB_FARM_OK;
}

static int run(int *argc, char ***argv)
{
	int status = missing();
	if (!status)
		status = settings_of_all(argc, argv);
	if (status)
		return status;
	farm.node = node_of(farm.rank);
	farm.counts.node = farm.node;
	farm.monitored = farm.node > NODE_SPARE && settings_monitors(&farm.settings, farm.node);
	if ((status = open_streams()))
		return status;
	farm.all = calloc((size_t)farm.processes, sizeof *farm.all);
	if (!farm.all)
		farm_no_memory();
	for (int i = 0; i < farm.processes; i++)
		farm.all[i].node = i ? NODE_UNKNOWN : farm.node;
	go = 0;
	links_start();
	if (farm.settings.number[KEY_RECOVER] == RECOVER_ON)
		lost_start();
	said_switch(1);
	said_start();
	int64_t since = now_ns();
	work(argc ? *argc : 0, argv ? *argv : NULL);
	farm.counts.run_ns = now_ns() - since;
	gather();
	farm.all[farm.rank] = farm.counts;
	if (!farm.rank && farm.status >= 0)
		report();
	if (farm.node >= 0)
		node_end();
	host_end();
	links_end();
	lost_end();
	free(farm.all);
	parcel_forget();
	return farm.status;
}

int hb_farm_run(const hb_farm_program *program, int *argc, char ***argv)
{
	int started;
	MPI_Initialized(&started);
	if (!started)
		MPI_Init(argc, argv);
	memset(&farm, 0, sizeof farm);
	farm.program = program;
	MPI_Comm_dup(MPI_COMM_WORLD, &farm.comm);
	MPI_Comm_set_errhandler(farm.comm, MPI_ERRORS_RETURN); /* a dead process is no reason to end */
	MPI_Comm_rank(farm.comm, &farm.rank);
	MPI_Comm_size(farm.comm, &farm.processes);
	int status = run(argc, argv);
	MPI_Comm_free(&farm.comm);
	if (!started)
		MPI_Finalize();
	return status < 0 && !*farm.error ? HB_FARM_ELSEWHERE : status;
}
