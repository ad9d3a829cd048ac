// Above the case: how far we are, what it is about, what is to be known at a glance, and what the server has refused.

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
    this.facts = make("ul", { class: "chips facts", "aria-label": words.facts });
    this.refused = make("ul", { class: "refused", hidden: true, "aria-label": words.refused });
    this.element = make("header", {},
      make("div", { class: "progress" }, this.bar, this.counts, this.unsent, make("label", {}, box, words.onward),
        make("span", { class: "gap" }), this.state, this.about),
      this.refused, this.title, this.facts);
  }

  show(shown, row) {
    const { words } = this.look;
    this.name = shown?.name ?? (row === null ? "" : words.row.replace("{row}", row));
    say(this.about, [this.name, shown?.part, shown?.unseen ? words.unseen : null].filter(Boolean).join(" · "));
    const wrong = shown?.wrong ? make("strong", { class: "wrong", text: words.wrong }) : null;
    fill(this.title, make("span", { text: shown?.headline ?? this.name }), wrong);
    if (!shown) return void fill(this.facts);
    const model = this.tag(words.model_says, shown.said, shown.estimate);
    const table = this.tag(words.table_says, shown.actual, null);
    fill(this.facts, model, table, (shown.facts ?? []).map((fact) => {
      const warn = fact.tone === "warn";
      return make("li", { class: warn ? "chip warn" : "chip" },
        warn ? make("span", { role: "img", "aria-label": words.attention, text: "!" }) : null, make("span", { text: fact.text }));
    }));
  }

  // Who says which class, with its mark; nothing where that is hidden or not known.
  tag(who, name, estimate) {
    if (name === null || name === undefined) return null;
    const { classes, colour } = this.look;
    const at = classes.findIndex((one) => one.name === name);
    const more = estimate === null || estimate === undefined ? "" : `, ${percent(estimate)}`;
    return make("li", { class: "chip class" }, make("span", { class: "who", text: who }), at < 0 ? null : glyph(at, colour(at)),
      make("b", { text: `${name}${more}` }));
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
    say(this.unsent, words.unsent.replace("{n}", outbox.pending.length));
    this.unsent.hidden = !outbox.pending.length;
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
