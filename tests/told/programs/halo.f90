! A sweep with a halo on a Cartesian communicator, by subarrays; the arrays are registered nowhere. Argument: "wrong", the exchange of the second
! dimension is left out in the third step.
program halo
  use mpi
  use hbdb_compare
  implicit none
  integer, parameter :: global(2) = [20, 24]
  integer :: error, processes, rank, grid, dims(2), at(2), part(2), low(2), high(2), d, i, j, t
  integer :: sent(4), received(4)
  logical :: periods(2)
  real(8), allocatable :: u(:, :), v(:, :)
  character(len=16) :: what

  call MPI_Init(error)
  call get_command_argument(1, what)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  dims = 0
  periods = .false.
  call MPI_Dims_create(processes, 2, dims, error)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, error)
  call MPI_Comm_rank(grid, rank, error)
  call MPI_Cart_coords(grid, rank, 2, at, error)
  do d = 1, 2
    part(d) = global(d) / dims(d)
    call MPI_Cart_shift(grid, d - 1, 1, low(d), high(d), error)
  end do
  received = [box([0, 1], [1, part(2)]), box([part(1) + 1, 1], [1, part(2)]), box([1, 0], [part(1), 1]), box([1, part(2) + 1], [part(1), 1])]
  sent = [box([1, 1], [1, part(2)]), box([part(1), 1], [1, part(2)]), box([1, 1], [part(1), 1]), box([1, part(2)], [part(1), 1])]
  allocate (u(0:part(1) + 1, 0:part(2) + 1))
  allocate (v(0:part(1) + 1, 0:part(2) + 1))
  u = 0
  v = 0
  do j = 1, part(2)
    do i = 1, part(1)
      u(i, j) = (at(1) * part(1) + i)**2 * 0.125d0 + (at(2) * part(2) + j) * 3
    end do
  end do
  do t = 1, 5
    call exchange(u, what == "wrong" .and. t == 3)
    call hb_loop("there")
    call sweep(u, v)
    call hb_loop_end("there")
    call exchange(v, .false.)
    call hb_loop("back")
    call sweep(v, u)
    call hb_loop_end("back")
  end do
  call MPI_Finalize(error)

contains

  integer function box(first, extent)
    integer, intent(in) :: first(2), extent(2)
    integer :: e
    call MPI_Type_create_subarray(2, part + 2, extent, first, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, box, e)
    call MPI_Type_commit(box, e)
  end function

  subroutine exchange(a, leave_out)
    real(8), intent(inout) :: a(0:part(1) + 1, 0:part(2) + 1)
    logical, intent(in) :: leave_out
    integer :: k, e
    do k = 1, 2
      if (k == 2 .and. leave_out) cycle
      call MPI_Sendrecv(a, 1, sent(2 * k - 1), low(k), 1, a, 1, received(2 * k), high(k), 1, grid, MPI_STATUS_IGNORE, e)
      call MPI_Sendrecv(a, 1, sent(2 * k), high(k), 2, a, 1, received(2 * k - 1), low(k), 2, grid, MPI_STATUS_IGNORE, e)
    end do
  end subroutine

  subroutine sweep(from, to)
    real(8), intent(in) :: from(0:part(1) + 1, 0:part(2) + 1)
    real(8), intent(inout) :: to(0:part(1) + 1, 0:part(2) + 1)
    integer :: k, l
    do l = 1, part(2)
      do k = 1, part(1)
        to(k, l) = 0.25d0 * (from(k - 1, l) + from(k + 1, l) + from(k, l - 1) + from(k, l + 1))
      end do
    end do
  end subroutine
end program
