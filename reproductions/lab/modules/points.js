// Points that are moved by pointer or keyboard. One of them is in the order of tabs; page up and
// page down go to another, arrows move it.

const STEP = 0.02;
const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};
const rounded = (value) => Math.round(value * 1000) / 1000;
const within = ([x, y]) => [
  rounded(Math.min(Math.max(x, 0), 1)),
  rounded(Math.min(Math.max(y, -1), 2)),
];

/** Draw the rows as movable points; `move(i, place)` and `choose(i)` change what the page shows. */
export function movablePoints(chart, rows, chosen, say, { move, choose }) {
  rows.forEach(([x, y], i) => {
    const dot = chart.put("circle", {
      cx: chart.X(x),
      cy: chart.Y(y),
      r: i === chosen ? 5.5 : 4,
      class: "point movable",
      role: "button",
      tabindex: i === chosen ? 0 : -1,
      "data-point": i,
      "aria-label": say("point", { i: i + 1, n: rows.length, x, y }),
      "aria-describedby": "point-help",
    });
    dot.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const place = chart.reader(),
        follow = (moved) => move(i, within(place(moved)));
      choose(i);
      const stop = () => {
        removeEventListener("pointermove", follow);
        removeEventListener("pointerup", stop);
        removeEventListener("pointercancel", stop);
      };
      addEventListener("pointermove", follow);
      addEventListener("pointerup", stop);
      addEventListener("pointercancel", stop);
    });
    dot.addEventListener("keydown", (event) => {
      const other = { PageDown: 1, PageUp: rows.length - 1 }[event.key];
      const [right, up] = ARROWS[event.key] ?? [];
      if (other) choose((i + other) % rows.length);
      else if (right !== undefined) move(i, within([x + right * STEP, y + up * STEP]));
      else return;
      event.preventDefault();
    });
  });
}
