// The one table: a line per column of the data, with this case beside typical cases, known cases and prototypes.

import { button, draw, fill, limited, make, set } from "./dom.js";
import { diamondAt, glyph, hereGlyph } from "./marks.js";

const WIDE = 132; // of the ranges, in pixels
const STRONGEST = { light: 0.36, dark: 0.3 }; // of a tint, so that words on it stay legible
const MARKED = 0.3; // from this strength on a cell also has the mark of its class
const NARROWER = ["0", "1", "2", "3"]; // steps in which columns give way, see queue.css

export class Values {
  constructor(look, { moved }) {
    this.look = look;
    this.moved = moved;
    this.element = make("div", { class: "values", tabindex: "-1" });
    this.lines = [];
    this.cursor = null;
    this.table = null;
    this.fitted = null; // width for which columns were left out
  }

  show(columns) {
    const { words } = this.look;
    this.cursor = null;
    this.lines = [];
    const heads = columns?.heads ?? [];
    const lines = columns?.lines ?? [];
    const head = make("tr", {}, make("th", { scope: "col", class: "name", text: words.column }), this.legend(lines),
      heads.map((one, at) => make("th", { scope: "col", class: at ? (one.kind ?? "") : "me" },
        make("span", {}, at ? null : hereGlyph(), one.title), make("small", { text: one.sub ?? "" }))));
    const body = make("tbody", {});
    const spare = lines.filter((one) => !one.used);
    // Used columns come first, whatever their order in the data; within both the order is the server's.
    for (const line of lines.filter((one) => one.used)) body.append(this.line(line, heads));
    const text = this.between(spare.length, columns);
    if (text) {
      const th = make("th", { colspan: heads.length + 2, scope: "rowgroup", text });
      body.append(make("tr", { class: "under" }, th));
    }
    for (const line of spare) body.append(this.line(line, heads));
    const caption = make("caption", { class: "aside", text: words.table_caption });
    this.table = make("table", {}, caption, make("thead", {}, head), body);
    fill(this.element, this.table);
    this.element.scrollTop = 0;
    this.fitted = null;
  }

  // What stands between used and unused columns, with how many of either have no line: one line, for the screen is full.
  between(listed, columns) {
    const { words } = this.look;
    const more = columns?.more_used > 0 ? words.more_used.replace("{n}", columns.more_used) : null;
    const some = columns?.unused > listed ? words.some.replace("{n}", listed).replace("{all}", columns.unused) : null;
    const unused = listed ? [words.unused, some].filter(Boolean).join(": ") : null;
    const said = [more, unused].filter(Boolean).join("; ");
    return more || some ? `${said}; ${words.elsewhere}` : said;
  }

  // Columns that do not fit side by side are left out whole, those that say least first; what still does not fit scrolls.
  fit() {
    const { clientWidth: room } = this.element;
    if (!this.table || !room || this.fitted === room) return;
    this.fitted = room;
    for (const step of NARROWER) {
      set(this.element, { "data-narrow": step });
      if (this.table.offsetWidth <= room) return;
    }
  }

  legend(lines) {
    const { words, classes, colour } = this.look;
    const there = [...new Set(lines.flatMap((line) => (line.ranges ?? []).map((one) => one?.class)))];
    const known = there.filter((at) => classes[at]).sort((one, other) => one - other);
    const names = known.map((at) => make("span", { class: "class" }, glyph(at, colour(at)), classes[at].name));
    return make("th", { scope: "col", class: "ranges" }, make("span", { text: words.ranges }),
      make("small", { class: "classes" }, names));
  }

  line(line, heads) {
    const { words, classes } = this.look;
    const at = this.lines.length;
    const odd = line.contradicts
      ? make("span", { class: "odd", title: words.contradicts, role: "img", "aria-label": words.contradicts, text: words.odd })
      : null;
    const flag = make("span", { class: "flag", role: "img", "aria-label": words.flagged, text: "⚑", hidden: true });
    const cells = line.cells.map((cell, place) => {
      const made = make("td", { class: place ? (heads[place]?.kind ?? "") : "me" }, place ? null : flag, this.tinted(cell));
      if (cell.tint && classes[cell.tint.class]) {
        const strength = limited(cell.tint.strength) * STRONGEST[this.look.dark ? "dark" : "light"];
        made.style.setProperty("--tint", this.look.colour(cell.tint.class));
        made.style.setProperty("--strength", `${(100 * strength).toFixed(1)}%`);
        made.title = `${heads[place]?.title ?? ""}: ${cell.text} (${classes[cell.tint.class].name})`;
      }
      return made;
    });
    const row = make("tr", { class: line.used ? "used" : "spare", onclick: () => this.go(at) },
      make("th", { scope: "row", class: "name", title: line.name }, odd, make("span", { text: line.name })),
      make("td", { class: "ranges" }, this.ranges(line)), cells);
    this.lines.push({ name: line.name, row, flag });
    return row;
  }

