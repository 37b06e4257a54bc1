/* Where the calls lead by which this process makes worlds and meets others: written by hbdb, src/tool/store/replayed/worlds.c, a line per
 * call at its root, in the order in which the process made them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/core/follow/follow.h"
#include "capture/core/layer.h"

#define KINDS 8

static struct hb__bridged *table;
static size_t ntable;
static uint64_t passed[KINDS]; /* calls of a kind that are done */

static void read_table(void)
{
	char path[4200], line[200];
	snprintf(path, sizeof path, "%s/bridges", hb__config.script);
	FILE *f = fopen(path, "re");
	struct hb__bridged b;
	int number;
	for (int turn = 0; f && turn < 2; turn++) {
		for (ntable = 0; fgets(line, sizeof line, f);)
			if (sscanf(line, "%d %u %" SCNd64 " %d %d", &number, &b.kind, &b.comm, &b.to, &b.world) == 5 &&
				number == hb__replayed_as()) {
				if (turn)
					table[ntable] = b;
				ntable++;
			}
		if (!turn && !(table = hb__pages((ntable + 1) * sizeof *table)))
			break;
		rewind(f);
	}
	ntable = table ? ntable : 0;
	if (f)
		fclose(f);
}

/* At level events the row of the call tells the number of its communicator; else they are counted. */
struct hb__bridged hb__bridge_ahead(const struct hb__call *c, unsigned kind)
{
	uint64_t nth = 0;
	if (!table)
		read_table();
	const struct hb__row *row = c->followed ? hb__expected(c) : NULL;
	if (kind >= KINDS || (row && row->code))
		return (struct hb__bridged){.to = -1};
	for (size_t i = 0; i < ntable; i++) {
		bool it = row && row->n ? table[i].comm == row->results[0] : nth == passed[kind];
		if (table[i].kind != kind)
			continue;
		nth++;
		if (it)
			return table[i];
	}
	return (struct hb__bridged){.to = -1};
}

void hb__bridge_passed(unsigned kind)
{
	if (kind < KINDS)
		passed[kind]++;
}

/* ---- who meets whom ---- */

static void turn_path(char *path, size_t size, const struct hb__bridged *b)
{
	snprintf(path, size, "%s/turn.%d", hb__config.dir, b->to);
}

void hb__turn_comes(const struct hb__bridged *b)
{
	char path[4200];
	turn_path(path, sizeof path, b);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}

void hb__turn_wait(const struct hb__bridged *b)
{
	const struct timespec pause = {0, 1000000};
	char path[4200];
	turn_path(path, sizeof path, b);
	while (access(path, F_OK) && errno == ENOENT && !hb__job_ends()) {
		hb__progress();
		nanosleep(&pause, NULL);
	}
}
