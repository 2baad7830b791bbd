// The scenes in the order of the page.

import { automatic } from "./automatic.js";
import { cell } from "./cell.js";
import { conditional } from "./conditional.js";
import { curves } from "./curves.js";
import { extrapolation } from "./extrapolation.js";
import { filling } from "./filling.js";
import { levels } from "./levels.js";
import { marginal } from "./marginal.js";
import { parabola } from "./parabola.js";
import { steps } from "./steps.js";
import { twin } from "./twin.js";

export const SCENES = [
  marginal,
  conditional,
  steps,
  extrapolation,
  curves,
  cell,
  filling,
  levels,
  parabola,
  twin,
  automatic,
];
