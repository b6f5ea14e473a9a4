/* All that the compiled code asks of the system: threads, time, memory, libraries, forks. Nothing else in the sources
   knows one, so a port begins and ends here.

   Systems: Linux with glibc or musl, macOS, and Windows by a compiler of gcc's or clang's kind (MinGW, `zig cc`,
   clang). What takes more than a line on Windows is in system_windows.c, so that no other file reads windows.h, whose
   macros are words like `near` and `small`. docs/platforms.md says what was tried where. */

#ifndef TAPEGRAD_SYSTEM_H
#define TAPEGRAD_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if !defined(__GNUC__)
#error "tapegrad is compiled by gcc, clang or a compiler that knows their attributes"
#endif

#if defined(_WIN32)
#include <malloc.h>
#else
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

/* A variable of which every thread has its own. */
#define TAPEGRAD_OF_THREAD __thread

/* --- Locks, and threads that sleep until another wakes them -------------------------------------------- */

#if defined(_WIN32)

typedef struct { void *word; } tapegrad_lock;
typedef struct { void *word; } tapegrad_bell;
#define TAPEGRAD_LOCK_READY {NULL}
#define TAPEGRAD_BELL_READY {NULL}
void tapegrad_take(tapegrad_lock *lock);
int tapegrad_try_take(tapegrad_lock *lock);
void tapegrad_give(tapegrad_lock *lock);
void tapegrad_await(tapegrad_bell *bell, tapegrad_lock *lock);
void tapegrad_ring(tapegrad_bell *bell);
int tapegrad_start_thread(void (*run)(void *argument), void *argument, size_t stack);
void tapegrad_yield(void);
void tapegrad_sleep(int64_t nanoseconds);
double tapegrad_now(void);
int tapegrad_at_thread_end(void (*run)(void *argument));
int tapegrad_set_of_thread(void *argument);
void *tapegrad_loaded_library(const char *path);
void *tapegrad_open_library(const char *path);
void *tapegrad_symbol(void *library, const char *name);

#else

typedef pthread_mutex_t tapegrad_lock;
typedef pthread_cond_t tapegrad_bell;
#define TAPEGRAD_LOCK_READY PTHREAD_MUTEX_INITIALIZER
#define TAPEGRAD_BELL_READY PTHREAD_COND_INITIALIZER

static inline void tapegrad_take(tapegrad_lock *lock) { pthread_mutex_lock(lock); }

/* Whether the lock could be taken at once. */
static inline int tapegrad_try_take(tapegrad_lock *lock) { return pthread_mutex_trylock(lock) == 0; }

static inline void tapegrad_give(tapegrad_lock *lock) { pthread_mutex_unlock(lock); }

/* Give the lock, sleep until the bell rings, and take the lock again. A thread may wake without a ring. */
static inline void tapegrad_await(tapegrad_bell *bell, tapegrad_lock *lock) { pthread_cond_wait(bell, lock); }

/* Wake all who wait for the bell. */
static inline void tapegrad_ring(tapegrad_bell *bell) { pthread_cond_broadcast(bell); }

typedef struct {
    void (*run)(void *argument);
    void *argument;
} tapegrad_thread_begin;

static inline void *tapegrad_begin_thread(void *begin)
{
    tapegrad_thread_begin own = *(tapegrad_thread_begin *)begin;
    free(begin);
    own.run(own.argument);
    return NULL;
}

/* Run a function on a thread that nobody waits for. Whether it could be started. */
static inline int tapegrad_start_thread(void (*run)(void *argument), void *argument, size_t stack)
{
    pthread_t thread;
    pthread_attr_t detached;
    tapegrad_thread_begin *begin = (tapegrad_thread_begin *)malloc(sizeof(tapegrad_thread_begin));
    int failed;
    if (begin == NULL)
        return 0;
    begin->run = run;
    begin->argument = argument;
    failed = pthread_attr_init(&detached);
    if (!failed) {
        pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&detached, stack);
        failed = pthread_create(&thread, &detached, tapegrad_begin_thread, begin);
        pthread_attr_destroy(&detached);
    }
    if (failed)
        free(begin);
    return !failed;
}

/* Let another thread run on this processor. */
static inline void tapegrad_yield(void) { sched_yield(); }

