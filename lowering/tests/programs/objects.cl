struct Pair { int first; int second; };
constant int table[3] = { 1, 2, 3 };
global int counter = 7;

struct Pair make(int first) {
  struct Pair made = { first, 2 };
  return made;
}

int helper(int n, global int *p) {
  static long calls = 5;
  int sum = n + p[0];
  calls += sum;
  return sum + (int)calls;
}

kernel void k(global int *out, local int *scratch, constant int *in, struct Pair pair) {
  local float shared[16];
  int own[4] = { 1, 2, 3, 4 };
  float4 vector = (float4)(1.0f);
  int wide __attribute__((aligned(64))) = 3;
  constant char *text = "text";
  int *literal = (int[3]){ 4, 5, 6 };
  shared[0] = vector.x + text[1];
  scratch[0] = helper(own[1], out) + wide + literal[2];
  out[0] = in[0] + table[1] + counter + make(3).second + pair.first + (int)shared[0];
}
