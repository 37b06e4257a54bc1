/* The text form of settings: written and read again, and what is wrong with texts that are none. */
#include <string.h>

#include "check.h"
#include "format/trace/settings.h"

static const char everything[] = "# a comment\n"
				 "level FULL\n"
				 "start 6.B\n"
				 "finish 256.3.4.E # behind it\n"
				 "global 0 9 -1 5 2 -1\n"
				 "local 1 -1\n"
				 "loop -1 4\n"
				 "checksum accessed\n"
				 "trap-anyway\n"
				 "control\r\n"
				 "dry\n"
				 "\n"
				 "tolerance 0.001\n"
				 "absolute 1e-12\n"
				 "save-at 13.E\n"
				 "save \"frct\" \"lu.f\" 68 2\n"
				 "construct 1(0) SL 1 \"time\" \"/src/lu.f\" 12 INHERITED\n"
				 "construct 2(1) PL 3 \"a \\\"quoted\\\" \\\\ name\" \"lu.f\" 14 CHECKSUM\n"
				 "  array \"frct\" \"lu.f\" 68 0 rw\n"
				 "  array \"u\" \"lu.f\" 69 1 r\n"
				 "construct 3(0) TR 0 \"\" \"lu.f\" 20 NONE\n"
				 "  arrays none\n"
				 "construct 7(3) PT 0 \"p\" \"\" 0 MINIMAL";

static bool reads(const char *text, hb_trace_settings *s, char **why)
{
	hb_settings_default(s);
	return hb_settings_read(text, strlen(text), s, why);
}

static char *written(const hb_trace_settings *s)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	hb_settings_write(s, out);
	fclose(out);
	return text;
}

static void all_of_it(void)
{
	hb_trace_settings s, again;
	char *why = NULL;
	if (!check(reads(everything, &s, &why), "all that can be set is read"))
		printf("     %s\n", why ? why : "");
	check(s.level == HB_TRACE_FULL && s.start.number == 6 && !s.start.end && s.finish.nested &&
			s.finish.task == 3 && s.finish.end,
		"level, start, finish");
	check(s.global_first[0] == 0 && s.global_last[0] == 9 && s.global_first[1] == -1 && s.global_last[1] == 5 &&
			s.global_first[2] == 2 && s.global_last[2] == -1 && s.global_first[3] == -1,
		"limits by global index");
	check(s.local_first == 1 && s.local_last == -1 && s.loop_first == -1 && s.loop_last == 4,
		"first and last iterations");
	check(s.checksum_accessed && s.trap_anyway && s.control && s.dry, "flags");
	check(s.tolerance == 0.001 && s.absolute == 1e-12, "tolerances");
	check(s.save_at.number == 13 && s.save_at.end && !strcmp(s.save.name, "frct") && s.save.line == 68 &&
			s.save.ordinal == 2,
		"what is saved");
	check(s.constructs == 4 && s.construct[1].parent == 1 && s.construct[1].rank == 3 &&
			s.construct[1].level == HB_TRACE_CHECKSUM &&
			!strcmp(s.construct[1].name, "a \"quoted\" \\ name"),
		"constructs");
	check(s.construct[1].arrays == 2 && s.construct[1].array[0].access == 3 &&
			s.construct[1].array[1].access == HB_ACCESS_READ && s.construct[1].array[1].id.ordinal == 1,
		"arrays of a construct");
	check(!s.construct[0].knows_arrays && s.construct[1].knows_arrays && s.construct[2].knows_arrays &&
			!s.construct[2].arrays,
		"which constructs know their arrays");
	s.construct[1].times = 3;
	char *first = written(&s), *second = NULL;
	check(reads(first, &again, &why) && !why, "what is written is read");
	again.construct[1].times = 3;
	second = written(&again);
	check(!strcmp(first, second), "and says the same");
	free(first);
	free(second);
	hb_settings_free(&s);
	hb_settings_free(&again);
}

static void nothing(void)
{
	hb_trace_settings s;
	char *why = NULL;
	check(reads("", &s, &why) && s.level == HB_TRACE_CHECKSUM && s.tolerance == 1e-8 && s.loop_last == -1 &&
			!s.start.number,
		"an empty text leaves what is usual");
	char *text = written(&s);
	check(!strstr(text, "tolerance") && !strstr(text, "start") && strstr(text, "level CHECKSUM\n"),
		"what is usual is not written");
	free(text);
	hb_settings_free(&s);
}

