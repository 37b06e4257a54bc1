/* A program that goes forwards and backwards, for the gdb on the other side: `hbdb gdbserver` and `hbdb debug --alone`. */
#ifndef HBDB_RECORDED_SERVE_H
#define HBDB_RECORDED_SERVE_H

#include <stdint.h>

#include "one.h"

#define HB_CHECKPOINTS_DEFAULT ((uint64_t)512 << 20)

typedef struct hb_service {
	char *const *command, *const *environment; /* environment NULL: ours */
	const hb_one *one;                         /* the recorded process that it is; NULL: none is followed */
	uint64_t budget;                           /* bytes that the checkpoints may take */
	int in, out;                               /* where gdb is */
	int program_in, program_out;
	bool (*interrupted)(
		void); /* asked every few milliseconds while the program runs: whether to stop; may be NULL */
} hb_service;

/* --checkpoints: 512M, 2G, 64K, or bytes; NULL: the default. 0, or HB_EXIT_USAGE after having said why. */
int hb__read_budget(const char *text, uint64_t *ret);
/* Serves until gdb goes away. An exit code. */
int hb__serve(const hb_service *service);

#endif
