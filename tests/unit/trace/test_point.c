/* Points: text, the partial order with its four answers, windows with their five cases, and the seven things that can be wrong. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "format/trace/point.h"

static hb_point point(const char *text)
{
	hb_point p;
	if (hb_point_read(text, &p))
		check(0, "%s is read", text);
	return p;
}

static void texts(void)
{
	static const char *const good[] = {"1.B", "6.E", "256.3.4.B", "7.0.1.E", "9000000000.12.34.B"};
	static const struct {
		const char *text;
		hb_point_error error;
	} bad[] = {{"x", HB_POINT_SYNTAX}, {".", HB_POINT_SYNTAX}, {"B", HB_POINT_SYNTAX}, {"6.", HB_POINT_SYNTAX},
		{"6.b", HB_POINT_SYNTAX}, {"6.E ", HB_POINT_SYNTAX}, {" 6.E", HB_POINT_SYNTAX},
		{"-6.E", HB_POINT_SYNTAX}, {"06.E", HB_POINT_SYNTAX}, {"6..E", HB_POINT_SYNTAX},
		{"1.2.3.4.B", HB_POINT_SYNTAX}, {"6.EE", HB_POINT_SYNTAX}, {"6B", HB_POINT_SYNTAX},
		{"99999999999999999999.B", HB_POINT_SYNTAX}, {"6", HB_POINT_SIDE}, {"6.1.2", HB_POINT_SIDE},
		{"0.B", HB_POINT_ZERO}, {"0.1.1.E", HB_POINT_ZERO}, {"3.1.0.E", HB_POINT_ZERO},
		{"3.1.E", HB_POINT_UNFINISHED}};
	char text[HB_POINT_TEXT];
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		hb_point p = point(good[i]);
		check(!strcmp(hb_point_text(&p, text), good[i]), "%s is written as it was read (%s)", good[i], text);
	}
	hb_point none;
	check(!hb_point_read("", &none) && !none.number && !*hb_point_text(&none, text), "nothing is no point");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		hb_point p;
		check(hb_point_read(bad[i].text, &p) == bad[i].error && !p.number,
			"\"%s\" is refused for what it lacks", bad[i].text);
	}
}

static void order(void)
{
	/* Along a run; the tasks of region 4 have no order with each other. */
	static const char *const run[] = {
		"1.B", "1.E", "4.B", "4.0.1.B", "4.0.1.E", "4.0.2.B", "4.1.1.B", "4.1.1.E", "4.E", "5.B", "5.E"};
	size_t n = sizeof run / sizeof *run, wrong = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			hb_point a = point(run[i]), b = point(run[j]);
			hb_point_order want = i == j ? HB_POINT_EQUAL : i < j ? HB_POINT_LESS : HB_POINT_GREATER;
			if (a.nested && b.nested && a.task != b.task)
				want = HB_POINT_INCOMPARABLE;
			wrong += hb_point_compare(&a, &b) != want;
		}
	check(!wrong, "the order of %zu pairs of points (%zu wrong)", n * n, wrong);
	hb_point none = {0}, some = point("3.B");
	check(hb_point_compare(&none, &some) == HB_POINT_INCOMPARABLE, "no point has no order");
}

static void window(const char *start, const char *finish, const char *wanted)
{
	/* Where details are wanted, by the last point that was passed; "-": before the first. */
	static const char *const run[] = {"", "1.B", "1.E", "2.B", "2.0.1.B", "2.0.1.E", "2.0.2.B", "2.0.2.E",
		"2.1.1.B", "2.1.1.E", "2.E", "3.B", "3.E", "4.B", "4.0.1.B", "4.0.1.E", "4.1.1.B", "4.1.1.E", "4.E"};
	char found[64] = {0};
	hb_point s = point(start), f = point(finish);
	for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
		hb_point here = point(run[i]);
		found[i] = hb_point_within(&s, &f, &here) ? 'x' : '.';
	}
	check(!hb_point_window(&s, &f) && !strcmp(found, wanted), "from \"%s\" to \"%s\": %s (%s)", start, finish,
		wanted, found);
}

static void windows(void)
{
	window("", "", "xxxxxxxxxxxxxxxxxxx");
	window("", "1.E", "xx.................");
	window("3.B", "", "...........xxxxxxxx");
	window("1.E", "3.B", "..xxxxxxxxx........");         /* neither in a task */
	window("2.0.1.E", "2.0.2.E", ".....xx............"); /* both in one task */
	window("1.B", "2.0.2.E", ".xxxxxx............");     /* finish in a task */
	window("2.1.1.B", "3.E", "........xxxx.......");     /* start in a task */
	window("2.0.2.B", "4.1.1.E", "......xx..xxxx..x.."); /* in tasks of two regions */
	hb_point a = point("2.0.1.B"), b = point("2.1.1.B"), c = point("1.B");
	check(hb_point_window(&a, &b) == HB_POINT_APART, "two tasks of one region are no window");
	check(hb_point_window(&a, &c) == HB_POINT_BACKWARDS && hb_point_window(&c, &c) == HB_POINT_BACKWARDS,
		"a start is before its finish");
}

static void sentences(void)
{
	size_t said = 0;
	for (int e = HB_POINT_SYNTAX; e < HB_POINT_ERRORS; e++) {
		char *text = hb_point_trouble((hb_point_error)e, "first", "second");
		said += text && strstr(text, "first") != NULL;
		said += text && (e == HB_POINT_BACKWARDS || e == HB_POINT_APART) ? strstr(text, "second") != NULL : 1;
		free(text);
	}
	check(said == 14, "seven sentences name what was given");
}

int main(void)
{
	texts();
	order();
	windows();
	sentences();
	return check_end();
}
