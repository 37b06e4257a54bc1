#include "launcher.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>
#include <unistd.h>

enum { GENERATIONS = 16, COMMAND_ROOM = 65536 };

static ssize_t read_of(pid_t pid, const char *what, char *ret, size_t room)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%lld/%s", (long long)pid, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, room - 1);
	if (fd >= 0)
		close(fd);
	ret[n < 0 ? 0 : n] = 0;
	return n;
}

static pid_t parent_of(pid_t pid)
{
	char text[512];
	read_of(pid, "stat", text, sizeof text);
	const char *behind_name = strrchr(text, ')');
	return behind_name && strlen(behind_name) > 4 ? (pid_t)strtol(behind_name + 4, NULL, 10) : 0;
}

static int is_launcher(const char *program)
{
	static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun"};
	const char *name = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
	for (int i = 0; i < 4; i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return 1;
	return 0;
}

/* --enable-recovery, which 4.1 takes with one stroke as well; --runtime-options has a list, its words may be shortened. */
static int spares(const char *argument, const char *before)
{
	if (*argument == '-' && !strcmp(argument + 1 + (argument[1] == '-'), "enable-recovery"))
		return 1;
	for (const char *word = argument; word && !strcmp(before, "--runtime-options"); word = strchr(word, ',')) {
		word += *word == ',';
		size_t n = strcspn(word, ",=");
		int is_off = word[n] == '=' && strchr("0fF", word[n + 1]);
		if (n >= 3 && !strncasecmp(word, "recoverable", n) && !is_off)
			return 1;
	}
	return 0;
}

static int said_to_launcher(void)
{
	static char command[COMMAND_ROOM];
	pid_t pid = getppid();
	for (int i = 0; i < GENERATIONS && pid > 1; i++, pid = parent_of(pid)) {
		ssize_t n = read_of(pid, "cmdline", command, sizeof command);
		if (n <= 0 || !is_launcher(command))
			continue;
		const char *before = command;
		for (const char *p = command; p < command + n; before = p, p += strlen(p) + 1)
			if (spares(p, before))
				return 1;
	}
	return 0;
}

/* No MPI says so by itself. Open MPI 4.1 hands its parameters down, version 5 only that of --with-ft: its command is looked at. Launchers that
 * are not known, and those of MPICH, end the job. */
int launcher_spares(void)
{
	static const char *const told[] = {"OMPI_MCA_orte_enable_recovery", "OMPI_MCA_mpi_ft_enable"};
	for (int i = 0; i < 2; i++) {
		const char *value = getenv(told[i]);
		if (value && strcmp(value, "0") != 0 && strcasecmp(value, "false") != 0)
			return 1;
	}
	return said_to_launcher();
}
