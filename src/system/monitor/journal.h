/* systemd's journal, by its native protocol (systemd.journal-fields(7), JOURNAL_NATIVE_PROTOCOL): one datagram for each entry. */
#ifndef HBDB_SYSTEM_MONITOR_JOURNAL_H
#define HBDB_SYSTEM_MONITOR_JOURNAL_H

#include "reader.h"

#define HB_JOURNAL "/run/systemd/journal/socket"
/* MESSAGE_ID of all entries: journalctl MESSAGE_ID=... shows the events of hbdb alone. */
#define HB_JOURNAL_ID "5ac0dbaa63264d9cb7ba1d3dd3ac3bb9"

/* A socket for entries, for path (NULL: the system's). -1: errno. */
int hb_journal_open(const char *path);
/* The entry of an event, as fields NAME=VALUE. In *ret_size its bytes; to be freed, NULL: no memory. */
char *hb_journal_entry(const hb_told *told, size_t *ret_size);
/* Sends it; waits while the journal's queue is full. False: errno. */
bool hb_journal_send(int fd, const char *entry, size_t size);

#endif
