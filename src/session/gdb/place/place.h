/* Where gdb, gdbserver and the processes that they have are: this machine, or another one that somebody has a way to. A place starts
 * the two, and does to processes what gdb cannot be asked for: while it is busy with one, or of its own death.
 *
 * An implementation embeds hb_gdb_place and hb_gdb_child at the beginning of its own structures. Thread safety: one thread at a time for each gdb; several gdbs may
 * share a place. */
#ifndef HBDB_SESSION_GDB_PLACE_H
#define HBDB_SESSION_GDB_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include <hbdb/format.h>

#define HB_GDB_ADDRESS 108 /* bytes of the path of a Unix socket, with its end */

/* A program that was started: gdb, or its gdbserver. */
typedef struct hb_gdb_child {
	int socket; /* its standard input and output; of gdb its error output, too; -1: of no use here */
	int life;   /* readable once it has ended; -1: the end of `socket` says it */
} hb_gdb_child;

typedef struct hb_gdb_place hb_gdb_place;
struct hb_gdb_place {
	const char *host; /* what the machine is called, in messages; NULL: this one */
	/* Whether the two programs are there and may trace, as far as that can be told before. NULL: it cannot. */
	hb_status (*look)(hb_gdb_place *place, const char *gdb, const char *gdbserver, hb_error *err);
	/* Starts gdb, with the environment that is good for it. It gets an end of file and SIGHUP when this process dies, however that happens. */
	hb_status (*start)(hb_gdb_place *place, char *const *argv, hb_gdb_child **ret_child, hb_error *err);
	/* Makes a Unix socket at *ret_address, a path there that nobody else can come to. Who connects gets the program at the other end, with the connection
	 * as its standard input and output. It ends with that connection, and with nothing else. */
	hb_status (*serve)(hb_gdb_place *place, char *const *argv, char ret_address[HB_GDB_ADDRESS],
		hb_gdb_child **ret_child, hb_error *err);
	/* Waits for `client` to connect, at most `seconds`, and has the program started. HB_E_SYSTEM: it cannot be. That nobody came is no error: the client will say it. */
	hb_status (*served)(
		hb_gdb_place *place, hb_gdb_child *server, const hb_gdb_child *client, double seconds, hb_error *err);
	bool (*over)(hb_gdb_place *place, hb_gdb_child *child); /* whether it has ended */
	bool (*signal)(hb_gdb_place *place, hb_gdb_child *child, int signal);
	/* Frees it, with its descriptors. It has ended, or ends by itself soon; one that does not within three seconds is killed. */
	void (*release)(hb_gdb_place *place, hb_gdb_child *child);

	/* Processes there, by their number and what `watch` has made of it, which may be -1 when that could not be had. */
	int (*watch)(hb_gdb_place *place,
		int32_t pid); /* a descriptor that is readable once it has ended; -1: there is none */
	void (*unwatch)(hb_gdb_place *place, int life);
	bool (*kill)(hb_gdb_place *place, int32_t pid, int life, int signal);
	/* A thread of it that no debugger has stopped gets the signal; 0: it is only looked whether there is one. False: there is none. Of several that run the one
	 * that computes. */
	bool (*rouse)(hb_gdb_place *place, int32_t pid, int life, int signal);
	/* What /proc/PID has under this name (maps, status; of exe: where it leads). Free it; NULL: it cannot be read. */
	char *(*file)(hb_gdb_place *place, int32_t pid, int life, const char *name);
	/* Why gdb may not attach, beyond what its files tell. False: nothing speaks against it. NULL: nobody can tell. */
	bool (*forbids)(hb_gdb_place *place, int32_t id, int32_t pid, hb_error *err);
};

/* This machine. */
hb_gdb_place *hb_gdb_here(void);
/* A child of this process that somebody else has started, as gdb's server: hb_gdb_here's. NULL: no memory. */
hb_gdb_child *hb_gdb_here_child(int32_t pid);

#endif
