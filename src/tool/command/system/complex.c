/* hbdb complex */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../console/page/page.h"
#include "../../memory/sockets.h"
#include "../../memory/state.h"
#include "../../options.h"
#include "../../page/page.h"

const hb_option hb__complex_options[] = {
	{"port", 'p', HB_OPTION_NUMBER, "N", "listen on this port of 127.0.0.1; default: any free port"},
	{"no-browser", 0, HB_OPTION_FLAG, NULL, "print the address and open no browser"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print the address as a JSON object"},
	{"database", 0, HB_OPTION_TEXT, "FILE", "of the manager; default: complex.db in hbdb's folder of state"},
	{"socket", 0, HB_OPTION_TEXT, "PATH", "of the manager"},
	{0},
};

struct showing {
	const hb_args *args;
	char *browser; /* the file that led it here */
};

static int began(void *user, const hb_view_server *server)
{
	struct showing *s = user;
	const char *address = hb_view_address(server);
	if (hb__option_value(s->args, "json"))
		printf("{\"address\":\"%s\",\"port\":%u,\"pid\":%d}\n", address, hb_view_port(server), (int)getpid());
	else
		printf("%s\n", address);
	if (fflush(stdout))
		return hb__fail_with(HB_EXIT_USAGE, "cannot print the address: %s", strerror(errno));
	if (isatty(2))
		hb__say("press Ctrl-C to end it");
	if (!hb__option_value(s->args, "no-browser"))
		hb__open_browser(address, &s->browser);
	return 0;
}

int hb__complex(const hb_args *args)
{
	struct showing s = {.args = args};
	const char *given = hb__option_value(args, "database");
	uint64_t port = hb__option_number(args, "port", 0);
	if (port > 65535)
		return hb__fail_with(HB_EXIT_USAGE, "--port %llu: the highest port is 65535", (unsigned long long)port);
	char *database = given ? hb__copy(given) : hb__state_path("complex.db", false),
	     *socket = hb__manager_socket(hb__option_value(args, "socket"));
	int code = HB_EXIT_USAGE;
	if (!database)
		hb__say("there is no folder of state: set XDG_STATE_HOME or HOME, or give --database");
	else if (access(database, R_OK))
		hb__say("%s: %s; hbdb manager makes this database", database, strerror(errno));
	else if (socket)
		code = hb__serve_complex(database, socket, (uint16_t)port, began, &s);
	if (s.browser)
		unlink(s.browser);
	free(s.browser);
	free(database);
	free(socket);
	return code;
}
