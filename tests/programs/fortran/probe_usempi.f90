! use mpi: probes that block and probes that do not; how often they said no is printed.
program probe_usempi
  use mpi
  use expecting
  implicit none
  integer, parameter :: each = 6
  integer :: ierr, rank, nranks, i, n, no
  integer :: st(MPI_STATUS_SIZE), again(MPI_STATUS_SIZE)
  double precision :: d(each)
  logical :: yes

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  call expect_open(rank)
  call expect('MPI_Init()')
  if (rank == 0) then
    no = 0
    do i = 1, each * (nranks - 1)
      if (mod(i, 2) == 0) then
        call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, st, ierr)
        call expect('MPI_Probe(source=ANY, tag=ANY, comm=WORLD) -> ' // message(st, 8 * st(MPI_TAG)))
      else
        yes = .false.
        do while (.not. yes)
          call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, yes, st, ierr)
          if (.not. yes) no = no + 1
        end do
        call expect('MPI_Iprobe(source=ANY, tag=ANY, comm=WORLD) -> ' // message(st, 8 * st(MPI_TAG)))
      end if
      call MPI_Get_count(st, MPI_DOUBLE_PRECISION, n, ierr)
      if (n /= st(MPI_TAG)) call wrong('count')
      call MPI_Recv(d, n, MPI_DOUBLE_PRECISION, st(MPI_SOURCE), st(MPI_TAG), MPI_COMM_WORLD, again, ierr)
      call expect('MPI_Recv(count=' // text(n) // ', datatype=MPI_DOUBLE_PRECISION, source=' // &
        text(st(MPI_SOURCE)) // ', tag=' // text(n) // ', comm=WORLD)')
      if (d(n) /= st(MPI_SOURCE)) call wrong('value')
      call say(rank, text(n) // ' from ' // text(st(MPI_SOURCE)) // ' after ' // text(no))
    end do
  else
    d = rank
    do i = 1, each
      call linger(400)
      call MPI_Send(d, i, MPI_DOUBLE_PRECISION, 0, i, MPI_COMM_WORLD, ierr)
      call expect('MPI_Send(count=' // text(i) // ', datatype=MPI_DOUBLE_PRECISION, dest=0, tag=' // text(i) // &
        ', comm=WORLD)')
    end do
  end if
  call MPI_Finalize(ierr)
  call expect('MPI_Finalize()')

contains

  function message(s, bytes)
    integer, intent(in) :: s(MPI_STATUS_SIZE), bytes
    character(:), allocatable :: message
    message = 'source=' // text(s(MPI_SOURCE)) // ' tag=' // text(s(MPI_TAG)) // ' bytes=' // text(bytes)
  end function
end program
