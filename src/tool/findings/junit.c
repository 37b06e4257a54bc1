/* Findings as JUnit XML: a test case for each finding, and one that passed for each identifier of which there is none. */
#include <stdlib.h>
#include <string.h>

#include "../show/out.h"
#include "findings.h"

static void attribute(hb_output *out, const char *name, const char *value)
{
	hb__put_char(out, ' ');
	hb__put_text(out, name);
	hb__put_text(out, "=\"");
	hb__put_xml(out, value);
	hb__put_char(out, '"');
}

static void number_attribute(hb_output *out, const char *name, uint64_t value)
{
	char *text = hb__format("%llu", (unsigned long long)value);
	attribute(out, name, text);
	free(text);
}

static void put_case(hb_output *out, const hb_finding_kind *kind, const char *name)
{
	char *class = hb__format("hbdb.%s", hb_category_names[kind->category]);
	hb__put_text(out, "    <testcase");
	attribute(out, "classname", class);
	attribute(out, "name", name);
	attribute(out, "time", "0");
	free(class);
}

/* Places instead of ranks: the name of a test should be the same in the next run. */
static char *name_of(const hb_told_finding *s)
{
	const hb_place *p = s->nspots ? s->spot[0].place : NULL;
	return p ? hb__format("%s at %s", s->kind->id, p->text) : hb__copy(s->kind->id);
}

static bool fails(const hb_findings *f, const hb_told_finding *s)
{
	return !s->quiet && (int)s->severity <= f->failing;
}

static void put_text_of(hb_output *out, const hb_findings *f, const hb_told_finding *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	if (!to)
		return;
	hb__finding_text(f, s, to, false);
	fclose(to);
	hb__put_xml(out, text);
	free(text);
}

static void put_finding(hb_output *out, const hb_findings *f, const hb_told_finding *s)
{
	char *name = name_of(s);
	put_case(out, s->kind, name);
	if (s->nspots && s->spot[0].place && s->spot[0].place->file) {
		attribute(out, "file", s->spot[0].place->file);
		number_attribute(out, "line", (uint64_t)s->spot[0].place->line);
	}
	hb__put_char(out, '>');
	if (s->quiet)
		hb__put_text(out, "<skipped message=\"suppressed\"/>");
	else if (fails(f, s)) {
		hb__put_text(out, "<failure");
		attribute(out, "message", s->sentence);
		attribute(out, "type", s->kind->id);
		hb__put_char(out, '>');
		put_text_of(out, f, s);
		hb__put_text(out, "</failure>");
	} else {
		hb__put_text(out, "<system-out>");
		put_text_of(out, f, s);
		hb__put_text(out, "</system-out>");
	}
	hb__put_text(out, "</testcase>\n");
	free(name);
}

/* What was asked for and of which nothing was found passed. */
static bool nothing_of(const hb_findings *f, int id)
{
	for (size_t i = 0; i < f->n; i++)
		if ((int)f->at[i].id == id && !f->at[i].hidden)
			return false;
	return true;
}

/* A run that broke off has not passed, whatever was found in it. */
static void put_ending(hb_output *out, const hb_findings *f)
{
	hb__put_text(out, "    <testcase classname=\"hbdb.run\" name=\"the run came to its end\" time=\"0\">");
	if (f->ending) {
		hb__put_text(out, "<failure");
		attribute(out, "message", f->ending);
		hb__put_text(out, " type=\"ending\"/>");
	} else
		hb__put_text(out, "<skipped message=\"the run had not ended, or hbdb was killed\"/>");
	hb__put_text(out, "</testcase>\n");
}

/* What was not looked at has not passed either. */
static void put_unseen(hb_output *out, const char *unseen)
{
	hb__put_text(out,
		"    <testcase classname=\"hbdb.run\" name=\"the run was recorded for hbdb check\" time=\"0\"><skipped");
	attribute(out, "message", unseen);
	hb__put_text(out, "/></testcase>\n");
}

int hb__findings_junit(const hb_findings *f, const char *file, double seconds)
{
	uint64_t cases = 0, failures = 0, skipped = 0;
	hb_output *out = hb__report_open(file);
	if (!out)
		return HB_EXIT_USAGE;
	for (size_t i = 0; i < f->n; i++) {
		const hb_told_finding *s = &f->at[i];
		cases += !s->hidden;
		failures += !s->hidden && fails(f, s);
		skipped += !s->hidden && s->quiet;
	}
	for (int i = 0; i < HB_FINDINGS; i++)
		cases += nothing_of(f, i);
	char *time = hb__format("%.3f", seconds), *unseen = hb__findings_unseen(f);
	bool broke_off = f->ending || !f->run->ended;
	cases += (uint64_t)broke_off + (unseen != NULL);
	failures += f->ending != NULL;
	skipped += (uint64_t)(broke_off && !f->ending) + (unseen != NULL);
	hb__put_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	for (int level = 0; level < 2; level++) {
		hb__put_text(out, level ? "  <testsuite name=\"hbdb check\"" : "<testsuites name=\"hbdb check\"");
		number_attribute(out, "tests", cases);
		number_attribute(out, "failures", failures);
		number_attribute(out, "errors", 0);
		if (level)
			number_attribute(out, "skipped", skipped);
		attribute(out, "time", time);
		hb__put_text(out, ">\n");
	}
	free(time);
	for (size_t i = 0; i < f->n; i++)
		if (!f->at[i].hidden)
			put_finding(out, f, &f->at[i]);
	for (int i = 0; i < HB_FINDINGS; i++)
		if (nothing_of(f, i)) {
			put_case(out, &hb_finding_kinds[i], hb_finding_kinds[i].id);
			hb__put_text(out, "/>\n");
		}
	if (broke_off)
		put_ending(out, f);
	if (unseen)
		put_unseen(out, unseen);
	free(unseen);
	hb__put_text(out, "  </testsuite>\n</testsuites>\n");
	return hb__report_close(out, file);
}
