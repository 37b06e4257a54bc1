/* The page of a finding, on the terminal: its man page, as scdoc wrote it, without a need for man. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../options.h"
#include "findings.h"

#define LINE_BYTES 4096

static const hb_finding_kind *kind_of(const char *id)
{
	for (int i = 0; i < HB_FINDINGS; i++)
		if (!strcasecmp(hb_finding_kinds[i].id, id))
			return &hb_finding_kinds[i];
	return NULL;
}

/* An installed hbdb has its pages in ../share/man, a built one where Meson leaves them. */
static FILE *open_page(const hb_finding_kind *kind)
{
	static const char *const places[] = {"../share/man/man7", "docs/findings", "../../docs/findings"};
	char self[PATH_MAX], name[64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	FILE *f = NULL;
	if (n < 0)
		return NULL;
	self[n] = 0;
	*strrchr(self, '/') = 0;
	snprintf(name, sizeof name, "%s", kind->id);
	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	for (size_t i = 0; !f && i < sizeof places / sizeof *places; i++) {
		char *path = hb__format("%s/%s/%s.7", self, places[i], name);
		f = fopen(path, "re");
		free(path);
	}
	return f;
}

/* Text of a line of roff: fonts, and characters that are written as \&, \-, \e, \(aq. */
static void put_text(const char *p, bool colour)
{
	for (; *p && *p != '\n'; p++) {
		if (*p != '\\') {
			putchar(*p);
			continue;
		}
		p++;
		if (*p == 'f' && p[1]) {
			p++;
			if (colour)
				printf("%s", *p == 'B' ? "\033[1m" : *p == 'I' ? "\033[4m" : "\033[0m");
		} else if (*p == '(' && p[1] && p[2]) {
			putchar(!strncmp(p + 1, "aq", 2) ? '\'' : !strncmp(p + 1, "bu", 2) ? '*' : '"');
			p += 2;
		} else if (*p == '*' && p[1] == '(' && p[2] && p[3]) {
			putchar('\'');
			p += 3;
		} else if (*p == 'e')
			putchar('\\');
		else if (*p && *p != '&')
			putchar(*p);
		else if (!*p)
			return;
	}
	putchar('\n');
}

static void put_page(FILE *f, bool colour)
{
	char line[LINE_BYTES];
	bool literal = false, blank = true;
	while (fgets(line, sizeof line, f)) {
		if (!strncmp(line, ".nf", 3) || !strncmp(line, ".fi", 3))
			literal = line[1] == 'n';
		else if (!strncmp(line, ".SH ", 4)) {
			printf("%s%s%s", blank ? "" : "\n", colour ? "\033[1m" : "", "");
			put_text(line + 4, colour);
			printf("%s", colour ? "\033[0m" : "");
			blank = true;
		} else if (!strncmp(line, ".P", 2)) {
			if (!blank)
				printf("\n");
			blank = true;
		} else if ((*line != '.' && *line != '\'') || (literal && strncmp(line, ".R", 2) != 0)) {
			printf(literal ? "        " : "    ");
			put_text(line, colour);
			blank = false;
		}
	}
}

static int list(void)
{
	for (int c = 0; c < HB_CATEGORIES; c++) {
		printf("%s%s\n", c ? "\n" : "", hb_category_names[c]);
		for (int i = 0; i < HB_FINDINGS; i++)
			if ((int)hb_finding_kinds[i].category == c)
				printf("  %-24s %-8s %s\n", hb_finding_kinds[i].id,
					hb__severity_names[hb_finding_kinds[i].severity], hb_finding_kinds[i].title);
	}
	return HB_EXIT_OK;
}

static int no_finding(const char *topic)
{
	hb_guess g = {.word = topic};
	for (int i = 0; i < HB_FINDINGS; i++)
		hb__guess(&g, hb_finding_kinds[i].id);
	return hb__fail_with(HB_EXIT_USAGE, "there is no finding '%s'%s; 'hbdb help findings' lists them all", topic,
		hb__guessed(&g));
}

int hb__finding_help(const char *topic)
{
	if (!strcmp(topic, "findings"))
		return list();
	const hb_finding_kind *kind = kind_of(topic);
	if (!kind)
		return no_finding(topic);
	FILE *f = open_page(kind);
	if (f) {
		put_page(f, hb__colour(1));
		fclose(f);
		return HB_EXIT_OK;
	}
	printf("%s - %s\n\nA finding of hbdb check: %s, category %s. Its page is not installed.\n", kind->id,
		kind->title, hb__severity_names[kind->severity], hb_category_names[kind->category]);
	return HB_EXIT_OK;
}
