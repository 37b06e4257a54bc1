! mpif.h: requests in arrays, completed by Waitany, Testsome, Waitall; indices count from 1.
program requests_mpif
  use expecting
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 8
  integer :: ierr, rank, nranks, i, k, no, left, done
  integer :: v(n), requests(n), st(MPI_STATUS_SIZE), sts(MPI_STATUS_SIZE, n), which(n)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  if (rank == 0) then
    do i = 1, n
      call MPI_Irecv(v(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(i), ierr)
    end do
    do i = 1, 3
      call MPI_Waitany(n, requests, k, st, ierr)
      call got(k, st)
    end do
    no = 0
    left = 3
    do while (left > 0)
      call MPI_Testsome(n, requests, done, which, sts, ierr)
      if (done == 0) no = no + 1
      do i = 1, done
        call got(which(i), sts(:, i))
      end do
      left = left - done
    end do
    call say(rank, text(no) // ' times no')
    call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE, ierr)
    do i = 1, n
      if (requests(i) /= MPI_REQUEST_NULL) call wrong('request')
      call say(rank, 'in the end ' // text(v(i)))
    end do
  else
    do i = rank, n, nranks - 1
      call linger(400)
      call MPI_Send(rank * 100 + i, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, ierr)
    end do
  end if
  call MPI_Finalize(ierr)

contains

  subroutine got(at, s)
    integer, intent(in) :: at, s(MPI_STATUS_SIZE)
    if (v(at) /= s(MPI_SOURCE) * 100 + s(MPI_TAG)) call wrong('value')
    call say(rank, 'request ' // text(at) // ': ' // text(v(at)))
  end subroutine
end program
