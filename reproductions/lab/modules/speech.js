// Messages in the language of the page, with its digits; formulas keep their direction.

const ISOLATE = "\u2066",
  END = "\u2069",
  LEFT_TO_RIGHT = "\u200e";

/** A number as the language writes it: `digits` after the point. */
export function written(value, digits, { numerals, point, direction }) {
  if (!Number.isFinite(value)) return "–";
  const plain = value.toFixed(digits),
    zero = Number(plain) === 0 ? plain.replace("-", "") : plain;
  const text = zero
    .replace(".", point)
    .replace("-", "\u2212")
    .replace(/[0-9]/g, (digit) => numerals[digit]);
  return direction === "rtl" && value < 0 ? LEFT_TO_RIGHT + text + LEFT_TO_RIGHT : text;
}

/** What says the messages of one language: say("key", {n: 3}), say.number(0.5, 2). */
export function speaker(language, messages) {
  const number = (value, digits = 0) => written(value, digits, language);
  const field = (value, spec) => {
    if (typeof value === "string") return value;
    const text = number(value, spec.endsWith("f") ? Number(spec.slice(1, -1)) : 0);
    // After a Latin letter the number would run on from the left.
    return language.direction === "rtl" ? ISOLATE + text + END : text;
  };
  const say = (key, values = {}) => {
    if (!(key in messages)) throw new Error(`no message ${key}`);
    const isolated =
      language.direction === "rtl"
        ? messages[key].replace(/`([^`]*)`/g, `${ISOLATE}$1${END}`)
        : messages[key].replaceAll("`", "");
    return isolated.replace(/\{(\w+)(?::([^}]*))?\}/g, (_, name, spec) => {
      if (!(name in values)) throw new Error(`message ${key} needs ${name}`);
      return field(values[name], spec ?? "d");
    });
  };
  return Object.assign(say, { number, code: language.code, direction: language.direction });
}
