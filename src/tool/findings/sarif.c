/* Findings as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../show/out.h"
#include "findings.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define ROOT "%SRCROOT%"

hb_output *hb__report_open(const char *file)
{
	int fd = strcmp(file, "-") ? open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : 1;
	if (fd < 0) {
		hb__fail_with(HB_EXIT_USAGE, "cannot write %s: %s", file, strerror(errno));
		return NULL;
	}
	hb_output *out = hb__alloc(sizeof *out);
	out->fd = fd;
	return out;
}

int hb__report_close(hb_output *out, const char *file)
{
	hb__flush(out);
	bool own = out->fd != 1, broken = out->broken;
	int error = out->error;
	if (own && close(out->fd) && !broken) {
		broken = true;
		error = errno;
	}
	free(out);
	if (!broken || !own) /* who reads our standard output may leave */
		return 0;
	return hb__fail_with(HB_EXIT_USAGE, "cannot write %s: %s", file, strerror(error));
}

static void put_member(hb_output *out, const char *before, const char *value)
{
	hb__put_text(out, before);
	hb__put_json(out, value);
}

/* A path as the path of a URI: RFC 3986, 2.1. */
static void put_path(hb_output *out, const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@,";
	static const char digits[] = "0123456789ABCDEF";
	for (const unsigned char *p = (const unsigned char *)path; *p; p++)
		if (strchr(plain, *p))
			hb__put_char(out, (char)*p);
		else {
			hb__put_char(out, '%');
			hb__put_char(out, digits[*p >> 4]);
			hb__put_char(out, digits[*p & 15]);
		}
}

/* Relative to the current folder where it can be: that is what a repository has in common with the machine of its CI. */
static void put_artifact(hb_output *out, const char *path)
{
	char here[PATH_MAX];
	size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
	bool below = n > 1 && !strncmp(path, here, n) && path[n] == '/', relative = *path != '/';
	hb__put_text(out, "\"artifactLocation\":{\"uri\":\"");
	if (below || relative)
		put_path(out, below ? path + n + 1 : path);
	else {
		hb__put_text(out, "file://");
		put_path(out, path);
	}
	hb__put_text(out, below || relative ? "\",\"uriBaseId\":\"" ROOT "\"}" : "\"}");
}

static void put_location(hb_output *out, const hb_spot *p, int64_t id)
{
	hb__put_text(out, "{\"id\":");
	hb__put_int(out, id);
	if (p->place && p->place->file) {
		hb__put_text(out, ",\"physicalLocation\":{");
		put_artifact(out, p->place->file);
		if (p->place->line > 0) {
			hb__put_text(out, ",\"region\":{\"startLine\":");
			hb__put_int(out, p->place->line);
			hb__put_char(out, '}');
		}
		hb__put_char(out, '}');
	}
	char *who = hb__format("%s%s%s%s", hb_rank_word(p->name), p->name, *p->event ? ", event " : "", p->event);
	put_member(out, ",\"logicalLocations\":[{\"kind\":\"process\",\"name\":", who);
	free(who);
	char *text = hb__format("%s%s%s%s%s%s", hb_rank_word(p->name), p->name, *p->function ? ": " : "", p->function,
		*p->role ? ": " : "", p->role);
	put_member(out, "}],\"message\":{\"text\":", text);
	free(text);
	hb__put_text(out, "}}");
}

