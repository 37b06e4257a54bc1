! Events of your program in a recording of hbdb: hbdb/event.h, which says what they mean, for Fortran. Compile this file with
! your program (tried with gfortran):
!
!   use hbdb_event
!   call hb_event("restart")
!   call hb_event("tile", [hb_integer("x", x), hb_real("error", e), hb_text("kind", "border")])
!   call hb_begin("solve");  ...  call hb_end("solve")
!   call hb_sent("ring", number, bytes);  ...  call hb_received("ring", number, bytes)
!
! Numbers are integer(8), real(8); other kinds by int(x, 8), real(x, 8). Trailing blanks of names and texts are left out. The
! place of an event in the source is a line of this file.
module hbdb_event
   use, intrinsic :: iso_c_binding
   implicit none
   private
   public :: hb_value, hb_integer, hb_real, hb_text, hb_event, hb_begin, hb_end, hb_sent, hb_received, hb_is_recorded

   integer, parameter :: names = 200, texts = 1024, most = 16

   type :: hb_value
      character(len=names) :: name = ""
      integer(c_int) :: type = 0
      integer(c_int64_t) :: bits = 0
      character(len=texts) :: text = ""
   end type

   type, bind(c) :: c_value
      type(c_ptr) :: name
      integer(c_int) :: type
      integer(c_int64_t) :: bits
   end type

   type, bind(c) :: c_recorder
      type(c_funptr) :: event, message
   end type

   abstract interface
      subroutine event_function(kind, name, n, values) bind(c)
         import
         integer(c_int), value :: kind, n
         type(c_ptr), value :: name, values
      end subroutine
      subroutine message_function(kind, channel, key, bytes) bind(c)
         import
         integer(c_int), value :: kind
         type(c_ptr), value :: channel
         integer(c_int64_t), value :: key, bytes
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

   interface hb_event
      module procedure event_plain, event_values
   end interface
   interface hb_begin
      module procedure begin_plain, begin_values
   end interface
   interface hb_end
      module procedure end_plain, end_values
   end interface

   logical :: looked = .false.
   procedure(event_function), pointer :: on_event => null()
   procedure(message_function), pointer :: on_message => null()

contains

   ! Whether somebody may record.
   logical function hb_is_recorded()
      type(c_ptr) :: found
      type(c_recorder), pointer :: recorder
      if (.not. looked) then
         found = dlsym(c_null_ptr, "hb_recorder_1" // c_null_char)
         if (c_associated(found)) then
            call c_f_pointer(found, recorder)
            call c_f_procpointer(recorder%message, on_message)
            call c_f_procpointer(recorder%event, on_event)
         end if
         looked = .true.
      end if
      hb_is_recorded = associated(on_event)
   end function

   type(hb_value) function hb_integer(name, value)
      character(len=*), intent(in) :: name
      integer(c_int64_t), intent(in) :: value
      hb_integer%name = name
      hb_integer%type = 0
      hb_integer%bits = value
   end function

   type(hb_value) function hb_real(name, value)
      character(len=*), intent(in) :: name
      real(c_double), intent(in) :: value
      hb_real%name = name
      hb_real%type = 1
      hb_real%bits = transfer(value, hb_real%bits)
   end function

   type(hb_value) function hb_text(name, value)
      character(len=*), intent(in) :: name, value
      hb_text%name = name
      hb_text%type = 2
      hb_text%text = value
   end function

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

   subroutine say(kind, name, values)
      integer(c_int), intent(in) :: kind
      character(len=*), intent(in) :: name
      type(hb_value), intent(in) :: values(:)
      character(kind=c_char), target :: cname(names + 1), cnames(names + 1, most), ctexts(texts + 1, most)
      type(c_value), target :: cvalues(most)
      integer :: i, n
      n = min(size(values), most)
      call put(name, cname)
      do i = 1, n
         call put(values(i)%name, cnames(:, i))
         cvalues(i)%name = c_loc(cnames(1, i))
         cvalues(i)%type = values(i)%type
         cvalues(i)%bits = values(i)%bits
         if (values(i)%type == 2) then
            call put(values(i)%text, ctexts(:, i))
            cvalues(i)%bits = transfer(c_loc(ctexts(1, i)), cvalues(i)%bits)
         end if
      end do
      call on_event(kind, c_loc(cname(1)), int(n, c_int), c_loc(cvalues(1)))
   end subroutine

   subroutine tell(kind, channel, key, bytes)
      integer(c_int), intent(in) :: kind
      character(len=*), intent(in) :: channel
      integer(c_int64_t), intent(in) :: key, bytes
      character(kind=c_char), target :: cname(names + 1)
      call put(channel, cname)
      call on_message(kind, c_loc(cname(1)), key, bytes)
   end subroutine

   subroutine event_plain(name)
      character(len=*), intent(in) :: name
      type(hb_value) :: none(0)
      if (hb_is_recorded()) call say(0_c_int, name, none)
   end subroutine

   subroutine event_values(name, values)
      character(len=*), intent(in) :: name
      type(hb_value), intent(in) :: values(:)
      if (hb_is_recorded()) call say(0_c_int, name, values)
   end subroutine

   subroutine begin_plain(name)
      character(len=*), intent(in) :: name
      type(hb_value) :: none(0)
      if (hb_is_recorded()) call say(1_c_int, name, none)
   end subroutine

   subroutine begin_values(name, values)
      character(len=*), intent(in) :: name
      type(hb_value), intent(in) :: values(:)
      if (hb_is_recorded()) call say(1_c_int, name, values)
   end subroutine

   subroutine end_plain(name)
      character(len=*), intent(in) :: name
      type(hb_value) :: none(0)
      if (hb_is_recorded()) call say(2_c_int, name, none)
   end subroutine

   subroutine end_values(name, values)
      character(len=*), intent(in) :: name
      type(hb_value), intent(in) :: values(:)
      if (hb_is_recorded()) call say(2_c_int, name, values)
   end subroutine

   ! A message over a transport that MPI does not see: before it can be taken, and after it was taken.
   subroutine hb_sent(channel, key, bytes)
      character(len=*), intent(in) :: channel
      integer(c_int64_t), intent(in) :: key, bytes
      if (hb_is_recorded()) call tell(3_c_int, channel, key, bytes)
   end subroutine

   subroutine hb_received(channel, key, bytes)
      character(len=*), intent(in) :: channel
      integer(c_int64_t), intent(in) :: key, bytes
      if (hb_is_recorded()) call tell(4_c_int, channel, key, bytes)
   end subroutine

end module
