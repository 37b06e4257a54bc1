/* MPICH: where a status keeps what the standard only hands out by calls. */
#ifndef HBDB_CAPTURE_MPI_MPICH_FAMILY_LOCAL_H
#define HBDB_CAPTURE_MPI_MPICH_FAMILY_LOCAL_H

#define HB__FAMILY 2
/* The second argument of the error handler is not used: only Open MPI passes the name of the call there. */
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
static inline void hb__status_set_cancelled(MPI_Status *s, bool yes)
{
	s->count_hi_and_cancelled = (int)(((uint32_t)s->count_hi_and_cancelled & ~1u) | yes);
}

#endif
