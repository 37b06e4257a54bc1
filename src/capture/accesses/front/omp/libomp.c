/* LLVM's library of OpenMP tells a tool of its parallel regions (OMPT, OpenMP 5.0, chapter 4). Which iterations of a loop a thread does it tells
 * from version 16 on alone, and by numbers of its own: the program's marks (hb_iteration) say that. */
#include "capture/accesses/front/omp/omp.h"

/* What is used of omp-tools.h, which is not everywhere. */
typedef union ompt_data {
	uint64_t value;
	void *pointer;
} ompt_data;
typedef void (*ompt_interface)(void);
typedef ompt_interface (*ompt_lookup)(const char *name);
typedef int (*ompt_set)(int event, ompt_interface callback);
typedef struct ompt_tool {
	int (*initialize)(ompt_lookup lookup, int device, ompt_data *data);
	void (*finalize)(ompt_data *data);
	ompt_data data;
} ompt_tool;
enum { OMPT_PARALLEL_BEGIN = 3, OMPT_PARALLEL_END = 4 };

static void on_begin(
	ompt_data *task, const void *frame, ompt_data *parallel, unsigned threads, int flags, const void *pc)
{
	(void)task, (void)frame, (void)parallel, (void)threads, (void)flags;
	/* the call belongs to the construct, what it returns to perhaps to the next line */
	hb__region_begins(pc ? (const char *)pc - 1 : NULL, 1, pc, NULL);
}

static void on_end(ompt_data *parallel, ompt_data *task, int flags, const void *pc)
{
	(void)parallel, (void)task, (void)flags;
	hb__region_ends(pc, NULL);
}

static int initialize(ompt_lookup lookup, int device, ompt_data *data)
{
	(void)device, (void)data;
	ompt_set set = (ompt_set)lookup("ompt_set_callback");
	if (!set)
		return 0;
	set(OMPT_PARALLEL_BEGIN, (ompt_interface)on_begin);
	set(OMPT_PARALLEL_END, (ompt_interface)on_end);
	return 1;
}

static void finalize(ompt_data *data) { (void)data; }

SEEN ompt_tool *ompt_start_tool(unsigned version, const char *library);
SEEN ompt_tool *ompt_start_tool(unsigned version, const char *library)
{
	static ompt_tool tool = {initialize, finalize, {0}};
	(void)version, (void)library;
	return hb__trace_starts() ? &tool : NULL;
}
