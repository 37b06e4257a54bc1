/* Sets of processes: the notation in both directions, the algebra, limits. */
#include <string.h>

#include "check.h"
#include "session/set.h"

static hb_set of(int32_t size, const char *text)
{
	hb_set set;
	hb_set_init(&set, size);
	if (hb_set_read(text, &set, NULL))
		check(false, "%s of %d is a set", text, size);
	return set;
}

static void written(int32_t size, const char *text, const char *wanted)
{
	char buffer[256];
	hb_set set = of(size, text);
	hb_set_write(&set, buffer, sizeof buffer);
	check(!strcmp(buffer, wanted), "%s of %d is written %s (%s)", text, size, buffer, wanted);
	hb_set_free(&set);
}

static void refused(int32_t size, const char *text, const char *word, int at)
{
	hb_set set;
	const char *where = text;
	hb_set_init(&set, size);
	const char *wrong = hb_set_read(text, &set, &where);
	check(wrong && strstr(wrong, word) && where - text == at, "'%s' of %d is refused at %d: %s", text, size,
		(int)(where - text), wrong ? wrong : "it was taken");
	hb_set_free(&set);
}

static void algebra(void)
{
	char buffer[64];
	hb_set a = of(200, "0:99:3,150:199"), b = of(200, "90:160"), c;
	hb_set_init(&c, 200);
	hb_set_copy(&c, &a);
	check(hb_set_equal(&a, &c) && !hb_set_equal(&a, &b), "a copy is equal, another set is not");
	check(hb_set_count(&a) == 84, "84 members");
	hb_set_meet(&c, &b);
	check(!strcmp(hb_set_write(&c, buffer, sizeof buffer), "90,93,96,99,150:160"), "met: %s", buffer);
	hb_set_join(&c, &a);
	check(hb_set_equal(&c, &a), "joined again");
	hb_set_without(&c, &b);
	check(hb_set_count(&c) == 84 - 15 && !hb_set_has(&c, 150) && hb_set_has(&c, 161), "without");
	check(hb_set_next(&c, 88) == 161 && hb_set_next(&c, 199) == 199 && hb_set_next(&c, 200) == -1,
		"next over words");
	hb_set_add(&c, -1);
	hb_set_add(&c, 200);
	check(hb_set_count(&c) == 84 - 15 && !hb_set_has(&c, -1) && !hb_set_has(&c, 200), "ranks that there are not");
	hb_set_free(&a);
	hb_set_free(&b);
	hb_set_free(&c);
}

static void small(void)
{
	char buffer[16];
	hb_set none = {0}, some = of(64, "0,2,4,6,8,10,12,14");
	hb_set_all(&none);
	check(!hb_set_count(&none) && hb_set_next(&none, 0) < 0 && !*hb_set_write(&none, buffer, sizeof buffer),
		"zeroed memory is a set of nobody");
	check(!strcmp(hb_set_write(&some, buffer, sizeof buffer), "0,2,4,6,8,..."), "cut: %s", buffer);
	hb_set all = of(64, "*");
	check(!strcmp(hb_set_write(&all, buffer, 5), "0:63"), "exactly as long as the buffer: %s", buffer);
	check(hb_set_count(&all) == 64 && hb_set_next(&all, 63) == 63, "all of 64");
	hb_set_free(&some);
	hb_set_free(&all);
	hb_set_free(&none);
}

int main(void)
{
	written(8, "0:3,5", "0:3,5");
	written(8, " 5 , 0 : 3 ", "0:3,5");
	written(8, "*", "0:7");
	written(8, "0:7:2", "0,2,4,6");
	written(8, "3:3", "3");
	written(130, "63,64,127:129", "63:64,127:129");
	written(8, "1,1,0:2", "0:2");
	refused(8, "8", "no such rank", 0);
	refused(8, "0,3:9", "no such rank", 2);
	refused(8, "", "a rank", 0);
	refused(8, "1,", "a rank", 2);
	refused(8, "3:1", "before it begins", 0);
	refused(8, "1:", "last rank", 2);
	refused(8, "1:3:0", "step", 5);
	refused(8, "1 2", "comma", 2);
	refused(8, "99999999999999999999", "a rank", 0);
	refused(0, "0", "no such rank", 0);
	algebra();
	small();
	return check_end();
}
