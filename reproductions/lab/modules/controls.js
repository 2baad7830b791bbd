// Sliders and choices of a scene, with labels that a screen reader says.

import { element } from "./drawing.js";
import { control } from "./state.js";

const digitsOf = (step) => (String(step).split(".")[1] ?? "").length;

/** A slider with its label and value. */
function slider(name, [low, high, step], value, say, change) {
  const show = (v) => say.number(v, digitsOf(step));
  const output = element("output", { for: `control-${name}` }, show(value));
  const input = element("input", {
    type: "range",
    id: `control-${name}`,
    min: low,
    max: high,
    step,
    value,
    "aria-valuetext": show(value),
  });
  input.addEventListener("input", () => {
    output.textContent = show(input.valueAsNumber);
    input.setAttribute("aria-valuetext", show(input.valueAsNumber));
    change(name, input.valueAsNumber);
  });
  const label = element("label", { for: `control-${name}` }, say(`control.${name}`));
  return element("div", { class: "control" }, label, output, input);
}

function choice(name, options, value, say, change) {
  const select = element(
    "select",
    { id: `control-${name}` },
    ...options.map((option) =>
      element(
        "option",
        { value: option, selected: option === value ? "" : null },
        say(`${name}.${option}`),
      ),
    ),
  );
  select.addEventListener("input", () => change(name, select.value));
  const label = element("label", { for: `control-${name}` }, say(`control.${name}`));
  return element("div", { class: "control" }, label, select);
}

/** All controls of a scene, lists first; `change(name, value)` is called when one moves. */
export function controls(scene, state, say, change) {
  const isList = (name) => Boolean(control(scene, name).options);
  const ordered = [...scene.controls].sort((a, b) => isList(b) - isList(a));
  return ordered.map((name) => {
    const { options, range } = control(scene, name);
    return options
      ? choice(name, options, state[name], say, change)
      : slider(name, range, state[name], say, change);
  });
}

/** Back, next, and what the step shows. */
export function stepper(scene, state, say, change) {
  const button = (key, to) => {
    const node = element("button", { type: "button", class: "plain", "data-to": key }, say(key));
    node.disabled = to < 1 || to > scene.steps;
    node.addEventListener("click", () => change("step", to));
    return node;
  };
  const words = say("step", {
    step: state.step,
    steps: scene.steps,
    words: say(`scene.${scene.name}.step.${state.step}`),
  });
  return [
    button("back", state.step - 1),
    button("next", state.step + 1),
    element("span", { class: "step-words" }, words),
  ];
}
