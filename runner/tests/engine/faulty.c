/* A driver's library whose functions die, each in its own way. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int *volatile nothing;
static void (*volatile no_function)(void);
static void (*volatile into_the_wild)(void) = (void (*)(void))0x10;
static volatile size_t many = 100;
static volatile size_t zero;
static volatile int after;

void read_null(void) { after = *nothing; }

/* Exported as C++ exports `driver::Pass::run(int *)`. */
void run_pass(int *) __asm__("_ZN6driver4Pass3runEPi");
void run_pass(int *p) { after = *p; }
void in_cpp(void) { run_pass(nothing); after = 1; }

static void __attribute__((noinline)) hidden(void) { *nothing = 1; after = 1; }
void in_hidden(void) { hidden(); after = 1; }

void in_c_library(void) { memset(nothing, 1, many); after = 1; }
void call_null(void) { no_function(); after = 1; }
void call_wild(void) { into_the_wild(); after = 1; }
void divide(void) { after = many / zero; }
void trap(void) { __builtin_trap(); }
void send(void) { raise(SIGSEGV); after = 1; }

int overflow_stack(int n) {
    volatile char room[1000];
    room[n % 1000] = 1;
    return overflow_stack(n + 1) + room[n % 999];
}
void overflow(void) { after = overflow_stack(0); }

static void *start(void *p) {
    read_null();
    return p;
}
void in_thread(void) {
    pthread_t thread;
    pthread_create(&thread, 0, start, 0);
    pthread_join(thread, 0);
}

/* As LLVM does: say something, put back what was there and let the fault be repeated. */
static struct sigaction former;
static void say(int signal) {
    static const char words[] = "LLVM ERROR: so much for that\n";
    after = write(2, words, sizeof words - 1);
    sigaction(signal, &former, 0);
}
void with_own_handler(void) {
    struct sigaction own = {.sa_handler = say, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &own, &former);
    read_null();
}

void in_generated_code(void) {
    unsigned char *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* The trap of this very function's kind, copied. */
    memcpy(code, (void *)trap, 64);
    ((void (*)(void))code)();
    after = 1;
}
