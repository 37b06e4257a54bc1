! use mpi_f08: Waitany, Testsome, Testany, Waitall, probes and matched probes.
program requests_f08
  use mpi_f08
  use expecting
  implicit none
  integer, parameter :: n = 10
  integer :: rank, nranks, first, i, k, no, left, done, which(n)
  integer, asynchronous :: v(n)
  logical :: yes
  type(MPI_Request) :: requests(n)
  type(MPI_Status) :: st, sts(n)
  type(MPI_Message) :: message

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks)
  ! MPICH 4.0.2 counts from 0 in these bindings: ask it for the only request of an array
  call MPI_Irecv(v(1), 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, requests(1))
  call MPI_Waitany(1, requests, first, MPI_STATUS_IGNORE)
  if (rank == 0) then
    do i = 1, n
      call MPI_Irecv(v(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(i))
    end do
    do i = 1, 3
      call MPI_Waitany(n, requests, k, st)
      call got(k + 1 - first, st)
    end do
    no = 0
    left = 3
    do while (left > 0)
      call MPI_Testsome(n, requests, done, which, sts)
      if (done == 0) no = no + 1
      do i = 1, done
        call got(which(i) + 1 - first, sts(i))
      end do
      left = left - done
    end do
    yes = .false.
    do while (.not. yes)
      call MPI_Testany(n, requests, k, yes, st)
      if (.not. yes) no = no + 1
    end do
    if (k /= MPI_UNDEFINED) call got(k + 1 - first, st)
    call say(rank, text(no) // ' times no')
    call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE)
    do i = 1, n
      call say(rank, 'in the end ' // text(v(i)))
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    do i = 1, nranks - 1
      call MPI_Mprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, message, st)
      call MPI_Mrecv(v, 1, MPI_INTEGER, message, sts(1))
      if (v(1) /= st%MPI_SOURCE) call wrong('matched')
      call say(rank, 'matched ' // text(v(1)))
    end do
  else
    do i = rank, n, nranks - 1
      call linger(400)
      call MPI_Send(rank * 100 + i, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD)
    end do
    ! the wildcard receives of rank 0 must be over
    call MPI_Barrier(MPI_COMM_WORLD)
    call linger(300)
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 77, MPI_COMM_WORLD)
  end if
  call MPI_Finalize()

contains

  subroutine got(at, s)
    integer, intent(in) :: at
    type(MPI_Status), intent(in) :: s
    if (v(at) /= s%MPI_SOURCE * 100 + s%MPI_TAG) call wrong('value')
    call say(rank, 'request ' // text(at) // ': ' // text(v(at)))
  end subroutine
end program
