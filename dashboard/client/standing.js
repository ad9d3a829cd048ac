// Where the queue stands, without a screen: what the server knows, what was said since, and what is chosen but not saved.

import { nextEntry, outboxOf, read, write } from "./outbox.js";

const MOST_STEPS = 500; // that can be taken back
const BLANK = { verdict: null, new_label: null, reasons: [], note: "", certainty: null, cell: null };
const OPEN = { ...BLANK, state: "open", entry: null };

function spoken(from) {
  return Object.fromEntries(Object.keys(BLANK).map((name) => [name, from[name] ?? BLANK[name]]));
}

export class Standing {
  constructor(study) {
    this.study = study;
    this.outbox = outboxOf(study);
    this.data = null;
    this.drafts = new Map(Object.entries(read(`${this.outbox.name}.drafts`, {})).map(([row, d]) => [Number(row), d]));
    this.steps = read(`${this.outbox.name}.steps`, []);
    this.places = new Map();
    this.said = new Map(); // by row: entries that are not confirmed
  }

  // The row that is drawn, or about to be; a queue that goes away, or a page that is loaded again, comes back where it was.
  get row() {
    return this.outbox.row;
  }

  set row(row) {
    this.outbox.row = row;
    write(`${this.outbox.name}.row`, row);
  }

  // New data of the server. The case that is drawn stays where the queue has it: the server has its place from here, later.
  take(data) {
    const reordered = this.data !== null && this.data.order !== data.order;
    this.data = data;
    this.places = new Map(data.rows.map((row, place) => [row, place]));
    const turned = this.outbox.settle(data.acked, data.refused);
    this.steps = this.steps.filter((step) => !turned.some((entry) => entry.id === step.id));
    this.index();
    if (reordered) this.row = this.firstOpen(); // who asks for another order wants to see what comes first
    else if (!this.places.has(this.row)) this.row = this.beginning();
    return turned;
  }

  beginning() {
    const { at, rows } = this.data;
    if (at !== null && at !== undefined && this.places.has(at)) return at;
    return this.firstOpen();
  }

  firstOpen() {
    const { rows } = this.data;
    return rows.find((row) => this.of(row).state === "open") ?? rows[0] ?? null;
  }

  index() {
    this.said.clear();
    for (const entry of this.outbox.pending) {
      if (!this.said.has(entry.row)) this.said.set(entry.row, []);
      this.said.get(entry.row).push(entry);
    }
  }

  // What stands of a row: the last that was said and not taken back.
  of(row) {
    const known = this.data.states[row] ?? OPEN;
    const said = this.said.get(row);
    if (!said) return known;
    const back = new Set(said.map((entry) => entry.takes_back).filter((id) => id !== null));
    const stands = said.filter((entry) => entry.verdict !== "undone" && !back.has(entry.id)).at(-1);
    if (stands) return { ...spoken(stands), state: stands.verdict === "skipped" ? "skipped" : "done", entry: stands.id };
    return known.entry && !back.has(known.entry) ? known : OPEN;
  }

  get case() {
    return this.row === null ? null : (this.data.cases[this.row] ?? null);
  }

  // What is chosen for the row that is drawn: a draft, or what stands.
  get chosen() {
    const draft = this.drafts.get(this.row);
    if (draft) return draft;
    const now = this.of(this.row);
    return spoken(now.state === "open" || now.state === "skipped" ? BLANK : now);
  }

  get touched() {
    return this.drafts.has(this.row);
  }

  choose(changes) {
    this.drafts.set(this.row, { ...this.chosen, ...changes });
    this.keepDrafts();
  }

  drop() {
    this.drafts.delete(this.row);
    this.keepDrafts();
  }

  // Keep what was written for a row at hand.
  restore(row, from) {
    const draft = spoken(from);
    if (JSON.stringify(draft) !== JSON.stringify(BLANK)) this.drafts.set(row, draft);
    this.keepDrafts();
  }

  keepDrafts() {
    write(`${this.outbox.name}.drafts`, Object.fromEntries(this.drafts));
  }

  // Say something of a case; only of one that is drawn, or that was.
  speak(from, what, seconds) {
    const entry = {
      id: nextEntry(),
      row: from.row,
      row_hash: from.row_hash,
      evidence: from.evidence,
      verdict: what.verdict,
      takes_back: what.takes_back ?? null,
      new_label: what.new_label ?? null,
      reasons: [...(what.reasons ?? [])],
      note: what.note ?? "",
      certainty: what.certainty ?? null,
      cell: what.cell ?? null,
      seconds,
      hidden: [...(this.data.hidden ?? [])],
      at: new Date().toISOString(),
    };
    this.outbox.add(entry);
    if (entry.verdict === "undone") this.steps = this.steps.filter((step) => step.id !== entry.takes_back);
    else this.steps = [...this.steps, { ...entry, seconds: undefined }].slice(-MOST_STEPS);
    write(`${this.outbox.name}.steps`, this.steps);
    this.drafts.delete(entry.row);
    this.keepDrafts();
    this.index();
    return entry;
  }

  // The step that U takes back: of the row that is drawn, else the last one that still stands.
  toUndo(drawn) {
    const here = this.of(this.row);
    if (here.entry && here.state !== "open") {
      const step = this.steps.findLast((one) => one.id === here.entry);
      if (step) return step;
      return drawn ? { ...spoken(here), ...drawn, id: here.entry } : null;
    }
    return this.steps.findLast((step) => this.of(step.row).entry === step.id) ?? null;
  }

  step(by) {
    const place = (this.places.get(this.row) ?? -1) + by;
    return this.data.rows[place] ?? null;
  }

  // The next row that nobody has judged or set aside, after this one and then from the top.
  nextOpen() {
    const { rows } = this.data;
    const from = this.places.get(this.row) ?? -1;
    for (let i = 1; i <= rows.length; i += 1) {
      const row = rows[(from + i) % rows.length];
      if (row !== this.row && this.of(row).state === "open") return row;
    }
    return null;
  }

  counts() {
    const counts = { all: this.data.rows.length, judged: 0, skipped: 0, disputed: 0 };
    for (const row of this.data.rows) {
      const { state } = this.of(row);
      if (state === "done" || state === "disputed") counts.judged += 1;
      if (state === "skipped") counts.skipped += 1;
      if (state === "disputed") counts.disputed += 1;
    }
    return { ...counts, left: counts.all - counts.judged, open: counts.all - counts.judged - counts.skipped };
  }

  // Whether the evidence of the next cases is running out.
  short(ahead) {
    let row = this.row;
    let place = this.places.get(row) ?? 0;
    for (let found = 0; found < ahead && place < this.data.rows.length; place += 1) {
      row = this.data.rows[place];
      if (row !== this.row && this.of(row).state !== "open") continue;
      if (!this.data.cases[row]) return true;
      found += 1;
    }
    return false;
  }
}
