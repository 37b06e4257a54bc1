/* How many basic blocks of the program have run: random.c is compiled so that each of them calls this. With the address of an instruction it
 * tells which of all the times is meant that the instruction ran. */
unsigned long pace;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) { pace++; }
