// What a person answers: reasons, how certain, a note; and the foot with the six verdicts.

import { isTakenByAlarm } from "./connection.js";
import { button, fill, key, make, say, set } from "./dom.js";

export const VERDICTS = ["table", "model", "other", "both", "faulty", "undecidable"];
export const CERTAIN = ["sure", "rather", "unsure"];

export class Answers {
  constructor(look, { choose, note, leave }) {
    const { words } = look;
    this.choose = choose;
    this.reasons = make("div", { class: "chips", role: "group", "aria-label": words.reasons });
    this.certain = make("div", { class: "chips", role: "group", "aria-label": words.certainty });
    this.names = null;
    this.note = make("textarea", { rows: 2, maxlength: 4000, placeholder: words.note_hint, "aria-label": words.note,
      oninput: () => note(this.note.value), onkeydown: (event) => this.leave(event, leave),
      onfocus: () => { this.interrupted = false; }, onblur: (event) => { this.interrupted = isTakenByAlarm(event); } });
    this.certain.append(...CERTAIN.map((value) => button({ class: "chip", "data-value": value,
      onclick: (event) => choose({ certainty: pressed(event) ? null : value }) }, words[value])));
    this.element = make("section", { class: "answers" },
      make("h3", { text: words.reasons }), this.reasons,
      make("div", { class: "inline" }, make("h3", { text: words.certainty }), this.certain),
      make("div", { class: "titled" }, make("h3", {}, key("N"), words.note)), this.note);
  }

  // Somebody was typing when a window came that is closed by itself: what is typed meanwhile goes on where it began.
  typeOn(event) {
    if (!this.interrupted) return;
    this.note.focus({ preventScroll: true });
    event.stopPropagation();
  }

  leave(event, then) {
    if (event.key !== "Escape" && !(event.key === "Enter" && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    event.stopPropagation();
    this.note.blur();
    then(event.key === "Enter");
  }

  show(reasons, chosen, ready) {
    const known = [...new Set([...reasons, ...chosen.reasons])];
    const names = JSON.stringify(known);
    if (names !== this.names) {
      this.names = names;
      fill(this.reasons, known.map((name) => button({ class: "chip", "data-value": name, text: name,
        onclick: (event) => this.toggle(name, pressed(event)) })));
    }
    this.chosen = chosen;
    for (const one of this.reasons.children) set(one, { "aria-pressed": String(chosen.reasons.includes(one.dataset.value)) });
    for (const one of this.certain.children) set(one, { "aria-pressed": String(chosen.certainty === one.dataset.value) });
    for (const one of this.element.querySelectorAll("button, textarea")) one.disabled = !ready;
    if (this.note.value !== chosen.note) this.note.value = chosen.note;
  }

  toggle(name, was) {
    const { reasons } = this.chosen;
    this.choose({ reasons: was ? reasons.filter((one) => one !== name) : [...reasons, name] });
  }
}

function pressed(event) {
  return event.currentTarget.getAttribute("aria-pressed") === "true";
}

export class Foot {
  constructor(look, { verdict, act }) {
    const { words } = look;
    this.look = look;
    this.verdicts = VERDICTS.map((name, at) => button({ class: "verdict", "data-verdict": name, "aria-keyshortcuts": at + 1,
      onclick: () => verdict(at + 1) }, key(String(at + 1)), make("span", {})));
    const action = (name, letter, kind = "") => button({ class: kind, "data-act": name, "aria-keyshortcuts": letter,
      onclick: () => act(name) }, key(letter === "Enter" ? "⏎" : letter), make("span", { text: words[name] }));
    this.skip = action("skip", "S");
    this.save = action("save", "Enter", "primary");
    this.element = make("div", { class: "foot" }, this.verdicts, this.save, make("span", { class: "gap" }),
      action("undo", "U"), this.skip, action("keys", "H"));
  }

  // `barred` has a reason for each verdict that cannot be chosen; null where it can.
  show(chosen, barred, ready, state, blind) {
    const { words } = this.look;
    this.verdicts.forEach((made, at) => {
      const name = VERDICTS[at];
      const on = chosen.verdict === name;
      const label = name === "other" && blind ? words.other_blind : words[`verdict_${name}`];
      const more = !on ? "" : name === "other" ? chosen.new_label : name === "faulty" ? chosen.cell : "";
      say(made.lastChild, more ? `${label}: ${more}` : label);
      set(made, { "aria-pressed": String(on), "aria-disabled": barred[at] || !ready ? "true" : null,
        title: barred[at] ?? words[`help_${name}`] });
    });
    set(this.save, { "aria-disabled": ready && (chosen.verdict || state === "done" || state === "disputed") ? null : "true" });
    say(this.skip.lastChild, state === "skipped" ? words.unskip : words.skip);
  }
}

// A window within the page: closes by Escape or its button, and gives the focus back.
export class Window {
  constructor(look) {
    this.body = make("div", {});
    this.title = make("h2", {});
    const close = make("button", { type: "button", class: "small", onclick: () => this.close(), text: look.words.close });
    this.element = make("dialog", {}, make("div", { class: "titled" }, this.title, close), this.body);
    this.keys = null;
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.preventDefault();
        this.close();
      } else this.keys?.(event);
    });
  }

  open(title, parts, keys = null) {
    say(this.title, title);
    fill(this.body, parts);
    this.keys = keys;
    this.element.showModal();
    this.body.querySelector("input, button")?.focus();
  }

  // What had the focus in it keeps it until the next drawing, hidden as it is, and would take the next Enter.
  close() {
    if (!this.element.open) return;
    const { activeElement } = this.element.getRootNode();
    this.element.close();
    if (this.element.contains(activeElement)) activeElement.blur();
  }
}

