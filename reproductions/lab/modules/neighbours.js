// An empty cell takes the value of the nearest cell with rows. Where several are equally near, R
// keeps the one that the search of its kd-tree meets first; that search is followed here.

const LONG_SIDE = 1 - 0.001; // sides that long, of the longest, may be cut

/** Reorder the points around the cut in place, and say how many go to the low part. */
function partition(points, order, d, cut) {
  const n = order.length;
  function sweep(start, strict) {
    let left = start,
      right = n - 1;
    for (;;) {
      const at = (i) => points[order[i]][d];
      while (left < n && (at(left) < cut || (!strict && at(left) === cut))) left++;
      while (right >= start && (at(right) > cut || (strict && at(right) === cut))) right--;
      if (left > right) return left;
      [order[left], order[right]] = [order[right], order[left]];
      left++;
      right--;
    }
  }
  const below = sweep(0, true),
    notAbove = sweep(below, false),
    half = n >> 1;
  if (below > half) return below;
  return notAbove < half ? notAbove : half;
}

/** Tree with one point in each leaf, cut by the sliding-midpoint rule. */
function tree(points, order, low, high) {
  if (order.length === 1) return { point: order[0], low, high };
  const sides = low.map((a, d) => high[d] - a),
    longest = LONG_SIDE * Math.max(...sides);
  let dim = 0,
    spread = -1,
    smallest = 0,
    largest = 0;
  sides.forEach((side, d) => {
    const column = order.map((i) => points[i][d]);
    const least = Math.min(...column),
      most = Math.max(...column);
    if (side >= longest && most - least > spread) {
      [dim, spread, smallest, largest] = [d, most - least, least, most];
    }
  });
  const middle = (low[dim] + high[dim]) / 2;
  const cut = Math.min(Math.max(middle, smallest), largest);
  let size = partition(points, order, dim, cut);
  if (middle < smallest) size = 1;
  else if (middle > largest) size = order.length - 1;
  const with_ = (box, value) => box.map((side, d) => (d === dim ? value : side));
  return {
    dim,
    cut,
    low,
    high,
    below: tree(points, order.slice(0, size), low, with_(high, cut)),
    above: tree(points, order.slice(size), with_(low, cut), high),
  };
}

const squares = (a, b) => a.reduce((sum, value, d) => sum + (value - b[d]) * (value - b[d]), 0);

/** Number of the nearest point, of equally near ones that which the search meets first. */
function search(root, points, query) {
  let best = Infinity,
    nearest = -1;
  function visit(node, box) {
    if (box >= best) return;
    if ("point" in node) {
      const distance = squares(points[node.point], query);
      if (distance < best) [best, nearest] = [distance, node.point];
      return;
    }
    const value = query[node.dim],
      beyond = value - node.cut;
    const [near, far, outside] =
      beyond < 0
        ? [node.below, node.above, node.low[node.dim] - value]
        : [node.above, node.below, value - node.high[node.dim]];
    visit(near, box);
    visit(far, box + (beyond * beyond - (outside > 0 ? outside * outside : 0)));
  }
  const start = query.reduce((sum, value, d) => {
    const outside = Math.max(root.low[d] - value, value - root.high[d], 0);
    return sum + outside * outside;
  }, 0);
  visit(root, start);
  return nearest;
}

/** For each query (its coordinates) the number of the nearest point. */
export function nearestPoints(points, queries) {
  const column = (d) => points.map((point) => point[d]);
  const dims = points[0].map((_, d) => d);
  const low = dims.map((d) => Math.min(...column(d))),
    high = dims.map((d) => Math.max(...column(d)));
  const root = tree(
    points,
    points.map((_, i) => i),
    low,
    high,
  );
  return queries.map((query) => search(root, points, query));
}
