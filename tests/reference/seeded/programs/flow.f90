! Shallow water on a ring of columns that are cut over processes: slopes of fourth order need a halo of two columns.
!   flow [MISTAKE [COLUMNS]]
#define HERE file=__FILE__, line=__LINE__
module water
   use mpi
   use hbdb_compare
   implicit none
   integer, parameter :: rows = 40, steps = 5
   integer :: columns = 60, rank, processes, left, right, j1, j2, error
   character(len=32) :: seeded = "-"
   real(8), allocatable, target :: h(:, :), hu(:, :), hv(:, :), slope(:, :)
   real(4), allocatable, target :: wind(:, :)
   integer, allocatable, target :: sea(:, :)

contains

   ! Whether this mistake is to be made.
   logical function mistake(name)
      character(len=*), intent(in) :: name
      mistake = seeded == name
   end function

   subroutine prepare
      j1 = columns * rank / processes + 1
      j2 = columns * (rank + 1) / processes
      left = mod(rank + processes - 1, processes)
      right = mod(rank + 1, processes)
      allocate (h(rows, j1 - 2:j2 + 2), hu(rows, j1:j2), hv(rows, j1:j2), slope(rows, j1:j2), wind(rows, j1:j2), sea(rows, j1:j2))
      h = 0
      hu = 0
      hv = 0
      slope = 0
      wind = 0
      sea = 0
      call hb_array("h", h, lower=[1, 1], upper=[rows, columns], first=[1, j1], last=[rows, j2], below=[0, 2], HERE)
      call hb_array("hu", hu, lower=[1, 1], upper=[rows, columns], first=[1, j1], last=[rows, j2], HERE)
      call hb_array("hv", hv, lower=[1, 1], upper=[rows, columns], first=[1, j1], last=[rows, j2], HERE)
      call hb_array("slope", slope, lower=[1, 1], upper=[rows, columns], first=[1, j1], last=[rows, j2], HERE)
      call hb_array("wind", wind, lower=[1, 1], upper=[rows, columns], first=[1, j1], last=[rows, j2], read_only=.true., HERE)
      call hb_array("sea", sea, lower=[1, 1], upper=[rows, columns], first=[1, j1], last=[rows, j2], HERE)
   end subroutine

   subroutine set
      integer :: i, j, place
      call hb_loop("set", HERE)
      do j = j1, j2
         call hb_iteration(j)
         place = j
         if (mistake("local-index")) place = j - j1 + 1
         do i = 1, rows
            h(i, j) = 10 + sin(0.3d0 * i) * cos(0.2d0 * j) + 0.02d0 * mod(i * j, 7)
            wind(i, j) = 0.001 * mod(2 * i + j, 9)
            ! flow.sea:
            sea(i, j) = merge(0, 1, mod(3 * place + i + 3, 7) == 0)
         end do
      end do
      call hb_loop_end("set")
   end subroutine

   ! The halo of h: two columns from each side.
   subroutine exchange
      integer :: request(4), width, tag
      width = merge(1, 2, mistake("narrow"))
      tag = merge(1, 2, mistake("same-tag"))
      call MPI_Irecv(h(1, j2 + 1), rows * width, MPI_DOUBLE_PRECISION, right, tag, MPI_COMM_WORLD, request(1), error)
      call MPI_Irecv(h(1, j1 - width), rows * width, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, request(2), error)
      call MPI_Isend(h(1, j2 - width + 1), rows * width, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, request(3), error)
      call MPI_Isend(h(1, j1), rows * width, MPI_DOUBLE_PRECISION, left, tag, MPI_COMM_WORLD, request(4), error)
      call MPI_Waitall(4, request, MPI_STATUSES_IGNORE, error)
      call hb_exchanged(h)
   end subroutine

   subroutine set_slope(step)
      integer, intent(in) :: step
      integer :: i, j, last
      last = j2
      if (mistake("bounds") .and. rank < processes - 1) last = j2 - 1
      call hb_loop("slope", HERE)
      do j = j1, last
         call hb_iteration(j)
         do i = 1, rows
            if (.not. mistake("not-cleared") .or. step < 3) slope(i, j) = 0
            ! flow.slope:
            slope(i, j) = slope(i, j) + (8 * (h(i, j + 1) - h(i, j - 1)) - h(i, j + 2) + h(i, j - 2)) / 12
         end do
      end do
      call hb_loop_end("slope")
   end subroutine

   subroutine flow_along
      integer :: i, j
      call hb_loop("along", HERE)
      do j = j1, j2
         call hb_iteration(j)
         do i = 1, rows
            hu(i, j) = hu(i, j) - 0.05d0 * sea(i, j) * (slope(i, j) - wind(i, j))
         end do
      end do
      call hb_loop_end("along")
   end subroutine

   subroutine flow_across
      integer :: i, j, above, below
      real(8) :: difference
      call hb_loop("across", HERE)
      do j = j1, j2
         call hb_iteration(j)
         do i = 1, rows
            above = modulo(i, rows) + 1
            below = modulo(i - 2, rows) + 1
            difference = h(above, j) - h(below, j)
            if (mistake("single")) difference = real(h(above, j), 4) - real(h(below, j), 4)
            ! flow.across:
            hv(i, j) = hv(i, j) - 0.05d0 * sea(i, j) * difference / 2
         end do
      end do
      call hb_loop_end("across")
   end subroutine

   subroutine rise
      integer :: i, j, below
      call hb_loop("rise", HERE)
      do j = j1, j2
         call hb_iteration(j)
         do i = 1, rows
            below = modulo(i - 2, rows) + 1
            if (mistake("wrong-array")) then
               ! flow.wrong:
               h(i, j) = h(i, j) - 0.1d0 * (hu(i, j) - hu(below, j)) - 0.02d0 * hu(i, j)
            else
               h(i, j) = h(i, j) - 0.1d0 * (hv(i, j) - hv(below, j)) - 0.02d0 * hu(i, j)
            end if
         end do
      end do
      call hb_loop_end("rise")
   end subroutine

end module

program flow
   use water
   implicit none
   integer :: step
   real(8) :: mine, total
   character(len=32) :: text
   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
   call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
   if (command_argument_count() > 0) call get_command_argument(1, seeded)
   if (command_argument_count() > 1) then
      call get_command_argument(2, text)
      read (text, *) columns
   end if
   call prepare
   call set
   call hb_steps("time", HERE)
   do step = 1, steps
      call hb_iteration(step)
      if (.not. (mistake("halo-missing") .and. step == 3)) call exchange
      call set_slope(step)
      call flow_along
      call flow_across
      call rise
   end do
   call hb_steps_end("time")
   mine = sum(h(:, j1:j2)**2) + sum(hu**2)
   call MPI_Reduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
   if (rank == 0) print "(a, es16.9)", "norm", sqrt(total)
   call MPI_Finalize(error)
end program
