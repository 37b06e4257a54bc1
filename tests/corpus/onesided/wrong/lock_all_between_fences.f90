! expect: HB-RMA-EPOCH-TWICE
! says: accesses under a lock came between this MPI_Win_fence and the one before it
! why: MPI_Win_lock_all with a get between two fences that assert nothing
program main
  use mpi
  implicit none
  integer :: ierr, rank, win, memory(4), got
  integer(MPI_ADDRESS_KIND) :: bytes = 16, place = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  memory = 0
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_lock_all(0, win, ierr)
  call MPI_Get(got, 1, MPI_INTEGER, 1 - rank, place, 1, MPI_INTEGER, win, ierr)
  call MPI_Win_unlock_all(win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program
