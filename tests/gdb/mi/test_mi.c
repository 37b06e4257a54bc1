/* The reader of gdb/MI's records: what gdb says, and what it would never say. */
#include <string.h>

#include "../../unit/check.h"
#include "session/gdb/mi/mi.h"

static struct hb__mi mi;
static char line[1 << 16];

static bool reads(const char *text)
{
	snprintf(line, sizeof line, "%s", text);
	return hb__mi_read(&mi, line);
}

static bool is(const char *text, const char *wanted) { return text && !strcmp(text, wanted); }

static void test_records(void)
{
	const struct hb__mi_value *root, *frame, *args, *v;
	check(reads("12^done") && mi.kind == '^' && mi.token == 12 && is(mi.what, "done") && !mi.values[0].first,
		"12^done");
	check(reads("(gdb) ") && mi.kind == '(', "a prompt");
	check(reads("~\"a \\\"b\\\" \\\\ \\t\\n\\303\\251\\q\"") && mi.kind == '~' &&
			is(mi.values[0].text, "a \"b\" \\ \t\n\303\251q"),
		"text with escapes");
	check(reads("&\"\\0x\"") && is(mi.values[0].text, "?x"), "a NUL is not taken");
	check(reads("*stopped,reason=\"breakpoint-hit\",frame={addr=\"0x1\",args=[{name=\"n\",value=\"{1, 2}\"},{name=\"m\"}],"
		    "line=\"12\"},stopped-threads=[\"1\",\"3\"],empty=[],none={}\r"),
		"a stop");
	root = &mi.values[0];
	frame = hb__mi_get(&mi, root, "frame");
	args = hb__mi_get(&mi, frame, "args");
	check(mi.token == -1 && is(mi.what, "stopped") && is(hb__mi_text(&mi, root, "reason"), "breakpoint-hit"),
		"its reason");
	check(hb__mi_int(&mi, frame, "line", -1) == 12 && hb__mi_int(&mi, frame, "addr", -1) == 0 &&
			hb__mi_int(&mi, frame, "column", -7) == -7,
		"numbers");
	v = hb__mi_first(&mi, args);
	check(v && is(hb__mi_text(&mi, v, "value"), "{1, 2}"), "a tuple in a list");
	v = v ? hb__mi_next(&mi, v) : NULL;
	check(v && is(hb__mi_text(&mi, v, "name"), "m") && !hb__mi_text(&mi, v, "value") && !hb__mi_next(&mi, v),
		"the next");
	v = hb__mi_first(&mi, hb__mi_get(&mi, root, "stopped-threads"));
	check(v && !v->name && is(v->text, "1") && is(hb__mi_next(&mi, v)->text, "3"), "strings in a list");
	check(!hb__mi_first(&mi, hb__mi_get(&mi, root, "empty")) && hb__mi_get(&mi, root, "none"), "empty ones");
	check(!hb__mi_get(&mi, NULL, "x") && !hb__mi_text(&mi, v, "x"), "nothing in nothing");
	check(reads("^done,frame=[frame={level=\"0\"},frame={level=\"1\"}]") &&
			is(hb__mi_text(&mi,
				   hb__mi_next(&mi, hb__mi_first(&mi, hb__mi_get(&mi, &mi.values[0], "frame"))),
				   "level"),
				"1"),
		"results in a list");
}

static void test_others(void)
{
	static const char *const bad[] = {"", "hello", "12", "^", "^done,", "^done,a", "^done,a=", "^done,a=\"",
		"^done,a=\"\\", "^done,a=\"x", "^done,a={", "^done,a={b=\"1\"", "^done,a={b=\"1\"]", "^done,a=[\"1\",]",
		"^done,a=\"1\"b", "^done,=\"1\"", "~text", "~\"text", "~\"text\"x", "*,a=\"1\"", "99999999999999999999",
		"^do ne", "^done;x"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check(!reads(bad[i]), "not a record: %s", bad[i]);
	memset(line, 0, sizeof line);
	memcpy(line, "^done,a=", 8);
	memset(line + 8, '[', 60000);
	check(!hb__mi_read(&mi, line), "sixty thousand brackets");
	check(reads("99999999999999999999^done"), "a token that is too long");
	check(reads("^done,a=\"99999999999\"") && hb__mi_int(&mi, &mi.values[0], "a", 5) == 5,
		"a number that is too long");
	char *quoted = hb__mi_quote("a \"b\" \\ c\nd");
	check(is(quoted, "\"a \\\"b\\\" \\\\ c d\""), "quoting");
	free(quoted);
}

/* Damaged records: every one is read to its end or refused. */
static void test_damage(void)
{
	static const char good[] =
		"7^done,bkpt={number=\"1\",locations=[{number=\"1.1\",thread-groups=[\"i1\"]},{number=\"1.2\"}]},"
		"value=\"a\\\\b\\n\\101\",x=[],y={}";
	static const char letters[] = "\"\\{}[],=^*~&@0a\377\n";
	unsigned seed = 1, kept = 0;
	for (int round = 0; round < 200000; round++) {
		size_t n = sizeof good - 1;
		/* exactly as long as needed, so that the sanitizer sees a step too far */
		char *text = malloc(n + 1);
		memcpy(text, good, n + 1);
		for (int changes = round % 7; changes >= 0; changes--) {
			seed = seed * 1103515245 + 12345;
			text[(seed >> 8) % n] = letters[(seed >> 24) % (sizeof letters - 1)];
		}
		if (round % 3 == 0)
			text[(seed >> 4) % n] = 0;
		kept += hb__mi_read(&mi, text);
		for (const struct hb__mi_value *v = hb__mi_first(&mi, &mi.values[0]); v; v = hb__mi_next(&mi, v))
			kept += v->text && strlen(v->text) > 10000;
		free(text);
	}
	check(kept > 100 && kept < 199000, "damaged records: %u read, the others refused", kept);
}

int main(void)
{
	test_records();
	test_others();
	test_damage();
	hb__mi_free(&mi);
	return check_end();
}
