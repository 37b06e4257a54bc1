! use mpi: collectives with MPI_IN_PLACE and a user operation, nonblocking ones, constructors of communicators.
program collective_usempi
  use mpi
  use expecting
  implicit none
  integer :: ierr, rank, nranks, v(4), w(4), op, half, grid, request, me, i
  external :: largest

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  call expect_open(rank)
  call expect('MPI_Init()')
  v = rank
  call MPI_Allreduce(MPI_IN_PLACE, v, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call expect('MPI_Allreduce(count=4, datatype=MPI_INTEGER, op=MPI_SUM, comm=WORLD)')
  if (any(v /= nranks * (nranks - 1) / 2)) call wrong('sum')
  v = [(rank + i, i=1, 4)]
  call MPI_Op_create(largest, .true., op, ierr)
  call MPI_Allreduce(v, w, 4, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  call expect('MPI_Allreduce(count=4, datatype=MPI_INTEGER, op=op#0, comm=WORLD)')
  if (w(4) /= nranks + 3) call wrong('largest')
  call MPI_Op_free(op, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierr)
  call expect('MPI_Comm_split(comm=WORLD, color=' // text(mod(rank, 2)) // ', key=' // text(-rank) // ') -> comm=2')
  call MPI_Comm_rank(half, me, ierr)
  w(1) = rank
  call MPI_Ibcast(w, 1, MPI_INTEGER, 0, half, request, ierr)
  call expect('MPI_Ibcast(count=1, datatype=MPI_INTEGER, root=0, comm=2)')
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call expect('MPI_Wait() -> #0')
  if (mod(w(1), 2) /= mod(rank, 2) .or. (me == 0 .and. w(1) /= rank)) call wrong('bcast')
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [nranks], [.true.], .false., grid, ierr)
  call expect('MPI_Cart_create(comm_old=WORLD, ndims=1, reorder=0) -> comm=3')
  call MPI_Barrier(grid, ierr)
  call expect('MPI_Barrier(comm=3)')
  call MPI_Comm_free(grid, ierr)
  call expect('MPI_Comm_free(comm=3)')
  call MPI_Comm_free(half, ierr)
  call expect('MPI_Comm_free(comm=2)')
  call MPI_Finalize(ierr)
  call expect('MPI_Finalize()')
end program

subroutine largest(a, b, n, datatype)
  implicit none
  integer :: n, datatype, a(n), b(n)
  b = max(a, b)
  if (datatype == -12345) b = 0
end subroutine
