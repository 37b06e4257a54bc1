/* The application specification: what a file, the environment and the command line say of a farm. */
#ifndef FARM_SETTINGS_H
#define FARM_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

enum { MACHINE_BY_PROGRAM, MACHINE_PFVM, MACHINE_DCVM };
enum { TOPOLOGY_CHAIN, TOPOLOGY_BINARY, TOPOLOGY_TERNARY, TOPOLOGY_TREE, TOPOLOGY_STAR };
enum { HOST_TWO, HOST_ONE };
enum { RECOVER_AUTO, RECOVER_ON, RECOVER_OFF };
enum { NODES_MOST = 65536, DEGREE_MOST = 36, PATH_ROOM = 1024 };

/* Numbers of keys: places in `settings.number`, `settings.text` and `settings.origin`. */
enum key {
	KEY_MACHINE,
	KEY_TOPOLOGY,
	KEY_ARITY,
	KEY_NODES,
	KEY_TASKS,
	KEY_DEGREE,
	KEY_DEPTH,
	KEY_CREDITS,
	KEY_HOST,
	KEY_RECOVER, /* once complete, on or off */
	KEY_TASK_BYTES,
	KEY_RESULT_BYTES,
	KEY_NUMBERS, /* those above are numbers, those below texts */
	KEY_INPUT = KEY_NUMBERS,
	KEY_OUTPUT,
	KEY_MONITOR,
	KEY_REPORT,
	KEY_REPORT_JSON,
	KEYS
};

/* Flat: rank 0 reads it and hands it to the others as bytes. */
struct settings {
	int64_t number[KEY_NUMBERS]; /* -1: not said */
	char text[KEYS - KEY_NUMBERS][PATH_ROOM];
	char origin[KEYS][160]; /* who said it: "farm.spec:3: topology"; empty: nobody */
};

static inline const char *settings_text(const struct settings *s, enum key key) { return s->text[key - KEY_NUMBERS]; }

/* Reads all three; options are taken out of argv when it may be changed. Returns 0, or -1 and a line in ret_error. */
int settings_read(struct settings *ret_settings, int *argc, char **argv, int take, char *ret_error, size_t room);

/* Fills in what was not said, for so many processes and a program that splits or not, and judges the whole. As above. */
int settings_complete(struct settings *s, int processes, int splits, char *ret_error, size_t room);

/* Whether the list of `monitor` names this node; -1 and -2 are generator and receiver. */
int settings_monitors(const struct settings *s, int node);

const char *settings_topology(const struct settings *s);

#endif
