/* Commands that stay. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../memory/state.h"
#include "base/clock.h"
#include "staying.h"
#include "system/monitor/service.h"

static volatile sig_atomic_t told;

static void on_signal(int sig) { told = sig; }

void hb__stay(void)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: what waits is to wake up */
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int hb__told_to_end(void) { return told; }

int hb__moves(int most)
{
	static double next;
	static bool ready;
	double pulse = hb_service_pulse(), now = hb_seconds();
	if (!ready && hb_service_say("READY=1\n") < 0)
		hb__say("cannot tell systemd that it is ready: %s", strerror(errno));
	ready = true;
	if (!(pulse > 0))
		return most;
	if (now >= next) {
		hb_service_say("WATCHDOG=1\n");
		next = now + pulse;
	}
	double wait = (next - now) * 1000;
	return wait < most ? (int)wait + 1 : most;
}

void hb__say_once(char **said, const char *text)
{
	if (*said && !strcmp(*said, text))
		return;
	if (*text)
		hb__say("%s", text);
	free(*said);
	*said = hb__copy(text);
}

char *hb__where_state(const char *given, const char *name)
{
	char *path = given ? hb__copy(given) : hb__state_path(name, true);
	if (!path)
		hb__say("neither XDG_STATE_HOME nor HOME is set: there is no folder of state for %s; give its path",
			name);
	return path;
}

char *hb__where_database(const char *given) { return hb__where_state(given, "complex.db"); }
