/* Recognises launchers and finds the program behind them. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool in(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(*words, word))
			return true;
	return false;
}

/* By its own name and by the name of the file that the links lead to. */
static hb_launcher_kind kind_of(const char *name)
{
	char real[PATH_MAX];

	if (!hb_mpi_launcher_of(name)->name)
		return HB_LAUNCHER_NONE;
	char *path = hb__find_program(name);
	const char *last = path && realpath(path, real) ? real : name;
	free(path);
	for (int i = 0; i < 2; i++, last = name) {
		hb_launcher_kind kind = hb_mpi_launcher_of(last)->kind;
		if (kind != HB_LAUNCHER_NONE && kind != HB_LAUNCHER_ANY)
			return kind;
	}
	/* a plain mpirun or mpiexec of unknown origin: its libraries tell */
	hb_program program;
	hb__look_at_program(name, &program);
	free(program.path);
	return program.mpi == HB_MPI_OPENMPI ? HB_LAUNCHER_ORTE : program.elf ? HB_LAUNCHER_HYDRA : HB_LAUNCHER_NONE;
}

/* Options of the launchers that take values, so that a value is not taken for the program. */
static int values_of(hb_launcher_kind kind, const char *option)
{
	static const char *const two[] = {"mca", "gmca", "omca", "prtemca", "pmca", "genv", "env", NULL};
	static const char *const one_orte[] = {"am", "app", "bind-to", "c", "np", "n", "cf", "cartofile", "cpu-list",
		"cpu-set", "cpus-per-proc", "cpus-per-rank", "debugger", "default-hostfile", "H", "host", "hnp",
		"hostfile", "launch-agent", "machinefile", "map-by", "max-restarts", "max-vm-size", "N", "npernode",
		"npersocket", "ompi-server", "output-filename", "path", "personality", "ppr", "prefix", "preload-files",
		"rank-by", "report-events", "report-pid", "report-uri", "rf", "rankfile", "stdin", "timeout", "tune",
		"wd", "wdir", "x", "xml-file", "xterm", "dvm", "output", NULL};
	static const char *const one_hydra[] = {"genvlist", "envlist", "f", "hosts", "host", "wdir", "configfile", "n",
		"np", "launcher", "launcher-exec", "rmk", "topolib", "bind-to", "map-by", "membind", "demux", "iface",
		"ppn", "prepend-pattern", "outfile-pattern", "errfile-pattern", "nameserver", "localhost", "usize",
		"gpus-per-proc", "ckpoint-prefix", "ckpoint-num", "machinefile", "path", NULL};
	static const char *const one_srun[] = {"n", "N", "c", "t", "p", "A", "w", "x", "o", "e", "i", "J", "D", "m",
		"q", "C", "B", "G", "ntasks", "nodes", "time", "partition", "account", "nodelist", "exclude", "output",
		"error", "input", "job-name", "chdir", "cpus-per-task", "distribution", "qos", "constraint", "mem",
		"gres", "mpi", "export", "ntasks-per-node", "jobid", NULL};
	static const char *const one_aprun[] = {"n", "N", "d", "S", "sn", "sl", "cc", "cp", "e", "j", "L", "m", "p",
		"r", "t", "pes", "pes-per-node", "depth", "environment-override", "node-list", NULL};
	static const char *const one_jsrun[] = {"n", "a", "c", "g", "r", "b", "l", "d", "p", "E", "F", "K", "h", "o",
		"k", "t", "U", "X", "nrs", "np", "tasks_per_rs", "cpu_per_rs", "gpu_per_rs", "rs_per_host", "bind",
		"latency_priority", "launch_distribution", "env", "smpiargs", NULL};
	static const char *const one_rsh[] = {"n", "np", "hostfile", "f", NULL};
	static const char *const *const one[] = {[HB_LAUNCHER_ORTE] = one_orte,
		[HB_LAUNCHER_HYDRA] = one_hydra,
		[HB_LAUNCHER_SRUN] = one_srun,
		[HB_LAUNCHER_APRUN] = one_aprun,
		[HB_LAUNCHER_JSRUN] = one_jsrun,
		[HB_LAUNCHER_RSH] = one_rsh};
	const char *name = option + strspn(option, "-");
	if (strchr(name, '='))
		return 0;
	if ((kind == HB_LAUNCHER_ORTE || kind == HB_LAUNCHER_HYDRA) && in(name, two))
		return 2;
	return in(name, one[kind]);
}

