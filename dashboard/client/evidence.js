// What speaks for and against, beside the table: votes, what it looks like from outside, what moved the estimate, the map.

import { button, fill, key, limited, make, percent } from "./dom.js";
import { glyph, hereGlyph, paint, paintHere } from "./marks.js";

const MOST_VOTES = 4;
const MOST_MOVES = 5;
const MAP = { width: 220, height: 140 };
const LARGE_MAP = { width: 760, height: 520 };

export class Evidence {
  constructor(look, { enlarge }) {
    this.look = look;
    this.enlarge = enlarge;
    this.element = make("div", { class: "evidence" });
  }

  show(shown) {
    const { words } = this.look;
    const said = [shown.leading, shown.change].map((text) => this.leading(text));
    const parts = [this.votes(shown.votes), this.sentences(words.outside, shown.outside), ...said];
    const two = [this.moves(shown.moved), this.map(shown.map)].filter((part) => part !== null);
    fill(this.element, parts, two.length ? make("div", { class: "two" }, two) : null);
  }

  votes(votes) {
    if (!votes) return null;
    const { words } = this.look;
    const most = Math.max(...[...(votes.for ?? []), ...(votes.against ?? [])].map((one) => limited(one.share)), 1e-9);
    const side = (name, some, count) => make("table", { class: "votes" },
      make("caption", {}, make("b", { text: name }), " ", make("span", { text: words.prototypes.replace("{n}", count) })),
      make("tbody", {}, (some ?? []).slice(0, MOST_VOTES).map((one) => this.vote(one, most))));
    return make("section", { class: "sides" }, side(words.votes_for, votes.for, votes.n_for ?? 0),
      side(words.votes_against, votes.against, votes.n_against ?? 0));
  }

  vote(one, most) {
    const { words, classes, colour } = this.look;
    const name = classes[one.class]?.name ?? "";
    const star = one.decides ? make("span", { role: "img", "aria-label": words.decides, title: words.decides, text: "★" }) : null;
    const bar = make("i", { class: "bar" });
    bar.style.setProperty("--share", limited(one.share) / most);
    bar.style.setProperty("--colour", colour(one.class));
    const near = words.similarity.replace("{value}", Number(one.similarity).toFixed(2));
    return make("tr", { title: `${one.name}: ${name}, ${near}` },
      make("th", { scope: "row" }, make("span", { class: "voter" }, glyph(one.class, colour(one.class), name), star, one.name)),
      make("td", { class: "track" }, bar), make("td", { class: "number", text: percent(limited(one.share)) }),
      make("td", { class: "number near", text: Number(one.similarity).toFixed(2) }));
  }

  sentences(title, some) {
    if (!some?.length) return null;
    return make("section", {}, make("h3", { text: title }), make("ul", {}, some.map((text) => make("li", { text }))));
  }

  leading(text) {
    return text ? make("p", { class: "leading", text }) : null;
  }

  moves(moved) {
    if (!moved?.length) return null;
    const { words } = this.look;
    const most = Math.max(...moved.map((one) => Math.abs(one.adds)), 1e-9);
    const lines = moved.slice(0, MOST_MOVES).map((one) => {
      const bar = make("i", { class: one.adds < 0 ? "bar less" : "bar more" });
      bar.style.setProperty("--share", Math.abs(one.adds) / most);
      const adds = `${one.adds < 0 ? "−" : "+"}${Math.abs(one.adds).toFixed(2)}`;
      return make("tr", { title: `${one.name} = ${one.value}` },
        make("th", { scope: "row" }, make("span", { text: one.name }), make("small", { text: one.value })),
        make("td", { class: "around" }, bar), make("td", { class: "number", text: adds }));
    });
    return make("section", {}, make("table", { class: "moves" }, make("caption", {}, make("b", { text: words.moved })),
      make("tbody", {}, lines)));
  }

  map(map) {
    if (!map) return null;
    const { words } = this.look;
    const canvas = paintMap(map, MAP, this.look, words.map);
    const larger = button({ class: "small", onclick: () => this.enlarge() }, key("M"), words.larger);
    return make("section", { class: "map" }, make("div", { class: "titled" }, make("h3", {}, hereGlyph(), words.map), larger), canvas);
  }

  largeMap(map) {
    return paintMap(map, LARGE_MAP, this.look, this.look.words.map);
  }
}

function paintMap(map, { width, height }, look, label) {
  const fine = Math.max(1, window.devicePixelRatio || 1);
  const canvas = make("canvas", { width: width * fine, height: height * fine, role: "img", "aria-label": label });
  canvas.style.aspectRatio = `${width} / ${height}`;
  canvas.style.maxWidth = `${width}px`;
  const context = canvas.getContext("2d");
  context.scale(fine, fine);
  const all = map.here ? [...map.points, map.here] : map.points;
  const span = (axis) => {
    const values = all.map((point) => point[axis]);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity);
    return [low, Math.max(values.reduce((a, b) => Math.max(a, b), -Infinity) - low, 1e-12)];
  };
  const [[left, wide], [bottom, high]] = [span(0), span(1)];
  const size = Math.min(width, height) / 40;
  const room = 10;
  const x = (value) => room + ((value - left) / wide) * (width - 2 * room);
  const y = (value) => height - room - ((value - bottom) / high) * (height - 2 * room);
  context.globalAlpha = 0.8;
  for (const [a, b, known] of map.points) {
    context.fillStyle = look.colour(known);
    paint(context, known, x(a), y(b), size);
  }
  context.globalAlpha = 1;
  if (map.here) paintHere(context, x(map.here[0]), y(map.here[1]), 2.2 * size + 3, look.ink, look.ground);
  return canvas;
}
