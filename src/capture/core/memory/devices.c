/* Memory of GPUs, by the pointer queries of their own libraries. These are found by name when the program has loaded them; never
 * linked, never loaded by us. Addresses that such a library does not know, or calls ordinary memory of the host, are left to the
 * table of pages. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "capture/core/memory/memory.h"

bool hb__device_queries;

/* CUDA: CUresult cuPointerGetAttribute(void *, CUpointer_attribute, CUdeviceptr). It makes no context, as the runtime's query may. */
#define CU_MEMORY_TYPE 2
#define CU_IS_MANAGED 8
#define CU_HOST 1u
static int (*cuda_query)(void *, int, unsigned long long);

/* HIP: hipError_t hipPointerGetAttribute(void *, hipPointer_attribute, hipDeviceptr_t). Version 6 gave the kinds other numbers. */
#define HIP_MEMORY_TYPE 2
#define HIP_IS_MANAGED 8
static int (*hip_query)(void *, int, void *);
static unsigned hip_host;

static void take(const char *path, const char *name)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return;
	if (!strncmp(name, "libcuda.so", 10)) {
		cuda_query = (__typeof__(cuda_query))dlsym(library, "cuPointerGetAttribute");
	} else {
		int version = 0;
		int (*ask)(int *) = (__typeof__(ask))dlsym(library, "hipRuntimeGetVersion");
		hip_query =
			ask && !ask(&version) ? (__typeof__(hip_query))dlsym(library, "hipPointerGetAttribute") : NULL;
		hip_host = version >= 60000000 ? 1 : 0;
	}
	if (!cuda_query && !hip_query)
		return;
	__atomic_store_n(&hb__device_queries, true, __ATOMIC_SEQ_CST);
	hb__pages_forget_all();
}

struct look {
	unsigned long long adds;
	const char *path[4];
	unsigned n;
};

static int each(struct dl_phdr_info *info, size_t size, void *p)
{
	static unsigned long long seen; /* libraries loaded so far, when last looked */
	struct look *look = p;
	(void)size;
	if (!look->adds && info->dlpi_adds == seen)
		return 1;
	look->adds = seen = info->dlpi_adds;
	const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
	bool gpu = !strncmp(name, "libcuda.so", 10) || !strncmp(name, "libamdhip64.so", 14);
	if (gpu && look->n < 4)
		look->path[look->n++] = info->dlpi_name;
	return 0;
}

void hb__devices_look(void)
{
	struct look look = {0};
	dl_iterate_phdr(each, &look); /* waits for no constructor of a library that is being loaded */
	for (unsigned i = 0; i < look.n; i++) {
		const char *slash = strrchr(look.path[i], '/');
		take(look.path[i], slash ? slash + 1 : look.path[i]);
	}
}

bool hb__device_memory(const void *p)
{
	unsigned kind = 0, managed = 0;
	if (cuda_query && !cuda_query(&kind, CU_MEMORY_TYPE, (unsigned long long)(uintptr_t)p)) {
		if (kind != CU_HOST)
			return true;
		if (!cuda_query(&managed, CU_IS_MANAGED, (unsigned long long)(uintptr_t)p) && managed)
			return true;
	}
	kind = 0;
	if (hip_query && !hip_query(&kind, HIP_MEMORY_TYPE, (void *)(uintptr_t)p)) {
		if (kind != hip_host && kind != 0)
			return true;
		if (!hip_query(&managed, HIP_IS_MANAGED, (void *)(uintptr_t)p) && managed)
			return true;
	}
	return false;
}
