/* What the files of this folder share. */
#ifndef HBDB_REVERSE_PARTS_H
#define HBDB_REVERSE_PARTS_H

#include <stdarg.h>

#include "packet.h"
#include "remote.h"

enum { HB_HOST_FILES = 1024 };

struct hb_remote {
	int in, out;
	hb_reverse *r;
	char *buffer; /* what came and was not taken yet */
	size_t n, room;
	char packet[HB_PACKET_MAX + 1];
	size_t size; /* of the packet */
	char reply[HB_PACKET_MAX + 1];
	size_t reply_size;
	bool no_acks, named_processes, tells_breaks; /* what gdb said that it knows */
	bool over, broken;
	bool stay; /* the next time that it goes back, but only if there is a hit */
	hb_stop last;
	pid_t thread; /* that g, m and the like are about; 0: the first */
	char notes[4096];
	int file[HB_HOST_FILES]; /* opened for gdb; -1: none */
};

/* reply.c */
void hb__reply(hb_remote *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hb__reply_bytes(hb_remote *g, const char *head, const void *bytes, size_t n);
/* At once, for text of the console. */
void hb__send(hb_remote *g, const char *data, size_t n);
void hb__send_console(hb_remote *g, const char *text);
void hb__flush_notes(hb_remote *g);
void hb__reply_stop(hb_remote *g, const hb_stop *stop);
int hb__host_signal(int gdb);
/* "p1.2", "2", "-1", "0": the thread, 0 for any. What is behind it. */
const char *hb__read_thread(const char *text, pid_t *ret_thread);
/* Answers a part of a longer text: "OFFSET,LENGTH". */
void hb__reply_part(hb_remote *g, const char *where, const void *text, size_t n);

/* registers.c */
const char *hb__description(void);
void hb__read_registers(hb_remote *g);
void hb__write_registers(hb_remote *g, const char *hex);
void hb__read_register(hb_remote *g, const char *number);
void hb__write_register(hb_remote *g, const char *text);

void hb__query(hb_remote *g, const char *packet);
void hb__host_file(hb_remote *g, const char *packet, size_t size);
void hb__monitor(hb_remote *g, const char *line);

#endif
