! mpif.h: a farm with wildcard receives, statuses as arrays, one of them ignored.
program farm_mpif
  use expecting
  implicit none
  include 'mpif.h'
  integer :: ierr, rank, nranks, i, v, status(MPI_STATUS_SIZE)
  integer, parameter :: each = 8

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  call expect_open(rank)
  call expect('MPI_Init()')
  if (rank == 0) then
    do i = 1, each * (nranks - 1)
      call MPI_Recv(v, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
      if (v /= status(MPI_SOURCE) * 100 + status(MPI_TAG)) call wrong('value')
      call expect('MPI_Recv(count=1, datatype=MPI_INTEGER, source=ANY, tag=ANY, comm=WORLD) -> source=' // &
        text(status(MPI_SOURCE)) // ' tag=' // text(status(MPI_TAG)) // ' bytes=4')
      call say(rank, text(v))
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call expect('MPI_Barrier(comm=WORLD)')
    do i = 1, nranks - 1
      call MPI_Recv(v, 1, MPI_INTEGER, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call expect('MPI_Recv(count=1, datatype=MPI_INTEGER, source=ANY, tag=99, comm=WORLD) -> source=' // &
        text(v) // ' tag=99 bytes=4')
      call say(rank, 'last ' // text(v))
    end do
  else
    do i = 1, each
      v = rank * 100 + i
      call linger(300)
      call MPI_Send(v, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, ierr)
      call expect('MPI_Send(count=1, datatype=MPI_INTEGER, dest=0, tag=' // text(i) // ', comm=WORLD)')
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call expect('MPI_Barrier(comm=WORLD)')
    call MPI_Ssend(rank, 1, MPI_INTEGER, 0, 99, MPI_COMM_WORLD, ierr)
    call expect('MPI_Ssend(count=1, datatype=MPI_INTEGER, dest=0, tag=99, comm=WORLD)')
  end if
  call MPI_Finalize(ierr)
  call expect('MPI_Finalize()')
end program
