/* Logs of streams cut at any byte and with bytes changed by chance: both readers, that of the library and that of hbdb, tell events or an error, and end. */
#include <stdint.h>
#include <sys/stat.h>

#include "foreign/foreign.h"
#include "tests/self/stream.h"

enum { CHANGED = 400, CUT = 60 };

static uint64_t state = 88172645463325252u;
static uint64_t chance(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static uint8_t *bytes;
static size_t size;

static void make(const char *path, int log_policy, bool killed)
{
	trace_attr_t a;
	trace_id_t trid;
	trace_event_id_t id;
	char text[150] = {0};
	posix_trace_attr_init(&a);
	posix_trace_attr_setstreamsize(&a, 2048);
	posix_trace_attr_setlogsize(&a, 20000);
	posix_trace_attr_setlogfullpolicy(&a, log_policy);
	pid_t pid = fork();
	if (!pid) {
		posix_trace_eventid_open("some", &id);
		hb_self_open(path, &a, &trid);
		for (int i = 0; i < 1000; i++)
			posix_trace_event(id, text, (size_t)(i % 7) * 20);
		if (!killed)
			posix_trace_shutdown(trid);
		_exit(0); /* without an end, as when it is killed */
	}
	waitpid(pid, NULL, 0);
}

/* Events that the two readers find: -1, an error. */
static void read_both(const char *path, size_t n, long *ret_ours, long *ret_import)
{
	static char data[9000];
	struct posix_trace_event_info info;
	size_t got;
	trace_id_t trid;
	hb_import *import;
	hb_import_told told;
	hb_error err = {0};
	FILE *f = fopen(path, "w");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		abort();
	int file = open(path, O_RDONLY);
	*ret_ours = *ret_import = -1;
	if (!posix_trace_open(file, &trid)) {
		*ret_ours = 0;
		while (next_in(trid, &info, data, sizeof data, &got))
			++*ret_ours;
		posix_trace_close(trid);
	}
	close(file);
	if (!hb_import_read(path, NULL, &import, &err)) {
		hb_import_tell(import, &told);
		*ret_import = (long)told.events;
		hb_import_free(import);
	} else if (!err.message[0]) {
		*ret_import = -2;
	}
}

static void mutate(const char *name)
{
	const char *path = check_path("mutated");
	long ours, import, whole, wrong = 0, fewer = 0;
	read_both(path, size, &whole, &import);
	check(whole == import && whole > 50, "%s: both readers find %ld events", name, whole);
	for (int i = 0; i < CUT; i++) {
		read_both(path, (size_t)chance(size), &ours, &import);
		wrong += import == -2 || ours > whole || (ours > 0 ? ours != import : import > 0);
		fewer += ours < whole;
	}
	check(!wrong && fewer > 10, "%s: cut %d times: %ld wrong", name, CUT, wrong);
	for (int i = 0; i < CHANGED; i++) {
		size_t at[4];
		uint8_t was[4];
		for (int k = 0; k < 4; k++) { /* most of the time in the head and in the cells */
			at[k] = (size_t)(chance(2) ? chance(4096) : size - 1 - chance(size - 69632));
			was[k] = bytes[at[k]];
			bytes[at[k]] = (uint8_t)(chance(3) ? chance(256) : was[k] ^ 1u << chance(8));
		}
		read_both(path, size, &ours, &import);
		wrong += import == -2 || ours > whole + 4 || (ours <= 0) != (import <= 0);
		for (int k = 4; k-- > 0;)
			bytes[at[k]] = was[k];
	}
	check(!wrong, "%s: changed %d times: %ld wrong", name, CHANGED, wrong);
}

static void load(const char *path)
{
	struct stat st;
	FILE *f = fopen(path, "r");
	free(bytes);
	bytes = NULL;
	if (!f || stat(path, &st) || !(bytes = malloc((size_t)st.st_size)) ||
		fread(bytes, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		abort();
	size = (size_t)st.st_size;
	fclose(f);
}

int main(void)
{
	static const int policy[] = {POSIX_TRACE_APPEND, POSIX_TRACE_LOOP};
	static const char *const name[] = {"append", "loop"};
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < 4; i++) {
		const char *path = check_path("log");
		unlink(path);
		make(path, policy[i % 2], i / 2);
		load(path);
		mutate(name[i % 2]);
	}
	free(bytes);
	check_clean();
	return check_end();
}
