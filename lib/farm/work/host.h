/* Generator and receiver: functions of the user that call the library, in processes of their own or in that of node 0. */
#ifndef FARM_HOST_H
#define FARM_HOST_H

/* Runs the part of this process. */
void host_generator(void);
void host_receiver(void);
/* Both and node 0. */
void host_both(void);
void host_end(void);

#endif
