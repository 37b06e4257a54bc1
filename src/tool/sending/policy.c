/* When events are sent. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sending.h"

static bool read_rule(const char *text, hb_send_rule *ret)
{
	char *end;
	const char *p = text;
	errno = 0;
	ret->seconds = strtod(p, &end);
	bool good = end > p && ret->seconds >= 0;
	p = end;
	ret->lower = strtoull(p, &end, 10);
	good = good && end > p && !strchr(p, '-');
	p = end;
	ret->upper = strtoull(p, &end, 10);
	good = good && end > p && !errno && ret->upper >= ret->lower;
	return good && !end[strspn(end, " \t\r\n")];
}

/* 0, or an exit code after having said why. where: of the text, for people. */
static int add_rule(const char *text, const char *where, hb_send_policy *to)
{
	hb_send_rule rule;
	if (!read_rule(text, &rule))
		return hb__fail_with(HB_EXIT_USAGE,
			"%s: '%s' is no rule of sending: it wants a time in seconds, a lower and an upper number of events, as in '60 100 1000'",
			where, text);
	if (to->n && rule.seconds <= to->rule[to->n - 1].seconds)
		return hb__fail_with(HB_EXIT_USAGE, "%s: the times of rules ascend, and %g comes behind %g", where,
			rule.seconds, to->rule[to->n - 1].seconds);
	to->rule = hb__resize(to->rule, (to->n + 1) * sizeof *to->rule);
	to->rule[to->n++] = rule;
	return 0;
}

static int read_file(const char *path, hb_send_policy *ret)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int code = 0;
	if (!f)
		return hb__fail_with(HB_EXIT_USAGE, "%s: %s", path, strerror(errno));
	for (unsigned n = 1; !code && getline(&line, &room, f) > 0; n++) {
		line[strcspn(line, "#\n")] = 0;
		char *where = hb__format("%s:%u", path, n);
		if (line[strspn(line, " \t\r")])
			code = add_rule(line, where, ret);
		free(where);
	}
	free(line);
	fclose(f);
	return code;
}

int hb__read_send_policy(const char *given, hb_send_policy *ret)
{
	*ret = (hb_send_policy){0};
	if (!given)
		return 0;
	if (*given == '@')
		return read_file(given + 1, ret);
	char *copy = hb__copy(given), *rest = copy, *part;
	int code = 0;
	while (!code && (part = strsep(&rest, ",")))
		code = add_rule(part, "--send-when", ret);
	free(copy);
	return code;
}

bool hb__send_now(const hb_send_policy *policy, double seconds, uint64_t unsent, bool idle)
{
	size_t i = 0;
	if (!policy->n)
		return unsent != 0;
	while (i + 1 < policy->n && seconds > policy->rule[i].seconds)
		i++;
	return unsent > policy->rule[i].upper || (idle && unsent > policy->rule[i].lower);
}
