/* mutate FOLDER FILE...: imports each file cut at every byte, and with bytes changed by chance. Each time there is an error that says something, or an
 * import whose logs verify and have as many events as it says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "foreign/foreign.h"

#define CHANGED 4000 /* variants of each file */
#define WRITTEN 16   /* of so many imports one is written and read back */

struct sum {
	uint64_t imports, errors, wrong;
};

static uint64_t state = 88172645463325252u;

static uint64_t chance(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static uint64_t read_back(const char *folder, uint64_t processes)
{
	uint64_t events = 0;
	for (uint64_t i = 0; i < processes; i++) {
		char path[4096];
		hb_error err;
		uint64_t n;
		snprintf(path, sizeof path, "%s/rank.0.%llu.log", folder, (unsigned long long)i + 1);
		if (hb_log_verify(path, &n, &err)) {
			printf("%s: %s\n", path, err.message);
			return UINT64_MAX;
		}
		events += n;
		unlink(path);
	}
	return events;
}

static void try(int fd, const uint8_t *bytes, size_t n, const char *folder, struct sum *sum)
{
	char path[64];
	hb_error err = {0};
	hb_import *import;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (ftruncate(fd, 0) || pwrite(fd, bytes, n, 0) != (ssize_t)n)
		abort();
	hb_status status = hb_import_read(path, NULL, &import, &err);
	if (status) {
		sum->errors++;
		sum->wrong += !err.message[0] || err.status != status || status == HB_E_MEMORY;
		return;
	}
	hb_import_told told;
	hb_import_tell(import, &told);
	sum->imports++;
	if (sum->imports % WRITTEN == 1) {
		status = hb_import_write(import, folder, &err);
		if (status)
			printf("%s\n", err.message);
		sum->wrong += status || read_back(folder, told.processes) != told.events;
	}
	hb_import_free(import);
}

static void mutate(int fd, const uint8_t *bytes, size_t n, const char *folder, struct sum *sum)
{
	uint8_t *copy = malloc(n + 8);
	if (!copy)
		abort();
	for (size_t cut = 0; cut <= n; cut++)
		try(fd, bytes, cut, folder, sum);
	for (int i = 0; i < CHANGED; i++) {
		static const uint8_t often[] = {0, 1, 0x7f, 0x80, 0xff};
		memcpy(copy, bytes, n);
		for (uint64_t k = 0, changes = 1 + chance(4); k < changes; k++)
			copy[chance(n)] = chance(2) ? often[chance(sizeof often)] : (uint8_t)chance(256);
		try(fd, copy, n, folder, sum);
	}
	free(copy);
}

int main(int argc, char **argv)
{
	struct sum sum = {0};
	static uint8_t bytes[1 << 20];
	for (int i = 2; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
		int fd = memfd_create("mutated", MFD_CLOEXEC);
		if (!n || fd < 0)
			return 2;
		fclose(f);
		mutate(fd, bytes, n, argv[1], &sum);
		close(fd);
	}
	printf("%llu imports, %llu errors, %llu wrong\n", (unsigned long long)sum.imports,
		(unsigned long long)sum.errors, (unsigned long long)sum.wrong);
	return sum.wrong != 0 || !sum.imports || !sum.errors;
}
