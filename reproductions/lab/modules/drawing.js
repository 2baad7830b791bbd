// Charts as SVG, in user units of a fixed size that the page scales.

const SVG = "http://www.w3.org/2000/svg";
const FEW = 36; // cells that have room for a number
const MARGIN = { left: 52, right: 14, top: 14, bottom: 44 };

/** An element of HTML or, inside a chart, of SVG. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

const shape = (name, attributes, ...children) =>
  filled(document.createElementNS(SVG, name), attributes, children);

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

/** Round numbers inside a range, about `wanted` of them, and the digits they need. */
export function ticks([low, high], wanted = 5) {
  const rough = (high - low) / wanted,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((size) => size >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9),
    last = Math.floor(high / step + 1e-9);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return { at: Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step), digits };
}

/** The range of some numbers with a little room at both ends. */
export function around(values, room = 0.06) {
  const known = values.filter(Number.isFinite);
  const low = Math.min(...known),
    high = Math.max(...known),
    size = high - low || 1;
  return [low - room * size, high + room * size];
}

const STOPS = {
  prediction: ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"],
  effect: ["#0b5394", "#9fc3e6", "#f7f7f5", "#f2b58a", "#b8500a"],
};

/** Colour of a share from 0 to 1. */
export function colour(share, scale = "prediction") {
  const stops = STOPS[scale],
    place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(place), stops.length - 2),
    t = place - i;
  const channel = (c) => {
    const [a, b] = [stops[i], stops[i + 1]].map((s) => parseInt(s.slice(1 + 2 * c, 3 + 2 * c), 16));
    return Math.round(a + (b - a) * t);
  };
  return `rgb(${channel(0)} ${channel(1)} ${channel(2)})`;
}

/** A pair of axes that things are drawn on in units of the data. */
export class Chart {
  constructor({ x, y, xlabel, ylabel, name, say, width = 480, height = 380, interactive = false }) {
    Object.assign(this, { x, y, say, width, height });
    this.svg = shape("svg", {
      viewBox: `0 0 ${width} ${height}`,
      role: interactive ? "group" : "img",
      "aria-label": name,
      direction: "ltr",
    });
    this.axes(xlabel, ylabel);
    this.id = `clip-${(Chart.count = (Chart.count ?? 0) + 1)}`;
    const { left, right, top, bottom } = MARGIN;
    this.svg.append(
      shape(
        "clipPath",
        { id: this.id },
        shape("rect", {
          x: left,
          y: top,
          width: width - left - right,
          height: height - top - bottom,
        }),
      ),
    );
    this.layer = shape("g", { "clip-path": `url(#${this.id})` });
    this.svg.append(this.layer);
  }

  X(value) {
    const [low, high] = this.x,
      inner = this.width - MARGIN.left - MARGIN.right;
    return MARGIN.left + ((value - low) / (high - low)) * inner;
  }

  Y(value) {
    const [low, high] = this.y,
      inner = this.height - MARGIN.top - MARGIN.bottom;
    return this.height - MARGIN.bottom - ((value - low) / (high - low)) * inner;
  }

  /** What tells the place of a pointer in units of the data, also once the chart is redrawn. */
  reader() {
    const { left, right, top, bottom } = MARGIN,
      { x, y, width, height } = this;
    const matrix = this.svg.getScreenCTM().inverse();
    return ({ clientX, clientY }) => {
      const place = new DOMPoint(clientX, clientY).matrixTransform(matrix);
      const across = (place.x - left) / (width - left - right);
      const up = (height - bottom - place.y) / (height - top - bottom);
      return [x[0] + across * (x[1] - x[0]), y[0] + up * (y[1] - y[0])];
    };
  }

