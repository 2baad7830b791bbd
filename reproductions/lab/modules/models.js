// Black boxes of the scenes, and the effects that they have in the population.

/** x1 + x2, but 2 in the corner where there are no data (the book's figure 20.4). */
export const oddCorner = (above, below) => (x1, x2) => (x1 > above && x2 < below ? 2 : x1 + x2);

export const additive = (x1, x2) => x1 + x2 * x2;
export const product = (x1, x2) => x1 * x2;
export const curved = (x1, x2) => x1 * x1 * x2;

/** The model of a scene's state, and the truth where there is a closed form (else null). */
export function modelOf({ model, above, below, rho, feature }) {
  if (model === "additive") {
    return { predict: additive, truth: (x) => (feature === "x2" ? x * x : x) };
  }
  // The slope of an interaction's effect of x1 is x2's coefficient times E(x2 | x1).
  if (model === "product") {
    const ofFirst = (x) => (rho * x * x) / 2 + ((1 - rho) * x) / 2;
    return { predict: product, truth: feature === "x2" ? null : ofFirst };
  }
  if (model === "curved") {
    const ofFirst = (x) => (2 * rho * x ** 3) / 3 + ((1 - rho) * x * x) / 2;
    return { predict: curved, truth: feature === "x2" ? null : ofFirst };
  }
  return { predict: oddCorner(above, below), truth: (x) => x };
}
