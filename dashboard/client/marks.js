// Classes have a hue and a mark each, so that nobody needs to tell hues apart. The order is that of proset/plots/style.py.

import { draw } from "./dom.js";

const SHAPES = [
  null, // a circle
  [[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]],
  [[0, -1], [1, 0.8], [-1, 0.8]],
  [[-0.35, -1], [0.35, -1], [0.35, -0.35], [1, -0.35], [1, 0.35], [0.35, 0.35], [0.35, 1], [-0.35, 1], [-0.35, 0.35],
    [-1, 0.35], [-1, -0.35], [-0.35, -0.35]],
  [[0, 1], [1, -0.8], [-1, -0.8]],
  [[-1, -0.6], [-0.6, -1], [0, -0.4], [0.6, -1], [1, -0.6], [0.4, 0], [1, 0.6], [0.6, 1], [0, 0.4], [-0.6, 1], [-1, 0.6],
    [-0.4, 0]],
  [[0, -1], [0.95, -0.3], [0.6, 0.85], [-0.6, 0.85], [-0.95, -0.3]],
  [[-0.9, -0.9], [0.9, -0.9], [-0.9, 0.9], [0.9, 0.9]],
  [[-0.9, -0.9], [-0.9, 0.9], [0.9, -0.9], [0.9, 0.9]],
];
const DIAMOND = [[0, -1], [0.75, 0], [0, 1], [-0.75, 0]];

function shape(index) {
  return Number.isInteger(index) && index >= 0 ? SHAPES[index % SHAPES.length] : null;
}

function points(corners, x, y, size) {
  return corners.map(([a, b]) => `${(x + a * size).toFixed(2)},${(y + b * size).toFixed(2)}`).join(" ");
}

// Inside a drawing: the mark of a class.
export function markAt(index, x, y, size, colour) {
  const corners = shape(index);
  if (corners === null) return draw("circle", { cx: x, cy: y, r: size * 0.92, fill: colour });
  return draw("polygon", { points: points(corners, x, y, size), fill: colour });
}

export function diamondAt(x, y, size) {
  return draw("polygon", { points: points(DIAMOND, x, y, size), class: "here" });
}

// Among words: a mark of their height.
export function glyph(index, colour, label = null) {
  const named = label === null ? { "aria-hidden": "true" } : { role: "img", "aria-label": label };
  return draw("svg", { class: "glyph", viewBox: "-1.15 -1.15 2.3 2.3", ...named }, markAt(index, 0, 0, 1, colour));
}

export function hereGlyph() {
  const named = { class: "glyph", viewBox: "-1.15 -1.15 2.3 2.3", "aria-hidden": "true" };
  return draw("svg", named, diamondAt(0, 0, 1.1));
}

// On a canvas, where there are hundreds.
export function paint(context, index, x, y, size) {
  const corners = shape(index);
  context.beginPath();
  if (corners === null) context.arc(x, y, size * 0.92, 0, 2 * Math.PI);
  else for (const [a, b] of corners) context.lineTo(x + a * size, y + b * size);
  context.closePath();
  context.fill();
}

export function paintHere(context, x, y, size, ink, ground) {
  context.beginPath();
  for (const [a, b] of DIAMOND) context.lineTo(x + a * size, y + b * size);
  context.closePath();
  context.lineWidth = 4;
  context.strokeStyle = ground;
  context.stroke();
  context.fillStyle = ink;
  context.fill();
}
