/* What is asked for by the page of a complex: its own files, and what the tool answers. */
#include <stdlib.h>
#include <string.h>

#include "view/server.h"

/* What changes something is a POST, and nothing else is one. */
static const struct named {
	const char *name, *file; /* file: of the page; NULL: the tool answers */
	bool post;
} names[] = {
	{"", "complex.html", false},
	{"complex.js", "complex.js", false},
	{"complex.css", "complex.css", false},
	{"complex", NULL, false},
	{"processes", NULL, false},
	{"events", NULL, false},
	{"threads", NULL, false},
	{"changes", NULL, false},
	{"act", NULL, true},
};

static void ask_tool(struct hb_request *r)
{
	const hb_view_complex *complex = &r->server->complex;
	const hb_view_asked asked = {.name = r->name, .query = r->query, .body = r->body};
	int status = complex->answer(complex->user, &asked, &r->out);
	if (r->out.broken) {
		hb__view_refuse(r, 500, "out of memory");
	} else if (status != 200) {
		char *why = r->out.at ? strdup(r->out.at) : NULL;
		hb__view_refuse(r, status, "%s", why ? why : "this cannot be answered");
		free(why);
	}
}

void hb__complex_answer(struct hb_request *r)
{
	const struct named *n = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i].name, r->name))
			n = &names[i];
	r->status = 200;
	r->type = "application/json; charset=utf-8";
	if (!n)
		hb__view_refuse(r, 404, "there is no such page");
	else if (r->post != n->post)
		hb__view_refuse(r, 405, r->post ? "this needs a GET request" : "this needs a POST request");
	else if (n->file)
		hb__view_file(r, n->file);
	else
		ask_tool(r);
}
