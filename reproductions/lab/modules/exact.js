// Sums and means of doubles without rounding on the way: as integers, rounded once at the end.
// The same numbers as aleplot_py.steps.sums.EXACT, whatever the order of the terms.

const view = new DataView(new ArrayBuffer(8));
const UNIT = -1074; // every double is an integer times 2**UNIT

/** A double as [integer, exponent]: integer * 2**exponent. */
function parts(x) {
  if (!Number.isFinite(x)) throw new RangeError(`numbers to be added must be finite, got ${x}`);
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const integer = exponent ? fraction | 0x10000000000000n : fraction;
  if (integer === 0n) return [integer, -UNIT]; // 0 has room in any unit
  return [x < 0 ? -integer : integer, (exponent || 1) - 1075];
}

const length = (integer) => (integer < 0n ? -integer : integer).toString(2).length;

/** x * 2**power, in two steps so that the power itself stays a double. */
export function scaled(x, power) {
  const half = Math.trunc(power / 2);
  return x * 2 ** half * 2 ** (power - half);
}

/** numerator * 2**exponent / denominator, rounded once, halves to even. */
function quotient(numerator, denominator, exponent) {
  if (numerator === 0n) return 0;
  const shift = 66 + length(denominator) - length(numerator);
  let [top, bottom] = [numerator < 0n ? -numerator : numerator, denominator];
  if (shift > 0) top <<= BigInt(shift);
  else bottom <<= BigInt(-shift);
  let ratio = top / bottom;
  if (ratio * bottom !== top) ratio |= 1n; // below 53 bits only "something" matters
  const size = scaled(Number(ratio), exponent - shift);
  return numerator < 0n ? -size : size;
}

/** The terms as integers over one power of two. */
function integers(values) {
  const all = values.map(parts);
  const low = all.reduce((least, [, exponent]) => Math.min(least, exponent), -UNIT);
  return [all.map(([integer, exponent]) => integer << BigInt(exponent - low)), low];
}

const sum = (terms) => terms.reduce((total, term) => total + term, 0n);

/** Sum, rounded once. */
export function total(values) {
  if (!values.length) return 0;
  const [terms, exponent] = integers(values);
  return quotient(sum(terms), 1n, exponent);
}

/** Mean, rounded once; 0 of nothing. */
export function mean(values) {
  if (!values.length) return 0;
  const [terms, exponent] = integers(values);
  return quotient(sum(terms), BigInt(values.length), exponent);
}

/** Cumulative sums, each rounded once. */
export function runningTotal(values) {
  if (!values.length) return [];
  const [terms, exponent] = integers(values);
  let so = 0n;
  return terms.map((term) => quotient((so += term), 1n, exponent));
}

/** n times the sum of squared deviations from the mean, as an integer and its exponent. */
function deviations(values) {
  const [terms, exponent] = integers(values);
  const first = sum(terms),
    second = sum(terms.map((term) => term * term));
  return [BigInt(values.length) * second - first * first, 2 * exponent];
}

/** Sum of squared deviations from the mean, rounded once. */
export function squaredDeviations(values) {
  if (!values.length) return 0;
  const [integer, exponent] = deviations(values);
  return quotient(integer, BigInt(values.length), exponent);
}

/** Standard deviation with divisor n: the root of the variance, which is rounded once. */
export function deviation(values) {
  if (!values.length) return NaN;
  const [integer, exponent] = deviations(values);
  return Math.sqrt(quotient(integer, BigInt(values.length) ** 2n, exponent));
}

const BITS = 110n; // of the fraction in fixed point
const fixed = (numerator, denominator) => (numerator << BITS) / denominator;

/** log((1 + t) / (1 - t)) in fixed point, t small. */
function twiceArtanh(t) {
  const square = (t * t) >> BITS;
  let [power, result] = [t, 0n];
  for (let k = 1n; power !== 0n && power !== -1n; k += 2n) {
    result += power / k;
    power = (power * square) >> BITS;
  }
  return 2n * result;
}

const LOG2 = twiceArtanh(fixed(1n, 3n));

/** Natural logarithm of a positive double, rounded once: Math.log may differ by browser. */
export function log(x) {
  let [integer, exponent] = parts(x);
  const bits = length(integer);
  exponent += bits; // x = m * 2**exponent with m in [1/2, 1)
  const m = fixed(integer, 1n << BigInt(bits)),
    one = 1n << BITS;
  return quotient(
    twiceArtanh(fixed(m - one, m + one)) + BigInt(exponent) * LOG2,
    1n,
    -Number(BITS),
  );
}

/** The 64 bits of a double, as 16 hexadecimal digits. */
export function hex(x) {
  view.setFloat64(0, x);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

/** The double of 16 hexadecimal digits. */
export function unhex(digits) {
  view.setBigUint64(0, BigInt(`0x${digits}`));
  return view.getFloat64(0);
}
