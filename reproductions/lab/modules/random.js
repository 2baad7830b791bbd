// R's random numbers: Mersenne Twister, Inversion and Rejection, R's defaults since 3.6.0.
// Matsumoto and Nishimura (1998), ACM TOMACS 8; Wichura (1988), AS 241, Applied Statistics 37.

import { log } from "./exact.js";

const WORDS = 624,
  MIDDLE = 397;
const SMALLEST = 0.5 * 2.328306437080797e-10; // stands for a uniform of exactly 0
const STEPS = 2 ** 27;

const CENTRE = [
  [
    2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
    4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
    1.3314166789178437745e2, 3.387132872796366608,
  ],
  [
    5.226495278852854561e3, 2.8729085735721942674e4, 3.930789580009271061e4,
    2.1213794301586595867e4, 5.3941960214247511077e3, 6.871870074920579083e2,
    4.2313330701600911252e1, 1,
  ],
];
const SIDE = [
  [
    7.7454501427834140764e-4, 2.27238449892691845833e-2, 2.4178072517745061177e-1,
    1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959,
    1.42343711074968357734,
  ],
  [
    1.05075007164441684324e-9, 5.475938084995344946e-4, 1.51986665636164571966e-2,
    1.4810397642748007459e-1, 6.8976733498510000455e-1, 1.6763848301838038494,
    2.05319162663775882187, 1,
  ],
];
const TAIL = [
  [
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.2426609473880784386e-3,
    2.6532189526576123093e-2, 2.9656057182850489123e-1, 1.7848265399172913358,
    5.4637849111641143699, 6.6579046435011037772,
  ],
  [
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
    7.868691311456132591e-4, 1.4875361290850615025e-2, 1.3692988092273580531e-1,
    5.9983220655588793769e-1, 1,
  ],
];

const polynomial = (coefficients, r) => coefficients.reduce((value, c) => value * r + c, 0);
const ratio = ([above, below], r, q = 1) => (polynomial(above, r) * q) / polynomial(below, r);

/** Quantile of the standard normal distribution. */
export function normalQuantile(p) {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return ratio(CENTRE, 0.180625 - q * q, q);
  const r = Math.sqrt(-log(q <= 0 ? p : 1 - p));
  const size = r <= 5 ? ratio(SIDE, r - 1.6) : ratio(TAIL, r - 5);
  return q < 0 ? -size : size;
}

/** One random stream of R, as left by set.seed(seed). */
export class RRandom {
  constructor(seed) {
    let word = seed >>> 0;
    const next = () => (word = (Math.imul(69069, word) + 1) >>> 0);
    for (let i = 0; i < 51; i++) next(); // the warm-up, and where R keeps its position
    this.state = Uint32Array.from({ length: WORDS }, next);
    this.position = WORDS;
  }

  /** The next 32 random bits. */
  bits() {
    if (this.position === WORDS) this.twist();
    let y = this.state[this.position++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  twist() {
    const s = this.state;
    for (let i = 0; i < WORDS; i++) {
      const y = (s[i] & 0x80000000) | (s[(i + 1) % WORDS] & 0x7fffffff);
      s[i] = s[(i + MIDDLE) % WORDS] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.position = 0;
  }

  uniform() {
    return this.bits() * 2 ** -32 || SMALLEST;
  }

  /** R's runif(n). */
  runif(n) {
    return Array.from({ length: n }, () => this.uniform());
  }

  /** R's rnorm(n, mean, sd), sd above 0. */
  rnorm(n, mean = 0, sd = 1) {
    return Array.from({ length: n }, () => {
      const first = Math.floor(STEPS * this.uniform());
      return mean + sd * normalQuantile((first + this.uniform()) / STEPS);
    });
  }

  /** R's sample.int(n): a permutation of 1, ..., n, n below 65536. */
  sampleInt(n) {
    const left = Array.from({ length: n }, (_, i) => i + 1);
    return Array.from({ length: n }, () => {
      const slot = this.below(left.length),
        drawn = left[slot],
        last = left.pop();
      if (slot < left.length) left[slot] = last;
      return drawn;
    });
  }

  /** A whole number below n, by rejection. */
  below(n) {
    const bits = n > 1 ? 32 - Math.clz32(n - 1) : 0;
    for (;;) {
      let value = 0;
      for (let got = 0; got <= bits; got += 16) value = value * 65536 + (this.bits() >>> 16);
      value %= 2 ** bits;
      if (value < n) return value;
    }
  }
}
