/* A picture of where an array of a run differs from that of the reference. */
#ifndef HBDB_REFERENCE_PICTURE_H
#define HBDB_REFERENCE_PICTURE_H

#include "../../arrays/map.h"
#include "../reference.h"

/* An array as it was saved by the processes of a run, or of which checksums are known, at one point. */
typedef struct hb_drawn {
	hb_npy whole; /* all elements, NAN or 0 where no process had one; at NULL: not saved */
	hb_tiling tiling;
	hb_tile *tile; /* tiling.tiles; NULL: there is no checksum there */
	hb_element type;
	int64_t base[HB_DIMENSIONS];
	hb_map_box *box; /* of its processes */
	size_t boxes;
} hb_drawn;

/* Looks for the array in the traces of a recording. 0, or an exit code after having said why; where it is neither saved nor summed there,
 * ret->box is NULL. hb__drawn_free in any case. */
int hb__read_drawn(const char *recording, const hb_array_id *id, const hb_point *at, hb_drawn *ret);
void hb__drawn_free(hb_drawn *drawn);

/* Of both runs, by HB_OF_*. 0, or an exit code after having said why it cannot be drawn; hb__drawn_free both in any case. */
int hb__read_both(const char *reference, const char *run, const hb_array_id *id, const hb_point *at, hb_drawn ret[2]);
/* Where they differ, by elements where both have them, else by tiles. 0, or an exit code after having said why. hb__map_free. */
int hb__map_both(const hb_drawn both[2], const hb_map_what *what, hb_map *ret_map);
/* The title of it; free it. */
char *hb__map_title(const hb_array_id *id, const hb_point *at, const char *reference, const char *run);

/* Draws it into a file, SVG or, where its name ends so, PNG; says which. All elements that were saved are put into one .npy in each recording, too.
 * 0, or an exit code after having said why. */
int hb__picture(const char *reference, const char *run, const hb_array_id *id, const hb_point *at, double tolerance,
	const char *file);

#endif
