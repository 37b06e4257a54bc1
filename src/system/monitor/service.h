/* A service of systemd: says that it is ready and that it still moves (sd_notify(3), its protocol). Without systemd nothing is said. */
#ifndef HBDB_SYSTEM_MONITOR_SERVICE_H
#define HBDB_SYSTEM_MONITOR_SERVICE_H

/* READY=1, STOPPING=1, WATCHDOG=1, STATUS=...: lines for who started this program as a service (NOTIFY_SOCKET). 0: said; 1: nobody wants to
 * hear it; -1: errno. */
int hb_service_say(const char *lines);
/* How often, in seconds, WATCHDOG=1 is to be said: half of what systemd waits (WATCHDOG_USEC). 0: it does not wait for this process. */
double hb_service_pulse(void);

#endif
