// The state of a scene: its defaults, what the reader changed, and the address that holds it.

const RANGES = {
  n: [10, 300, 1],
  seed: [1, 999, 1],
  rho: [-1, 1, 0.05],
  sd: [0, 0.5, 0.01],
  K: [1, 40, 1],
  above: [0, 1, 0.05],
  below: [0, 1, 0.05],
  at: [0, 1, 0.01],
  width: [0.02, 0.5, 0.02],
  interval: [1, 40, 1],
  cellx: [1, 10, 1],
  celly: [1, 10, 1],
  empty: [1, 40, 1],
  shift: [-4, 4, 0.5],
  fine: [5, 100, 1],
  alpha: [0, 1, 0.05],
  gain: [0, 0.05, 0.001],
};
const CHOICES = {
  model: ["odd", "additive", "product", "curved"],
  grid: ["aleplot", "iml", "equidistant"],
  feature: ["x1", "x2"],
  method: ["pd", "m", "ale"],
  case: ["piecewise", "interaction"],
};

/** What a control may be: {range} or {options}. */
export function control(scene, name) {
  if (name === "step") return { range: [1, scene.steps, 1] };
  const options = scene.choices?.[name] ?? CHOICES[name];
  return options ? { options } : { range: scene.limits?.[name] ?? RANGES[name] };
}

const adjustable = (scene) => [...scene.controls, ...(scene.steps ? ["step"] : [])];

/** Points moved by hand, as text and back. */
const movedText = (moved) =>
  Object.entries(moved)
    .map(([i, [x, y]]) => `${i}:${x}:${y}`)
    .join(",");
function movedFrom(text) {
  const places = text.split(",").map((part) => part.split(":").map(Number));
  const usable = places.filter(
    ([i, x, y, more]) =>
      Number.isInteger(i) && i >= 0 && x >= 0 && x <= 1 && Math.abs(y) <= 2 && more === undefined,
  );
  return Object.fromEntries(usable.map(([i, x, y]) => [i, [x, y]]));
}

/** The fragment of an address that holds a scene's state and the language. */
export function fragment(scene, state, language) {
  const changed = adjustable(scene).filter((name) => state[name] !== scene.defaults[name]);
  const pairs = [["scene", scene.name], ...changed.map((name) => [name, state[name]])];
  if (scene.movable && Object.keys(state.moved).length)
    pairs.push(["moved", movedText(state.moved)]);
  return `#${new URLSearchParams([...pairs, ["lang", language]])}`;
}

/** A scene and its state from a fragment; what is unknown or out of range keeps its default. */
export function fromFragment(scenes, text) {
  const given = new URLSearchParams(text.replace(/^#/, ""));
  const scene = scenes.find(({ name }) => name === given.get("scene")) ?? scenes[0];
  const state = { ...scene.defaults };
  adjustable(scene)
    .filter((name) => given.has(name))
    .forEach((name) => {
      const { options, range } = control(scene, name),
        value = given.get(name);
      if (options?.includes(value)) state[name] = value;
      if (!range || value.trim() === "") return;
      const [low, high, step] = range,
        number = Number(value);
      const whole = Number.isInteger(step) ? Number.isInteger(number) : true;
      if (whole && number >= low && number <= high) state[name] = number;
    });
  if (scene.movable && given.has("moved")) state.moved = movedFrom(given.get("moved"));
  return { scene, state, language: given.get("lang") };
}
