! A processor farm in Fortran: the sum of the squares of the numbers from 1 to 1000.
!
!   gfortran -o squares ../../include/hbdb/farm.f90 squares.f90 $(pkg-config --libs hbdb-farm-openmpi)
module squares
   use hbdb_farm
   implicit none
contains
   subroutine generate() bind(c)
      integer, target :: n
      do n = 1, 1000
         if (hb_farm_do_task(c_loc(n), c_sizeof(n)) /= 0) return
      end do
   end subroutine

   subroutine compute(task, bytes, out) bind(c)
      type(c_ptr), value :: task, out
      integer(c_size_t), value :: bytes
      integer, pointer :: n
      real(8), target :: square
      integer :: failed
      if (bytes /= c_sizeof(failed)) return
      call c_f_pointer(task, n)
      square = real(n, 8)**2
      failed = hb_farm_put(out, c_loc(square), c_sizeof(square))
   end subroutine

   subroutine receive() bind(c)
      type(hb_farm_bytes) :: result
      real(8), pointer :: square
      real(8) :: sum
      sum = 0
      do while (hb_farm_get_result(result) == 1)
         call c_f_pointer(result%data, square)
         sum = sum + square
      end do
      print "(a, f0.0)", "sum of squares ", sum
   end subroutine
end module

program main
   use, intrinsic :: iso_fortran_env, only: error_unit
   use squares
   implicit none
   type(hb_farm_program) :: farm
   farm%data_generator = c_funloc(generate)
   farm%compute = c_funloc(compute)
   farm%result_receiver = c_funloc(receive)
   if (hb_farm_run(farm) < 0) then
      write (error_unit, "(a)") hb_farm_error()
      stop 1
   end if
end program
