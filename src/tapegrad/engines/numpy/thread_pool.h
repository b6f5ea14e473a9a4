/* A few threads of our own that share the chunks of one loop.

   They start with the first loop that is worth it, sleep when there is no work, and never nest. The child of a fork
   starts threads of its own. Where one thread is held up, the others take its chunks. */

#ifndef TAPEGRAD_THREAD_POOL_H
#define TAPEGRAD_THREAD_POOL_H

#include <stddef.h>

#include "system.h"

typedef void (*tapegrad_body)(void *context, ptrdiff_t begin, ptrdiff_t end);

enum {
    TAPEGRAD_MOST_THREADS = 64,
    /* Looks at the work list before a thread goes to sleep: some 50 microseconds, the time until the next loop
       of a chain of large ops, and about what waking it costs. */
    TAPEGRAD_PATIENCE = 4000,
    /* The usual default of glibc, for all limits and C libraries. Loops have up to 260 KB of blocks on their stack,
       twice a stack of musl's, and call BLAS besides. Pages that are never written cost nothing. */
    TAPEGRAD_STACK = 1 << 23,
    TAPEGRAD_CHUNKS = 4 /* to each thread, so that one that is held up does not hold up the others */
};

/* What is left of the part of a loop that one thread begins with. In a chain of ops on arrays of one size a thread thus
   meets the elements again that are in the cache of its processor. */
typedef struct {
    ptrdiff_t next, end;
    char room[48]; /* on a cache line of its own */
} tapegrad_part;

static struct {
    tapegrad_lock door;    /* guards `open`, `wanted`, `started` and `sleeping`; `inside` goes up behind it */
    tapegrad_bell bell;
    tapegrad_lock busy;    /* held by the thread whose loop is being run */
    unsigned generation;   /* counts loops; read without the lock by those who wait for one */
    int open;              /* whether threads may still join the present loop */
    int inside;            /* threads at work on it, besides the one that called */
    int wanted;            /* how many may join */
    int sleeping;
    int started;
    int processor;         /* of the thread whose loop it is; read without the lock */
    tapegrad_body body;
    void *context;
    ptrdiff_t chunk;
    int parts;
    tapegrad_part part[TAPEGRAD_MOST_THREADS];
} tapegrad_pool = {.door = TAPEGRAD_LOCK_READY, .bell = TAPEGRAD_BELL_READY, .busy = TAPEGRAD_LOCK_READY};

static int tapegrad_thread_limit = 0; /* set by one thread while others read it: by atomics only */
static TAPEGRAD_OF_THREAD int tapegrad_is_worker = 0;

static inline int tapegrad_get_thread_limit(void)
{
    return __atomic_load_n(&tapegrad_thread_limit, __ATOMIC_RELAXED);
}

static inline void tapegrad_set_thread_limit(int limit)
{
    __atomic_store_n(&tapegrad_thread_limit, limit, __ATOMIC_RELAXED);
}

/* Lock the door, which others hold for a few instructions: going to sleep for that takes longer than a small loop. */
static inline void tapegrad_lock_door(void)
{
    int tries = 1000;
    while (!tapegrad_try_take(&tapegrad_pool.door)) {
        if (tries-- == 0) {
            tapegrad_take(&tapegrad_pool.door);
            return;
        }
        tapegrad_relax();
    }
}

/* The chunks of the part with the number `own`, then those that are left of others. */
static void tapegrad_take_chunks(tapegrad_body body, void *context, ptrdiff_t chunk, int own, int parts)
{
    int i;
    for (i = 0; i < parts; i++) {
        tapegrad_part *part = &tapegrad_pool.part[(own + i) % parts];
        for (;;) {
            ptrdiff_t begin = __atomic_fetch_add(&part->next, chunk, __ATOMIC_RELAXED);
            if (begin >= part->end)
                break;
            body(context, begin, part->end - begin < chunk ? part->end : begin + chunk);
        }
    }
}

static void tapegrad_work(void *number)
{
    unsigned seen = 0;
    int processor, own = (int)(ptrdiff_t)number;
    tapegrad_is_worker = 1;
    for (;;) {
        int patience = TAPEGRAD_PATIENCE;
        while (__atomic_load_n(&tapegrad_pool.generation, __ATOMIC_ACQUIRE) == seen && patience-- > 0)
            tapegrad_relax();
        tapegrad_lock_door();
        while (tapegrad_pool.generation == seen) {
            tapegrad_pool.sleeping++;
            tapegrad_await(&tapegrad_pool.bell, &tapegrad_pool.door);
            tapegrad_pool.sleeping--;
        }
        seen = tapegrad_pool.generation;
        if (tapegrad_pool.open && tapegrad_pool.wanted > 0) {
            tapegrad_body body = tapegrad_pool.body;
            void *context = tapegrad_pool.context;
            ptrdiff_t chunk = tapegrad_pool.chunk;
            int parts = tapegrad_pool.parts;
            tapegrad_pool.wanted--;
            /* Others leave without the lock. */
            __atomic_fetch_add(&tapegrad_pool.inside, 1, __ATOMIC_RELAXED);
            tapegrad_give(&tapegrad_pool.door);
            tapegrad_take_chunks(body, context, chunk, own, parts);
            __atomic_fetch_sub(&tapegrad_pool.inside, 1, __ATOMIC_RELEASE);
        } else {
            tapegrad_give(&tapegrad_pool.door);
        }
        /* The system may wake a thread on the processor of the one that calls, which does not wait for it. There it runs
           only when the loop is over, and goes to sleep again, for as long as the calls go on: nobody else sees a reason
           to move it. So it goes to another processor by itself. */
        processor = __atomic_load_n(&tapegrad_pool.processor, __ATOMIC_RELAXED);
        if (processor == tapegrad_processor())
            tapegrad_leave_processor(processor);
    }
}