static long count_in(hb_launcher_kind kind, char **argv, size_t i)
{
	static const char *const names[] = {"-n", "-np", "--n", "--np", "-c", "--ntasks", NULL};
	if (kind == HB_LAUNCHER_SRUN && !strncmp(argv[i], "--ntasks=", 9))
		return atol(argv[i] + 9);
	if (!in(argv[i], names) || !argv[i + 1] || (kind != HB_LAUNCHER_ORTE && !strcmp(argv[i], "-c")))
		return 0;
	return atol(argv[i + 1]);
}

static bool runs(const char *word)
{
	char *path = word[0] == '-' || strchr(word, '=') ? NULL : hb__find_program(word);
	free(path);
	return path != NULL;
}

/* Behind env, timeout and the like stands another command; none of them is the program. */
static size_t behind_wrappers(char **argv, size_t i)
{
	static const char *const wrappers[] = {"env", "nice", "timeout", "stdbuf", "taskset", "time", "nohup",
		"setarch", "numactl", "valgrind", "strace", "ltrace", "perf", "catchsegv", "chrt", "ionice", "setsid",
		"xterm", "gdb", "libtool", NULL};
	while (argv[i] && in(base(argv[i]), wrappers)) {
		size_t next = i + 1;
		while (argv[next] && !runs(argv[next]))
			next++;
		if (!argv[next])
			break;
		i = next;
	}
	return i;
}

/* python3 -u script.py: the first argument that is a file names the run better than the interpreter. */
static const char *script_of(char **argv, size_t program_at)
{
	static const char *const interpreters[] = {"python", "perl", "ruby", "julia", "sh", "bash", "dash", "zsh"};
	const char *name = base(argv[program_at]);
	for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++) {
		size_t n = strlen(interpreters[i]);
		if (strncmp(name, interpreters[i], n) || strspn(name + n, "0123456789.") != strlen(name + n))
			continue;
		for (char **a = argv + program_at + 1; *a; a++) {
			if (!strcmp(*a, "-c") || !strcmp(*a, ":"))
				return NULL;
			if (!strcmp(*a, "-m"))
				return a[1];
			if ((*a)[0] != '-')
				return access(*a, R_OK) ? NULL : *a;
		}
	}
	return NULL;
}

/* Finds the first context's program and adds up the counts of all contexts. */
static void read_launcher(char **argv, hb_command_line *ret)
{
	bool in_options = true, counted_all = true;
	long in_context = 0;
	for (size_t i = ret->launcher_at + 1;; i++) {
		if (!argv[i] || !strcmp(argv[i], ":")) {
			ret->processes += in_context;
			counted_all = counted_all && in_context > 0;
			in_context = 0;
			in_options = true;
			if (!argv[i])
				break;
		} else if (in_options && argv[i][0] == '-') {
			long n = count_in(ret->launcher, argv, i);
			in_context = n > 0 ? n : in_context;
			for (int skip = values_of(ret->launcher, argv[i]); skip && argv[i + 1]; skip--)
				i++;
		} else if (in_options && runs(argv[i])) {
			in_options = false;
			if (!ret->program_at)
				ret->program_at = behind_wrappers(argv, i);
		}
	}
	if (!counted_all)
		ret->processes = 0;
}

static hb_mpi mpi_of(hb_launcher_kind kind)
{
	return kind == HB_LAUNCHER_ORTE                                                            ? HB_MPI_OPENMPI
	       : kind == HB_LAUNCHER_HYDRA || kind == HB_LAUNCHER_APRUN || kind == HB_LAUNCHER_RSH ? HB_MPI_MPICH
												   : HB_MPI_UNKNOWN;
}

/* A launcher named in a text: the words of `sh -c` or of a script. */
static hb_mpi named_in(const char *text)
{
	char word[256];
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, " \t\n;|&()'\"`=");
		if (n && n < sizeof word) {
			snprintf(word, sizeof word, "%.*s", (int)n, p);
			hb_mpi mpi = mpi_of(kind_of(word));
			if (mpi)
				return mpi;
		}
		p += n + (p[n] != 0);
	}
	return HB_MPI_UNKNOWN;
}

static hb_mpi named_in_file(const char *path)
{
	char text[16384];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n < 2 || memchr(text, 0, (size_t)n))
		return HB_MPI_UNKNOWN;
	text[n] = 0;
	return named_in(text);
}

hb_mpi hb__path_mpi(void) { return mpi_of(kind_of("mpirun")); }

