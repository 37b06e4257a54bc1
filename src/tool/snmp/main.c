/* hbdb-snmp: the manager's complex for SNMP, as a sub-agent (AgentX, RFC 2741) of a master agent such as snmpd. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>

#include "../memory/sockets.h"
#include "../monitor/staying.h"
#include "base/clock.h"
#include "snmp.h"
#include "system/monitor/service.h"

#define PAUSE_US 200000 /* between two looks for new events */
#define LEAVE 2.0       /* seconds for the answer to the last notification */
#define PING 2          /* seconds between two looks whether the master is there */

static const char usage[] =
	"usage: hbdb-snmp [OPTION...]\n"
	"Shows the complex of hbdb manager to SNMP, as a sub-agent of a master agent (snmpd), and sends its events as notifications.\n"
	"  -x, --master ADDRESS   of the master agent: unix:PATH or tcp:HOST:PORT; default: /var/agentx/master\n"
	"  -d, --database FILE    the manager's database; default: where hbdb manager keeps it\n"
	"  -m, --manager SOCKET   of the manager, which does what is set; default: where hbdb manager listens\n"
	"  -p, --place FILE       where it is kept how far events were sent; default: snmp.place in the folder of state\n"
	"  -h, --help             this text\n"
	"      --version          its version\n"
	"The manual page is hbdb-snmp(1); the module is HBDB-MIB.\n";

static const struct option options[] = {{"master", required_argument, NULL, 'x'},
	{"database", required_argument, NULL, 'd'}, {"manager", required_argument, NULL, 'm'},
	{"place", required_argument, NULL, 'p'}, {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'V'},
	{0}};

struct wish {
	const char *master, *database, *manager, *place;
};

/* ---- the connection to the master ---- */

static int on_connection(int major, int minor, void *session, void *user)
{
	hb_snmp *snmp = user;
	(void)major;
	snmp->master = minor == SNMPD_CALLBACK_INDEX_START ? session : NULL;
	hb__say(snmp->master ? "connected to the master agent" : "the master agent is gone: waiting for it");
	if (!snmp->master)
		snmp->sending = 0; /* nobody knows whether it arrived */
	return 0;
}

/* net-snmp reads and writes no files of its own: everything is an option. */
static bool begin_agent(hb_snmp *snmp, const char *master)
{
	netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE, 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_ROLE, 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_NO_CONNECTION_WARNINGS, 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_NO_ROOT_ACCESS, 1);
	if (master)
		netsnmp_ds_set_string(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_X_SOCKET, master);
	netsnmp_set_mib_directory("");
	setenv("MIBS", "", 1);
	netsnmp_register_loghandler(NETSNMP_LOGHANDLER_NONE, LOG_DEBUG); /* what matters is said by us */
	snmp_register_callback(SNMP_CALLBACK_APPLICATION, SNMPD_CALLBACK_INDEX_START, on_connection, snmp);
	snmp_register_callback(SNMP_CALLBACK_APPLICATION, SNMPD_CALLBACK_INDEX_STOP, on_connection, snmp);
	init_agent("hbdb-snmp");
	/* init_agent has set a default of 15 seconds, which the connecting in init_snmp would take */
	netsnmp_ds_set_int(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_AGENTX_PING_INTERVAL, PING);
	if (!hb__snmp_register(snmp))
		return false;
	init_snmp("hbdb-snmp"); /* connects; where there is no master yet it is looked for */
	if (!snmp->master)
		hb__say("no master agent at %s: waiting for it", master ? master : "/var/agentx/master");
	return true;
}

static void turn(void)
{
	int n = 0, block = 0, pause = hb__moves(PAUSE_US / 1000);
	fd_set set;
	struct timeval wait = {.tv_sec = pause / 1000, .tv_usec = pause % 1000 * 1000L};
	FD_ZERO(&set);
	snmp_select_info(&n, &set, &wait, &block);
	int ready = select(n, &set, NULL, NULL, &wait);
	if (ready > 0)
		snmp_read(&set);
	else if (!ready)
		snmp_timeout();
	run_alarms();
	netsnmp_check_outstanding_agent_requests();
}

/* ---- the program ---- */

static int run(hb_snmp *snmp, const struct wish *wish)
{
	char *database = hb__where_database(wish->database), *manager = hb__manager_socket(wish->manager),
	     *place = hb__where_state(wish->place, "snmp.place");
	int code = database && manager && place && (snmp->reader = hb_reader_new(database)) ? 0 : HB_EXIT_USAGE;
	snmp->manager = manager;
	if (!code && !hb_place_open(&snmp->place, place))
		code = hb__fail_with(HB_EXIT_USAGE, "%s: %s", place,
			errno == EINVAL ? "this is no file of hbdb-snmp; without it the events from now on are sent"
					: strerror(errno));
	hb__stay();
	if (!code && !begin_agent(snmp, wish->master))
		code = hb__fail_with(HB_EXIT_USAGE, "net-snmp does not take the module");
	while (!code && !hb__told_to_end()) {
		turn();
		hb__snmp_notify(snmp);
	}
	/* what the master has taken is written, so that it is not sent again */
	for (double until = hb_seconds() + LEAVE; snmp->sending && hb_seconds() < until;)
		turn();
	hb_reader_free(snmp->reader);
	free(snmp->said);
	free(database);
	free(manager);
	free(place);
	return code;
}

int main(int argc, char **argv)
{
	static hb_snmp snmp;
	struct wish wish = {0};
	for (int option; (option = getopt_long(argc, argv, "x:d:m:p:h", options, NULL)) != -1;)
		switch (option) {
		case 'x':
			wish.master = optarg;
			break;
		case 'd':
			wish.database = optarg;
			break;
		case 'm':
			wish.manager = optarg;
			break;
		case 'p':
			wish.place = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return HB_EXIT_OK;
		case 'V':
			printf("hbdb-snmp %s\n", HBDB_VERSION);
			return HB_EXIT_OK;
		default:
			fputs(usage, stderr);
			return HB_EXIT_USAGE;
		}
	if (optind < argc) {
		fprintf(stderr, "hbdb-snmp: '%s' is no option\n", argv[optind]);
		fputs(usage, stderr);
		return HB_EXIT_USAGE;
	}
	return run(&snmp, &wish);
}
