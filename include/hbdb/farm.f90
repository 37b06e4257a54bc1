! The task farm: hbdb/farm.h, which says what everything means, for Fortran. Compile this file with your program (tried with gfortran):
!
!   use hbdb_farm
!   type(hb_farm_program) :: program
!   program%data_generator = c_funloc(generate)     ! subroutine generate() bind(c)
!   program%compute = c_funloc(compute)             ! subroutine compute(task, bytes, out) bind(c)
!   program%result_receiver = c_funloc(receive)
!   status = hb_farm_run(program)
!   if (status < 0) write (error_unit, "(a)") hb_farm_error()
!
! Subroutines that are handed over are bind(c): compute(task, bytes, out) with type(c_ptr), value :: task, out and
! integer(c_size_t), value :: bytes; split(task, bytes, degree, out) with integer(c_int), value :: degree;
! join(results, n, out) with type(hb_farm_bytes) :: results(n) and integer(c_int), value :: n; the others have no arguments
! (init_master is called with two, which a subroutine without any does not see). c_f_pointer(task, x) gives x its bytes;
! c_loc(x) hands them out, so x is a target. The options --farm-... stay in the command line.
module hbdb_farm
   use, intrinsic :: iso_c_binding
   implicit none
   private
   public :: hb_farm_program, hb_farm_bytes, hb_farm_run, hb_farm_error, hb_farm_do_task, hb_farm_get_result, hb_farm_put, &
      hb_farm_room, hb_farm_monitor
   public :: c_funloc, c_loc, c_f_pointer, c_ptr, c_size_t, c_int, c_sizeof

   integer(c_int), parameter, public :: HB_FARM_OK = 0, HB_FARM_ELSEWHERE = 1, &
      HB_FARM_BAD_SPECIFICATION = -1, HB_FARM_BAD_PROGRAM = -2, HB_FARM_LOST = -3

   type, bind(c) :: hb_farm_bytes
      type(c_ptr) :: data
      integer(c_size_t) :: size
   end type

   type, bind(c) :: hb_farm_program
      type(c_funptr) :: init_master = c_null_funptr, data_generator = c_null_funptr, result_receiver = c_null_funptr
      type(c_funptr) :: compute = c_null_funptr, split = c_null_funptr, join = c_null_funptr
   end type

   interface
      function hb_farm_do_task(task, bytes) bind(c, name="hb_farm_do_task")
         import
         type(c_ptr), value :: task
         integer(c_size_t), value :: bytes
         integer(c_int) :: hb_farm_do_task
      end function
      ! 1, or 0: there are no more.
      function hb_farm_get_result(result) bind(c, name="hb_farm_get_result")
         import
         type(hb_farm_bytes), intent(out) :: result
         integer(c_int) :: hb_farm_get_result
      end function
      function hb_farm_put(out, data, bytes) bind(c, name="hb_farm_put")
         import
         type(c_ptr), value :: out, data
         integer(c_size_t), value :: bytes
         integer(c_int) :: hb_farm_put
      end function
      function hb_farm_room(out, bytes) bind(c, name="hb_farm_room")
         import
         type(c_ptr), value :: out
         integer(c_size_t), value :: bytes
         type(c_ptr) :: hb_farm_room
      end function
      subroutine hb_farm_monitor(on) bind(c, name="hb_farm_monitor")
         import
         integer(c_int), value :: on
      end subroutine
      function c_run(program, argc, argv) bind(c, name="hb_farm_run")
         import
         type(hb_farm_program), intent(in) :: program
         type(c_ptr), value :: argc, argv
         integer(c_int) :: c_run
      end function
      function c_error() bind(c, name="hb_farm_error")
         import
         type(c_ptr) :: c_error
      end function
      function c_strlen(text) bind(c, name="strlen")
         import
         type(c_ptr), value :: text
         integer(c_size_t) :: c_strlen
      end function
   end interface

contains

   integer(c_int) function hb_farm_run(program)
      type(hb_farm_program), intent(in) :: program
      hb_farm_run = c_run(program, c_null_ptr, c_null_ptr)
   end function

   ! Without the end of the line.
   function hb_farm_error() result(text)
      character(len=:), allocatable :: text
      character(kind=c_char), pointer :: bytes(:)
      type(c_ptr) :: error
      integer :: i, n
      error = c_error()
      n = max(int(c_strlen(error)) - 1, 0)
      allocate (character(len=n) :: text)
      call c_f_pointer(error, bytes, [n])
      do i = 1, n
         text(i:i) = bytes(i)
      end do
   end function

end module