static void damaged(void)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"level LOUD", "line 1: \"LOUD\" is no level"},
		{"level INHERITED", "line 1: \"INHERITED\" is no level"},
		{"\nlevel", "line 2: level: NONE, MINIMAL, MODIFY, FULL, CHECKSUM is missing"},
		{"lavel FULL", "line 1: \"lavel\" is nothing that can be set"},
		{"level FULL FULL", "line 1: \"FULL\" is too much behind level"},
		{"start 6", "line 1: \"6\""},
		{"start 0.B", "line 1: \"0.B\": constructs are numbered from 1"},
		{"start 9.B\nfinish 6.B\n", "line 2: the start \"9.B\" is not before the finish \"6.B\""},
		{"start 1.0.1.B\nfinish 1.1.1.B", "line 2: \"1.0.1.B\" and \"1.1.1.B\" are in different tasks"},
		{"global 1", "line 1: limit, or -1 for none is missing"},
		{"global 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1", "line 1: there are at most 7 dimensions"},
		{"loop -2 1", "line 1: \"-2\" is no limit"},
		{"loop 1 99999999999999999999", "line 1: \"99999999999999999999\" is no limit"},
		{"tolerance x", "line 1: \"x\" is no tolerance"},
		{"tolerance -1", "line 1: \"-1\" is no tolerance"},
		{"tolerance nan", "line 1: \"nan\" is no tolerance"},
		{"save u lu.f 1 0", "line 1: the name of an array is missing"},
		{"save \"u", "line 1: the name of an array has no closing quote"},
		{"save \"u\\\"", "line 1: the name of an array has no closing quote"},
		{"array \"u\" \"lu.f\" 1 0 rw", "line 1: arrays stand behind the construct"},
		{"construct 1 PL 1 \"\" \"\" 0 FULL", "line 1: a construct has a number and behind it"},
		{"construct 1(1) PL 1 \"\" \"\" 0 FULL", "line 1: a construct has a number and behind it"},
		{"construct 2(1) PL 1 \"\" \"\" 0 FULL",
			"line 1: construct 2 is in construct 1, which does not stand before it"},
		{"construct 1(0) PX 1 \"\" \"\" 0 FULL", "line 1: \"PX\" is no type of a construct"},
		{"construct 1(0) PL 8 \"\" \"\" 0 FULL", "line 1: \"8\" is no number of dimensions"},
		{"construct 1(0) PL 1 \"\" \"\" 0 FULL\nconstruct 1(0) PL 1 \"\" \"\" 0 FULL",
			"line 2: there is a construct 1 already"},
		{"construct 1(0) PL 1 \"\" \"\" 0 FULL\n array \"u\" \"f\" 1 0 x", "line 2: \"x\" is no access"},
		{"construct 1(0) PL 1 \"\" \"\" 0 FULL\n array \"u\" \"f\" 1 0 r\n arrays none",
			"line 3: construct 1 has arrays"},
		{"\"level\" FULL", "line 1: a line begins with what is set"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		hb_trace_settings s;
		char *why = NULL;
		bool good = reads(bad[i].text, &s, &why);
		if (!check(!good && why && !strncmp(why, bad[i].says, strlen(bad[i].says)), "refused: %s", bad[i].says))
			printf("     %s\n", good ? "was read" : why ? why : "no message");
		free(why);
		hb_settings_free(&s);
	}
	hb_trace_settings s;
	char *why = NULL;
	hb_settings_default(&s);
	check(!hb_settings_read("level\0FULL", 10, &s, &why) && why && strstr(why, "no text"),
		"refused: a byte of value 0");
	free(why);
	hb_settings_free(&s);
}

/* Whatever it is, it is read or refused with a line; the sanitizers look. */
static void anything(void)
{
	uint32_t random = 1;
	unsigned refused = 0, silent = 0;
	for (int i = 0; i < 20000; i++) {
		char text[sizeof everything];
		memcpy(text, everything, sizeof text);
		for (int k = 0; k < 3; k++) {
			random = random * 1664525u + 1013904223u;
			text[(random >> 8) % (sizeof text - 1)] = (char)"\"\\#()-.0139 \nEBx\0\377"[random % 18];
		}
		random = random * 1664525u + 1013904223u;
		size_t bytes = i % 2 ? sizeof text - 1 : (random >> 8) % sizeof text;
		char *exact = malloc(bytes ? bytes : 1), *why = NULL;
		memcpy(exact, text, bytes);
		hb_trace_settings s;
		hb_settings_default(&s);
		bool good = hb_settings_read(exact, bytes, &s, &why);
		refused += !good;
		silent += good ? why != NULL : !why || strncmp(why, "line ", 5) != 0;
		free(why);
		free(exact);
		hb_settings_free(&s);
	}
	check(refused > 1000 && !silent, "20000 damaged texts are read, or refused with a line (%u)", refused);
}

int main(void)
{
	all_of_it();
	nothing();
	damaged();
	anything();
	return check_end();
}
