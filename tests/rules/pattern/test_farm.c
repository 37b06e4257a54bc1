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

/* 8 nodes on a binary tree. */
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
		"t 50: stopped\n  1( compute 50 ' after 28\n  1!3 task 50 ' after 28\n  1!4 task 50 ' after 28\n  1( split 50 ' after 28\n",
		"the frontier of a task of which three parts are computed");
	/* parts of task 49 compute at nodes 4 to 7, which died; task 50 is at node 1, 51 at 2, 52 and 53 on their way */
	h = history_new(p, NULL, NULL);
	history_feed(h,
		"0* generate 49; 0* split 49 '; 0>1 task 49 '0; 0>2 task 49 '1; 1* split 49 '0; 1>3 task 49 '00; 1>4 task 49 '01;"
		"3* split 49 '00; 3>7 task 49 '000; 7* split 49 '000; 7* compute 49 '0001; 7( compute 49 '0000; 3* compute 49 '001;"
		"4* split 49 '01; 4* split 49 '010; 4* compute 49 '0101; 4* compute 49 '011; 4( compute 49 '0100;"
		"2* split 49 '1; 2>5 task 49 '10; 2>6 task 49 '11; 5* split 49 '10; 5* compute 49 '100; 5( compute 49 '101;"
		"6* split 49 '11; 6* compute 49 '110; 6( compute 49 '111;"
		"0* generate 50; 0>1 task 50 '; 1( split 50 '; 0* generate 51; 0>2 task 51 '; 2( compute 51 ';"
		"0* generate 52; 0!1 task 52 '; 0* generate 53; 0!2 task 53 '");
	history_end(h,
		"t 49: stopped\n  4) compute 49 '0100 after 33\n  5) compute 49 '101 after 44\n  6) compute 49 '111 after 49\n"
		"  7) compute 49 '0000 after 22\n"
		"t 50: stopped\n  1) split 50 ' after 54\nt 51: stopped\n  2) compute 51 ' after 59\n"
		"t 52: stopped\n  1?0 task 52 ' after 62\nt 53: stopped\n  2?0 task 53 ' after 65\n",
		"four parts at four nodes that died, and the tasks behind them");
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
