#include "answer.h"
void hb__answer_search(struct hb_request *r) { hb__view_refuse(r, 500, "not yet"); }