export function keyList(words, pictured) {
  const pairs = [["1 … 6", words.key_verdicts], ["↑ ↓", words.key_cursor], ["F", words.key_flag], ["⏎", words.key_save],
    ["J / →", words.key_next], ["K / ←", words.key_previous], ["U", words.key_undo], ["S", words.key_skip],
    ["N", words.key_note], ["Esc", words.key_escape], ...(pictured ? [["V", words.key_veil]] : []), ["M", words.key_map], ["H", words.key_keys]];
  return make("dl", { class: "keys" }, pairs.map(([name, text]) => [make("dt", {}, make("kbd", { text: name })), make("dd", { text })]));
}

// Another class: digits choose the first nine, Tab and Enter any.
export function classList(look, classes, choose) {
  const { words, colour } = look;
  const buttons = classes.map(({ name, at }, place) => make("button", { type: "button", class: "class", onclick: () => choose(name) },
    place < 9 ? key(String(place + 1)) : null, glyphOf(look, at, colour), make("span", { text: name })));
  const keys = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) {
      const place = buttons.indexOf(event.composedPath()[0]);
      buttons.at((place + move + buttons.length) % buttons.length).focus();
      event.preventDefault();
    } else if (/^[1-9]$/.test(event.key) && classes[event.key - 1]) {
      event.preventDefault();
      choose(classes[event.key - 1].name);
    }
  };
  return [[make("p", { text: words.other_hint }), make("div", { class: "classes" }, buttons)], keys];
}

// Another number: typed, and taken with Enter.
export function numberEntry(look, choose, [low, high], stated) {
  const { words } = look;
  const told = make("p", { class: "aside-note", role: "alert" });
  const box = make("input", { type: "text", inputmode: "decimal", maxlength: 40, autocomplete: "off", "aria-label": words.number });
  let asked = null; // a number unlike all that the table has is taken when it is said twice
  const take = () => {
    // A comma is the point of other countries, unless three digits follow: then it may stand for thousands.
    const text = box.value.trim().replace("−", "-").replace(/^([+-]?\d*),(?!\d{3}$)(?=\d+$)/, "$1.");
    const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : NaN;
    if (!Number.isFinite(number)) say(told, words.not_a_number);
    else if (stated !== null && number === Number(stated)) say(told, words.own_number);
    else if ((number < low || number > high) && asked !== number) {
      asked = number;
      say(told, words.unheard_of.replace("{low}", low).replace("{high}", high));
    } else choose(String(number));
  };
  const keys = (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    take();
  };
  const row = make("div", { class: "inline" }, box, make("button", { type: "button", class: "class", onclick: take }, words.take_number));
  return [[make("p", { text: words.other_hint }), row, told], keys];
}

function glyphOf(look, at, colour) {
  return look.glyph(at, colour(at));
}
