/* The models of examples/models that are not of the farm library: a history that is right, and wrong ones. */
#include "history.h"

#define MODELS EXAMPLES "/models/"

struct example {
	const char *what, *history, *expected;
};

static void examples(const char *model, uint32_t processes, const struct example *e)
{
	char file[512];
	snprintf(file, sizeof file, "%s%s.hbm", MODELS, model);
	hb_pattern *p = history_model(file, NULL, processes);
	for (; p && e->what; e++)
		history_says(p, e->history, e->expected, e->what);
	hb_pattern_close(p);
}

static const struct example pipeline[] = {
	{"a pipeline",
		"0* read 1; 0!1 item 1; 0* read 2; 0!1 item 2; 1?0 item 2; 1?0 item 1; 1* work 1; 1* work 2; 1>2 item 2; 1>2 item 1;"
		"2* work 1; 2* write 1; 2* work 2; 2* write 2",
		""},
	{"a stage that forgets an item", "0* read 1; 0>1 item 1; 1* work 1", "i 1: stopped\n  1!2 item 1 after 5\n"},
	{"a stage that is passed by", "0* read 1; 0>2 item 1", "i 1: wrong at 2\n  0!1 item 1 after 1\n"},
	{"an item that is written before it is worked on", "0* read 1; 0>1 item 1; 1* work 1; 1>2 item 1; 2* write 1",
		"i 1: wrong at 8\n  2( work 1 after 7\n"},
	{0}};

static const struct example ring[] = {
	{"a ring",
		"0>1 token; 1* critical; 1>2 token; 2* critical; 2>0 token; 0* critical; 0>1 token; 1>2 token; 2>0 token",
		""},
	{"a member that keeps the token", "0>1 token; 1* critical", "stopped\n  1!2 token after 3\n"},
	{"two in the critical section", "0>1 token; 1( critical; 2( critical", "wrong at 3\n  1) critical after 2\n"},
	{"a second token", "0>1 token; 0>1 token", "wrong at 2\n  1( critical after 1\n  1!2 token after 1\n"},
	{"a token that goes backwards", "0>1 token; 1>0 token",
		"wrong at 2\n  1( critical after 1\n  1!2 token after 1\n"},
	{0}};

#define STEP(s)                                                                                        \
	"0>1 border " s " 0; 2>1 border " s " 1; 1>0 border " s " 1; 1>2 border " s " 0; 2* update " s \
	"; 1* update " s "; 0* update " s ";"
static const struct example halo[] = {{"a halo exchange", STEP("0") STEP("1"), ""},
	{"a cell that does not send its border",
		"0>1 border 0 0; 2>1 border 0 1; 1>0 border 0 1; 0* update 0; 0!1 border 1 0",
		"stopped\n  1!2 border 0 0\n"},
	{"an update before the border is there", "0>1 border 0 0; 1* update 0",
		"wrong at 2\n  1!2 border 0 0\n  1!0 border 0 1\n  2!1 border 0 1\n"},
	{"a border of the wrong side", "0>1 border 0 1",
		"wrong at 0\n  0!1 border 0 0\n  1!2 border 0 0\n  1!0 border 0 1\n  2!1 border 0 1\n"},
	{"a step too many", STEP("0") STEP("1") "0!1 border 2 0", "wrong at 28\n"}, {0}};

static const struct example commit[] = {
	{"two transactions",
		"0>1 prepare 1; 0>2 prepare 1; 2>0 vote 1 1; 1>0 vote 1 1; 0>1 decide 1; 0>2 decide 1; 1* commit 1; 2* commit 1;"
		"0>1 prepare 2; 0>2 prepare 2; 2>0 vote 2 0; 1>0 vote 2 1; 0>1 decide 2; 0>2 decide 2; 1* abort 2; 2* abort 2",
		""},
	{"a vote that never comes", "0>1 prepare 1; 0>2 prepare 1; 1>0 vote 1 1",
		"x 1: stopped ambiguous at 0\n  2!0 vote 1 1 after 3\n  2!0 vote 1 0 after 3\n"},
	{"a decision before all have voted", "0>1 prepare 1; 0>2 prepare 1; 1>0 vote 1 1; 0>1 decide 1",
		"x 1: wrong at 6 ambiguous at 0\n  2!0 vote 1 1 after 3\n  2!0 vote 1 0 after 3\n"},
	{"a commit that somebody had voted against",
		"0>1 prepare 1; 0>2 prepare 1; 1>0 vote 1 1; 2>0 vote 1 0; 0>1 decide 1; 0>2 decide 1; 1* commit 1",
		"x 1: wrong at 12\n  1( abort 1 after 9\n  2( abort 1 after 11\n"},
	{"one that votes twice", "0>1 prepare 1; 1>0 vote 1 1; 1>0 vote 1 1",
		"x 1: wrong at 4 ambiguous at 0\n  0!2 prepare 1\n"},
	{0}};

static const struct example stealing[] = {
	{"work that is stolen",
		"0. make 1; 0. make 2; 1>0 steal; 0!1 task 2; 2>0 steal; 0>2 refuse; 0* compute 1; 1?0 task 2; 1* compute 2; 2>1 steal",
		""},
	{"a task that is lost on its way", "0. make 1; 1>0 steal; 0!1 task 1", "t 1: stopped\n  1?0 task 1 after 3\n"},
	{"a task that is given away and computed", "0. make 1; 1>0 steal; 0>1 task 1; 0* compute 1; 1* compute 1",
		"t 1: wrong at 5\n  1( compute 1 after 4\n  1!0 task 1 after 4\n  1!2 task 1 after 4\n"},
	{"a task that nobody made", "1* compute 1", "t 1: wrong at 0\n  0. make 1\n  1. make 1\n  2. make 1\n"},
	{"a refusal that nobody asked for", "0!1 refuse",
		"wrong at 0\n  0!1 steal\n  0!2 steal\n  1!0 steal\n  1!2 steal\n  2!0 steal\n  2!1 steal\n"},
	{0}};

/* The model that docs/models.md begins with: its first indented lines. */
static void page(void)
{
	char line[512], text[4096] = "";
	FILE *f = fopen(DOCS "/models.md", "r");
	if (!check(f != NULL, "docs/models.md is there"))
		return;
	while (fgets(line, sizeof line, f) && strncmp(line, "## ", 3))
		if (!strncmp(line, "    ", 4) || (text[0] && line[0] == '\n'))
			strncat(text, line[0] == '\n' ? line : line + 4, sizeof text - strlen(text) - 1);
	fclose(f);
	hb_pattern *p = history_model("docs/models.md", text, 3);
	if (p)
		history_says(p, "0>1 task 1; 1( compute 1", "t 1: stopped\n  1) compute 1 after 2\n",
			"the model of the page");
	hb_pattern_close(p);
}

int main(void)
{
	page();
	examples("pipeline", 3, pipeline);
	examples("ring", 3, ring);
	examples("commit", 3, commit);
	examples("stealing", 3, stealing);
	hb_error err;
	hb_pattern *p = NULL;
	const char *name = "steps";
	int64_t two = 2;
	hb_pattern_world world = {.processes = 3, .nset = 1, .set_name = &name, .set_value = &two};
	check(hb_pattern_read(MODELS "halo.hbm", &world, &p, &err) == HB_OK, "halo.hbm is read, with two steps");
	for (const struct example *e = halo; p && e->what; e++)
		history_says(p, e->history, e->expected, e->what);
	hb_pattern_close(p);
	return check_end();
}
