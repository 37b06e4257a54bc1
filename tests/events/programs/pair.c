/* pair send|receive: one side of messages between programs without MPI. */
#include <hbdb/event.h>

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < 3 && argc > 1; i++) {
		if (*argv[1] == 's')
			hb_sent("pipe", i, 8);
		else
			hb_received("pipe", i, 8);
	}
	return 0;
}
