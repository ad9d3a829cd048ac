// The answer for a number: its distribution with the humps of the prototypes in it, and what each of these says.

import { draw, limited, make, near, percent } from "./dom.js";

const SIZE = { width: 320, height: 128 };
const FOOT = 34; // pixels below the picture: interval, its ends, and their numbers
const HEAD = 16; // above it: the number in the table
const [STRONG, WEAK] = [0.95, 0.3]; // of the first and of the last prototype with a hump of its own
const GREY = [0.22, 0.42]; // of everybody and of all other prototypes
const WORD = 6.4; // pixels of a digit, about

export function answerPicture(density, look) {
  const { words, colour } = look;
  const { width, height } = SIZE;
  const title = make("h3", { text: words.answer });
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label(density, words), class: "answer" });
  const x = (at) => 8 + limited(at) * (width - 16);
  const y = (value) => height - FOOT - limited(value) * (height - FOOT - HEAD);
  let below = density.humps[0].map(() => 0);
  density.humps.forEach((hump, part) => {
    const above = below.map((value, at) => value + hump[at]);
    const rank = part - 2;
    const solid = rank < 0 ? GREY[part] : WEAK + ((STRONG - WEAK) * (rank + 1)) / Math.max(1, density.shown);
    picture.append(draw("path", { d: area(density.x, below, above, x, y), fill: colour(rank < 0 ? 0 : 1), "fill-opacity": solid.toFixed(2) }));
    below = above;
  });
  picture.append(...interval(density.marks, x, height, colour), ...stated(density.marks.stated, x, height, words));
  return make("section", {}, title, picture);
}

function area(places, below, above, x, y) {
  const place = (at) => x(places[at]).toFixed(2);
  const points = above.map((value, at) => `${place(at)},${y(value).toFixed(1)}`);
  const back = below.map((value, at) => `${place(at)},${y(value).toFixed(1)}`).reverse();
  return `M${[...points, ...back].join("L")}Z`;
}

// The interval with its ends and the median, each with its number; where they would touch, the headline has the median.
function interval({ lower, median, upper }, x, height, colour) {
  const y = height - FOOT + 8;
  const bar = draw("line", { x1: x(lower.at), x2: x(upper.at), y1: y, y2: y, stroke: colour(1), "stroke-width": 4, "stroke-linecap": "round" });
  const middle = draw("circle", { cx: x(median.at), cy: y, r: 4.5, fill: colour(1), class: "median" });
  const reach = (one) => one.text.length * WORD / 2 + 3;
  const [a, b] = [x(median.at) - reach(median), x(median.at) + reach(median)];
  const left = Math.max(2, Math.min(x(lower.at) - reach(lower), a - 2 * reach(lower)));
  const right = Math.min(SIZE.width - 2, Math.max(x(upper.at) + reach(upper), b + 2 * reach(upper)));
  const word = (text, at, anchor) => draw("text", { x: at, y: height - 6, "text-anchor": anchor, text });
  const free = left + 2 * reach(lower) <= a + 3 && right - 2 * reach(upper) >= b - 3;
  const said = free ? word(median.text, x(median.at), "middle") : null;
  return [bar, middle, word(lower.text, left, "start"), ...(said ? [said] : []), word(upper.text, right, "end")];
}

function stated(mark, x, height, words) {
  if (!mark) return [];
  const at = x(mark.at);
  const anchor = mark.at < 0.2 ? "start" : mark.at > 0.8 ? "end" : "middle";
  const arrow = mark.beyond ? (mark.at > 0.5 ? " →" : " ←") : "";
  const line = draw("line", { x1: at, x2: at, y1: HEAD - 2, y2: height - FOOT + 14, class: "stated" });
  return [line, draw("text", { x: at, y: HEAD - 5, "text-anchor": anchor, class: "strong", text: `${words.in_table} ${mark.text}${arrow}` })];
}

function label({ marks, coverage }, words) {
  const far = marks.stated?.beyond ? `, ${words.beyond}` : "";
  const table = marks.stated ? `; ${words.in_table} ${marks.stated.text}${far}` : "";
  return `${words.answer}: ${marks.median.text}, ${coverage} ${marks.lower.text} … ${marks.upper.text}${table}`;
}

// Prototypes as rows: what each has and says, its share of the answer, how alike it is.
export function voiceTable(voices, look) {
  if (!voices?.length) return null;
  const { words, colour } = look;
  const most = Math.max(...voices.map((one) => limited(one.share)), 1e-9);
  const rows = voices.map((one) => {
    const star = one.decides ? make("span", { role: "img", "aria-label": words.decides, title: words.decides, text: "★" }) : null;
    const bar = make("i", { class: "bar" });
    bar.style.setProperty("--share", limited(one.share) / most);
    bar.style.setProperty("--colour", colour(1));
    const says = words.has.replace("{has}", one.has).replace("{says}", one.says);
    return make("tr", { title: one.text },
      make("th", { scope: "row" }, make("span", { class: "voter" }, star, one.name)), make("td", { class: "said", text: says }),
      make("td", { class: "track" }, bar), make("td", { class: "number", text: percent(limited(one.share)) }),
      make("td", { class: "number near", text: near(one.similarity) }));
  });
  const caption = make("caption", {}, make("b", { text: words.votes_said }), " ", make("span", { text: words.voices }));
  return make("section", { class: "voices" }, make("table", { class: "votes" }, caption, make("tbody", {}, rows)));
}