  axes(xlabel, ylabel) {
    const { left, right, top, bottom } = MARGIN,
      frame = shape("g", { class: "axes" });
    const put = (node) => frame.append(node);
    put(
      shape("path", {
        d: `M${left} ${top}V${this.height - bottom}H${this.width - right}`,
        fill: "none",
      }),
    );
    const across = Array.isArray(xlabel) ? null : ticks(this.x),
      up = ticks(this.y);
    across?.at.forEach((value) => {
      put(shape("path", { d: `M${this.X(value)} ${this.height - bottom}v5` }));
      put(
        this.words(this.X(value), this.height - bottom + 18, this.say.number(value, across.digits)),
      );
    });
    if (ylabel)
      up.at.forEach((value) => {
        put(shape("path", { d: `M${left} ${this.Y(value)}h-5` }));
        put(this.words(left - 8, this.Y(value) + 4, this.say.number(value, up.digits), "end"));
      });
    if (across) put(this.words((left + this.width - right) / 2, this.height - 8, xlabel));
    else xlabel.forEach((label, i) => put(this.words(this.X(i), this.height - bottom + 18, label)));
    const middle = (top + this.height - bottom) / 2,
      title = this.words(13, middle, ylabel);
    title.setAttribute("transform", `rotate(-90 13 ${middle})`);
    put(title);
    this.svg.append(frame);
  }

  /** Text at a place of the picture. */
  words(x, y, text, anchor = "middle", style = "") {
    return shape("text", { x, y, "text-anchor": anchor, class: style }, text);
  }

  put(name, attributes, ...children) {
    const node = shape(name, attributes, ...children);
    this.layer.append(node);
    return node;
  }

  line(points, style) {
    const known = points.filter(([, y]) => Number.isFinite(y));
    const d = known.map(([x, y], i) => `${i ? "L" : "M"}${this.X(x)} ${this.Y(y)}`).join("");
    return this.put("path", { d, class: `line ${style}`, fill: "none" });
  }

  dots(points, style, r = 3) {
    points
      .filter(([, y]) => Number.isFinite(y))
      .forEach(([x, y]) => this.put("circle", { cx: this.X(x), cy: this.Y(y), r, class: style }));
  }

  segment([x, y], [to, upTo], style) {
    return this.put("line", {
      x1: this.X(x),
      y1: this.Y(y),
      x2: this.X(to),
      y2: this.Y(upTo),
      class: style,
    });
  }

  box([x, to], [y, upTo], attributes) {
    return this.put("rect", {
      x: this.X(Math.min(x, to)),
      y: this.Y(Math.max(y, upTo)),
      width: Math.abs(this.X(to) - this.X(x)),
      height: Math.abs(this.Y(upTo) - this.Y(y)),
      ...attributes,
    });
  }

  label([x, y], text, { anchor = "middle", dx = 0, dy = 0, style = "label" } = {}) {
    this.layer.append(this.words(this.X(x) + dx, this.Y(y) + dy, text, anchor, style));
  }

  /** A function of two features as coloured squares. */
  field(f, [low, high], size = 28) {
    const step = (range, i) => range[0] + ((range[1] - range[0]) * i) / size;
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        const value = f(step(this.x, i + 0.5), step(this.y, j + 0.5));
        this.box([step(this.x, i), step(this.x, i + 1)], [step(this.y, j), step(this.y, j + 1)], {
          fill: colour((value - low) / (high - low)),
          class: "field",
        });
      }
    }
  }

  /** Cells of a grid, coloured by their values around 0; those without a value are hatched. */
  cells(z, w, values) {
    const largest = Math.max(...values.flat().map(Math.abs).filter(Number.isFinite), 1e-12);
    values.forEach((row, s) =>
      row.forEach((value, t) => {
        this.box(
          [z[s], z[s + 1]],
          [w[t], w[t + 1]],
          Number.isFinite(value)
            ? { fill: colour(0.5 + value / largest / 2, "effect"), class: "cell" }
            : { class: "cell hollow" },
        );
        if (Number.isFinite(value) && values.length * row.length <= FEW) {
          const dark = Math.abs(value) > 0.7 * largest;
          this.label([(z[s] + z[s + 1]) / 2, w[t + 1]], this.say.number(value, 3), {
            dy: 14,
            style: dark ? "cell-number on-dark" : "cell-number",
          });
        }
      }),
    );
  }
}
