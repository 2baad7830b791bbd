// Black boxes of the scenes, and the effects that they have in the population.

/** x1 + x2, but 2 in the corner where there are no data (the book's figure 20.4). */
export const oddCorner = (above, below) => (x1, x2) => (x1 > above && x2 < below ? 2 : x1 + x2);

export const additive = (x1, x2) => x1 + x2 * x2;
export const product = (x1, x2) => x1 * x2;

/** The model of a scene's state, and the truth where there is a closed form (else null). */
export function modelOf({ model, above, below, rho, feature }) {
  if (model === "additive") {
    return { predict: additive, truth: (x) => (feature === "x2" ? x * x : x) };
  }
  if (model === "product") {
    // The slope of the effect of x1 is E(x2 | x1).
    const ofFirst = (x) => (rho * x * x) / 2 + ((1 - rho) * x) / 2;
    return { predict: product, truth: feature === "x2" ? null : ofFirst };
  }
  return { predict: oddCorner(above, below), truth: (x) => x };
}
