! expect: HB-RMA-MEMORY
! also: HB-CRASH HB-FINALIZE-MISSING HB-CALL-FAILED
! why: MPI_Free_mem of the memory of a window that is still there
program main
  use mpi
  use iso_c_binding
  implicit none
  integer :: ierr, win
  integer(MPI_ADDRESS_KIND) :: bytes = 64
  type(c_ptr) :: at
  integer, pointer :: memory(:)
  call MPI_Init(ierr)
  call MPI_Alloc_mem(bytes, MPI_INFO_NULL, at, ierr)
  call c_f_pointer(at, memory, [16])
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Free_mem(memory, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program
