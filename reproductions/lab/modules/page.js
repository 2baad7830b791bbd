// The page: shows one scene at a time, and the exercises, in the language that is chosen.

import { controls, stepper } from "./controls.js";
import { element } from "./drawing.js";
import { EXERCISES, exerciseForm } from "./exercises.js";
import { ConstantFeature } from "./grid.js";
import { movablePoints } from "./points.js";
import { SCENES } from "./scenes/all.js";
import { speaker } from "./speech.js";
import { fragment, fromFragment } from "./state.js";

const FEW = 10; // rows of a table that is not folded
const WAIT = 300; // milliseconds before the address follows a slider

/** A table from columns [heading, digits or null for names, values]; a long one is folded at first. */
function table(columns, say, open) {
  const named = (key) => (typeof key === "number" ? say.number(key) : key);
  const heading = ([key]) =>
    element("th", { scope: "col" }, String(key).includes("table.") ? say(key) : named(key));
  const cell = (value, digits, i) =>
    i === 0
      ? element("th", { scope: "row" }, digits === null ? value : say.number(value, digits))
      : element("td", {}, say.number(value, digits));
  const rows = columns[0][2].map((_, r) =>
    element("tr", {}, ...columns.map(([, digits, values], i) => cell(values[r], digits, i))),
  );
  const head = element("thead", {}, element("tr", {}, ...columns.map(heading)));
  return element(
    "details",
    { open: (open ?? rows.length <= FEW) ? "" : null },
    element("summary", {}, say("table")),
    element("table", {}, head, element("tbody", {}, ...rows)),
  );
}

class Page {
  constructor(data) {
    this.data = data;
    this.chosen = 0;
    const find = (name) => document.getElementById(name);
    this.parts = Object.fromEntries(
      ["stage", "controls", "panels", "legend", "facts", "steps", "table", "code", "message"].map(
        (name) => [name, find(name)],
      ),
    );
    find("reset").addEventListener("click", () => {
      this.show({ ...this.scene.defaults });
      this.remember();
    });
    find("link").addEventListener("click", () => this.copy(this.address(), "linked"));
    find("copy").addEventListener("click", () => this.copy(this.parts.code.textContent, "copied"));
    find("full").hidden = !document.fullscreenEnabled;
    find("full").addEventListener("click", () => {
      if (document.fullscreenElement) document.exitFullscreen();
      else document.querySelector(".lab").requestFullscreen();
    });
    addEventListener("hashchange", () => {
      if (location.hash.startsWith("#scene=")) this.read();
    });
    new MutationObserver(() => this.speak()).observe(document.documentElement, {
      attributes: true,
      attributeFilter: ["lang"],
    });
    const { language } = fromFragment(SCENES, location.hash);
    document.querySelector(`button[data-language="${language}"]`)?.click();
    this.read();
    this.speak();
  }

  address() {
    const { href } = location,
      page = href.split("#")[0];
    return page + fragment(this.scene, this.state, this.say.code);
  }

  async copy(text, key) {
    try {
      await navigator.clipboard.writeText(text);
      this.parts.message.textContent = this.say(key);
    } catch {
      this.parts.message.textContent = text; // a page from the file system may not be allowed to
    }
  }

  read() {
    const { scene, state } = fromFragment(SCENES, location.hash);
    Object.assign(this, { scene, chosen: 0 });
    if (this.say) this.show(state);
    else this.state = state;
  }

  /** The language has changed: everything that is written is written anew. */
  speak() {
    const code = document.documentElement.lang;
    this.say = speaker({ code, ...this.data.languages[code] }, this.data.messages[code]);
    for (const exercise of EXERCISES) {
      const place = document.querySelector(`#exercise-${exercise.name} .form`);
      place.replaceChildren(exerciseForm(exercise, this.say));
    }
    this.show(this.state);
  }

  /** A scene in a state: its words and controls, then what they give. */
  show(state) {
    this.state = state;
    const { scene, say, parts } = this;
    for (const words of document.querySelectorAll("[data-scene]")) {
      words.hidden = words.dataset.scene !== scene.name;
    }
    for (const link of document.querySelectorAll("a[data-to-scene]")) {
      if (link.dataset.toScene === scene.name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    parts.message.textContent = "";
    parts.table.replaceChildren();
    parts.controls.replaceChildren(
      ...controls(scene, state, say, (name, value) => this.change(name, value)),
    );
    parts.legend.replaceChildren(
      ...scene.legend.map((key) =>
        element(
          "li",
          {},
          element("span", { class: `swatch ${key.replace(".", "-")}`, "aria-hidden": "true" }),
          say(`legend.${key}`),
        ),
      ),
    );
    document.getElementById("point-help").hidden = !scene.movable;
    this.update();
  }

  change(name, value) {
    this.state = { ...this.state, [name]: value };
    this.update();
    this.remember();
  }

  /** The address follows, but not at every move of a slider. */
  remember() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => history.replaceState(null, "", this.address()), WAIT);
  }

  /** Compute, and draw what has changed. */
  update() {
    const { scene, state, say, parts } = this;
    const focused = document.activeElement?.dataset;
    parts.code.textContent = `${scene.python(state).join("\n")}\nprint(result)\n`;
    let numbers;
    try {
      numbers = scene.compute(state);
    } catch (error) {
      if (!(error instanceof ConstantFeature)) throw error;
      parts.facts.replaceChildren(element("li", {}, say("constant")));
      return;
    }
    this.draw(numbers);
    parts.facts.replaceChildren(
      ...scene
        .facts(numbers, state)
        .map(([key, values]) =>
          element(
            "li",
            { "data-fact": key, "data-values": JSON.stringify(values) },
            say(`fact.${key}`, values),
          ),
        ),
    );
    const columns = scene.table?.(numbers, state) ?? [];
    const open = parts.table.querySelector("details")?.open;
    parts.table.replaceChildren(...(columns.length ? [table(columns, say, open)] : []));
    parts.steps.hidden = !scene.steps;
    if (scene.steps) {
      parts.steps.replaceChildren(
        ...stepper(scene, state, say, (name, value) => this.change(name, value)),
      );
    }
    if (focused?.to) parts.steps.querySelector(`[data-to="${focused.to}"]:enabled`)?.focus();
    if (focused?.point) parts.panels.querySelector('[data-point][tabindex="0"]')?.focus();
  }

  draw(numbers) {
    const { scene, state, say, parts } = this;
    const charts = scene.draw(numbers, state, say);
    if (scene.movable) {
      this.chosen = Math.min(this.chosen, numbers.rows.length - 1);
      movablePoints(charts[0], numbers.rows, this.chosen, say, {
        choose: (i) => {
          this.chosen = i;
          this.update();
        },
        move: (i, place) => this.change("moved", { ...this.state.moved, [i]: place }),
      });
    }
    parts.panels.replaceChildren(...charts.map((chart) => element("figure", {}, chart.svg)));
  }
}

new Page(JSON.parse(document.getElementById("data").textContent));
