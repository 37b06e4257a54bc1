! Every mark and every kind of array of hbdb_compare, as said.c says them. Compiled with -cpp.
program said
   use hbdb_compare
   implicit none
   real(8), target :: a(2, 3), padded(5, 4)
   real(4), target :: b(3)
   integer, target :: c(2, 2, 2)
   integer(8), target :: d(2, 1, 1, 2)
   complex(8), target :: e(1, 1, 1, 1, 2)
   real(8), target :: f(1, 1, 1, 1, 1, 1, 3), g(2, 2, 2, 2, 2, 2)
   real(8), target :: sum
   integer, target :: least
   integer :: i
   integer(8) :: j

   a = 0; padded = 0; b = 0; c = 0; d = 0; e = 0; f = 0; g = 0; sum = 1.5d0; least = -3
   call hb_array("a", a, lower=[1, 1], upper=[2, 9], first=[1, 4], last=[2, 6], file="a file  ", line=11)
   call hb_array("padded", padded, lower=[0, -1], upper=[7, 7], first=[2, 3], last=[4, 4], below=[1, 1])
   call hb_array("b", b, lower=[1], upper=[3], replicated=.true., read_only=.true.)
   call hb_array("c", c, lower=[1, 1, 1], upper=[2, 2, 2])
   call hb_array("d", d, lower=[1, 1, 1, 1], upper=[2, 1, 1, 2], replicated=.false.)
   call hb_array("e", e, lower=[1, 1, 1, 1, 1], upper=[1, 1, 1, 1, 2])
   call hb_array("f", f, lower=[1, 1, 1, 1, 1, 1, 1], upper=[1, 1, 1, 1, 1, 1, 3])
   call hb_array("g", g, lower=[1, 1, 1, 1, 1, 1], upper=[2, 2, 2, 2, 2, 2])
   call hb_steps("time ")
   do i = 1, 2
      call hb_iteration(i)
      call hb_loop("sweep", file="/some/where/x.f90", line=7)
      call hb_iteration(i, i + 1, i + 2, i + 3, i + 4, i + 5, -6)
      j = 2_8**40
      call hb_iteration(j, j)
      call hb_reduce("sum", HB_SUM, sum, file="x.f90", line=8)
      call hb_reduce("least", HB_MINIMUM, least)
      call hb_reduced(sum)
      call hb_reduced(least)
      call hb_loop_end("sweep")
      call hb_exchanged(padded)
   end do
   call hb_steps_end("time")
   call hb_region("parts", file=__FILE__, line=1)
   call hb_task(0)
   call hb_task(3_8)
   call hb_region_end("parts")
   call hb_point("written", line=2)
   call hb_array_gone(a)
   call hb_array_gone(f)
   print "(a, l2)", "traced", hb_is_traced()
   flush (6)
end program
