/* The page as bytes: made by bundle.py from what is in this folder. */
#ifndef HBDB_VIEW_PAGE_PAGE_H
#define HBDB_VIEW_PAGE_PAGE_H

#include <stddef.h>

/* name: the last part of its address ("page.html", "page.js", "page.css"; "complex.html" and so on), type: its Content-Type. Two more have no type and no address:
 * "alone.head" and "alone.tail" are the page in one file, without a server; between them stand its data (README.md). */
struct hb_page_file {
	const char *name, *type;
	const unsigned char *bytes;
	size_t n;
};
extern const struct hb_page_file hb_page_files[];
extern const size_t hb_page_files_n;

#endif
