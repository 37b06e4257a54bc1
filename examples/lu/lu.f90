! lu.c in Fortran: a system of five components on a cube, driven to a steady state by symmetric over-relaxation whose sweeps go
! through the processes as a wave. Compile with -cpp, with include/hbdb/compare.f90 before it.
!
!   lu [-n POINTS] [-s STEPS] [--without flux|u|rsd]      without: the mistake of leaving the exchange of an array out
#define HERE file=__FILE__, line=__LINE__
module cube
   use mpi
   use hbdb_compare
   implicit none
   integer, parameter :: components = 5, inx = 1, iny = 2, inz = 3
   real(8), parameter :: nu = 0.02d0, dt = 0.02d0, omega = 1.2d0, along(3) = [0.9d0, 0.6d0, 0.4d0]
   integer :: n = 48, steps = 30
   character(len=8) :: without = ""
   real(8) :: h
   ! The part of this process: points i1 .. i2 and j1 .. j2, with one point of the neighbours around. All indices are global.
   integer :: i1, i2, j1, j2, west, east, south, north, grid, error
   integer :: face_i, face_j, column ! of an array: one i, one j; and one i of one k
   real(8), allocatable, target :: u(:, :, :, :), rsd(:, :, :, :), flux(:, :, :, :), frct(:, :, :, :)

