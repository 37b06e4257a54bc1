! use mpi: prints how often it calls each function; hbdb must have counted each once.
program count_usempi
  use mpi
  implicit none
  integer :: ierr, rank, nranks, next, prev, i, v, total, polls, probes
  logical :: yes
  double precision :: t
  integer :: requests(2)
  integer :: st(MPI_STATUS_SIZE)
  integer :: twin

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  next = mod(rank + 1, nranks)
  prev = mod(rank + nranks - 1, nranks)
  do i = 1, 5
    call MPI_Irecv(v, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(rank, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  end do
  polls = 0
  probes = 0
  call MPI_Irecv(v, 1, MPI_INTEGER, prev, 2, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Send(rank, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, ierr)
  yes = .false.
  do while (.not. yes)
    call MPI_Test(requests(1), yes, st, ierr)
    polls = polls + 1
  end do
  call MPI_Ssend(rank, 1, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, ierr)
  call MPI_Send(rank, 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD, ierr)
  yes = .false.
  do while (.not. yes)
    call MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, yes, st, ierr)
    probes = probes + 1
  end do
  call MPI_Recv(v, 1, MPI_INTEGER, prev, 3, MPI_COMM_WORLD, st, ierr)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 4, v, 1, MPI_INTEGER, prev, 4, MPI_COMM_WORLD, st, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin, ierr)
  do i = 1, 7
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, twin, ierr)
  end do
  call MPI_Bcast(total, 1, MPI_INTEGER, 0, twin, ierr)
  call MPI_Reduce(rank, total, 1, MPI_INTEGER, MPI_MAX, 0, twin, ierr)
  call MPI_Barrier(twin, ierr)
  call MPI_Comm_free(twin, ierr)
  t = 0
  do i = 1, 4
    t = t + MPI_Wtime()
  end do
  call MPI_Finalize(ierr)
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
