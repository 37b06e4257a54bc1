#include "format/internal.h"
hb_status hb__sealed_open(hb_log *log, hb_error *err)
{
	return hb__fail(err, HB_E_VERSION, log->path, 12, "%s is sealed: this build does not read that yet", log->path);
}
hb_status hb__sealed_verify(hb_log *log, hb_error *err) { return hb__sealed_open(log, err); }
