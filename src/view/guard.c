/* Who may ask. Another page in the same browser can send requests to loopback, by a name of its own even (DNS rebinding), and other users of this
 * machine can connect. The first cannot forge Host, Origin and Sec-Fetch-Site, the second do not know the token. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "guard.h"

bool hb__guard_token(char ret[HB_TOKEN + 1])
{
	unsigned char bytes[HB_TOKEN / 2];
	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return false;
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

/* How long it takes does not tell how much of it is right. */
static bool same_token(const char *token, const char *path)
{
	unsigned char differs = 0;
	size_t n = strlen(path);
	for (size_t i = 0; i < HB_TOKEN; i++)
		differs |= (unsigned char)(token[i] ^ (i < n ? path[i] : 0));
	return !differs && n > HB_TOKEN && path[HB_TOKEN] == '/';
}

/* The only value of a header; NULL: it is not there. False: there are several. */
static bool only(const struct hb_asked *a, const char *name, const char **ret)
{
	size_t n = 0;
	*ret = NULL;
	for (size_t i = 0; i < a->headers; i++) {
		const char *value, *given = a->header(a->user, i, &value);
		if (!strcasecmp(given, name)) {
			*ret = value;
			n++;
		}
	}
	return n < 2;
}

/* Whether text is before, then 127.0.0.1 or localhost, and our port. */
static bool ours(const struct hb_guard *g, const char *before, const char *text)
{
	char wanted[64];
	static const char *const hosts[] = {"127.0.0.1", "localhost"};
	for (int i = 0; i < 2; i++) {
		snprintf(wanted, sizeof wanted, "%s%s:%u", before, hosts[i], g->port);
		if (!strcasecmp(text, wanted))
			return true;
	}
	return false;
}

static int refuse(int status, const char *why, const char **ret_why)
{
	*ret_why = why;
	return status;
}

static int check_origin(const struct hb_guard *g, const struct hb_asked *a, bool post, const char **ret_why)
{
	const char *host, *origin;
	if (!only(a, "Host", &host) || !host || !ours(g, "", host))
		return refuse(
			403, "this server only answers to the names 127.0.0.1 and localhost, with its port", ret_why);
	if (!only(a, "Origin", &origin) || (origin && !ours(g, "http://", origin)))
		return refuse(403, "requests from other web pages are refused", ret_why);
	if (post && !origin)
		return refuse(403, "a request that changes something must name the page that it comes from", ret_why);
	/* localhost and 127.0.0.1 are two origins: a page of one has no business with the other */
	if (origin && strcasecmp(origin + strlen("http://"), host) != 0)
		return refuse(403, "requests from other web pages are refused", ret_why);
	return 0;
}

/* The page itself may be gone to from anywhere, for it tells nothing; what it then asks for comes from itself. */
static int check_site(const struct hb_asked *a, const char *rest, const char **ret_why)
{
	const char *site, *mode;
	if (!only(a, "Sec-Fetch-Site", &site) || !only(a, "Sec-Fetch-Mode", &mode))
		return refuse(403, "requests from other web pages are refused", ret_why);
	if (!site || !strcasecmp(site, "same-origin") || !strcasecmp(site, "none"))
		return 0;
	if (!*rest && mode && !strcasecmp(mode, "navigate"))
		return 0;
	return refuse(403, "requests from other web pages are refused", ret_why);
}

static int check_body(const struct hb_asked *a, bool post, const char **ret_why)
{
	const char *type, *encoding;
	static const char json[] = "application/json";
	if (!only(a, "Transfer-Encoding", &encoding) || encoding)
		return refuse(411, "the length of the request is missing", ret_why);
	if (a->body > HB_BODY_MOST)
		return refuse(413, "the request is too long", ret_why);
	if (!post)
		return a->body > 0 ? refuse(400, "a GET request has no body", ret_why) : 0;
	if (!only(a, "Content-Type", &type) || !type || strncasecmp(type, json, sizeof json - 1) != 0 ||
		!memchr(" ;", type[sizeof json - 1], 3))
		return refuse(415, "the body must be application/json", ret_why);
	return 0;
}

int hb__guard(const struct hb_guard *g, const struct hb_asked *a, const char **ret_rest, const char **ret_why)
{
	bool post = !strcmp(a->method, "POST");
	int status = check_origin(g, a, post, ret_why);
	if (status)
		return status;
	if (!a->path || a->path[0] != '/' || !same_token(g->token, a->path + 1))
		return refuse(404, "there is nothing here: use the whole address that hbdb printed", ret_why);
	if (!post && strcmp(a->method, "GET") != 0 && strcmp(a->method, "HEAD") != 0)
		return refuse(405, "only GET and POST requests are answered", ret_why);
	*ret_rest = a->path + 1 + HB_TOKEN + 1;
	status = check_site(a, *ret_rest, ret_why);
	return status ? status : check_body(a, post, ret_why);
}
