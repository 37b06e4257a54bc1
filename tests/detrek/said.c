/* Says the events of the farm library that a script per rank asks for: said.RANK in the folder given, a line each.
 *
 *   farm NODE NODES TOPOLOGY DEGREE DEPTH TASKS ROLE    (TOPOLOGY: _ for a space; TASKS -1: not said)
 *   event NAME TASK SUB NODE       begin NAME TASK SUB       end NAME TASK SUB BYTES      (SUB: - for the whole)
 *   bare NAME                      an event without values
 *   die */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include <hbdb/event.h>

static char word[8][80];

static long number(int i) { return atol(word[i]); }
static const char *sub(int i) { return strcmp(word[i], "-") ? word[i] : ""; }

static void farm(void)
{
	for (char *c = word[3]; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	if (number(6) < 0)
		HB_EVENT("farm", hb_integer("node", number(1)), hb_integer("nodes", number(2)),
			hb_text("topology", word[3]), hb_integer("degree", number(4)), hb_integer("depth", number(5)),
			hb_text("role", word[7]));
	else
		HB_EVENT("farm", hb_integer("node", number(1)), hb_integer("nodes", number(2)),
			hb_text("topology", word[3]), hb_integer("degree", number(4)), hb_integer("depth", number(5)),
			hb_integer("tasks", number(6)), hb_text("role", word[7]));
}

static void say(void)
{
	if (!strcmp(word[0], "farm"))
		farm();
	else if (!strcmp(word[0], "event"))
		HB_EVENT(word[1], hb_integer("task", number(2)), hb_text("sub", sub(3)), hb_integer("node", number(4)),
			hb_integer("bytes", 8));
	else if (!strcmp(word[0], "begin"))
		HB_BEGIN(word[1], hb_integer("task", number(2)), hb_text("sub", sub(3)));
	else if (!strcmp(word[0], "end"))
		HB_END(word[1], hb_integer("task", number(2)), hb_text("sub", sub(3)), hb_integer("bytes", number(4)));
	else if (!strcmp(word[0], "bare"))
		hb_event(word[1]);
	else if (!strcmp(word[0], "die"))
		raise(SIGKILL);
}

int main(int argc, char **argv)
{
	char path[4096], line[512];
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(path, sizeof path, "%s/said.%d", argv[1], rank);
	FILE *f = fopen(path, "r");
	if (!f)
		return 1;
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%79s %79s %79s %79s %79s %79s %79s %79s", word[0], word[1], word[2], word[3], word[4],
			    word[5], word[6], word[7]) > 0)
			say();
	fclose(f);
	MPI_Finalize();
	return 0;
}
