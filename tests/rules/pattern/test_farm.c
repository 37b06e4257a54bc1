/* The two machines of libhbdb-farm, by the models of examples/models: complete, stopped, wrong, and the frontier of nodes that died. Process 0
 * generates, 1 receives, node n is process n + 2; node 0 has one child, the others have two. */
#include "history.h"

#define MODELS EXAMPLES "/models/"

static void farm(void)
{
	hb_pattern *p = history_model(MODELS "farm.hbm", NULL, 7);
	if (!p)
		return;
	struct history *h = history_new(p, NULL, NULL);
	h->all = true;
	history_feed(h,
		"0* generate 1; 0>2 task 1; 0* generate 2; 2>3 task 1; 0>2 task 2; 2* compute 2; 3>5 task 1; 5* compute 1; 2>1 result 2;"
		"1* receive 2; 5>3 result 1; 3>2 result 1; 2>1 result 1; 1* receive 1; 0* generate 3; 0. last 3");
	history_end(h, "task 1: complete\ntask 2: complete\ntask 3: complete\n", "two tasks of a farm, and no third");
	history_says(p, "0* generate 1; 0!2 task 1", "task 1: stopped\n  2?0 task 1 after 2\n", "a task on its way");
	history_says(p, "0* generate 1; 0>2 task 1; 2( compute 1", "task 1: stopped\n  2) compute 1 after 4\n",
		"a task that is computed");
	history_says(p, "0* generate 1; 0>2 task 1; 2>3 task 1",
		"task 1: stopped\n  3( compute 1 after 5\n  3!4 task 1 after 5\n  3!5 task 1 after 5\n",
		"a task that a node has");
	history_says(p, "0* generate 1; 0>2 task 1; 2* compute 1; 2>1 result 1; 0( generate 2",
		"task 1: stopped\n  1( receive 1 after 7\ntask 2: stopped\n  0) generate 2 after 8\n",
		"a result that nobody takes");
	history_says(p, "0* generate 1; 0>2 task 1; 2* compute 1; 2* compute 1",
		"task 1: wrong at 6\n  2!1 result 1 after 5\n", "a task that is computed twice");
	history_says(p, "0* generate 1; 0>2 task 1; 2>4 task 1",
		"task 1: wrong at 4\n  2( compute 1 after 3\n  2!3 task 1 after 3\n",
		"a task to a node that is no child");
	history_says(p, "0* generate 1; 0>2 task 1; 2* compute 1; 2>1 result 1; 1* receive 1; 1* receive 1",
		"task 1: wrong at 10\n", "an event behind the end");
	hb_pattern_close(p);
}

/* Parts of task 49 compute at nodes 4 to 7 (processes 6 to 9), which died; task 50 is at node 1, 51 at node 2, 52 and 53 on their way. */
static void died(hb_pattern *p)
{
	struct history *h = history_new(p, NULL, NULL);
	history_feed(h,
		"0* generate 49; 0>2 task 49 '; 2>3 task 49 '; 3* split 49 '; 3>4 task 49 '0; 3>5 task 49 '1;"
		"4* split 49 '0; 4>6 task 49 '00; 4>7 task 49 '01; 5* split 49 '1; 5>8 task 49 '10; 5>9 task 49 '11;"
		"6* split 49 '00; 6* compute 49 '001; 6( compute 49 '000; 7* split 49 '01; 7* compute 49 '011; 7( compute 49 '010;"
		"8* split 49 '10; 8* compute 49 '100; 8( compute 49 '101; 9* split 49 '11; 9* compute 49 '110; 9( compute 49 '111;"
		"0* generate 50; 0>2 task 50 '; 2>3 task 50 '; 3( split 50 '; 0* generate 51; 0>2 task 51 '; 2>3 task 51 ';"
		"3>4 task 51 '; 4( compute 51 '; 0* generate 52; 0>2 task 52 '; 2!3 task 52 '; 0* generate 53; 0!2 task 53 '");
	history_end(h,
		"task 49: stopped\n  6) compute 49 '000 after 28\n  7) compute 49 '010 after 33\n  8) compute 49 '101 after 38\n"
		"  9) compute 49 '111 after 43\n"
		"task 50: stopped\n  3) split 50 ' after 50\ntask 51: stopped\n  4) compute 51 ' after 59\n"
		"task 52: stopped\n  3?2 task 52 ' after 64\ntask 53: stopped\n  2?0 task 53 ' after 67\n",
		"four parts at four nodes that died, and the tasks behind them");
}

static void divide(void)
{
	hb_pattern *p = history_model(MODELS "divide.hbm", NULL, 10);
	if (!p)
		return;
	died(p);
	struct history *h = history_new(p, NULL, NULL);
	h->all = true;
	history_feed(h,
		"0* generate 1; 0>2 task 1 '; 2* split 1 '; 2>3 task 1 '0; 2* compute 1 '1; 3* split 1 '0; 3* compute 1 '00;"
		"3>5 task 1 '01; 5* compute 1 '01; 5>3 result 1 '01; 3* join 1 '0; 3>2 result 1 '0; 2* join 1 '; 2>1 result 1 ';"
		"1* receive 1");
	history_end(h, "task 1: complete\n", "a task that was split twice");
	history_says(p, "0* generate 1; 0>2 task 1 '; 2* split 1 '; 2* compute 1 '1; 2* compute 1 '0; 2( join 1 '0",
		"task 1: wrong at 10\n  2( join 1 ' after 9\n", "what was not split is not joined");
	history_says(p,
		"0* generate 1; 0>2 task 1 '; 2* split 1 '; 2* split 1 '0; 2* split 1 '00; 2* split 1 '000; 2* split 1 '0000;"
		"2>3 task 1 '00000; 3( compute 1 '00000; 2( split 1 '00001",
		"task 1: wrong at 17\n"
		"  2( compute 1 '00001 after 13\n"
		"  2( compute 1 '0001 after 11\n"
		"  2( compute 1 '001 after 9\n"
		"  2( compute 1 '01 after 7\n"
		"  2( compute 1 '1 after 5\n"
		"  2!3 task 1 '00001 after 13\n"
		"  2!3 task 1 '0001 after 11\n"
		"  2!3 task 1 '001 after 9\n"
		"  2!3 task 1 '01 after 7\n"
		"  2!3 task 1 '1 after 5\n"
		"  2( split 1 '0001 after 11\n"
		"  2( split 1 '001 after 9\n"
		"  2( split 1 '01 after 7\n"
		"  2( split 1 '1 after 5\n"
		"  3) compute 1 '00000 after 16\n",
		"a part of the last depth is not split, but may be given away");
	hb_pattern_close(p);
}

int main(void)
{
	farm();
	divide();
	return check_end();
}
