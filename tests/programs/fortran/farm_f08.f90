! use mpi_f08: a farm with wildcard receives and a typed status; the last receive ignores its status.
program farm_f08
  use mpi_f08
  use expecting
  implicit none
  integer :: rank, nranks, i, v
  integer, parameter :: each = 8
  type(MPI_Status) :: st

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks)
  call expect_open(rank)
  call expect('MPI_Init()')
  if (rank == 0) then
    do i = 1, each * (nranks - 1)
      call MPI_Recv(v, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, st)
      if (v /= st%MPI_SOURCE * 100 + st%MPI_TAG) call wrong('value')
      call expect('MPI_Recv(count=1, datatype=MPI_INTEGER, source=ANY, tag=ANY, comm=WORLD) -> source=' // &
        text(st%MPI_SOURCE) // ' tag=' // text(st%MPI_TAG) // ' bytes=4')
      call say(rank, text(v))
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    call expect('MPI_Barrier(comm=WORLD)')
    do i = 1, nranks - 1
      call MPI_Recv(v, 1, MPI_INTEGER, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call expect('MPI_Recv(count=1, datatype=MPI_INTEGER, source=ANY, tag=99, comm=WORLD) -> source=' // &
        text(v) // ' tag=99 bytes=4')
      call say(rank, 'last ' // text(v))
    end do
  else
    do i = 1, each
      v = rank * 100 + i
      call linger(300)
      call MPI_Send(v, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD)
      call expect('MPI_Send(count=1, datatype=MPI_INTEGER, dest=0, tag=' // text(i) // ', comm=WORLD)')
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    call expect('MPI_Barrier(comm=WORLD)')
    call MPI_Ssend(rank, 1, MPI_INTEGER, 0, 99, MPI_COMM_WORLD)
    call expect('MPI_Ssend(count=1, datatype=MPI_INTEGER, dest=0, tag=99, comm=WORLD)')
  end if
  call MPI_Finalize()
  call expect('MPI_Finalize()')
end program
