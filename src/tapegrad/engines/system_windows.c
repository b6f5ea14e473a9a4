/* What system.h declares, for Windows. */

#include "system.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <process.h>
#include <psapi.h>

/* The words of windows.h: both are one pointer, and zero is a lock that is free and a bell that nobody waits for. */
_Static_assert(sizeof(tapegrad_lock) == sizeof(SRWLOCK), "a lock is a word");
_Static_assert(sizeof(tapegrad_bell) == sizeof(CONDITION_VARIABLE), "a bell is a word");

void tapegrad_take(tapegrad_lock *lock) { AcquireSRWLockExclusive((SRWLOCK *)lock); }

int tapegrad_try_take(tapegrad_lock *lock) { return TryAcquireSRWLockExclusive((SRWLOCK *)lock) != 0; }

void tapegrad_give(tapegrad_lock *lock) { ReleaseSRWLockExclusive((SRWLOCK *)lock); }

void tapegrad_await(tapegrad_bell *bell, tapegrad_lock *lock)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)bell, (SRWLOCK *)lock, INFINITE, 0);
}

void tapegrad_ring(tapegrad_bell *bell) { WakeAllConditionVariable((CONDITION_VARIABLE *)bell); }

typedef struct {
    void (*run)(void *argument);
    void *argument;
} thread_begin;

static unsigned __stdcall begin_thread(void *begin)
{
    thread_begin own = *(thread_begin *)begin;
    free(begin);
    own.run(own.argument);
    return 0;
}

int tapegrad_start_thread(void (*run)(void *argument), void *argument, size_t stack)
{
    uintptr_t thread;
    thread_begin *begin = (thread_begin *)malloc(sizeof(thread_begin));
    if (begin == NULL)
        return 0;
    begin->run = run;
    begin->argument = argument;
    thread = _beginthreadex(NULL, (unsigned)stack, begin_thread, begin, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (thread == 0) {
        free(begin);
        return 0;
    }
    CloseHandle((HANDLE)thread);
    return 1;
}

void tapegrad_yield(void) { SwitchToThread(); }

/* A timer counts steps of 100 ns, and `Sleep` those of the scheduler, up to 15 ms. Below 2 ms a thread that lets others
   run until the time is over comes nearer. */
void tapegrad_sleep(int64_t nanoseconds)
{
    if (nanoseconds < 2000000) {
        double until = tapegrad_now() + 1e-9 * (double)nanoseconds;
        while (tapegrad_now() < until)
            SwitchToThread();
    } else {
        Sleep((DWORD)(nanoseconds / 1000000));
    }
}

double tapegrad_now(void)
{
    LARGE_INTEGER count, frequency;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (double)count.QuadPart / (double)frequency.QuadPart;
}

static void (*at_thread_end)(void *argument);
static DWORD slot_of_thread = FLS_OUT_OF_INDEXES;

static void WINAPI end_thread(void *argument)
{
    if (argument != NULL)
        at_thread_end(argument);
}

int tapegrad_at_thread_end(void (*run)(void *argument))
{
    at_thread_end = run;
    slot_of_thread = FlsAlloc(end_thread);
    return slot_of_thread != FLS_OUT_OF_INDEXES;
}

int tapegrad_set_of_thread(void *argument) { return FlsSetValue(slot_of_thread, argument) != 0; }

/* Paths are UTF-8, as Python's `os.fsencode` writes them on Windows. */
static HMODULE library_at(const char *path, int load)
{
    WCHAR wide[32768];
    if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 32768) == 0)
        return NULL;
    return load ? LoadLibraryExW(wide, NULL, LOAD_WITH_ALTERED_SEARCH_PATH) : GetModuleHandleW(wide);
}

void *tapegrad_loaded_library(const char *path) { return (void *)library_at(path, 0); }

void *tapegrad_open_library(const char *path) { return (void *)library_at(path, 1); }

/* Windows asks one library alone. NumPy's BLAS is a library beside its extension, and the names asked for are those of
   a BLAS: so all that the process has loaded are asked, after the one that is named. */
void *tapegrad_symbol(void *library, const char *name)
{
    HMODULE modules[1024];
    DWORD needed = 0, i;
    void *function = (void *)GetProcAddress((HMODULE)library, name);
    if (function != NULL || !K32EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &needed))
        return function;
    if (needed > sizeof modules)
        needed = sizeof modules;
    for (i = 0; i < needed / sizeof modules[0] && function == NULL; i++)
        function = (void *)GetProcAddress(modules[i], name);
    return function;
}
