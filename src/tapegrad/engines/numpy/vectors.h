/* Which functions are compiled for wider vectors too, the right one being chosen when the module is loaded.

   All versions compute in the same order, and by the letter of C11 none joins a product and a sum into one
   rounding, so they give the same bits. */

#ifndef TAPEGRAD_VECTORS_H
#define TAPEGRAD_VECTORS_H

#include <limits.h> /* says whether this is glibc */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define TAPEGRAD_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TAPEGRAD_WIDE
#endif

#endif
