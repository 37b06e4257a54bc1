! Constructs, points and arrays of your program, so that hbdb can compare a run with a reference run: hbdb/compare.h, which says what
! everything means, for Fortran. Compile this file with your program (tried with gfortran):
!
!   use hbdb_compare
!   real(8), allocatable, target :: u(:, :)
!   allocate (u(n, lo - 1:hi + 1))
!   call hb_array("u", u, lower=[1, 1], upper=[n, n], first=[1, lo], last=[n, hi], below=[0, 1])
!   call hb_steps("time")
!   do t = 1, steps
!      call hb_iteration(t)
!      call hb_loop("sweep", file=__FILE__, line=__LINE__)        ! with -cpp; both can be left out
!      do j = lo, hi;  call hb_iteration(j);  ...;  end do
!      call hb_loop_end("sweep")
!   end do
!   call hb_steps_end("time")
!
! A construct and an array are known by their names, files and lines: without file and line their names have to differ. Trailing blanks of names
! and files are left out. Arrays and variables that are registered are targets, or the compiler may keep their values elsewhere.
! Outside of hbdb compare each of these is a call, a load and a branch; arguments are computed.
!
! hb_array(name, a, lower, upper, first, last, below, replicated, read_only, file, line): a has 1 to 7 dimensions of real(8), real(4), integer(4),
! integer(8), complex(8) or complex(4). All bounds are global indices as the program counts them.
!   lower, upper   of the array over all processes
!   first, last    of what this process owns; not given: everything
!   below          elements of its storage before those, in each dimension: a neighbour's (halo), or borders; not given: 0. What is behind
!                  them follows from the shape of a.
! The storage of a is without gaps; a section with strides is told as one that makes no sense (hbdb compare report), as is a box that does not fit
! into the storage. Block-cyclic arrays: by hbdb/compare.h alone.
module hbdb_compare
   use, intrinsic :: iso_c_binding
   implicit none
   private
   public :: hb_is_traced, hb_loop, hb_loop_end, hb_steps, hb_steps_end, hb_region, hb_region_end, hb_task, hb_point, &
      hb_iteration, hb_array, hb_array_gone, hb_reduce, hb_reduced, hb_exchanged

   integer(c_int), parameter, public :: HB_SUM = 0, HB_PRODUCT = 1, HB_MINIMUM = 2, HB_MAXIMUM = 3, HB_OTHER = 4

   integer(c_int), parameter :: REAL8 = 0, REAL4 = 1, INTEGER4 = 2, INTEGER8 = 3, COMPLEX16 = 5, COMPLEX8 = 6
   integer(c_int), parameter :: LOOP = 0, STEPS = 1, REGION = 2, POINT = 3
   integer, parameter :: names = 200, files = 4096, most = 7

   type, bind(c) :: c_array
      type(c_ptr) :: name, at
      integer(c_int) :: type, rank, columns, replicated, read_only
      integer(c_int64_t) :: base(most), global(most), first(most), count(most), below(most), above(most)
      integer(c_int64_t) :: block(most), over(most), place(most)
   end type

   type, bind(c) :: c_tracer
      type(c_funptr) :: begin, end, iteration, task, array, gone, reduction, reduced, exchanged
   end type

   abstract interface
      subroutine begin_function(mark, name, file, line) bind(c)
         import
         integer(c_int), value :: mark, line
         type(c_ptr), value :: name, file
      end subroutine
      subroutine end_function(mark, name) bind(c)
         import
         integer(c_int), value :: mark
         type(c_ptr), value :: name
      end subroutine
      subroutine iteration_function(n, index) bind(c)
         import
         integer(c_int), value :: n
         integer(c_int64_t), intent(in) :: index(*)
      end subroutine
      subroutine task_function(task) bind(c)
         import
         integer(c_int64_t), value :: task
      end subroutine
      subroutine array_function(array, file, line) bind(c)
         import
         type(c_array), intent(in) :: array
         type(c_ptr), value :: file
         integer(c_int), value :: line
      end subroutine
      subroutine at_function(at) bind(c)
         import
         type(c_ptr), value :: at
      end subroutine
      subroutine reduction_function(name, how, type, at, file, line) bind(c)
         import
         type(c_ptr), value :: name, at, file
         integer(c_int), value :: how, type, line
      end subroutine
      subroutine exchanged_function(at, sides) bind(c)
         import
         type(c_ptr), value :: at, sides
      end subroutine
   end interface

   interface
      function dlsym(handle, name) bind(c, name="dlsym")
         import
         type(c_ptr), value :: handle
         character(kind=c_char), intent(in) :: name(*)
         type(c_ptr) :: dlsym
      end function
   end interface

   ! An iteration of the innermost loop begins: its global index, or 2 to 7 of them, the outermost first.
   interface hb_iteration
      module procedure iteration4, iteration8
   end interface
   interface hb_task
      module procedure task4, task8
   end interface
   interface hb_array
      module procedure array_real8, array_real4, array_integer4, array_integer8, array_complex16, array_complex8
   end interface
   interface hb_reduce
      module procedure reduce_real8, reduce_real4, reduce_integer4, reduce_integer8, reduce_complex16, reduce_complex8
   end interface

   logical :: looked = .false.
   procedure(begin_function), pointer :: on_begin => null()
   procedure(end_function), pointer :: on_end => null()
   procedure(iteration_function), pointer :: on_iteration => null()
   procedure(task_function), pointer :: on_task => null()
   procedure(array_function), pointer :: on_array => null()
   procedure(at_function), pointer :: on_gone => null(), on_reduced => null()
   procedure(reduction_function), pointer :: on_reduction => null()
   procedure(exchanged_function), pointer :: on_exchanged => null()

