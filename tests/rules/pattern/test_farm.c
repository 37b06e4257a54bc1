/* The two machines of libhbdb-farm, by the models of examples/models: complete, stopped, wrong, and the frontier of a node that died. */
#include "history.h"

#define MODELS EXAMPLES "/models/"

static void farm(void)
{
	hb_pattern *p = history_model(MODELS "farm.hbm", NULL, 4);
	if (!p)
		return;
	struct history *h = history_new(p, NULL, NULL);
	h->all = true;
	history_feed(h,
		"0* generate 1; 0>1 task 1; 0* generate 2; 0>2 task 2; 2* compute 2; 1>3 task 1; 2>0 result 2; 3* compute 1;"
		"0* receive 2; 3>1 result 1; 1>0 result 1; 0* receive 1; 0* generate 3; 0* compute 3; 0* receive 3");
	history_end(h, "t 1: complete\nt 2: complete\nt 3: complete\n", "three tasks of a farm");
	history_says(p, "0* generate 1; 0!1 task 1", "t 1: stopped\n  1?0 task 1 after 2\n", "a task on its way");
	history_says(p, "0* generate 1; 0>1 task 1; 1( compute 1", "t 1: stopped\n  1) compute 1 after 4\n",
		"a task that is computed");
	history_says(p, "0* generate 1; 0>1 task 1", "t 1: stopped\n  1( compute 1 after 3\n  1!3 task 1 after 3\n",
		"a task that a node has");
	history_says(p, "0* generate 1; 0>1 task 1; 1* compute 1; 1>0 result 1; 0* generate 2",
		"t 1: stopped\n  0( receive 1 after 7\nt 2: stopped\n  0( compute 2 after 9\n  0!1 task 2 after 9\n  0!2 task 2 after 9\n",
		"results that nobody takes");
	history_says(p, "0* generate 1; 0>1 task 1; 1* compute 1; 1* compute 1",
		"t 1: wrong at 6\n  1!0 result 1 after 5\n", "a task that is computed twice");
	history_says(p, "0* generate 1; 0>3 task 1",
		"t 1: wrong at 2\n  0( compute 1 after 1\n  0!1 task 1 after 1\n  0!2 task 1 after 1\n",
		"a task to a node that is no child");
	history_says(p, "0* generate 1; 0* compute 1; 0* receive 1; 0* receive 1", "t 1: wrong at 6\n",
		"an event behind the end");
	hb_pattern_close(p);
}

/* As in the first experiment: 8 nodes on a binary tree, four parts of task 49 at nodes 3 to 6 whose compute never ends. */
static void divide(void)
{
	hb_pattern *p = history_model(MODELS "divide.hbm", NULL, 8);
	if (!p)
		return;
	struct history *h = history_new(p, NULL, NULL);
	history_feed(h,
		"0* generate 49; 0* split 49 '; 0>1 task 49 '0; 0>2 task 49 '1; 1* split 49 '0; 2* split 49 '1;"
		"1>3 task 49 '00; 1>4 task 49 '01; 2>5 task 49 '10; 2* compute 49 '11;"
		"3( compute 49 '00; 4* split 49 '01; 4( compute 49 '010; 5( compute 49 '10; 0* generate 50; 0>1 task 50 '");
	history_end(h,
		"t 49: stopped\n  3) compute 49 '00 after 20\n  4) compute 49 '010 after 23\n"
		"  4( compute 49 '011 after 22\n  4( split 49 '011 after 22\n  5) compute 49 '10 after 24\n"
		"t 50: wrong at 27\n  0( compute 50 ' after 26\n  0( split 50 ' after 26\n",
		"the frontier of a task of which three parts are computed");
	h = history_new(p, NULL, NULL);
	h->all = true;
	history_feed(h,
		"0* generate 1; 0* split 1 '; 0>1 task 1 '0; 0* compute 1 '1; 1* split 1 '0; 1* compute 1 '00; 1>3 task 1 '01;"
		"3* compute 1 '01; 3>1 result 1 '01; 1* join 1 '0; 1>0 result 1 '0; 0* join 1 '; 0* receive 1");
	history_end(h, "t 1: complete\n", "a task that was split twice");
	history_says(p, "0* generate 1; 0* split 1 '; 0* compute 1 '1; 0* compute 1 '0; 0( join 1 '0",
		"t 1: wrong at 8\n  0( join 1 ' after 7\n", "what was not split is not joined");
	hb_pattern_close(p);
}

int main(void)
{
	farm();
	divide();
	return check_end();
}
