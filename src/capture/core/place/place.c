/* From this process up to the one that hbdb started: hbdb-recording(5), place. What has a rank needs no other name. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/task.h"
#include "capture/core/place/place.h"

/* HBDB_ROOT, the process of hbdb itself, made the first. Where the way is broken - who made this process has ended, or hbdb runs on
 * another machine - the place is not known. */
static int32_t top;

/* At once: a server may have another environment when it forks (nginx). */
__attribute__((constructor(102))) static void begin(void)
{
	const char *root = getenv("HBDB_ROOT");
	top = root ? (int32_t)strtol(root, NULL, 10) : 0;
}

void hb__place_now(struct hb__place *ret)
{
	struct hb__ancestor all[HB__ANCESTORS_MOST];
	int32_t pid = getpid();
	unsigned n = 0;
	ret->n = 0;
	for (; pid > 1 && pid != top && n < HB__ANCESTORS_MOST; n++) {
		struct hb__ancestor *a = &all[HB__ANCESTORS_MOST - 1 - n];
		hb_task task;
		/* by its first thread: of the process itself what runs it on another processor tells its own (qemu-user) */
		if (!hb_task_read(pid, (uint64_t)pid, &task))
			return;
		size_t length = hb_task_file(pid, (uint64_t)pid, "comm", a->name, sizeof a->name);
		if (length && a->name[length - 1] == '\n')
			a->name[length - 1] = 0;
		a->pid = (uint32_t)pid;
		a->started = task.began;
		pid = task.parent;
	}
	if (!n || top <= 1 || pid != top)
		return;
	memcpy(ret->at, all + HB__ANCESTORS_MOST - n, n * sizeof *all);
	ret->n = n;
}

void hb__find_place(void)
{
	struct hb__place place;
	hb__place_now(&place);
	if (place.n)
		hb__define_place(place.at, place.n);
}
