/* hbdb export --to otf2 where hbdb was built without libotf2. */
#include "../export.h"

int hb__export_otf2(hb_export *x)
{
	(void)x;
	return hb__fail_with(HB_EXIT_USAGE,
		"this hbdb was built without libotf2: install it (Debian: libopen-trace-format2-dev) and build again");
}