/* The command says nothing by itself: what it starts may be named in it. */
static void guess(char **argv, hb_mpi otherwise, hb_command_line *ret)
{
	for (size_t i = 0; argv[i] && !ret->mpi; i++) {
		ret->mpi = named_in(argv[i]);
		if (!ret->mpi && i >= ret->program_at && strchr(argv[i], '/'))
			ret->mpi = named_in_file(argv[i]);
	}
	if (!ret->mpi && ret->program.is_script)
		ret->mpi = named_in_file(ret->program.path);
	if (ret->mpi) {
		ret->why = hb__format("the command contains a launcher of %s", hb__mpi_name(ret->mpi));
		return;
	}
	if (otherwise) {
		ret->mpi = otherwise;
		ret->why = hb__copy("nothing in the command shows another one");
		return;
	}
	ret->mpi = hb__path_mpi();
	if (ret->mpi) {
		ret->why = hb__format("the mpirun in the PATH belongs to %s", hb__mpi_name(ret->mpi));
		ret->assumed = true;
	}
}

void hb__say_assumed(const hb_command_line *line)
{
	if (line->assumed)
		hb__say("the command does not show which MPI it uses; assuming %s, like the mpirun in the PATH (--mpi chooses another)",
			hb__mpi_name(line->mpi));
}

static int disagree(char **argv, const hb_command_line *line, hb_mpi by_launcher)
{
	const hb_program *p = &line->program;
	return hb__fail_with(HB_EXIT_USAGE,
		"%s is linked with %s (%s), but %s starts programs built with %s: start it with %s, or build it with %s (--mpi %s skips this check)",
		p->path, hb__mpi_name(p->mpi), p->library, argv[line->launcher_at], hb__mpi_name(by_launcher),
		p->mpi == HB_MPI_MPICH ? "mpiexec.hydra or mpirun.mpich" : "Open MPI's mpirun (mpirun.openmpi)",
		by_launcher == HB_MPI_MPICH ? "MPICH's mpicc" : "Open MPI's mpicc", hb__mpi_key(by_launcher));
}

int hb__read_command_line(char **argv, hb_mpi wanted, hb_mpi otherwise, hb_command_line *ret)
{
	*ret = (hb_command_line){0};
	size_t first = behind_wrappers(argv, 0);
	ret->launcher = kind_of(argv[first]);
	ret->launcher_at = ret->program_at = first;
	if (ret->launcher) {
		ret->program_at = 0;
		read_launcher(argv, ret);
	}
	if (!ret->launcher || ret->program_at)
		hb__look_at_program(argv[ret->program_at], &ret->program);
	if (!ret->launcher && !ret->program.path) {
		bool there = strchr(argv[first], '/') && !access(argv[first], F_OK);
		return hb__fail_with(there ? 126 : 127, "cannot run %s: %s", argv[first],
			there ? "it is not a program" : "there is no such program");
	}

	if (ret->program.path)
		ret->script = script_of(argv, ret->program_at);
	hb_mpi by_launcher = mpi_of(ret->launcher);
	if (ret->program.mpi == HB_MPI_STANDARD)
		return hb__fail_with(HB_EXIT_USAGE,
			"%s needs %s: the standard ABI of MPI 5, which hbdb does not know yet. Build the program with "
			"the mpicc of Open MPI or of MPICH that links their own library",
			ret->program.path, ret->program.library);
	if (wanted) {
		ret->mpi = wanted;
		ret->why = hb__copy("as --mpi demands");
	} else if (by_launcher && ret->program.mpi && by_launcher != ret->program.mpi)
		return disagree(argv, ret, by_launcher);
	else if (by_launcher || ret->program.mpi) {
		ret->mpi = by_launcher ? by_launcher : ret->program.mpi;
		ret->why = by_launcher ? hb__format("%s is a launcher of %s", argv[first], hb__mpi_name(by_launcher))
				       : hb__format("it needs %s", ret->program.library);
	} else
		guess(argv, otherwise, ret);
	if (!ret->mpi)
		return hb__fail_with(
			HB_EXIT_USAGE, "cannot tell which MPI '%s' uses: give --mpi openmpi or --mpi mpich", argv[0]);
	return 0;
}

const char *hb__program_file(const hb_command_line *line)
{
	return line->script && !access(line->script, R_OK) ? line->script : line->program.path;
}

void hb__command_line_free(hb_command_line *line)
{
	free(line->program.path);
	free(line->why);
	*line = (hb_command_line){0};
}
