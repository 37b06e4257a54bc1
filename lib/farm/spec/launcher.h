#ifndef FARM_LAUNCHER_H
#define FARM_LAUNCHER_H

/* Whether the launcher was told to let the others live when a process dies. */
int launcher_spares(void);

#endif
