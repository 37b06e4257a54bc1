/* Runs a fuzzer over its corpus, a file at a time, and over the golden logs: an ordinary test.
 * CORPUS and GOLDEN are folders, set by the build; or give files as arguments, to see one finding again. */
#include <dirent.h>

#include "fuzz.h"

static int passed, failed;

static void one(const char *path, int lead)
{
	static uint8_t b[1 << 20];
	FILE *f = fopen(path, "rb");
	if (!f) {
		printf("FAIL cannot open %s\n", path);
		failed++;
		return;
	}
	for (int i = 0; i < lead; i++)
		b[i] = 0;
	size_t n = fread(b + lead, 1, sizeof b - (size_t)lead, f) + (size_t)lead;
	fclose(f);
	printf("# %s\n", path);
	fflush(stdout); /* it may be the last line */
	LLVMFuzzerTestOneInput(b, n);
	passed++;
}

static void all(const char *folder, int lead)
{
	DIR *d = opendir(folder);
	char path[1024];
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.' && (!lead || strstr(e->d_name, ".log"))) {
			snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
			one(path, lead);
		}
	if (d)
		closedir(d);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		one(argv[i], 0);
	if (argc == 1) {
		all(CORPUS, 0);
		if (passed == 0) {
			printf("FAIL no corpus in %s\n", CORPUS);
			failed++;
		}
		if (strstr(CORPUS, "file"))
			all(GOLDEN, 1);
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
