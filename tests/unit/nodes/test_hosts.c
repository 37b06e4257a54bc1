/* The nodes that launchers are told, by their words. */
#include <string.h>

#include "check.h"
#include "tool/nodes/hosts.h"

/* The nodes of a command whose program is called "prog", with blanks between; NULL: an exit code. */
static char *of(hb_launcher_kind kind, const char *text)
{
	static char words[1024], answer[1024];
	char *argv[64], *rest = words;
	size_t n = 0;
	hb_command_line line = {.launcher = kind};
	hb_hosts hosts;
	snprintf(words, sizeof words, "%s", text);
	while ((argv[n] = strsep(&rest, " "))) {
		if (!strcmp(argv[n], "prog") && !line.program_at)
			line.program_at = n;
		n++;
	}
	if (hb__find_hosts(&line, argv, &hosts))
		return NULL;
	snprintf(answer, sizeof answer, "%s%s%s", hosts.to_come ? "to come" : "", hosts.slurm ? "job " : "",
		hosts.slurm ? hosts.slurm : "");
	for (size_t i = 0; i < hosts.name.n; i++)
		snprintf(answer + strlen(answer), sizeof answer - strlen(answer), "%s%s", *answer ? " " : "",
			hosts.name.at[i]);
	hb__run_hosts_free(&hosts);
	return answer;
}

static void is(hb_launcher_kind kind, const char *text, const char *wanted)
{
	const char *got = of(kind, text);
	check(got ? wanted && !strcmp(got, wanted) : !wanted, "%s: %s", text, got ? got : "refused");
}

static void file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

int main(void)
{
	char text[512];
	char *hosts = strdup(check_path("hosts"));
	for (const char *const *v =
			(const char *const[]){"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "HYDRA_HOST_FILE", NULL};
		*v; v++)
		unsetenv(*v);
	is(HB_LAUNCHER_NONE, "prog --host n1", "");
	is(HB_LAUNCHER_ORTE, "mpirun -n 4 prog --host n9", "");
	is(HB_LAUNCHER_ORTE, "mpirun --host n1,n2,n1 prog", "n1 n2");
	is(HB_LAUNCHER_ORTE, "mpirun -H n1:4,me@n2:2 -np 3 prog", "n1 n2");
	is(HB_LAUNCHER_ORTE, "mpirun --host=n1 prog : -host n2,n3 other --host n9", "n1 n2 n3");
	is(HB_LAUNCHER_ORTE, "mpirun --host +n0,n1 -x F=1 prog", "n1");
	file(hosts, "# of the cluster\nn1 slots=4\n  n2:2\nme@n3 max_slots=1 # slow\n\nn1\n");
	snprintf(text, sizeof text, "mpirun --hostfile %s prog", hosts);
	is(HB_LAUNCHER_ORTE, text, "n1 n2 n3");
	snprintf(text, sizeof text, "mpirun -machinefile %s prog", hosts);
	is(HB_LAUNCHER_ORTE, text, "n1 n2 n3");
	is(HB_LAUNCHER_ORTE, "mpirun --hostfile /nowhere prog", "");
	is(HB_LAUNCHER_HYDRA, "mpiexec -hosts n1,n2:3 -n 4 prog", "n1 n2");
	snprintf(text, sizeof text, "mpiexec -f %s -n 4 prog", hosts);
	is(HB_LAUNCHER_HYDRA, text, "n1 n2 n3");
	setenv("HYDRA_HOST_FILE", hosts, 1);
	is(HB_LAUNCHER_HYDRA, "mpiexec -n 4 prog", "n1 n2 n3");
	is(HB_LAUNCHER_HYDRA, "mpiexec -host n7 -n 4 prog", "n7");
	is(HB_LAUNCHER_ORTE, "mpirun -n 4 prog", "");
	unsetenv("HYDRA_HOST_FILE");
	is(HB_LAUNCHER_SRUN, "srun -n 4 -w n1,n2 prog", "to come");
	setenv("SLURM_JOB_ID", "17", 1);
	setenv("SLURM_JOB_NODELIST", "n1,n2", 1);
	is(HB_LAUNCHER_SRUN, "srun -n 4 prog", "job 17 n1 n2");
	is(HB_LAUNCHER_SRUN, "srun -n 4 --nodelist=n2 prog", "job 17 n2");
	is(HB_LAUNCHER_ORTE, "mpirun -n 4 prog", "job 17 n1 n2");
	is(HB_LAUNCHER_ORTE, "mpirun -n 4 --host n2 prog", "job 17 n2");
	is(HB_LAUNCHER_NONE, "prog", "");
	free(hosts);
	check_clean();
	return check_end();
}
