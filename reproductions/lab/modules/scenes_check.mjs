// Prints, for the states on standard input, each scene's Python and the numbers that it computes.

import { readFileSync } from "node:fs";
import { hex } from "./exact.js";
import { SCENES } from "./scenes/all.js";

const asked = JSON.parse(readFileSync(0, "utf8"));
const found = SCENES.flatMap((scene) =>
  asked.map((given) => {
    const known = Object.entries(given).filter(
      ([key]) => scene.controls.includes(key) || (key === "moved" && scene.movable),
    );
    const state = { ...scene.defaults, ...Object.fromEntries(known) };
    return {
      scene: scene.name,
      state,
      python: scene.python(state).join("\n"),
      result: scene.result(scene.compute(state)).map(hex),
    };
  }),
);
process.stdout.write(JSON.stringify(found));
