/* Open MPI: where a status keeps what the standard only hands out by calls. */
#ifndef HBDB_CAPTURE_MPI_OPENMPI_FAMILY_LOCAL_H
#define HBDB_CAPTURE_MPI_OPENMPI_FAMILY_LOCAL_H

#define HB__FAMILY 1
/* An error handler gets the name of the call, too. */
#define HB__FATAL_MESSAGE true

static inline int64_t hb__status_bytes(const MPI_Status *s) { return (int64_t)s->_ucount; }
static inline void hb__status_set_bytes(MPI_Status *s, int64_t n) { s->_ucount = (size_t)n; }
static inline bool hb__status_cancelled(const MPI_Status *s) { return s->_cancelled != 0; }
static inline void hb__status_set_cancelled(MPI_Status *s, bool yes) { s->_cancelled = yes; }

#endif