contains

   subroutine decompose
      integer :: processes, rank, parts(2), place(2)
      integer(kind=MPI_ADDRESS_KIND) :: stride
      call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
      parts = 0
      call MPI_Dims_create(processes, 2, parts, error)
      call MPI_Cart_create(MPI_COMM_WORLD, 2, parts, [.false., .false.], .false., grid, error)
      call MPI_Comm_rank(grid, rank, error)
      call MPI_Cart_coords(grid, rank, 2, place, error)
      call MPI_Cart_shift(grid, 0, 1, south, north, error)
      call MPI_Cart_shift(grid, 1, 1, west, east, error)
      j1 = n * place(1) / parts(1) + 1
      j2 = n * (place(1) + 1) / parts(1)
      i1 = n * place(2) / parts(2) + 1
      i2 = n * (place(2) + 1) / parts(2)
      call MPI_Type_vector(n, (i2 - i1 + 1) * components, (j2 - j1 + 3) * (i2 - i1 + 3) * components, MPI_DOUBLE_PRECISION, face_j, error)
      call MPI_Type_vector(j2 - j1 + 1, components, (i2 - i1 + 3) * components, MPI_DOUBLE_PRECISION, column, error)
      stride = 8_8 * (j2 - j1 + 3) * (i2 - i1 + 3) * components
      call MPI_Type_create_hvector(n, 1, stride, column, face_i, error)
      call MPI_Type_commit(face_j, error)
      call MPI_Type_commit(column, error)
      call MPI_Type_commit(face_i, error)
   end subroutine

   subroutine allocate_all
      allocate (u(components, i1 - 1:i2 + 1, j1 - 1:j2 + 1, n), rsd(components, i1 - 1:i2 + 1, j1 - 1:j2 + 1, n), &
         flux(components, i1 - 1:i2 + 1, j1 - 1:j2 + 1, n), frct(components, i1 - 1:i2 + 1, j1 - 1:j2 + 1, n))
      u = 0
      rsd = 0
      flux = 0
      frct = 0
      call announce("u", u, __LINE__)
      call announce("rsd", rsd, __LINE__)
      call announce("flux", flux, __LINE__)
      call announce("frct", frct, __LINE__)
   end subroutine

   subroutine announce(name, a, line)
      character(len=*), intent(in) :: name
      real(8), intent(in), target :: a(:, :, :, :)
      integer, intent(in) :: line
      call hb_array(name, a, lower=[1, 1, 1, 1], upper=[components, n, n, n], first=[1, i1, j1, 1], last=[components, i2, j2, n], &
         below=[0, 1, 1, 0], file=__FILE__, line=line)
   end subroutine

   ! Brings the halo of an array up to date in one direction.
   subroutine exchange(name, a, direction)
      character(len=*), intent(in) :: name
      real(8), intent(inout), target :: a(components, i1 - 1:i2 + 1, j1 - 1:j2 + 1, n)
      integer, intent(in) :: direction
      if (name == without) return
      if (direction == inx) then
         call MPI_Sendrecv(a(1, i2, j1, 1), 1, face_i, east, 1, a(1, i1 - 1, j1, 1), 1, face_i, west, 1, grid, MPI_STATUS_IGNORE, error)
         call MPI_Sendrecv(a(1, i1, j1, 1), 1, face_i, west, 2, a(1, i2 + 1, j1, 1), 1, face_i, east, 2, grid, MPI_STATUS_IGNORE, error)
      else
         call MPI_Sendrecv(a(1, i1, j2, 1), 1, face_j, north, 3, a(1, i1, j1 - 1, 1), 1, face_j, south, 3, grid, MPI_STATUS_IGNORE, error)
         call MPI_Sendrecv(a(1, i1, j1, 1), 1, face_j, south, 4, a(1, i1, j2 + 1, 1), 1, face_j, north, 4, grid, MPI_STATUS_IGNORE, error)
      end if
      call hb_exchanged(a)
   end subroutine

   real(8) function exact(m, i, j, k)
      integer, intent(in) :: m, i, j, k
      real(8) :: x, y, z
      x = (i - 1) * h
      y = (j - 1) * h
      z = (k - 1) * h
      exact = 0.9d0 + 0.1d0 * m + x * (1 - 0.5d0 * x) * m + y * y * (0.9d0 - 0.2d0 * m) + 0.4d0 * z * (x + y) + 0.3d0 * x * y * z * z
   end function

   subroutine set_exact(a, everywhere)
      real(8), intent(inout) :: a(components, i1 - 1:i2 + 1, j1 - 1:j2 + 1, n)
      logical, intent(in) :: everywhere
      integer :: i, j, k, m
      logical :: border
      call hb_loop("exact", HERE)
      do k = 1, n
         do j = j1, j2
            call hb_iteration(k, j)
            do i = i1, i2
               border = any([i, j, k] == 1) .or. any([i, j, k] == n)
               do m = 1, components
                  a(m, i, j, k) = merge(exact(m, i, j, k), 1d0, border .or. everywhere)
               end do
            end do
         end do
      end do
      call hb_loop_end("exact")
   end subroutine

   ! What a component carries through a face in a direction.
   subroutine set_flux(from, direction)
      real(8), intent(in) :: from(components, i1 - 1:i2 + 1, j1 - 1:j2 + 1, n)
      integer, intent(in) :: direction
      integer :: i, j, k, m
      call hb_loop("flux", HERE)
      do k = 1, n
         do j = j1, j2
            call hb_iteration(k, j)
            do i = i1, i2
               do m = 1, components
                  flux(m, i, j, k) = from(m, i, j, k) * (along(direction) + 0.03d0 * from(1 + mod(m + direction - 1, components), i, j, k))
               end do
            end do
         end do
      end do
      call hb_loop_end("flux")
   end subroutine

   ! to = to + sign * (what flows in, and what spreads, in one direction).
   subroutine add_direction(name, to, from, sign, direction)
      character(len=*), intent(in) :: name
      real(8), intent(inout) :: to(components, i1 - 1:i2 + 1, j1 - 1:j2 + 1, n)
      real(8), intent(in) :: from(components, i1 - 1:i2 + 1, j1 - 1:j2 + 1, n)
      real(8), intent(in) :: sign
      integer, intent(in) :: direction
      integer :: i, j, k, di, dj, dk
      di = merge(1, 0, direction == inx)
      dj = merge(1, 0, direction == iny)
      dk = merge(1, 0, direction == inz)
      call set_flux(from, direction)
      if (direction /= inz) call exchange("flux", flux, direction)
      call hb_loop(name, HERE)
      do k = 2, n - 1
         do j = max(j1, 2), min(j2, n - 1)
            call hb_iteration(k, j)
            do i = max(i1, 2), min(i2, n - 1)
               to(:, i, j, k) = to(:, i, j, k) + sign * ((flux(:, i - di, j - dj, k - dk) - flux(:, i + di, j + dj, k + dk)) / (2 * h) &
                  + nu * (from(:, i + di, j + dj, k + dk) - 2 * from(:, i, j, k) + from(:, i - di, j - dj, k - dk)) / (h * h))
            end do
         end do
      end do
      call hb_loop_end(name)
   end subroutine

   ! The forcing that makes the exact solution a steady state. rsd is scratch.
   subroutine set_forcing
      call set_exact(rsd, .true.)
      call exchange("exact", rsd, inx)
      call exchange("exact", rsd, iny)
      call add_direction("frct.x", frct, rsd, -1d0, inx)
      call add_direction("frct.y", frct, rsd, -1d0, iny)
      call add_direction("frct.z", frct, rsd, -1d0, inz)
   end subroutine

   subroutine set_residual
      call hb_loop("rsd", HERE)
      rsd = frct
      call hb_loop_end("rsd")
      call add_direction("rsd.x", rsd, u, 1d0, inx)
      call add_direction("rsd.y", rsd, u, 1d0, iny)
      call add_direction("rsd.z", rsd, u, 1d0, inz)
   end subroutine

   ! One point of a sweep: side -1 takes from the points before it in all three directions, 1 from those behind it.
   subroutine relax(i, j, k, side, scale)
      integer, intent(in) :: i, j, k, side
      real(8), intent(in) :: scale
      real(8) :: c(3)
      c = dt * (nu / (h * h) - side * along / (2 * h))
      rsd(:, i, j, k) = (scale * rsd(:, i, j, k) + omega * (c(1) * rsd(:, i + side, j, k) + c(2) * rsd(:, i, j + side, k) &
         + c(3) * rsd(:, i, j, k + side))) / (1 + dt * 6 * nu / (h * h))
   end subroutine

   ! The planes one after the other: a process takes what its neighbours before it have made of the plane, and hands its own on.
   subroutine lower
      integer :: i, j, k, row
      row = (i2 - i1 + 1) * components
      call hb_loop("lower", HERE)
      do k = 2, n - 1
         if (without /= "rsd") then
            call MPI_Recv(rsd(1, i1, j1 - 1, k), row, MPI_DOUBLE_PRECISION, south, 5, grid, MPI_STATUS_IGNORE, error)
            call MPI_Recv(rsd(1, i1 - 1, j1, k), 1, column, west, 6, grid, MPI_STATUS_IGNORE, error)
         end if
         do j = max(j1, 2), min(j2, n - 1)
            call hb_iteration(k, j)
            do i = max(i1, 2), min(i2, n - 1)
               call relax(i, j, k, -1, dt)
            end do
         end do
         if (without /= "rsd") then
            call MPI_Send(rsd(1, i1, j2, k), row, MPI_DOUBLE_PRECISION, north, 5, grid, error)
            call MPI_Send(rsd(1, i2, j1, k), 1, column, east, 6, grid, error)
         end if
      end do
      call hb_loop_end("lower")
   end subroutine

   subroutine upper
      integer :: i, j, k, row
      row = (i2 - i1 + 1) * components
      call hb_loop("upper", HERE)
      do k = n - 1, 2, -1
         if (without /= "rsd") then
            call MPI_Recv(rsd(1, i1, j2 + 1, k), row, MPI_DOUBLE_PRECISION, north, 7, grid, MPI_STATUS_IGNORE, error)
            call MPI_Recv(rsd(1, i2 + 1, j1, k), 1, column, east, 8, grid, MPI_STATUS_IGNORE, error)
         end if
         do j = min(j2, n - 1), max(j1, 2), -1
            call hb_iteration(k, j)
            do i = min(i2, n - 1), max(i1, 2), -1
               call relax(i, j, k, 1, 1 + dt * 6 * nu / (h * h))
            end do
         end do
         if (without /= "rsd") then
            call MPI_Send(rsd(1, i1, j1, k), row, MPI_DOUBLE_PRECISION, south, 7, grid, error)
            call MPI_Send(rsd(1, i1, j1, k), 1, column, west, 8, grid, error)
         end if
      end do
      call hb_loop_end("upper")
   end subroutine

   subroutine correct
      integer :: i, j, k
      call hb_loop("u", HERE)
      do k = 2, n - 1
         do j = max(j1, 2), min(j2, n - 1)
            call hb_iteration(k, j)
            do i = max(i1, 2), min(i2, n - 1)
               u(:, i, j, k) = u(:, i, j, k) + rsd(:, i, j, k) / (omega * (2 - omega))
            end do
         end do
      end do
      call hb_loop_end("u")
      call exchange("u", u, inx)
      call exchange("u", u, iny)
   end subroutine

   real(8) function norm(name, a, of_error)
      character(len=*), intent(in) :: name
      real(8), intent(in) :: a(components, i1 - 1:i2 + 1, j1 - 1:j2 + 1, n)
      logical, intent(in) :: of_error
      real(8), target :: sum
      real(8) :: x
      integer :: i, j, k, m
      sum = 0
      call hb_loop(name, HERE)
      call hb_reduce(name, HB_SUM, sum, HERE)
      do k = 2, n - 1
         do j = max(j1, 2), min(j2, n - 1)
            call hb_iteration(k, j)
            do i = max(i1, 2), min(i2, n - 1)
               do m = 1, components
                  x = a(m, i, j, k)
                  if (of_error) x = x - exact(m, i, j, k)
                  sum = sum + x * x
               end do
            end do
         end do
      end do
      call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid, error)
      call hb_reduced(sum)
      call hb_loop_end(name)
      norm = sqrt(sum / (real(components, 8) * (n - 2)**3))
   end function

   subroutine solve
      integer :: step
      call set_forcing
      call set_exact(u, .false.)
      call exchange("u", u, inx)
      call exchange("u", u, iny)
      call set_residual
      call hb_steps("time", HERE)
      do step = 1, steps
         call hb_iteration(step)
         call lower
         call upper
         call correct
         call set_residual
      end do
      call hb_steps_end("time")
   end subroutine

   subroutine read_options
      character(len=64) :: option, value
      integer :: i, status
      do i = 1, command_argument_count(), 2
         call get_command_argument(i, option)
         call get_command_argument(i + 1, value)
         status = 1
         if (option == "-n") read (value, *, iostat=status) n
         if (option == "-s") read (value, *, iostat=status) steps
         if (option == "--without") then
            without = value(:8)
            status = 0
         end if
         if (status /= 0 .or. n < 16 .or. steps < 0) then
            print "(a)", "usage: lu [-n POINTS] [-s STEPS] [--without flux|u|rsd]"
            call MPI_Abort(MPI_COMM_WORLD, 2, error)
         end if
      end do
   end subroutine

end module

program lu
   use cube
   implicit none
   real(8) :: of_rsd, of_error
   integer :: rank
   call MPI_Init(error)
   call read_options
   h = 1d0 / (n - 1)
   call decompose
   call allocate_all
   call solve
   of_rsd = norm("norm", rsd, .false.)
   of_error = norm("error", u, .true.)
   call MPI_Comm_rank(grid, rank, error)
   if (rank == 0) print "(a, es16.9, a, es16.9)", "norm of rsd", of_rsd, ", error of u", of_error
   call MPI_Type_free(face_j, error)
   call MPI_Type_free(column, error)
   call MPI_Type_free(face_i, error)
   call MPI_Comm_free(grid, error)
   call MPI_Finalize(error)
end program
