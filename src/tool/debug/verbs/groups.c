/* focus, defset, undefset, viewset */
#include <stdlib.h>
#include <string.h>

#include "../debug.h"

int hb__v_focus(hb_debug *d, char *args)
{
	hb_set set;
	int code = 0;
	if (*args) {
		size_t n = strlen(args);
		bool brackets = args[0] == '[' && args[n - 1] == ']';
		if (brackets)
			args[n - 1] = 0;
		char *text = hb__d_trim(args + brackets);
		code = hb__d_set(d, text, &set);
		if (!code) {
			free(d->focus);
			d->focus = hb__copy(text);
		}
	} else
		code = hb__d_set(d, d->focus, &set);
	if (!code && d->settings.json)
		hb__d_print(d, "{\"answer\":\"focus\",\"set\":\"%.*s\"}\n", (int)strlen(hb__d_set_name(d, &set)) - 2,
			hb__d_set_name(d, &set) + 1);
	else if (!code)
		hb__d_print(d, "focus [%s]: %s, %d %s\n", d->focus, hb__d_set_name(d, &set), hb_set_count(&set),
			hb__plural((uint64_t)hb_set_count(&set), "process", "processes"));
	hb_set_free(&set);
	return code;
}

int hb__v_defset(hb_debug *d, char *args)
{
	char *name = hb__d_word(&args);
	hb_set set;
	if (!name || !*hb__d_trim(args))
		return hb__d_fail(d, HB_EXIT_USAGE, "defset takes a name and a set, as in defset workers [1:3]");
	if (!hb__d_is_name(name) || hb__d_is(d, 0, name) >= 0)
		return hb__d_fail(d, HB_EXIT_USAGE, "'%s' cannot be the name of a set: %s", name,
			hb__d_is_name(name) ? "a dynamic set has that name"
					    : "a name begins with a letter and consists of letters, digits, _ and -");
	int code = hb__d_set(d, args, &set);
	if (!code) {
		char *members = hb__d_set_text_of(d, &set);
		hb__d_put(&d->sets, name, members);
		free(members);
		hb__d_note(d, "%s is %s", name, hb__d_set_name(d, &set));
	}
	hb_set_free(&set);
	return code;
}

/* Whether all names in a set are still known. */
static bool still_means(hb_debug *d, const char *text)
{
	char *copy = hb__copy(text), *rest = copy, *item;
	bool known = true;
	while ((item = strsep(&rest, ","))) {
		item = hb__d_trim(item);
		item = hb__d_trim(item + (*item == '-'));
		known = known && (!hb__d_is_name(item) || hb__d_get(&d->sets, item) || hb__d_is(d, 0, item) >= 0);
	}
	free(copy);
	return known;
}

int hb__v_undefset(hb_debug *d, char *args)
{
	char *name = hb__d_word(&args);
	if (!name)
		return hb__d_fail(d, HB_EXIT_USAGE, "undefset takes the name of a set, or *");
	if (!strcmp(name, "*"))
		hb__d_pairs_free(&d->sets);
	else if (!hb__d_drop(&d->sets, name))
		return hb__d_fail(d, HB_EXIT_USAGE, "there is no named set %s", name);
	if (!still_means(d, d->focus)) {
		free(d->focus);
		d->focus = hb__copy("*");
		hb__d_note(d, "the focus is [*] now");
	}
	return 0;
}

/* One line; a set that nobody is in now is listed, too. */
static void view(hb_debug *d, const char *name, const char *meaning)
{
	hb_set set;
	if (!hb__d_set(d, name, &set)) {
		if (d->settings.json)
			hb__d_print(d, "{\"answer\":\"set\",\"name\":\"%s\",\"set\":\"%.*s\"}\n", name,
				(int)strlen(hb__d_set_name(d, &set)) - 2, hb__d_set_name(d, &set) + 1);
		else
			hb__d_print(d, "%-10s %-12s %s\n", name, hb__d_set_name(d, &set), meaning);
	}
	hb_set_free(&set);
}

int hb__v_viewset(hb_debug *d, char *args)
{
	char *name = hb__d_word(&args);
	if (name) {
		hb_set set;
		int code = hb__d_set(d, name, &set);
		hb_set_free(&set);
		if (!code)
			view(d, name, "");
		return code;
	}
	for (size_t i = 0; i < d->sets.n; i++)
		view(d, d->sets.at[i].name, "");
	for (int i = 0; hb__d_dynamic[i][0]; i++)
		view(d, hb__d_dynamic[i][0], hb__d_dynamic[i][1]);
	return 0;
}
