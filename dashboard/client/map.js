// Where the case lies: some known cases, the nearest ones with a ring, leading prototypes large, the case as a diamond. All of
// it is in the browser, so that it is drawn with the case.

import { button, key, make } from "./dom.js";
import { hereGlyph, paint, paintHere } from "./marks.js";

const SMALL = { width: 300, height: 150, size: 3, named: false };
const LARGE = { width: 760, height: 480, size: 5.5, named: true };
const ROOM = 15; // pixels around the middle of all marks

export function smallMap(map, ground, look, enlarge) {
  const { words } = look;
  const larger = button({ class: "small", onclick: enlarge }, key("M"), words.larger);
  const title = make("h3", {}, hereGlyph(), words.map);
  return make("section", { class: "map" }, make("div", { class: "titled" }, title, larger), paintMap(map, ground, SMALL, look));
}

// With the numbers of rows, and what the marks mean.
export function largeMap(map, ground, look) {
  const { words } = look;
  const parts = [hidesClasses(map, ground) ? words.map_veiled : words.map_marks, ground.words];
  return [paintMap(map, ground, LARGE, look), make("p", { class: "marks", text: parts.filter(Boolean).join(" ") })];
}

function hidesClasses(map, ground) {
  return [...ground.points, ...map.near].every((point) => point[2] < 0);
}

function paintMap(map, ground, { width, height, size, named }, look) {
  const fine = Math.max(1, window.devicePixelRatio || 1);
  const canvas = make("canvas", { width: width * fine, height: height * fine, role: "img", "aria-label": label(map, look) });
  canvas.style.aspectRatio = `${width} / ${height}`;
  canvas.style.maxWidth = `${width}px`;
  const context = canvas.getContext("2d");
  context.scale(fine, fine);
  const at = placing([...ground.points, ...map.near, ...map.leading, map.here], width, height);
  const mark = (point, factor) => {
    context.fillStyle = point[2] < 0 ? look.ink : look.colour(point[2]);
    // Numbers have hues of one ramp, and no mark of their own.
    paint(context, look.number ? 0 : point[2], ...at(point), factor * size);
    if (look.number) edge(context, look.ink, 0.8); // the weak end of the ramp is hardly seen without one
  };
  context.globalAlpha = 0.45;
  for (const point of ground.points) mark(point, 0.8);
  context.globalAlpha = 1;
  for (const point of map.leading) {
    mark(point, 2.3);
    edge(context, look.ground);
    mark(point, 2);
  }
  for (const point of map.near) {
    mark(point, 1.2);
    ring(context, ...at(point), 2 * size + 1.5, look.ink);
  }
  paintHere(context, ...at(map.here), 2.2 * size + 3, look.ink, look.ground);
  if (named) name(context, [...map.leading, ...map.near], at, look, 2 * size + 5, width);
  return canvas;
}

function label(map, look) {
  const rows = (some) => some.map((point) => look.words.row.replace("{row}", point[3]).toLowerCase()).join(", ");
  const parts = [look.words.map];
  if (map.near.length) parts.push(`${look.words.map_near}: ${rows(map.near)}`);
  if (map.leading.length) parts.push(`${look.words.map_leading}: ${rows(map.leading)}`);
  return parts.join("; ");
}

// One scale for both axes: what lies twice as far apart is so for the model.
function placing(points, width, height) {
  const span = (axis) => {
    const values = points.map((point) => point[axis]);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity);
    const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    return [(low + high) / 2, Math.max(high - low, 1e-9)];
  };
  const [[x, wide], [y, high]] = [span(0), span(1)];
  const scale = Math.min((width - 2 * ROOM) / wide, (height - 2 * ROOM) / high);
  return (point) => [width / 2 + (point[0] - x) * scale, height / 2 - (point[1] - y) * scale];
}

function edge(context, colour, width = 2) {
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.stroke();
}

function ring(context, x, y, size, colour) {
  context.beginPath();
  context.arc(x, y, size, 0, 2 * Math.PI);
  context.lineWidth = 1.5;
  context.strokeStyle = colour;
  context.stroke();
}

// Numbers of rows, each beside its mark; one that would lie on another is left out.
function name(context, points, at, look, off, width) {
  context.font = "12px sans-serif";
  context.textBaseline = "middle";
  const taken = [];
  for (const point of points) {
    const [x, y] = at(point);
    const text = String(point[3]);
    const wide = context.measureText(text).width;
    const left = x + off + wide > width ? x - off - wide : x + off;
    if (taken.some(([a, b, c]) => Math.abs(b - y) < 13 && left < a + c && a < left + wide)) continue;
    taken.push([left, y, wide]);
    context.lineWidth = 3;
    context.strokeStyle = look.ground;
    context.strokeText(text, left, y);
    context.fillStyle = look.ink;
    context.fillText(text, left, y);
  }
}
