/* What the recorder tells of a communicator, as a reader of the log has it: all members of both groups, however many there are.
 *
 * usage: test_members */
#include <sys/wait.h>

#include <hbdb/format.h>

#include "capture/core/record/record.h"
#include "check.h"

/* In a process of its own: it has one log. */
static void record(const char *folder, int n, int others)
{
	int *member = malloc((size_t)(n + others) * sizeof *member);
	hb__rank = 0;
	if (!member || !hb__log_create(folder, false))
		_exit(1);
	for (int i = 0; i < n + others; i++)
		member[i] = i < n ? 2 * (i ^ 1) : 3 * (i - n);
	hb__define_comm(&(struct hb__comm_told){.number = 2,
		.rank = 0,
		.inter = others,
		.size = n,
		.remote_size = others,
		.member = member,
		.remote = others ? member + n : NULL});
	hb__log_finish(HB_STATE_FINALIZED);
	_exit(0);
}

static void has(int n, int others)
{
	char folder[128], path[256];
	int status = 1;
	uint32_t right = 0;
	hb_error err = {0};
	hb_log *log = NULL;
	snprintf(folder, sizeof folder, "%s", check_path(""));
	pid_t pid = fork();
	if (!pid)
		record(folder, n, others);
	waitpid(pid, &status, 0);
	snprintf(path, sizeof path, "%s/rank.0.log", folder);
	const hb_comm *c = !status && !hb_log_open(path, &log, &err) ? hb_log_comm(log, 2) : NULL;
	for (uint32_t i = 0; c && i < c->size; i++)
		right += c->member[i] == 2 * (int32_t)(i ^ 1);
	for (uint32_t i = 0; c && i < c->remote_size; i++)
		right += c->remote[i] == 3 * (int32_t)i;
	check(c && c->size == (uint32_t)n && c->remote_size == (uint32_t)others && right == (uint32_t)(n + others),
		"%d members and %d others: all are told (%d, %s)", n, others, status, err.message);
	hb_log_close(log);
	unlink(path);
}

int main(void)
{
	has(8, 0);
	has(5000, 0);
	has(6000, 0);
	has(20000, 0);
	has(100000, 0);
	has(6000, 20000);
	has(3, 7001);
	check_clean();
	return check_end();
}