static inline void tapegrad_sleep(int64_t nanoseconds)
{
    struct timespec interval;
    interval.tv_sec = (time_t)(nanoseconds / 1000000000);
    interval.tv_nsec = (long)(nanoseconds % 1000000000);
    nanosleep(&interval, NULL);
}

/* Seconds of a clock that nobody sets. */
static inline double tapegrad_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif

/* Tell the processor that this thread looks at a word again and again. */
static inline void tapegrad_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* The number of the processor that this thread runs on; -1 where the system does not say. */
static inline int tapegrad_processor(void)
{
#if defined(__linux__) && defined(CPU_SETSIZE)
    return sched_getcpu();
#else
    return -1;
#endif
}

/* Go on on another processor, if this thread may. It may come back later. */
static inline void tapegrad_leave_processor(int processor)
{
#if defined(__linux__) && defined(CPU_SETSIZE)
    cpu_set_t allowed, others;
    if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    others = allowed;
    CPU_CLR(processor, &others);
    if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof allowed, &allowed);
#else
    (void)processor;
#endif
}

/* --- The end of a thread, and forks --------------------------------------------------------------------- */

#if !defined(_WIN32)

/* Run `run` on every thread that ends, with what `tapegrad_set_of_thread` was last given there. One module asks for
   it, once; whether the system could. */
static pthread_key_t tapegrad_key_of_thread;

static inline int tapegrad_at_thread_end(void (*run)(void *argument))
{
    return pthread_key_create(&tapegrad_key_of_thread, run) == 0;
}

static inline int tapegrad_set_of_thread(void *argument)
{
    return pthread_setspecific(tapegrad_key_of_thread, argument) == 0;
}

#endif

/* Run `run` in the child of each fork, on the one thread that it has. Windows has no forks. */
static inline void tapegrad_in_forked_child(void (*run)(void))
{
#if defined(_WIN32)
    (void)run;
#else
    pthread_atfork(NULL, NULL, run);
#endif
}

/* --- Memory --------------------------------------------------------------------------------------------- */

/* Where this is defined, a part of mapped memory can be given back by itself. */
#if defined(__linux__)
#define TAPEGRAD_HAS_MAPS

static inline void *tapegrad_map(size_t size)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

static inline void tapegrad_unmap(void *start, size_t size) { munmap(start, size); }

/* Make mapped memory larger, with the pages that it has: where it is or elsewhere. NULL where that cannot be; then it is
   as it was. */
static inline void *tapegrad_grow_map(void *start, size_t size, size_t larger)
{
#if defined(MREMAP_MAYMOVE)
    void *grown = mremap(start, size, larger, MREMAP_MAYMOVE);
    return grown == MAP_FAILED ? NULL : grown;
#else
    (void)start, (void)size, (void)larger;
    return NULL;
#endif
}

/* Advice only: one fault then serves 2 MB where the system has such pages. */
static inline void tapegrad_wish_huge_pages(void *start, size_t size)
{
#if defined(MADV_HUGEPAGE)
    madvise(start, size, MADV_HUGEPAGE);
#endif
}
#endif

/* Memory that begins with a cache line; NULL if there is none. `tapegrad_free_lines` lets go of it. */
static inline void *tapegrad_new_lines(size_t size)
{
#if defined(_WIN32)
    return _aligned_malloc(size, 64);
#else
    void *memory = NULL;
    return posix_memalign(&memory, 64, size) == 0 ? memory : NULL;
#endif
}

static inline void tapegrad_free_lines(void *memory)
{
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

/* Give the freed memory that the C library keeps back to the system. */
static inline void tapegrad_trim_heap(void)
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

/* --- Libraries ------------------------------------------------------------------------------------------ */

#if !defined(_WIN32)

/* A library that this process has loaded already; NULL if it has not. */
static inline void *tapegrad_loaded_library(const char *path) { return dlopen(path, RTLD_LAZY | RTLD_NOLOAD); }

static inline void *tapegrad_open_library(const char *path) { return dlopen(path, RTLD_LAZY | RTLD_LOCAL); }

/* What has this name in the library, or in one that it was linked with; NULL if nothing has. */
static inline void *tapegrad_symbol(void *library, const char *name) { return dlsym(library, name); }

#endif

#endif
