/* MPICH: where a status keeps what the standard only hands out by calls. */
#ifndef HBDB_CAPTURE_MPI_MPICH_FAMILY_LOCAL_H
#define HBDB_CAPTURE_MPI_MPICH_FAMILY_LOCAL_H

#define HB__FAMILY 2
/* 4.0 completes MPI_Isendrecv with an empty status: what was received is not known. */
#define HB__SENDRECV_UNTOLD true
/* 4.0 gives a derived type back once too often after MPI_Isendrecv. */
#define HB__ISENDRECV_DERIVED false
/* An error handler gets the name of the call, too. */
#define HB__FATAL_MESSAGE false

static inline int64_t hb__status_bytes(const MPI_Status *s)
{
	return (int64_t)((uint64_t)(uint32_t)s->count_hi_and_cancelled >> 1 << 32 | (uint32_t)s->count_lo);
}
static inline void hb__status_set_bytes(MPI_Status *s, int64_t n)
{
	s->count_lo = (int)(uint32_t)n;
	s->count_hi_and_cancelled = (int)((uint32_t)(n >> 32) << 1 | ((uint32_t)s->count_hi_and_cancelled & 1));
}
static inline bool hb__status_cancelled(const MPI_Status *s) { return s->count_hi_and_cancelled & 1; }

#endif
