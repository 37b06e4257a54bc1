! Events of the program from Fortran.
program f
   use hbdb_event
   use, intrinsic :: iso_c_binding
   use mpi
   implicit none
   integer :: ierr, rank
   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
   call hb_begin("phase", [hb_integer("rank", int(rank, 8)), hb_real("x", 0.5d0 * rank), hb_text("what", "blank end ")])
   if (rank == 0) call hb_sent("side", 7_8, 16_8)
   call MPI_Barrier(MPI_COMM_WORLD, ierr)
   if (rank == 1) call hb_received("side", 7_8, 16_8)
   call hb_end("phase")
   call hb_event("done")
   call MPI_Finalize(ierr)
end program
