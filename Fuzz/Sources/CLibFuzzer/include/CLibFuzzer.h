#include <stddef.h>
#include <stdint.h>

// The entry of libFuzzer, for programs with a main function of their own.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *bytes, size_t count));

// Lets SQLite make `most` changes of files, as if the process were killed at the next one: that, and all later ones, fail and
// change nothing. 0 or less sets no limit.
void limit_changes(int most);
// Whether the limit was exceeded.
int are_changes_over(void);
