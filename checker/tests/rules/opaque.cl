//# 1.0 1.1 1.2 2.0 3.0 | images have no space
kernel void a(global image2d_t i) {}
//            ^^^^^^ type/image-qualified
kernel void b(read_only local image2d_t i) {}
//                      ^^^^^ type/image-qualified
kernel void c(private image2d_t i) {}
//            ~~~~~~~ type/image-qualified
typedef constant image2d_t T;
//      ^^^^^^^^ type/image-qualified
kernel void d(write_only image2d_t i, read_only image3d_t j) {}
//# 1.0 1.1 1.2 2.0 3.0 | images are parameters
kernel void a(global image2d_t *i) {}
//                             ^ type/image-use
kernel void b(image2d_t i[2]) {}
//                       ^^^ type/image-use
void c(read_only image2d_t i) { image2d_t j; }
//                                        ^ type/image-use
struct s { image2d_t i; };
//                   ^ type/image-use
image2d_t d(void);
//^1:9^ type/image-use
constant image2d_t e = 0;
//                 ^ type/image-use
//# 1.0 1.1 1.2 2.0 3.0 | images are opaque
kernel void k(read_only image2d_t i, write_only image2d_t j) {
  int n = *i;
//        ^^ type/image-access
  n = i[0];
//    ^^^^ type/image-access
  j = i;
//^ type/image-access
  n = i.x;
//    ^^^ type/image-access
}
//# 1.0 1.1 1.2 2.0 3.0 | addresses of images
void f(read_only image2d_t i) { &i; }
//                              ^^ type/image-use
//# 1.0 1.1 1.2 2.0 3.0 | samplers
constant sampler_t a = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
const sampler_t b = 0;
global sampler_t c = 0;
//^1:6^ type/sampler-qualified
local sampler_t d;
//^1:5^ type/sampler-qualified
kernel void k(sampler_t s) {
  sampler_t e = 0;
  const sampler_t f = CLK_ADDRESS_CLAMP;
  local sampler_t g;
//^^^^^ type/sampler-qualified
  constant sampler_t h = 0;
  s = b;
//^ type/sampler-use
}
//# 1.0 1.1 1.2 2.0 3.0 | samplers have no derived types
struct s { sampler_t s; };
//                   ^ type/sampler-use
sampler_t f(void);
//^1:9^ type/sampler-use
void g(sampler_t *s) {}
//               ^ type/sampler-use
void h(sampler_t s) { sampler_t a[2]; }
//                               ^^^ type/sampler-use
void i(local sampler_t s) {}
//     ^^^^^ type/sampler-qualified
//# 1.2 | a sampler without a qualifier, without globals
sampler_t s = 0;
//        ^ declaration/global-unsupported
//# 2.0 3.0 | a sampler without a qualifier, with globals
sampler_t s = 0;
//        ^ type/sampler-qualified
//# all | events
event_t a;
//      ^ type/event-use
struct s { event_t e; };
//                 ^ type/event-use
kernel void k(void) {
  event_t b;
  private event_t c;
  local event_t d;
//^^^^^ type/event-qualified
  global event_t e;
//^^^^^^ type/event-qualified
  constant event_t f;
//^^^^^^^^ type/event-qualified
}
void f(event_t e, private event_t *p) { e = *p; }
kernel void l(event_t e) {}
//                    ^ type/event-use
void g(local event_t e) {}
//     ^^^^^ type/event-qualified
//# 2.0 3.0 | device-side types at program scope
clk_event_t a;
//          ^ type/program-scope
reserve_id_t b;
//           ^ type/program-scope
queue_t c;
//      ^ type/program-scope
global ndrange_t d;
//               ^ type/program-scope
constant queue_t e = 0;
//               ^ type/program-scope
void f(queue_t q) { clk_event_t a; ndrange_t n; reserve_id_t r; }
//# 1.0-none 3.0-none | half without cl_khr_fp16
kernel void k(global half *p, local half4 *l) {
  half a;
//     ^ type/half
  half b[4];
//     ^ type/half
  float f = *p;
//          ^^ type/half
  *p = 1.0f;
//^^ type/half
  f = vload_half(0, p);
  vstore_half(f, 0, p);
  f = (half)1;
//    ^^^^^^^ type/half
  global half *q = &p[2];
  f = sizeof(half);
  p[0]++;
//^^^^ type/half
}
half f(float a) { return a; }
//^1:4^ type/half
void g(half a) {}
//          ^ type/half
struct s { half h; };
//              ^ type/half
//# 1.2 2.0 3.0 | half with cl_khr_fp16 switched on
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *p) { half a = p[0]; half4 b = (half4)(a); p[1] = a * 2.0h; }
half f(half a) { return a; }
//# 2.0 3.0 | half without the pragma
half f(void);
//^1:4^ type/half
//# 2.0 3.0 | pipes
kernel void k(read_only pipe int p, write_only pipe float4 q) {}
kernel void l(global read_only pipe int p) {}
//            ^^^^^^ parameter/qualified
void f(read_only pipe int p) { pipe int q; }
//                                      ^ type/pipe-use
struct s { pipe int p; };
//                  ^ type/pipe-use
pipe int g(void);
//^1:4^ type/pipe-use
void h(pipe int *p) {}
//              ^ type/pipe-use
kernel void m(read_only pipe int p[2]) {}
//                                ^^^ type/pipe-use
//# 1.0-none | stores of small objects in 1.0
kernel void k(global char *a, short b, global short *c) {
  char x[100];
  private char *px = x;
  short f;
  f = c[1] + b;
  px[1] = a[1];
//^^^^^ type/byte-store
  c[1] = b;
//^^^^ type/byte-store
  struct { uchar2 u; int n; } s;
  s.u = (uchar2)(1);
//^^^ type/byte-store
  s.n = 1;
}
//# 1.0 1.1 3.0-none | stores of small objects with the extension or later
kernel void k(global char *a) { a[1] = 1; }
//# 1.0-none | stores of small objects in 1.0, switched on
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
kernel void k(global char *a) { a[1] = 1; }
//# 1.0 1.1 1.2 2.0 3.0 | samplers as variables of functions
void f(void) { const sampler_t s = 0; }
//                             ^ type/sampler-use
kernel void k(int n) {
  private sampler_t a = 0;
//~~~~~~~ type/sampler-qualified
  if (n) { const sampler_t b = 0; }
//                         ~ type/sampler-use
}
//# 2.0 3.0 | packets of a pipe
kernel void k(read_only pipe int p, write_only pipe int q) {
  int n = *p;
//        ^^ type/pipe-use
  n = p[0];
//    ^^^^ type/pipe-use
  q = q;
//^ type/pipe-use
}
//# 1.0 1.1 1.2 2.0 3.0 | private in the typedef of an image
typedef private image2d_t T;
//      ~~~~~~~ type/image-qualified
//# device-enqueue | the text does not say whether a range has members
void f(void) { ndrange_t n = ndrange_1D(4); uint d = n.workDimension; }
