/* hbdb metrics */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../memory/state.h"
#include "../../monitor/metrics.h"
#include "../../monitor/serve.h"
#include "../../monitor/staying.h"
#include "../../options.h"
#include "view/guard.h"

const hb_option hb__metrics_options[] = {
	{"database", 0, HB_OPTION_TEXT, "FILE", "the manager's database; default: where hbdb manager keeps it"},
	{"listen", 'l', HB_OPTION_TEXT, "unix:PATH|127.0.0.1:PORT", "serve /metrics there, instead of printing once"},
	{"token", 0, HB_OPTION_TEXT, "FILE",
		"with a port: where the token stands that a reader has to show; it is made where there is none; default: metrics.token in the folder of state"},
	{0},
};

/* ---- the page ---- */

static const char *write_page(void *user, const char *accepts, hb_text *out, const char **ret_why)
{
	hb_metrics *m = user;
	bool openmetrics = strstr(accepts, "application/openmetrics-text") != NULL;
	if (hb__metrics_text(m, openmetrics, out))
		return openmetrics ? HB_OPENMETRICS : HB_PROMETHEUS;
	*ret_why = hb_reader_why(m->reader);
	return NULL;
}

static int print_once(hb_metrics *m)
{
	hb_text out = {0};
	int code = HB_EXIT_OK;
	if (!hb__metrics_text(m, true, &out))
		code = hb__fail_with(HB_EXIT_RECORDING, "%s", hb_reader_why(m->reader));
	else if (fwrite(out.at, 1, out.n, stdout) != out.n || fflush(stdout))
		code = hb__fail_with(HB_EXIT_RECORDING, "cannot write to standard output: %s", strerror(errno));
	free(out.at);
	return code;
}

/* ---- the token ---- */

static bool is_token(const char *text)
{
	return strspn(text, "0123456789abcdef") == HB_TOKEN && (!text[HB_TOKEN] || !strcmp(text + HB_TOKEN, "\n"));
}

static int read_token(const char *path, char ret[HB_TOKEN + 1])
{
	char *text = hb__state_read(path);
	if (!text && errno == ENOENT) {
		if (!hb__guard_token(ret))
			return hb__fail_with(HB_EXIT_USAGE, "the system has no random numbers for a token");
		char *line = hb__format("%s\n", ret);
		int failed = hb__state_write(path, line);
		free(line);
		return failed ? hb__fail_with(HB_EXIT_USAGE, "%s: %s", path, strerror(errno)) : 0;
	}
	if (!text)
		return hb__fail_with(HB_EXIT_USAGE, "%s: %s", path,
			errno == EPERM
				? "it is not yours, or others can write it: who knows the token reads the metrics"
				: strerror(errno));
	bool good = is_token(text);
	if (good)
		snprintf(ret, HB_TOKEN + 1, "%.*s", HB_TOKEN, text);
	free(text);
	return good ? 0
		    : hb__fail_with(HB_EXIT_USAGE,
			      "%s: a token is %d digits from 0 to f and nothing else; without the file hbdb makes one",
			      path, HB_TOKEN);
}

int hb__metrics(const hb_args *args)
{
	const char *address = hb__option_value(args, "listen"), *given = hb__option_value(args, "token");
	if (given && (!address || !strncmp(address, "unix:", 5)))
		return hb__fail_with(HB_EXIT_USAGE,
			"--token is for a port, as in --listen 127.0.0.1:9464: a Unix socket asks the system who is there");
	char *database = hb__where_database(hb__option_value(args, "database")), *file = NULL;
	hb_metrics m = {.reader = database ? hb_reader_new(database) : NULL};
	char token[HB_TOKEN + 1] = "";
	int code = m.reader ? 0 : HB_EXIT_USAGE;
	hb__stay();
	if (!code && address && strncmp(address, "unix:", 5) != 0) {
		file = hb__where_state(given, "metrics.token");
		code = file ? read_token(file, token) : HB_EXIT_USAGE;
	}
	if (!code && address)
		code = hb__serve_page(
			address, token, file, &(const hb_served){.path = "metrics", .write = write_page, .user = &m});
	else if (!code)
		code = print_once(&m);
	hb_reader_free(m.reader);
	free(database);
	free(file);
	return code;
}
