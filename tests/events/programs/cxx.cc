// The header in C++: what it offers, in a function template and in a namespace.
#include <hbdb/event.h>

namespace own {
template <class T> void say(T x) { HB_EVENT("template", hb_integer("x", x), hb_text("of", "C++")); }
}

int main()
{
	hb_begin("main");
	own::say(3);
	own::say(4L);
	hb_end("main");
}
