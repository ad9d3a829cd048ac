// Above the case: how far we are, what it is about, what is to be known at a glance, and what the server has refused.

import { isConnected } from "./connection.js";
import { button, fill, make, percent, say, set } from "./dom.js";
import { glyph } from "./marks.js";

export class Head {
  constructor(look, { onward, switched, show, drop }) {
    const { words } = look;
    this.look = look;
    this.to = show;
    this.drop = drop;
    this.name = "";
    this.bar = make("progress", { max: 1, value: 0, "aria-label": words.progress_label });
    this.counts = make("span", { class: "counts" });
    this.unsent = make("span", { class: "unsent", hidden: true });
    this.state = make("span", { class: "state", hidden: true });
    const box = make("input", { type: "checkbox", onchange: () => switched(box.checked) });
    box.checked = onward;
    this.about = make("span", { class: "about" });
    this.title = make("h2", { class: "headline" });
    this.sentence = make("p", { class: "sentence", hidden: true });
    this.facts = make("ul", { class: "chips facts", "aria-label": words.facts });
    this.refused = make("ul", { class: "refused", hidden: true, "aria-label": words.refused });
    this.element = make("header", {},
      make("div", { class: "progress" }, this.bar, this.counts, this.unsent, make("label", {}, box, words.onward),
        make("span", { class: "gap" }), this.state, this.about),
      this.refused, this.title, this.sentence, this.facts);
  }

  show(shown, row) {
    const { words } = this.look;
    this.name = shown?.name ?? (row === null ? "" : words.row.replace("{row}", row));
    say(this.about, [this.name, shown?.part, shown?.unseen ? words.unseen : null].filter(Boolean).join(" · "));
    const wrong = shown?.wrong ? make("strong", { class: "wrong", text: shown.answer?.mark || words.wrong }) : null;
    fill(this.title, ...this.headline(shown), wrong);
    say(this.sentence, shown?.sentence ?? "");
    this.sentence.hidden = !shown?.sentence;
    if (!shown) return void fill(this.facts);
    fill(this.facts, (shown.facts ?? []).map((fact) => {
      const warn = fact.tone === "warn";
      return make("li", { class: warn ? "chip warn" : "chip", title: fact.help ?? null },
        warn ? make("span", { role: "img", "aria-label": words.attention, text: "!" }) : null, make("span", { text: fact.text }));
    }));
  }

  // What the model and the table say, each class with its mark; where that is hidden, what is asked.
  headline(shown) {
    const { words } = this.look;
    if (!shown) return [make("span", { text: this.name })];
    if (shown.said === null || shown.said === undefined) return [make("span", { text: words.which })];
    if (shown.answer) return this.answer(shown.answer);
    const model = make("span", {}, `${shown.left ? words.model_leaves : words.model_says} `, this.mark(shown.said),
      `, ${percent(shown.estimate)}`);
    if (shown.actual === null || shown.actual === undefined) return [model, make("span", { text: `; ${words.table_silent}` })];
    if (shown.actual === shown.said) return [model, make("span", { text: `, ${words.table_agrees}` })];
    return [model, make("span", {}, `; ${words.table_says} `, this.mark(shown.actual))];
  }

  // What the model says of a number, and what the table has.
  answer({ said, stated }) {
    const { words } = this.look;
    const model = make("span", {}, `${words.model_says} `, make("b", { text: said }));
    if (!stated) return [model, make("span", { text: `; ${words.table_silent}` })];
    return [model, make("span", {}, `; ${words.table_says} `, make("b", { text: stated }))];
  }

  // A class with its mark.
  mark(name) {
    const { classes, colour } = this.look;
    const at = classes.findIndex((one) => one.name === name);
    return make("span", { class: "named" }, at < 0 ? null : glyph(at, colour(at)), ` ${name}`);
  }

  count(standing, now) {
    const { words } = this.look;
    const { data, outbox } = standing;
    const counts = standing.counts();
    const seconds = data.median_seconds;
    const parts = [words.progress.replace("{judged}", counts.judged).replace("{all}", counts.all).replace("{left}", counts.left)];
    if (counts.skipped) parts.push(words.set_aside.replace("{n}", counts.skipped));
    if (seconds !== null && seconds !== undefined) parts.push(words.pace.replace("{seconds}", Math.round(seconds)));
    say(this.counts, parts.join(", "));
    this.bar.value = counts.all ? counts.judged / counts.all : 0;
    const away = !isConnected();
    const waiting = outbox.pending.length ? words.unsent.replace("{n}", outbox.pending.length) : "";
    say(this.unsent, away ? `${words.away} ${waiting}` : waiting);
    this.unsent.hidden = !away && !waiting;
    set(this.unsent, { "data-away": away });
    const said = { done: words[`verdict_${now.verdict}`], skipped: words.state_skipped, disputed: words.state_disputed }[now.state];
    say(this.state, said ?? "");
    this.state.hidden = !said;
    set(this.state, { "data-state": now.state });
    this.refuse(standing);
  }

  refuse(standing) {
    const { words } = this.look;
    const { refused } = standing.outbox;
    this.refused.hidden = !refused.length;
    fill(this.refused, refused.map(({ entry, message }) => make("li", {},
      make("span", { text: `${words.row.replace("{row}", entry.row)}, ${words[`verdict_${entry.verdict}`]}: ${message}` }),
      button({ class: "small", onclick: () => this.to(entry.row) }, words.show_case),
      button({ class: "small", onclick: () => this.drop(entry.id) }, words.drop))));
  }
}
