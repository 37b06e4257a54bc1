! A solver that watches its residual.
!
!   gfortran -o solver $(pkg-config --variable=includedir hbdb-self)/hbdb/self/self.f90 solver.f90 $(pkg-config --libs hbdb-self)
!   ./solver && hbdb dump solver.trace
program solver
  use, intrinsic :: iso_c_binding
  use hb_self
  implicit none
  integer(c_int) :: error, stream, step, i
  type(c_ptr) :: residual, invariant
  real(c_double) :: x
  error = hb_open_log('solver.trace', stream)
  if (error /= 0) error stop 'solver.trace cannot be written'
  error = hb_event_open('step', step)
  residual = hb_value_sensor('residual', 0d0, 100d0)
  invariant = hb_assertion('x is positive')
  x = 1
  do i = 1, 8
    x = 2*x
    call hb_event(step, i)
    call hb_set(residual, x)
    call hb_assert(invariant, x > 0)
  end do
  call hb_event(step, 'done')
  call hb_event(step, x)
  print '(a, l2, f8.1)', 'tripped:', hb_is_tripped(residual), hb_last(residual)
  error = hb_shutdown(stream)
  if (error /= 0) error stop 'shutdown'
end program
