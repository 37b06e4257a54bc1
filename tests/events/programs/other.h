#include <hbdb/event.h>
void other_file(void);
