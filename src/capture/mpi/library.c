/* The library of MPI in this process: where it is, and its functions. */
#include "capture/mpi/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include <hbdb/mpis.h>

#include "capture/core/data/data.h"
#include "capture/mpi/family/family.h"

bool hb__foreign, hb__of_sessions;
hb__function hb__next[2][HB_FN_COUNT];
static void *library; /* RTLD_NEXT, or the handle of a library that was loaded late and locally */

static hb__function find(const char *name) { return (hb__function)dlsym(library, name); }

/* Data: a program that names a handle may own the only living copy of it (a copy relocation). */
static hb__function find_data(const char *name)
{
	void *p = dlsym(RTLD_DEFAULT, name);
	return (hb__function)(p ? p : dlsym(library, name));
}

/* Paths of libraries that hold the functions of MPI: of our family [1], of another one [0]. */
struct loaded {
	char path[2][PATH_MAX];
};

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
	struct loaded *loaded = user;
	const struct hb_mpi_library *known = hb_mpi_library_of(info->dlpi_name ? info->dlpi_name : "");
	char *path = loaded->path[(int)known->family == HB__FAMILY];
	(void)size;
	if (known->part == HB_PART_CORE && !*path)
		snprintf(path, PATH_MAX, "%s", info->dlpi_name);
	return 0;
}

bool hb__library_there(void)
{
	if (library)
		return true;
	if (dlsym(RTLD_NEXT, "PMPI_Init")) {
		library = RTLD_NEXT;
		return true;
	}
	/* loaded late and locally; one of the other family, too: the program gets its MPI even when we have no part in it */
	struct loaded loaded = {.path = {{0}}};
	dl_iterate_phdr(look_at, &loaded);
	for (int own = 1; own >= 0 && !library; own--)
		library = *loaded.path[own] ? dlopen(loaded.path[own], RTLD_LAZY | RTLD_NOLOAD) : NULL;
	return library != NULL;
}

/* Its handles have other values than those of any library of today. */
static bool standard_abi(void)
{
	Dl_info there;
	return dladdr((void *)find("PMPI_Init"), &there) && there.dli_fname &&
	       hb_mpi_library_of(there.dli_fname)->family == HB_MPI_STANDARD;
}

/* In the place of what only other versions of this library have: the wrapper is there, the function is not. */
static int missing(void)
{
	hb__say("this version of the MPI library does not have a function that the program calls");
	return MPI_ERR_OTHER;
}

bool hb__library_has(const struct hb__fn *fn) { return fn && hb__next[HB_ENTRY_PMPI][fn->id] != (hb__function)missing; }

/* The PMIx of Open MPI 5 begins a thread, and waits for it, however few processes there are. */
static bool needs_its_threads(void)
{
	char version[64] = {0};
	unsigned major;
	hb__library_version(version, sizeof version);
	return sscanf(version, "Open MPI v%u", &major) == 1 && major >= 5;
}

static bool ours; /* it is there, and of the family that this recorder is for */

/* Once a process, when MPI is first called: before, the library may not be loaded (a plugin, an interpreter). What has no P name in a
 * library is called by its MPI name, and the other way round; what it does not have at all is an error when it is called. */
bool hb__find_library(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool done;
	pthread_mutex_lock(&lock);
	if (!done && hb__library_there()) {
		for (int i = 0; i < HB_FN_COUNT; i++) {
			char pmpi[80];
			snprintf(pmpi, sizeof pmpi, "P%s", hb_meanings[i].name);
			hb__function m = find(hb_meanings[i].name), p = find(pmpi), none = (hb__function)missing;
			hb__next[HB_ENTRY_MPI][i] = m ? m : p ? p : none;
			hb__next[HB_ENTRY_PMPI][i] = p ? p : m ? m : none;
		}
		done = true;
		bool standard = standard_abi();
		ours = !standard && hb__family_start(find_data);
		hb__foreign = !ours;
		hb__library_threads = ours && hb__alone && needs_its_threads();
		if (!ours && hb__config.mode != HB__OFF) {
			if (standard)
				hb__say("this program uses the standard ABI of MPI 5 (libmpi_abi), which hbdb does not know yet; "
					"it runs without being %s",
					hb__config.mode == HB__RECORD ? "recorded" : "replayed");
			else
				hb__say("this program uses a different MPI library than %s was told to expect; it runs without being %s (see hbdb record --mpi)",
					hb__config.mode == HB__RECORD ? "hbdb record" : "hbdb replay",
					hb__config.mode == HB__RECORD ? "recorded" : "replayed");
			hb__config.mode = HB__OFF;
		}
	}
	pthread_mutex_unlock(&lock);
	return ours;
}

uint32_t hb__library_about(char *text, size_t size)
{
	if (!ours)
		return 0;
	hb__library_version(text, size);
	return HB__FAMILY;
}

bool hb__calls_back(const struct hb__lane *lane)
{
	bool made = false;
	for (int i = 0; i < HB_FN_COUNT; i++)
		made |= lane->control->calls[i] && hb__fns[i] && strstr(hb__fns[i]->name, "eyval");
	return made;
}