  tinted(cell) {
    const clear = cell.tint && limited(cell.tint.strength) >= MARKED;
    const mark = clear ? glyph(cell.tint.class, this.look.colour(cell.tint.class)) : null;
    return make("span", { class: "cell" }, mark, make("span", { text: cell.text }));
  }

  // One bar per class: thin for the middle 90 %, thick for the middle half; a diamond for this case.
  ranges(line) {
    const { words, classes, colour } = this.look;
    const known = (line.ranges ?? []).filter((one) => one !== null);
    const here = line.here !== null && line.here !== undefined;
    if (!known.length && !here) return null;
    const high = Math.max(18, 6 * known.length + 4);
    const step = known.length ? (high - 4) / known.length : 0;
    const x = (value) => 6 + limited(value) * (WIDE - 12);
    const label = known.map((one) => classes[one.class]?.name ?? "").join(", ");
    const picture = draw("svg", { width: WIDE, height: high, role: "img", "aria-label": `${words.ranges}: ${label}` });
    known.forEach((one, at) => {
      const y = 2 + step * (at + 0.5);
      const bar = (low, top, thick, solid) => draw("rect", {
        x: x(low), width: Math.max(2, x(top) - x(low)), y: y - thick / 2, height: thick, rx: thick / 2,
        fill: colour(one.class), "fill-opacity": solid,
      });
      picture.append(bar(one.low, one.high, Math.min(4, step * 0.5), 0.4), bar(one.q1, one.q3, Math.min(6, step * 0.8), 1));
    });
    if (here) picture.append(diamondAt(x(line.here), high / 2, Math.min(8, high / 2 - 1)));
    return picture;
  }

  get at() {
    return this.cursor === null ? null : this.lines[this.cursor].name;
  }

  // Move the cursor by some lines; the first move goes to the first or the last one.
  move(by) {
    if (!this.lines.length) return;
    const last = this.lines.length - 1;
    const next = this.cursor === null ? (by > 0 ? 0 : last) : Math.min(last, Math.max(0, this.cursor + by));
    this.go(next);
  }

  go(at) {
    if (this.cursor !== null) set(this.lines[this.cursor].row, { "aria-current": null });
    this.cursor = at;
    const { row, name } = this.lines[at];
    set(row, { "aria-current": "true" });
    row.scrollIntoView({ block: "nearest" });
    this.moved(name);
  }

  flag(name) {
    for (const line of this.lines) {
      const flagged = line.name === name;
      line.flag.hidden = !flagged;
      line.row.classList.toggle("flagged", flagged);
    }
  }
}

// Pictures: this case and others beside it; veiled, others are shown as differences, and unused pixels are dimmed.
export class Pictures {
  constructor(look) {
    this.look = look;
    this.veiled = false;
    this.picture = null;
    this.element = make("figure", { class: "pictures", "aria-label": look.words.this_case, hidden: true });
  }

  show(picture) {
    this.picture = picture ?? null;
    this.element.hidden = this.picture === null;
    if (this.picture === null) return;
    const { words } = this.look;
    const { here, others } = this.picture;
    const toggle = button({ class: "small", "aria-pressed": this.veiled, onclick: () => this.toggle() },
      make("kbd", { text: "V", "aria-hidden": "true" }), words.veil);
    fill(this.element, this.one(words.this_case, here, null, "large"),
      (others ?? []).map((one) => this.one(one.title, one.pixels, this.veiled ? here : null, "")), toggle);
  }

  toggle() {
    this.veiled = !this.veiled;
    this.show(this.picture);
  }

  one(title, pixels, beside, kind) {
    const { width, height, used } = this.picture;
    const canvas = make("canvas", { width, height, role: "img", "aria-label": title });
    const context = canvas.getContext("2d");
    const image = context.createImageData(width, height);
    for (let i = 0; i < width * height; i += 1) {
      // A difference: white where brighter than this case, black where darker.
      const value = beside ? 0.5 + 0.5 * ((Number(pixels[i]) || 0) - (Number(beside[i]) || 0)) : limited(pixels[i]);
      const dim = this.veiled && used && !used[i] ? 0.35 : 1;
      image.data.set([255 * value, 255 * value, 255 * value, 255 * dim], 4 * i);
    }
    context.putImageData(image, 0, 0);
    return make("span", { class: `picture ${kind}` }, canvas, make("small", { text: title }));
  }
}
