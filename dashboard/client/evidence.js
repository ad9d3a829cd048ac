// What speaks for and against, beside the table: votes, what it looks like from outside; below it what moved the estimate, and
// where the case lies.

import { answerPicture, voiceTable } from "./answer.js";
import { fill, limited, make, near, percent } from "./dom.js";
import { smallMap } from "./map.js";
import { glyph } from "./marks.js";

const MOST_VOTES = 4;
const MOST_MOVES = 5;

export class Evidence {
  constructor(look, { enlarge }) {
    this.look = look;
    this.enlarge = enlarge;
    this.element = make("div", { class: "evidence" });
    this.below = make("div", { class: "evidence two" });
  }

  // `ground` is what lies behind the map of this case.
  show(shown, ground) {
    const { words } = this.look;
    const said = [shown.leading, shown.change].map((text) => this.leading(text));
    const voices = voiceTable(shown.voices, this.look);
    fill(this.element, voices, this.votes(shown.votes), this.sentences(words.outside, shown.outside), ...said, this.aside(shown.aside));
    const answer = shown.density ? answerPicture(shown.density, this.look) : null;
    const parts = [answer, shown.map && ground ? smallMap(shown.map, ground, this.look, this.enlarge) : null, this.moves(shown.moved, shown.moved_from)];
    fill(this.below, parts);
    this.below.hidden = parts.every((part) => part === null);
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
    const alike = words.similarity.replace("{value}", near(one.similarity));
    return make("tr", { title: `${one.name}: ${name}, ${alike}` },
      make("th", { scope: "row" }, make("span", { class: "voter" }, glyph(one.class, colour(one.class), name), star, one.name)),
      make("td", { class: "track" }, bar), make("td", { class: "number", text: percent(limited(one.share)) }),
      make("td", { class: "number near", text: near(one.similarity) }));
  }

  sentences(title, some) {
    if (!some?.length) return null;
    return make("section", {}, make("h3", { text: title }), make("ul", {}, some.map((text) => make("li", { text }))));
  }

  // What no model looks at, and a person may: names, texts, a ticket number.
  aside(some) {
    if (!some?.length) return null;
    const lines = some.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]);
    return make("details", {}, make("summary", { text: this.look.words.other_columns.replace("{n}", some.length) }), make("dl", {}, lines));
  }

  leading(text) {
    return text ? make("p", { class: "leading", text }) : null;
  }

  moves(moved, from) {
    if (!moved?.length) return null;
    const { words } = this.look;
    const most = Math.max(...moved.map((one) => Math.abs(one.adds)), 1e-9);
    const lines = moved.slice(0, MOST_MOVES).map((one) => {
      const bar = make("i", { class: one.adds < 0 ? "bar less" : "bar more" });
      bar.style.setProperty("--share", Math.abs(one.adds) / most);
      const size = (100 * Math.abs(one.adds)).toFixed(1);
      const adds = size !== "0.0" ? `${one.adds < 0 ? "−" : "+"}${size}` : one.adds ? "< 0.1" : size;
      return make("tr", { title: one.value ? `${one.name} = ${one.value}` : one.name },
        make("th", { scope: "row" }, make("span", { text: one.name }), make("small", { text: one.value })),
        make("td", { class: "around" }, bar), make("td", { class: "number", text: adds }));
    });
    return make("section", {}, make("table", { class: "moves" }, make("caption", {}, make("b", { text: words.moved }), " ",
      make("span", { text: from ?? "" })),
      make("tbody", {}, lines)));
  }
}
