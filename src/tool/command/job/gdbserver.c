/* hbdb gdbserver */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../options.h"
#include "../../recorded/serve.h"

const hb_option hb__gdbserver_options[] = {
	{"listen", 'l', HB_OPTION_TEXT, "PORT",
		"wait for gdb on this port of this machine (0: any that is free); default: gdb is on standard input and output"},
	{"checkpoints", 0, HB_OPTION_TEXT, "SIZE", "how much memory the checkpoints may take, as in 512M or 2G (512M)"},
	{"alone", 0, HB_OPTION_TEXT, "PROCESS",
		"of a recording of level data: this one process, without the others; MPI answers from the recording"},
	{"mpi", 0, HB_OPTION_CHOICE, "auto|openmpi|mpich",
		"with --alone: the MPI library of the program; default: that of the recording"},
	{"trust", 0, HB_OPTION_FLAG, NULL,
		"run the command of a recording that may come from somebody else, without asking"},
	{0},
};

/* PORT or 127.0.0.1:PORT. */
static bool port_of(const char *text, uint16_t *ret)
{
	char *end;
	if (!strncmp(text, "127.0.0.1:", 10))
		text += 10;
	else if (!strncmp(text, "localhost:", 10))
		text += 10;
	unsigned long n = strtoul(text, &end, 10);
	*ret = (uint16_t)n;
	return *text >= '0' && *text <= '9' && !*end && n <= 65535;
}

/* The connection of one gdb; -1 after having said why. */
static int await_gdb(uint16_t port)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	int on = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), gdb = -1;
	if (s < 0 || setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
		bind(s, (struct sockaddr *)&at, sizeof at) || listen(s, 1) ||
		getsockname(s, (struct sockaddr *)&at, &size)) {
		hb__say("cannot listen on port %u of this machine: %s", port, strerror(errno));
	} else {
		hb__say("waiting for gdb: target remote localhost:%u", ntohs(at.sin_port));
		do
			gdb = accept4(s, NULL, NULL, SOCK_CLOEXEC);
		while (gdb < 0 && errno == EINTR);
		if (gdb < 0)
			hb__say("no gdb came: %s", strerror(errno));
		else
			setsockopt(gdb, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	}
	if (s >= 0)
		close(s);
	return gdb;
}

/* gdb over a pipe has our standard input and output: the program has none, and prints where we say things. */
static int take_pipe(int *ret_in, int *ret_out, int *ret_program_in)
{
	if (isatty(0) || isatty(1))
		return hb__fail_with(HB_EXIT_USAGE,
			"gdb is to be on the other side: in gdb, type target remote | hbdb gdbserver -- COMMAND, or use --listen PORT");
	*ret_in = fcntl(0, F_DUPFD_CLOEXEC, 3);
	*ret_out = fcntl(1, F_DUPFD_CLOEXEC, 3);
	*ret_program_in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (*ret_in < 0 || *ret_out < 0 || *ret_program_in < 0)
		return hb__fail_with(HB_EXIT_USAGE, "cannot talk with gdb: %s", strerror(errno));
	return 0;
}

/* Where gdb is: on a port of this machine, or on our standard input and output. */
static int meet_gdb(const char *listen_at, hb_service *s)
{
	uint16_t port = 0;
	if (listen_at && !port_of(listen_at, &port))
		return hb__fail_with(HB_EXIT_USAGE,
			"--listen %s: only a port of this machine, as in 2345 or 127.0.0.1:2345", listen_at);
	signal(SIGPIPE, SIG_IGN);
	if (listen_at) {
		s->in = s->out = await_gdb(port);
		return s->in < 0 ? HB_EXIT_USAGE : 0;
	}
	int code = take_pipe(&s->in, &s->out, &s->program_in);
	s->program_out = 2;
	if (!code)
		signal(SIGINT, SIG_IGN); /* typed at gdb's terminal: gdb tells us to stop */
	return code;
}

int hb__gdbserver(const hb_args *args)
{
	const char *alone = hb__option_value(args, "alone");
	hb_service s = {.command = args->rest, .program_out = 1};
	hb_one one = {0};
	if (!alone && (!args->rest || args->operand))
		return hb__fail_with(HB_EXIT_USAGE,
			"gdbserver needs a command, hbdb gdbserver -- COMMAND, or one process of a recording, hbdb gdbserver --alone PROCESS [NAME]");
	const hb_one_wish wish = {.recording = args->operand,
		.process = alone,
		.command = args->rest,
		.mpi = hb__option_value(args, "mpi"),
		.trust = hb__option_value(args, "trust") != NULL};
	int code = hb__read_budget(hb__option_value(args, "checkpoints"), &s.budget);
	code = code || !alone ? code : hb__one_open(&wish, &one);
	if (!code && alone) {
		s.one = &one;
		s.command = one.command;
		s.environment = one.environment;
	}
	code = code ? code : meet_gdb(hb__option_value(args, "listen"), &s);
	code = code ? code : hb__serve(&s);
	hb__one_close(&one);
	return code;
}
