/* What a bare Xtensa program needs under QEMU's "sim" machine: console, crash report, static constructors, and the
   integer helpers that Debian's lx106 libgcc leaves out (the chip's boot ROM has them). */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int xt_simcall(int number, int a, int b, int c);
int main(int argc, char **argv);

enum { kExit = 1, kWrite = 4 };

void _exit(int status) {
  for (;;) xt_simcall(kExit, status, 0, 0);
}

static void write_all(int stream, const char *text, unsigned length) {
  xt_simcall(kWrite, stream, (int)(intptr_t)text, (int)length);
}

void abort(void) {
  static const char message[] = "abort\n";
  write_all(2, message, sizeof message - 1);
  _exit(134);
}

static char pending[256];
static unsigned pending_count;

static void flush_pending(void) {
  if (pending_count == 0) return;
  write_all(1, pending, pending_count);
  pending_count = 0;
}

static int put_character(char c, FILE *file) {
  (void)file;
  pending[pending_count++] = c;
  if (c == '\n' || pending_count == sizeof pending) flush_pending();
  return (unsigned char)c;
}

static FILE console = FDEV_SETUP_STREAM(put_character, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &console;
FILE *const stderr = &console;

static char *put_hex(char *to, const char *label, uint32_t value) {
  while (*label) *to++ = *label++;
  for (int shift = 28; shift >= 0; shift -= 4) *to++ = "0123456789abcdef"[value >> shift & 15];
  return to;
}

/* Called by the exception vectors on a stack of its own. */
void xt_crash(uint32_t cause, uint32_t epc, uint32_t address, uint32_t depc) {
  static int again;
  static char text[96];
  char *end = text;
  if (again++) _exit(121);
  flush_pending();
  end = put_hex(end, "CRASH exccause=", cause);
  end = put_hex(end, " epc1=", epc);
  end = put_hex(end, " excvaddr=", address);
  end = put_hex(end, " depc=", depc);
  *end++ = '\n';
  write_all(2, text, (unsigned)(end - text));
  _exit(120);
}

extern void (*__init_array_start[])(void), (*__init_array_end[])(void);
extern void (*__ctors_start[])(void), (*__ctors_end[])(void);

int xt_main(void) {
  for (void (**p)(void) = __init_array_start; p < __init_array_end; p++) (*p)();
  for (void (**p)(void) = __ctors_end; p > __ctors_start;) (*--p)();
  const int status = main(0, 0);
  flush_pending();
  return status;
}

unsigned __udivsi3(unsigned dividend, unsigned divisor) {
  if (divisor == 0) abort();
  if (dividend < divisor) return 0;
  unsigned quotient = 0;
  int steps = __builtin_clz(divisor) - __builtin_clz(dividend);
  divisor <<= steps;
  for (;;) {
    quotient <<= 1;
    if (dividend >= divisor) {
      dividend -= divisor;
      quotient |= 1;
    }
    if (steps-- == 0) return quotient;
    divisor >>= 1;
  }
}

unsigned __umodsi3(unsigned dividend, unsigned divisor) {
  if (divisor == 0) abort();
  if (dividend < divisor) return dividend;
  int steps = __builtin_clz(divisor) - __builtin_clz(dividend);
  divisor <<= steps;
  for (;;) {
    if (dividend >= divisor) dividend -= divisor;
    if (steps-- == 0) return dividend;
    divisor >>= 1;
  }
}

static unsigned magnitude(int value) { return value < 0 ? 0u - (unsigned)value : (unsigned)value; }

int __divsi3(int a, int b) {
  const unsigned quotient = __udivsi3(magnitude(a), magnitude(b));
  return (a ^ b) < 0 ? -(int)quotient : (int)quotient;
}

int __modsi3(int a, int b) {
  const unsigned rest = __umodsi3(magnitude(a), magnitude(b));
  return a < 0 ? -(int)rest : (int)rest;
}

unsigned long long __umulsidi3(unsigned a, unsigned b) {
  const unsigned al = a & 0xffff, ah = a >> 16, bl = b & 0xffff, bh = b >> 16;
  const unsigned ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
  const unsigned middle = (ll >> 16) + (lh & 0xffff) + (hl & 0xffff);
  return ((unsigned long long)(hh + (lh >> 16) + (hl >> 16) + (middle >> 16)) << 32) | ((middle << 16) | (ll & 0xffff));
}

unsigned long long __muldi3(unsigned long long a, unsigned long long b) {
  const unsigned al = (unsigned)a, bl = (unsigned)b;
  const unsigned long long low = __umulsidi3(al, bl);
  const unsigned high = (unsigned)(low >> 32) + al * (unsigned)(b >> 32) + (unsigned)(a >> 32) * bl;
  return ((unsigned long long)high << 32) | (unsigned)low;
}

extern unsigned long long __udivmoddi4(unsigned long long, unsigned long long, unsigned long long *);

unsigned long long __udivdi3(unsigned long long a, unsigned long long b) { return __udivmoddi4(a, b, 0); }

unsigned long long __umoddi3(unsigned long long a, unsigned long long b) {
  unsigned long long rest;
  __udivmoddi4(a, b, &rest);
  return rest;
}

static unsigned long long magnitude64(long long value) {
  return value < 0 ? 0ull - (unsigned long long)value : (unsigned long long)value;
}

long long __divdi3(long long a, long long b) {
  const unsigned long long quotient = __udivdi3(magnitude64(a), magnitude64(b));
  return (a ^ b) < 0 ? -(long long)quotient : (long long)quotient;
}

long long __moddi3(long long a, long long b) {
  const unsigned long long rest = __umoddi3(magnitude64(a), magnitude64(b));
  return a < 0 ? -(long long)rest : (long long)rest;
}
