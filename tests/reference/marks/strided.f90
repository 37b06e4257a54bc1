! An array with gaps, which cannot be told: it is told as one that makes no sense. And a box that does not fit into its storage.
program strided
   use hbdb_compare
   implicit none
   real(8), target :: a(4, 4)
   a = 0
   call hb_array("gaps", a(::2, :), lower=[1, 1], upper=[2, 4])
   call hb_array("few bounds", a, lower=[1], upper=[4])
   call hb_array("small", a, lower=[1, 1], upper=[4, 9])
end program
