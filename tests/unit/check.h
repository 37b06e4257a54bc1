/* What a unit test program prints: a line for each check, and last the sums. */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int check_passed, check_failed;

/* One check; says what was wrong only when it was. */
__attribute__((format(printf, 2, 3))) static inline bool check(bool good, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	fputs(good ? "ok " : "FAIL ", stdout);
	vprintf(format, ap);
	putchar('\n');
	va_end(ap);
	if (good)
		check_passed++;
	else
		check_failed++;
	return good;
}

static inline int check_end(void)
{
	printf("%d passed, %d failed\n", check_passed, check_failed);
	return check_failed != 0;
}

/* A folder of its own for the files of a test; check_clean removes it. */
static char check_folder[64];

static inline const char *check_path(const char *name)
{
	static char path[8][128];
	static int next;
	if (!check_folder[0]) {
		/* in memory where that is possible: some tests write thousands of files */
		snprintf(check_folder, sizeof check_folder, "%s/hbdb-unit.XXXXXX",
			access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		if (!mkdtemp(check_folder))
			abort();
	}
	char *p = path[next++ % 8];
	snprintf(p, sizeof path[0], "%s/%s", check_folder, name);
	return p;
}

static inline void check_clean(void)
{
	char command[96];
	snprintf(command, sizeof command, "rm -r %s", check_folder);
	if (check_folder[0] && system(command) != 0)
		printf("FAIL cannot remove %s\n", check_folder);
	check_folder[0] = 0;
}

#endif
