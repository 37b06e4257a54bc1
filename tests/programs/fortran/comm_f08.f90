! use mpi_f08: constructors of communicators, messages on them, collectives, attributes of the old and new kind.
program comm_f08
  use mpi_f08
  use expecting
  implicit none
  integer :: rank, nranks, v, w, me, n
  type(MPI_Comm) :: twin, half, ring
  type(MPI_Request) :: request
  type(MPI_Status) :: st

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks)
  call expect_open(rank)
  call expect('MPI_Init()')
  call MPI_Comm_dup(MPI_COMM_WORLD, twin)
  call expect('MPI_Comm_dup(comm=WORLD) -> comm=2')
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, nranks), 3, v, 1, MPI_INTEGER, MPI_ANY_SOURCE, 3, twin, st)
  call expect('MPI_Sendrecv(sendcount=1, sendtype=MPI_INTEGER, dest=' // text(mod(rank + 1, nranks)) // &
    ', sendtag=3, recvcount=1, recvtype=MPI_INTEGER, source=ANY, recvtag=3, comm=2) -> source=' // &
    text(st%MPI_SOURCE) // ' tag=3 bytes=4')
  if (v /= mod(rank + nranks - 1, nranks)) call wrong('ring')
  call MPI_Comm_split(twin, mod(rank, 2), -rank, half)
  call expect('MPI_Comm_split(comm=2, color=' // text(mod(rank, 2)) // ', key=' // text(-rank) // ') -> comm=3')
  call MPI_Comm_size(half, n)
  call MPI_Comm_rank(half, me)
  call MPI_Iallreduce(me, w, 1, MPI_INTEGER, MPI_SUM, half, request)
  call expect('MPI_Iallreduce(count=1, datatype=MPI_INTEGER, op=MPI_SUM, comm=3)')
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call expect('MPI_Wait() -> #0')
  if (w /= n * (n - 1) / 2) call wrong('sum')
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [nranks], [.true.], .false., ring)
  call expect('MPI_Cart_create(comm_old=WORLD, ndims=1, reorder=0) -> comm=4')
  call MPI_Bcast(w, 1, MPI_INTEGER, nranks - 1, ring)
  call expect('MPI_Bcast(count=1, datatype=MPI_INTEGER, root=' // text(nranks - 1) // ', comm=4)')
  call MPI_Comm_free(ring)
  call expect('MPI_Comm_free(comm=4)')
  call MPI_Comm_free(half)
  call expect('MPI_Comm_free(comm=3)')
  call MPI_Comm_free(twin)
  call expect('MPI_Comm_free(comm=2)')
  call MPI_Finalize()
  call expect('MPI_Finalize()')
end program
