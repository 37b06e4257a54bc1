/* The library itself. */
__attribute__((constructor)) static void begin(void) {}