static void put_result(hb_output *out, const hb_told_finding *s)
{
	char *text = hb__format("%s%s%s", s->sentence, s->advice ? "\n" : "", s->advice ? s->advice : "");
	char *print = hb__format("%016llx", (unsigned long long)s->print);
	put_member(out, "{\"ruleId\":", s->kind->id);
	hb__put_text(out, ",\"ruleIndex\":");
	hb__put_int(out, s->id);
	put_member(out, ",\"level\":", hb__severity_names[s->severity]);
	put_member(out, ",\"message\":{\"text\":", text);
	hb__put_text(out, "},\"locations\":[");
	if (s->nspots)
		put_location(out, &s->spot[0], 0);
	hb__put_text(out, "],\"relatedLocations\":[");
	for (uint32_t i = 1; i < s->nspots; i++) {
		if (i > 1)
			hb__put_char(out, ',');
		put_location(out, &s->spot[i], i);
	}
	put_member(out, "],\"partialFingerprints\":{\"hbdbLines/v1\":", print);
	hb__put_text(out, "},\"occurrenceCount\":");
	hb__put_int(out, (int64_t)s->times);
	put_member(out, ",\"properties\":{\"category\":", hb_category_names[s->kind->category]);
	hb__put_text(out, s->possible ? ",\"possible\":true}" : ",\"possible\":false}");
	if (s->quiet)
		hb__put_text(out, ",\"suppressions\":[{\"kind\":\"external\"}]");
	hb__put_char(out, '}');
	free(text);
	free(print);
}

static void put_rule(hb_output *out, const hb_finding_kind *kind)
{
	char *help =
		hb__format("%s. 'hbdb help %s' explains it, with a wrong and a right program.", kind->title, kind->id);
	char *uri = hb__format("man:%s(7)", kind->id);
	for (char *p = uri; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	put_member(out, "{\"id\":", kind->id);
	put_member(out, ",\"shortDescription\":{\"text\":", kind->title);
	put_member(out, "},\"fullDescription\":{\"text\":", help);
	put_member(out, "},\"help\":{\"text\":", help);
	put_member(out, "},\"helpUri\":", uri);
	put_member(out, ",\"defaultConfiguration\":{\"level\":", hb__severity_names[kind->severity]);
	put_member(out, "},\"properties\":{\"tags\":[\"mpi\",", hb_category_names[kind->category]);
	hb__put_text(out, "]}}");
	free(help);
	free(uri);
}

/* What a reader of no results must know: that the run broke off, and what was not looked at. */
static void put_notifications(hb_output *out, const hb_findings *f)
{
	char *unseen = hb__findings_unseen(f);
	const char *const texts[] = {f->ending,
		f->run->ended ? NULL : "the run had not ended, or hbdb was killed: what came later is not known",
		unseen};
	bool first = true;
	hb__put_text(out, ",\"toolExecutionNotifications\":[");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i]) {
			put_member(out,
				first ? "{\"level\":\"warning\",\"message\":{\"text\":"
				      : ",{\"level\":\"warning\",\"message\":{\"text\":",
				texts[i]);
			hb__put_text(out, "}}");
			first = false;
		}
	hb__put_char(out, ']');
	free(unseen);
}

int hb__findings_sarif(const hb_findings *f, const char *file, int exit_status)
{
	char here[PATH_MAX];
	bool first = true;
	hb_output *out = hb__report_open(file);
	if (!out)
		return HB_EXIT_USAGE;
	put_member(out, "{\"$schema\":", SCHEMA);
	put_member(out,
		",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"hbdb\",\"version\":", HBDB_VERSION);
	hb__put_text(out, ",\"rules\":[");
	for (int i = 0; i < HB_FINDINGS; i++) {
		if (i)
			hb__put_char(out, ',');
		put_rule(out, &hb_finding_kinds[i]);
	}
	hb__put_text(
		out, "]}},\"columnKind\":\"utf16CodeUnits\",\"originalUriBaseIds\":{\"" ROOT "\":{\"uri\":\"file://");
	put_path(out, getcwd(here, sizeof here) ? here : "");
	hb__put_text(out, "/\"}},\"invocations\":[{\"executionSuccessful\":true");
	put_notifications(out, f);
	if (exit_status >= 0) {
		hb__put_text(out, ",\"properties\":{\"commandStatus\":");
		hb__put_int(out, exit_status);
		hb__put_char(out, '}');
	}
	hb__put_text(out, "}],\"results\":[");
	for (size_t i = 0; i < f->n; i++) {
		if (f->at[i].hidden)
			continue;
		if (!first)
			hb__put_text(out, ",\n");
		first = false;
		put_result(out, &f->at[i]);
	}
	hb__put_text(out, "]}]}\n");
	return hb__report_close(out, file);
}
