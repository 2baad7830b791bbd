// Linear regression on two features, and two importances of the first one.

const mean = (x) => x.reduce((sum, value) => sum + value, 0) / x.length;

const centredProduct = (a, b, ma, mb) =>
  a.reduce((sum, value, i) => sum + (value - ma) * (b[i] - mb), 0);

/** Least squares with intercept on one or two columns; gives the prediction of a row. */
export function leastSquares(columns, y) {
  const centres = columns.map(mean),
    centre = mean(y);
  const product = (i, j) => centredProduct(columns[i], columns[j], centres[i], centres[j]);
  const withY = columns.map((column, i) => centredProduct(column, y, centres[i], centre));
  let slopes;
  if (columns.length === 1) {
    slopes = [withY[0] / product(0, 0)];
  } else {
    const [a, b, d] = [product(0, 0), product(0, 1), product(1, 1)],
      determinant = a * d - b * b;
    slopes = [
      (d * withY[0] - b * withY[1]) / determinant,
      (a * withY[1] - b * withY[0]) / determinant,
    ];
  }
  return {
    slopes,
    predict: (row) => slopes.reduce((sum, slope, i) => sum + slope * (row[i] - centres[i]), centre),
  };
}

/** Mean squared error of a prediction on columns. */
export function squaredError(model, columns, y) {
  return mean(
    y.map((value, i) => (value - model.predict(columns.map((column) => column[i]))) ** 2),
  );
}

/** Coefficient of x^2 in the parabola that least squares fit to points. */
export function parabolaThrough(x, y) {
  const centre = mean(x),
    u = x.map((value) => value - centre),
    square = u.map((value) => value * value);
  return leastSquares([u, square], y).slopes[1];
}
