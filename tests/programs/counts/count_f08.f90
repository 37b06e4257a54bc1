! use mpi_f08: prints how often it calls each function; hbdb must have counted each once.
program count_f08
  use mpi_f08
  implicit none
  integer :: rank, nranks, next, prev, i, v, total, polls, probes
  logical :: yes
  double precision :: t
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: st
  type(MPI_Comm) :: twin

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks)
  next = mod(rank + 1, nranks)
  prev = mod(rank + nranks - 1, nranks)
  do i = 1, 5
    call MPI_Irecv(v, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(rank, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  end do
  polls = 0
  probes = 0
  call MPI_Irecv(v, 1, MPI_INTEGER, prev, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Send(rank, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD)
  yes = .false.
  do while (.not. yes)
    call MPI_Test(requests(1), yes, st)
    polls = polls + 1
  end do
  call MPI_Ssend(rank, 1, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD)
  call MPI_Send(rank, 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD)
  yes = .false.
  do while (.not. yes)
    call MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, yes, st)
    probes = probes + 1
  end do
  call MPI_Recv(v, 1, MPI_INTEGER, prev, 3, MPI_COMM_WORLD, st)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 4, v, 1, MPI_INTEGER, prev, 4, MPI_COMM_WORLD, st)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin)
  do i = 1, 7
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, twin)
  end do
  call MPI_Bcast(total, 1, MPI_INTEGER, 0, twin)
  call MPI_Reduce(rank, total, 1, MPI_INTEGER, MPI_MAX, 0, twin)
  call MPI_Barrier(twin)
  call MPI_Comm_free(twin)
  t = 0
  do i = 1, 4
    t = t + MPI_Wtime()
  end do
  call MPI_Finalize()
  call say('MPI_Init', 1)
  call say('MPI_Comm_rank', 1)
  call say('MPI_Comm_size', 1)
  call say('MPI_Irecv', 6)
  call say('MPI_Isend', 5)
  call say('MPI_Waitall', 5)
  call say('MPI_Send', 2)
  call say('MPI_Ssend', 1)
  call say('MPI_Test', polls)
  call say('MPI_Iprobe', probes)
  call say('MPI_Recv', 1)
  call say('MPI_Sendrecv', 1)
  call say('MPI_Comm_dup', 1)
  call say('MPI_Allreduce', 7)
  call say('MPI_Bcast', 1)
  call say('MPI_Reduce', 1)
  call say('MPI_Barrier', 1)
  call say('MPI_Comm_free', 1)
  call say('MPI_Wtime', 4)
  call say('MPI_Finalize', 1)

contains

  subroutine say(name, n)
    character(*), intent(in) :: name
    integer, intent(in) :: n
    write (*, '(i0, 3a, i0)') rank, ': ', name, ' ', n
    flush (6)
  end subroutine
end program