contains

   ! Whether somebody traces.
   logical function hb_is_traced()
      if (.not. looked) call look
      hb_is_traced = associated(on_begin)
   end function

   subroutine look
      type(c_ptr) :: found
      type(c_tracer), pointer :: tracer
      found = dlsym(c_null_ptr, "hb_tracer_1" // c_null_char)
      if (c_associated(found)) then
         call c_f_pointer(found, tracer)
         call c_f_procpointer(tracer%end, on_end)
         call c_f_procpointer(tracer%iteration, on_iteration)
         call c_f_procpointer(tracer%task, on_task)
         call c_f_procpointer(tracer%array, on_array)
         call c_f_procpointer(tracer%gone, on_gone)
         call c_f_procpointer(tracer%reduction, on_reduction)
         call c_f_procpointer(tracer%reduced, on_reduced)
         call c_f_procpointer(tracer%exchanged, on_exchanged)
         call c_f_procpointer(tracer%begin, on_begin)
      end if
      looked = .true.
   end subroutine

   ! A text with its end, for C.
   subroutine put(text, to)
      character(len=*), intent(in) :: text
      character(kind=c_char), intent(out) :: to(:)
      integer :: i, n
      n = min(len_trim(text), size(to) - 1)
      do i = 1, n
         to(i) = text(i:i)
      end do
      to(n + 1) = c_null_char
   end subroutine

   ! Where a mark stands, as far as its caller says it.
   subroutine put_place(file, line, cfile, cline)
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      character(kind=c_char), intent(out) :: cfile(:)
      integer(c_int), intent(out) :: cline
      cfile(1) = c_null_char
      cline = 0
      if (present(file)) call put(file, cfile)
      if (present(line)) cline = int(line, c_int)
   end subroutine

   subroutine begin(mark, name, file, line)
      integer(c_int), intent(in) :: mark
      character(len=*), intent(in) :: name
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      character(kind=c_char), target :: cname(names + 1), cfile(files + 1)
      integer(c_int) :: cline
      call put(name, cname)
      call put_place(file, line, cfile, cline)
      call on_begin(mark, c_loc(cname(1)), c_loc(cfile(1)), cline)
   end subroutine

   subroutine finish(mark, name)
      integer(c_int), intent(in) :: mark
      character(len=*), intent(in) :: name
      character(kind=c_char), target :: cname(names + 1)
      call put(name, cname)
      call on_end(mark, c_loc(cname(1)))
   end subroutine

   subroutine hb_loop(name, file, line)
      character(len=*), intent(in) :: name
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call begin(LOOP, name, file, line)
   end subroutine

   subroutine hb_loop_end(name)
      character(len=*), intent(in) :: name
      if (hb_is_traced()) call finish(LOOP, name)
   end subroutine

   subroutine hb_steps(name, file, line)
      character(len=*), intent(in) :: name
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call begin(STEPS, name, file, line)
   end subroutine

   subroutine hb_steps_end(name)
      character(len=*), intent(in) :: name
      if (hb_is_traced()) call finish(STEPS, name)
   end subroutine

   subroutine hb_region(name, file, line)
      character(len=*), intent(in) :: name
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call begin(REGION, name, file, line)
   end subroutine

   subroutine hb_region_end(name)
      character(len=*), intent(in) :: name
      if (hb_is_traced()) call finish(REGION, name)
   end subroutine

   subroutine hb_point(name, file, line)
      character(len=*), intent(in) :: name
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call begin(POINT, name, file, line)
   end subroutine

   subroutine task4(number)
      integer(c_int), intent(in) :: number
      if (hb_is_traced()) call on_task(int(number, c_int64_t))
   end subroutine

   subroutine task8(number)
      integer(c_int64_t), intent(in) :: number
      if (hb_is_traced()) call on_task(int(number, c_int64_t))
   end subroutine

   subroutine iteration4(i1, i2, i3, i4, i5, i6, i7)
      integer(c_int), intent(in) :: i1
      integer(c_int), intent(in), optional :: i2, i3, i4, i5, i6, i7
      integer(c_int64_t) :: index(most)
      integer(c_int) :: n
      if (.not. hb_is_traced()) return
      index(1) = i1
      n = 1
      if (present(i2)) then
         n = 2
         index(2) = i2
      end if
      if (present(i3)) then
         n = 3
         index(3) = i3
      end if
      if (present(i4)) then
         n = 4
         index(4) = i4
      end if
      if (present(i5)) then
         n = 5
         index(5) = i5
      end if
      if (present(i6)) then
         n = 6
         index(6) = i6
      end if
      if (present(i7)) then
         n = 7
         index(7) = i7
      end if
      call on_iteration(n, index)
   end subroutine

   subroutine iteration8(i1, i2, i3, i4, i5, i6, i7)
      integer(c_int64_t), intent(in) :: i1
      integer(c_int64_t), intent(in), optional :: i2, i3, i4, i5, i6, i7
      integer(c_int64_t) :: index(most)
      integer(c_int) :: n
      if (.not. hb_is_traced()) return
      index(1) = i1
      n = 1
      if (present(i2)) then
         n = 2
         index(2) = i2
      end if
      if (present(i3)) then
         n = 3
         index(3) = i3
      end if
      if (present(i4)) then
         n = 4
         index(4) = i4
      end if
      if (present(i5)) then
         n = 5
         index(5) = i5
      end if
      if (present(i6)) then
         n = 6
         index(6) = i6
      end if
      if (present(i7)) then
         n = 7
         index(7) = i7
      end if
      call on_iteration(n, index)
   end subroutine

   ! The description of an array, as C has it. `storage` is its shape; whole: it is without gaps.
   subroutine register(name, at, type, whole, storage, lower, upper, first, last, below, replicated, read_only, file, line)
      character(len=*), intent(in) :: name
      type(c_ptr), intent(in) :: at
      integer(c_int), intent(in) :: type
      logical, intent(in) :: whole
      integer, intent(in) :: storage(:), lower(:), upper(:)
      integer, intent(in), optional :: first(:), last(:), below(:)
      logical, intent(in), optional :: replicated, read_only
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      character(kind=c_char), target :: cname(names + 1), cfile(files + 1)
      type(c_array) :: array
      integer(c_int) :: cline
      integer :: n
      n = min(size(storage), size(lower), size(upper))
      call put(name, cname)
      call put_place(file, line, cfile, cline)
      array%name = c_loc(cname(1))
      array%at = at
      array%type = type
      array%rank = merge(n, 0, whole .and. n == size(storage)) ! 0 is told as one that makes no sense
      array%columns = 1
      array%replicated = 0
      array%read_only = 0
      if (present(replicated)) array%replicated = merge(1, 0, replicated)
      if (present(read_only)) array%read_only = merge(1, 0, read_only)
      array%base = 0
      array%base(:n) = lower(:n)
      array%global = 0
      array%global(:n) = int(upper(:n), c_int64_t) - lower(:n) + 1
      array%first = 0
      if (present(first)) array%first(:n) = int(first(:n), c_int64_t) - lower(:n)
      array%count = 0
      array%count(:n) = array%global(:n) - array%first(:n)
      if (present(last)) array%count(:n) = int(last(:n), c_int64_t) - lower(:n) - array%first(:n) + 1
      array%below = 0
      if (present(below)) array%below(:n) = below(:n)
      array%above = 0
      array%above(:n) = storage(:n) - array%below(:n) - array%count(:n)
      array%block = 0
      array%over = 0
      array%place = 0
      call on_array(array, c_loc(cfile(1)), cline)
   end subroutine

   subroutine array_real8(name, a, lower, upper, first, last, below, replicated, read_only, file, line)
      character(len=*), intent(in) :: name
      real(c_double), intent(in), target :: a(..)
      integer, intent(in) :: lower(:), upper(:)
      integer, intent(in), optional :: first(:), last(:), below(:)
      logical, intent(in), optional :: replicated, read_only
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call register(name, c_loc(a), REAL8, is_contiguous(a), shape(a), lower, upper, first, last, below, &
         replicated, read_only, file, line)
   end subroutine

   subroutine array_real4(name, a, lower, upper, first, last, below, replicated, read_only, file, line)
      character(len=*), intent(in) :: name
      real(c_float), intent(in), target :: a(..)
      integer, intent(in) :: lower(:), upper(:)
      integer, intent(in), optional :: first(:), last(:), below(:)
      logical, intent(in), optional :: replicated, read_only
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call register(name, c_loc(a), REAL4, is_contiguous(a), shape(a), lower, upper, first, last, below, &
         replicated, read_only, file, line)
   end subroutine

   subroutine array_integer4(name, a, lower, upper, first, last, below, replicated, read_only, file, line)
      character(len=*), intent(in) :: name
      integer(c_int), intent(in), target :: a(..)
      integer, intent(in) :: lower(:), upper(:)
      integer, intent(in), optional :: first(:), last(:), below(:)
      logical, intent(in), optional :: replicated, read_only
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call register(name, c_loc(a), INTEGER4, is_contiguous(a), shape(a), lower, upper, first, last, below, &
         replicated, read_only, file, line)
   end subroutine

   subroutine array_integer8(name, a, lower, upper, first, last, below, replicated, read_only, file, line)
      character(len=*), intent(in) :: name
      integer(c_int64_t), intent(in), target :: a(..)
      integer, intent(in) :: lower(:), upper(:)
      integer, intent(in), optional :: first(:), last(:), below(:)
      logical, intent(in), optional :: replicated, read_only
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call register(name, c_loc(a), INTEGER8, is_contiguous(a), shape(a), lower, upper, first, last, below, &
         replicated, read_only, file, line)
   end subroutine

   subroutine array_complex16(name, a, lower, upper, first, last, below, replicated, read_only, file, line)
      character(len=*), intent(in) :: name
      complex(c_double_complex), intent(in), target :: a(..)
      integer, intent(in) :: lower(:), upper(:)
      integer, intent(in), optional :: first(:), last(:), below(:)
      logical, intent(in), optional :: replicated, read_only
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call register(name, c_loc(a), COMPLEX16, is_contiguous(a), shape(a), lower, upper, first, last, below, &
         replicated, read_only, file, line)
   end subroutine

   subroutine array_complex8(name, a, lower, upper, first, last, below, replicated, read_only, file, line)
      character(len=*), intent(in) :: name
      complex(c_float_complex), intent(in), target :: a(..)
      integer, intent(in) :: lower(:), upper(:)
      integer, intent(in), optional :: first(:), last(:), below(:)
      logical, intent(in), optional :: replicated, read_only
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call register(name, c_loc(a), COMPLEX8, is_contiguous(a), shape(a), lower, upper, first, last, below, &
         replicated, read_only, file, line)
   end subroutine

   ! `a` is no more: before it is deallocated.
   subroutine hb_array_gone(a)
      type(*), intent(in), target :: a(..)
      if (hb_is_traced()) call on_gone(c_loc(a))
   end subroutine

   subroutine reduction(name, how, type, at, file, line)
      character(len=*), intent(in) :: name
      integer(c_int), intent(in) :: how, type
      type(c_ptr), intent(in) :: at
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      character(kind=c_char), target :: cname(names + 1), cfile(files + 1)
      integer(c_int) :: cline
      call put(name, cname)
      call put_place(file, line, cfile, cline)
      call on_reduction(c_loc(cname(1)), how, type, at, c_loc(cfile(1)), cline)
   end subroutine

   subroutine reduce_real8(name, how, x, file, line)
      character(len=*), intent(in) :: name
      integer(c_int), intent(in) :: how
      real(c_double), intent(in), target :: x
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call reduction(name, how, REAL8, c_loc(x), file, line)
   end subroutine

   subroutine reduce_real4(name, how, x, file, line)
      character(len=*), intent(in) :: name
      integer(c_int), intent(in) :: how
      real(c_float), intent(in), target :: x
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call reduction(name, how, REAL4, c_loc(x), file, line)
   end subroutine

   subroutine reduce_integer4(name, how, x, file, line)
      character(len=*), intent(in) :: name
      integer(c_int), intent(in) :: how
      integer(c_int), intent(in), target :: x
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call reduction(name, how, INTEGER4, c_loc(x), file, line)
   end subroutine

   subroutine reduce_integer8(name, how, x, file, line)
      character(len=*), intent(in) :: name
      integer(c_int), intent(in) :: how
      integer(c_int64_t), intent(in), target :: x
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call reduction(name, how, INTEGER8, c_loc(x), file, line)
   end subroutine

   subroutine reduce_complex16(name, how, x, file, line)
      character(len=*), intent(in) :: name
      integer(c_int), intent(in) :: how
      complex(c_double_complex), intent(in), target :: x
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call reduction(name, how, COMPLEX16, c_loc(x), file, line)
   end subroutine

   subroutine reduce_complex8(name, how, x, file, line)
      character(len=*), intent(in) :: name
      integer(c_int), intent(in) :: how
      complex(c_float_complex), intent(in), target :: x
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      if (hb_is_traced()) call reduction(name, how, COMPLEX8, c_loc(x), file, line)
   end subroutine

   ! All processes have the result of a reduction in x.
   subroutine hb_reduced(x)
      type(*), intent(in), target :: x
      if (hb_is_traced()) call on_reduced(c_loc(x))
   end subroutine

   ! The halo of `a` has been brought up to date, on all sides.
   subroutine hb_exchanged(a)
      type(*), intent(in), target :: a(..)
      if (hb_is_traced()) call on_exchanged(c_loc(a), c_null_ptr)
   end subroutine

end module