static void tapegrad_after_fork(void)
{
    /* Only the thread that forked exists here, and others may have held the locks when it forked. */
    tapegrad_lock fresh_lock = TAPEGRAD_LOCK_READY;
    tapegrad_bell fresh_bell = TAPEGRAD_BELL_READY;
    tapegrad_pool.door = fresh_lock;
    tapegrad_pool.busy = fresh_lock;
    tapegrad_pool.bell = fresh_bell;
    tapegrad_pool.started = tapegrad_pool.sleeping = tapegrad_pool.inside = tapegrad_pool.open = 0;
    tapegrad_pool.generation = 0;
}

/* Start threads until there are `most` besides the caller's, and return how many there are. The door is locked. */
static int tapegrad_start(int most)
{
    while (tapegrad_pool.started < most
            && tapegrad_start_thread(tapegrad_work, (void *)(ptrdiff_t)(tapegrad_pool.started + 1), TAPEGRAD_STACK))
        tapegrad_pool.started++;
    return tapegrad_pool.started;
}

/* `body` over 0 .. count, in chunks of at least `grain`, by as many threads as there are. Chunks may be cut
   anywhere, so `body` must give the same bits for each number however they are cut. */
static void tapegrad_parallel(tapegrad_body body, void *context, ptrdiff_t count, ptrdiff_t grain)
{
    ptrdiff_t chunk, chunks;
    int i, helpers, waits = 0, limit = tapegrad_get_thread_limit();
    if (grain < 1)
        grain = 1;
    if (count < 2 * grain || limit < 2 || tapegrad_is_worker
            || !tapegrad_try_take(&tapegrad_pool.busy)) {
        if (count > 0)
            body(context, 0, count);
        return;
    }
    chunks = (ptrdiff_t)limit * TAPEGRAD_CHUNKS;
    chunk = (count + chunks - 1) / chunks;
    if (chunk < grain)
        chunk = grain;
    chunks = (count + chunk - 1) / chunk;
    if (chunks > limit) {
        /* Nobody has one chunk more than the others, if larger chunks are done sooner so. */
        ptrdiff_t turns = chunks / limit, even = (count + turns * limit - 1) / (turns * limit);
        if (turns * even < (chunks + limit - 1) / limit * chunk)
            chunk = even;
    }
    /* Then the vectors of a loop hold the same elements wherever the cuts are. */
    if (chunk > 64)
        chunk = (chunk + 63) / 64 * 64;
    chunks = (count + chunk - 1) / chunk;
    helpers = limit - 1;
    if (helpers > chunks - 1)
        helpers = (int)(chunks - 1);

    __atomic_store_n(&tapegrad_pool.processor, tapegrad_processor(), __ATOMIC_RELAXED);
    tapegrad_lock_door();
    tapegrad_start(helpers);
    tapegrad_pool.body = body;
    tapegrad_pool.context = context;
    tapegrad_pool.chunk = chunk;
    tapegrad_pool.parts = helpers + 1;
    for (i = 0; i <= helpers; i++) {
        ptrdiff_t end = chunks * (i + 1) / (helpers + 1) * chunk;
        tapegrad_pool.part[i].next = chunks * i / (helpers + 1) * chunk;
        tapegrad_pool.part[i].end = end < count ? end : count;
    }
    tapegrad_pool.wanted = helpers;
    tapegrad_pool.open = 1;
    __atomic_fetch_add(&tapegrad_pool.generation, 1, __ATOMIC_RELEASE);
    if (tapegrad_pool.sleeping > 0)
        tapegrad_ring(&tapegrad_pool.bell);
    tapegrad_give(&tapegrad_pool.door);

    tapegrad_is_worker = 1; /* what a body calls in turn runs on this thread alone */
    tapegrad_take_chunks(body, context, chunk, 0, helpers + 1);
    tapegrad_is_worker = 0;

    tapegrad_lock_door();
    tapegrad_pool.open = 0;
    tapegrad_give(&tapegrad_pool.door);
    while (__atomic_load_n(&tapegrad_pool.inside, __ATOMIC_ACQUIRE) > 0) {
        if (++waits < TAPEGRAD_PATIENCE)
            tapegrad_relax();
        else
            tapegrad_yield();
    }
    tapegrad_give(&tapegrad_pool.busy);
}

#endif
