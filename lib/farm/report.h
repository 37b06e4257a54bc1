/* The final report: rank 0 writes it, as the specification says where. */
#ifndef FARM_REPORT_H
#define FARM_REPORT_H

void report(void);

#endif
