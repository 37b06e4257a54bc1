/* Where a call came from. The return address of the wrapper is in the program,
 * unless a language binding of the library lies between: then the frames of the
 * binding are stepped over. A binding's frame has the same size at the same
 * return address every time, so it is measured once, by the unwinder. */
#include <link.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "capture/core/layer.h"
#include "capture/core/record/record.h"

struct module {
	uintptr_t base, low, high;
	enum hb__code code;
	char path[256];
	char build_id[48];
};

#define MODULES 1024
static struct module module[MODULES];
static uint32_t modules;
static uintptr_t binding_low = UINTPTR_MAX, binding_high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void hb__sites_forked(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }

static void read_build_id(struct dl_phdr_info *info, struct module *m)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_NOTE)
			continue;
		const uint8_t *p = (const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
		const uint8_t *end = p + info->dlpi_phdr[i].p_memsz;
		while (p + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *n = (const void *)p;
			const uint8_t *desc = p + sizeof *n + ((n->n_namesz + 3u) & ~3u);
			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz <= 20 &&
				desc + n->n_descsz <= end) {
				for (unsigned k = 0; k < n->n_descsz; k++)
					snprintf(m->build_id + 2 * k, 3, "%02x", desc[k]);
				return;
			}
			p = desc + ((n->n_descsz + 3u) & ~3u);
		}
	}
}

/* Which part of the library it is, as the layers know that are there. */
static void learn_code(struct module *m)
{
	m->code = hb__code_of(m->path);
	if (m->code == HB__CODE_BINDING) {
		binding_low = m->low < binding_low ? m->low : binding_low;
		binding_high = m->high > binding_high ? m->high : binding_high;
	}
}

/* Readers look at modules without a lock, so one is counted when it is complete. One that was unloaded stays: addresses in the log
 * are still its own. */
static int learn(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	uintptr_t low = UINTPTR_MAX, high = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD)
			continue;
		uintptr_t from = info->dlpi_addr + p->p_vaddr;
		low = from < low ? from : low;
		high = from + p->p_memsz > high ? from + p->p_memsz : high;
	}
	for (uint32_t i = 0; i < modules; i++)
		if (module[i].low == low && module[i].high == high)
			return 0;
	if (modules == MODULES || low >= high)
		return 0;
	struct module *m = &module[modules];
	*m = (struct module){.base = info->dlpi_addr, .low = low, .high = high};
	if (info->dlpi_name && *info->dlpi_name) {
		snprintf(m->path, sizeof m->path, "%s", info->dlpi_name);
	} else {
		ssize_t n = readlink("/proc/self/exe", m->path, sizeof m->path - 1);
		m->path[n > 0 ? n : 0] = 0;
	}
	read_build_id(info, m);
	learn_code(m);
	__atomic_store_n(&modules, modules + 1, __ATOMIC_RELEASE);
	return 0;
}

void hb__learn_modules(void)
{
	pthread_mutex_lock(&lock);
	dl_iterate_phdr(learn, NULL);
	pthread_mutex_unlock(&lock);
}

void hb__learn_codes(void)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < modules; i++)
		learn_code(&module[i]);
	pthread_mutex_unlock(&lock);
}

static const struct module *find(const void *pc)
{
	for (int again = 0; again < 2; again++) {
		uint32_t n = __atomic_load_n(&modules, __ATOMIC_ACQUIRE);
		/* Later entries first: an address range can have been reused after dlclose. */
		for (uint32_t i = n; i-- > 0;)
			if ((uintptr_t)pc >= module[i].low && (uintptr_t)pc < module[i].high)
				return &module[i];
		hb__learn_modules();
	}
	return NULL;
}

bool hb__module_of(const void *pc, const char **ret_path, uintptr_t *ret_base, uintptr_t *ret_end)
{
	const struct module *m = find(pc);
	if (!m)
		return false;
	*ret_path = m->path;
	*ret_base = m->base;
	*ret_end = m->high;
	return true;
}

const char *hb__build_id(uintptr_t base)
{
	for (uint32_t i = 0; i < modules; i++)
		if (module[i].base == base)
			return module[i].build_id;
	return "";
}

bool hb__in_library(const void *pc)
{
	const struct module *m = find(pc);
	return m && m->code == HB__CODE_LIBRARY;
}

bool hb__in_binding(const void *pc)
{
	const struct module *m = find(pc);
	return m && m->code == HB__CODE_BINDING;
}

/* ---- whose call ---- */

/* Parts of the system that ask for what is not the program's: names and networks. */
static const char *const system_parts[] = {
	"libc.so", "libc-", "ld-linux", "libpthread", "librt.so", "librt-", "libresolv", "libnss", NULL};
/* What libraries of MPI stand on. A program without MPI may talk through one of them (libevent): then that is the program's. */
static const char *const below_mpi[] = {"libevent", "libhwloc", "libibverbs", "librdmacm", "libnl-", "libmunge",
	"libnuma", "libmlx", "libefa", "libcuda.so", "libnvidia", "libnccl", "librccl", "libhsa", "libze_", NULL};
/* Their threads are ordered by what they do for the program, and what they lock meanwhile is their own. */
static const char *const servants[] = {"libgomp", "libomp", "libiomp", "libjemalloc", "libtcmalloc", "libmimalloc",
	"libasan", "libtsan", "libubsan", "liblsan", NULL};

/* What is loaded to record; libraries for programs (lib/) are not among it. */
static const char *const recorders[] = {"libhbdb-openmpi", "libhbdb-mpich", "libhbdb-heap", "libhbdb-inputs",
	"libhbdb-threads", "libhbdb-accesses", "libhbdb-sockets", "libhbdb-core", NULL};

static bool is_one_of(const char *const *names, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (; *names; names++)
		if (!strncmp(name, *names, strlen(*names)))
			return true;
	return false;
}

/* What the recorder asks for is not the program's; that it takes the clock, or asks who it is, for example. */
static bool is_own(const void *pc)
{
	const struct module *m = find(pc);
	return m && m == find(recorders);
}

static unsigned learn_caller(const void *pc)
{
	const char *path = "";
	uintptr_t base, end;
	if (hb__in_library(pc) || hb__in_binding(pc))
		return 0;
	if (is_own(pc))
		return 0;
	if (!hb__module_of(pc, &path, &base, &end))
		return HB__BRINGS_INPUTS | HB__ORDERS_THREADS | HB__TALKS;
	if (is_one_of(system_parts, path))
		return 0;
	if (is_one_of(below_mpi, path))
		return HB__TALKS_WITHOUT_MPI;
	if (is_one_of(recorders, path))
		return HB__BRINGS_INPUTS;
	return is_one_of(servants, path) ? HB__BRINGS_INPUTS | HB__TALKS
					 : HB__BRINGS_INPUTS | HB__ORDERS_THREADS | HB__TALKS;
}

/* As learn_caller, where a library of MPI is there; of a module that need not be loaded. */
bool hb__path_talks(const char *path)
{
	int code = hb__code_of(path);
	return code != HB__CODE_LIBRARY && code != HB__CODE_BINDING && !is_one_of(system_parts, path) &&
	       !is_one_of(below_mpi, path) && !is_one_of(recorders, path);
}

bool hb__is_recorder(const char *path) { return is_one_of(recorders, path); }

#define WAYS \
	4u /* places that an address may stand in, side by side: two that would share one are not learned again and again */

static __attribute__((noinline)) uint64_t learn_known(uint64_t *places, const void *pc)
{
	uint64_t at = (uint64_t)(uintptr_t)pc, is = at << HB__CALLER_BITS | learn_caller(pc);
	unsigned way = 0;
	while (way < WAYS && __atomic_load_n(&places[way], __ATOMIC_RELAXED))
		way++;
	__atomic_store_n(&places[way < WAYS ? way : (at >> 4) % WAYS], is, __ATOMIC_RELAXED);
	return is;
}

unsigned hb__of_program(const void *pc)
{
	static uint64_t known[4096] __attribute__((aligned(64)));
	uint64_t at = (uint64_t)(uintptr_t)pc,
		 *places = &known[(at * 0x9e3779b97f4a7c15u >> 52) & ~(uint64_t)(WAYS - 1)], is = 0;
	unsigned way = 0;
	for (; way < WAYS; way++)
		if (likely((is = __atomic_load_n(&places[way], __ATOMIC_RELAXED)) >> HB__CALLER_BITS == at))
			break;
	if (unlikely(way == WAYS))
		is = learn_known(places, pc);
	return is & ((1u << HB__CALLER_BITS) - 1);
}

/* ---- frames of bindings ---- */

#define FRAMES 1024u
static struct {
	const void *pc;
	uintptr_t size;
} frame[FRAMES];

struct walk {
	const void *pc;
	uintptr_t at;
	uintptr_t size;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *user)
{
	struct walk *w = user;
	uintptr_t cfa = _Unwind_GetCFA(context);
	if (w->at) {
		w->size = cfa - w->at;
		return _URC_END_OF_STACK;
	}
	if ((const void *)_Unwind_GetIP(context) == w->pc)
		w->at = cfa;
	return _URC_NO_REASON;
}

/* Bytes from the stack pointer in the frame with return address `pc` to that of its caller; 0 unknown. */
static uintptr_t frame_size(const void *pc)
{
	uint32_t at = (uint32_t)((uintptr_t)pc * 0x9e3779b97f4a7c15u >> 40) % FRAMES;
	for (uint32_t i = 0; i < 8; i++, at = (at + 1) % FRAMES) {
		const void *there = __atomic_load_n(&frame[at].pc, __ATOMIC_ACQUIRE);
		if (there == pc)
			return frame[at].size;
		if (!there)
			break;
	}
	struct walk w = {.pc = pc};
	_Unwind_Backtrace(step, &w);
	pthread_mutex_lock(&lock);
	if (!frame[at].pc) {
		frame[at].size = w.size;
		__atomic_store_n(&frame[at].pc, pc, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return w.size;
}

const void *hb__site_of(const void *pc, const void *cfa)
{
	for (int depth = 0; depth < 4; depth++) {
		if (likely((uintptr_t)pc < binding_low || (uintptr_t)pc >= binding_high))
			return pc;
		const struct module *m = find(pc);
		if (!m || m->code != HB__CODE_BINDING)
			return pc;
		uintptr_t size = frame_size(pc);
		if (!size)
			return pc;
		cfa = (const char *)cfa + size;
		pc = ((void *const *)cfa)[-1];
	}
	return pc;
}

/* ---- the program above a library ---- */

static _Unwind_Reason_Code step_up(struct _Unwind_Context *context, void *user)
{
	const void *pc = (const void *)_Unwind_GetIP(context);
	const char *path = "";
	uintptr_t base, end;
	if (!(hb__of_program(pc) & (HB__BRINGS_INPUTS | HB__TALKS_WITHOUT_MPI)) ||
		!hb__module_of(pc, &path, &base, &end) || hb__is_recorder(path))
		return _URC_NO_REASON;
	*(const void **)user = pc;
	return _URC_END_OF_STACK;
}

const void *hb__program_above(void)
{
	const void *found = NULL;
	_Unwind_Backtrace(step_up, &found);
	return found;
}
