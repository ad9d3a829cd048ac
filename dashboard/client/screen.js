// One screen: draws the case at hand, takes keys and clicks, and says what was said.

import { Answers, classList, Foot, keyList, numberEntry, VERDICTS, Window } from "./answers.js";
import { isConnected } from "./connection.js";
import { Clock } from "./clock.js";
import { fill, make, say, set } from "./dom.js";
import { Evidence } from "./evidence.js";
import { Head } from "./head.js";
import { lookOf } from "./look.js";
import { largeMap } from "./map.js";
import { read, write } from "./outbox.js";
import { Standing } from "./standing.js";
import { Pictures, Values } from "./values.js";

const AHEAD = 5; // cases whose evidence should be here before it is needed
const REST = 1_200; // milliseconds on one case after which the server is told where we are
const ASK_AGAIN = 3_000; // milliseconds after which missing evidence is asked for again
const UNANSWERED = 10; // reminders, each after ASK_AGAIN
const WIDE = 1_000; // pixels from which there are two columns
const LEAST = 380; // pixels of height that two columns need
const LINES = [22, 30]; // height of a line of the table, where there is little room and where there is much; as FONT is
const FONT = 16; // pixels of the page's font as it usually is; a presenter's is larger
const ON = "proset.review.onward";
const FOOT = "--queue-foot"; // of the page: as much room is left below what comes last

export class Screen {
  constructor(parent, data) {
    this.parent = parent;
    this.ending = new AbortController();
    this.standing = new Standing(data.study);
    this.clock = new Clock();
    this.drawn = null; // {row, row_hash, evidence} of what is on the screen
    this.onward = read(ON, true) !== false;
    this.root = make("div", { class: "review", lang: "en" });
    this.live = make("p", { class: "aside", role: "status", "aria-live": "polite" });
    const { told } = this.standing.outbox;
    this.message = make("p", { class: "message", hidden: !told, text: told });
    this.signature = null;
    this.told = null;
    this.reminders = 0;
    this.unanswered = 0; // reminders since the server has sent anything
    this.timer = null;
    this.root.tabIndex = -1;
    parent.append(this.root);
    this.takeKeys();
    this.watch = new ResizeObserver(() => this.endIfGone() || this.fit()); // what is taken out of the page has no size left
    this.watch.observe(this.root);
  }

  // Keys are for the queue as soon as it is there: who has just typed a name, or come by a link, need not click first.
  takeKeys() {
    const { activeElement } = document;
    // Where nothing has the focus, keys reach the queue anyway; who is on the way through the page stays there.
    const left = activeElement?.matches("input") || (activeElement?.pathname === location.pathname && !activeElement.hash);
    // Until the queue is drawn somebody may have gone on.
    const still = () => [activeElement, document.body].includes(document.activeElement);
    if (left) setTimeout(() => still() && this.root.focus({ preventScroll: true }), 0);
  }

  get ended() {
    return this.ending.signal.aborted;
  }

  endIfGone() {
    if (!this.parent.isConnected && !this.ended) this.end();
    return this.ended;
  }

  end() {
    this.standing.outbox.disconnect(this.deliver);
    this.ending.abort();
    this.watch.disconnect();
    clearTimeout(this.timer);
    this.window?.close();
    this.root.remove();
    document.documentElement.style.removeProperty(FOOT);
  }

  leave() {
    this.standing.outbox.flush();
  }

  // What a click elsewhere sets going ("Fit again") knows all that was said before it, and takes keys away from a note.
  elsewhere() {
    this.leave();
    if (this.answers) this.answers.interrupted = false;
  }

  seen() {
    this.clock.pause(document.visibilityState === "hidden");
    if (document.visibilityState === "hidden") this.leave();
  }

  connected(there) {
    if (there) {
      this.standing.outbox.resume();
      this.told = null;
      this.ask();
    }
    this.refresh();
  }

  get busy() {
    return this.window?.element.open ?? false;
  }

  // What lies behind the map of the case: the same for all cases that one model judges.
  get ground() {
    return this.standing.data.maps?.[this.standing.case?.map?.of] ?? null;
  }

  get ready() {
    return this.drawn !== null && this.drawn.row === this.standing.row;
  }

  // New data: the case on the screen, what is typed and what is chosen stay.
  take({ data, setStateValue }) {
    this.unanswered = 0;
    if (data.study !== this.standing.study) {
      this.standing.outbox.disconnect(this.deliver);
      this.standing = new Standing(data.study);
      this.drawn = null;
    }
    this.tell = (row) => setStateValue("at", row);
    this.remind = () => setStateValue("asked", (this.reminders += 1)); // a value that stays the same is not sent again
    // Who has just given another name goes on with keys, too.
    const renamed = this.reviewer !== undefined && this.reviewer !== data.reviewer;
    if (renamed && document.activeElement?.value === data.reviewer) this.takeKeys();
    this.reviewer = data.reviewer;
    const turned = this.standing.take(data);
    this.deliver = (entries) => setStateValue("log", entries);
    this.standing.outbox.connect(this.deliver);
    this.build(data);
    this.show();
    if (turned.length) this.notify(this.words.refused);
    this.ask();
  }

  build(data) {
    const look = lookOf(this.root, data);
    if (look.signature === this.signature) return;
    this.signature = look.signature;
    this.words = look.words;
    this.look = look;
    this.root.dataset.look = look.dark ? "dark" : "light";
    this.drawn = null;
    this.head = new Head(look, { onward: this.onward, switched: (on) => this.goOn(on), show: (row) => this.go(row),
      drop: (entry) => this.forget(entry) });
    this.values = new Values(look, { moved: (name) => this.announce(name) });
    this.pictures = new Pictures(look);
    this.evidence = new Evidence(look, { enlarge: () => this.press("map") });
    this.answers = new Answers(look, { choose: (what) => this.choose(what), note: (note) => this.standing.choose({ note }),
      leave: (save) => save && this.press("save") });
    this.foot = new Foot(look, { verdict: (at) => this.press(at), act: (name) => this.press(name) });
    this.window = new Window(look);
    this.waiting = make("div", { class: "waiting", hidden: true });
    this.grid = make("div", { class: "grid" }, make("div", { class: "left" }, this.pictures.element, this.values.element, this.evidence.below),
      make("div", { class: "right" }, this.evidence.element, this.answers.element));
    this.foot.element.prepend(this.message);
    fill(this.root, this.live, this.head.element, this.waiting, this.grid, this.foot.element, this.window.element);
  }

  // Draw the case unless it is drawn, and everything that is said of it.
  show() {
    const { standing } = this;
    const shown = standing.case;
    const same = shown && this.drawn && this.drawn.row === shown.row && this.drawn.evidence === shown.hash;
    if (!shown) {
      this.drawn = null;
      const text = standing.row === null ? this.words.empty : this.words.on_its_way;
      say(this.waiting, text);
      this.head.show(null, standing.row);
    } else if (!same) {
      if (this.drawn?.row !== shown.row) this.clock.start();
      this.head.show(shown, shown.row);
      this.pictures.show(shown.picture);
      this.values.show(shown.columns);
      this.evidence.show(shown, this.ground);
      this.drawn = { row: shown.row, row_hash: shown.row_hash, evidence: shown.hash };
    }
    this.waiting.hidden = Boolean(shown);
    this.grid.hidden = !shown;
    this.refresh();
    this.fit();
  }

  refresh() {
    const { standing } = this;
    const { chosen } = standing;
    const now = standing.of(standing.row);
    this.head.count(standing, now);
    this.answers.show(standing.data.reasons ?? [], chosen, this.ready);
    this.foot.show(chosen, this.barred(), this.ready, now.state, standing.data.blind);
    this.values.flag(chosen.verdict === "faulty" ? chosen.cell : null);
    set(this.root, { "data-short": standing.short(AHEAD) });
  }

  // Why a verdict cannot be chosen, in their order; null where it can.
  barred() {
    const { words, standing } = this;
    const shown = standing.case;
    const why = VERDICTS.map(() => null);
    if (!shown) return why;
    if (standing.data.blind) why[0] = why[1] = words.barred_blind;
    else if (shown.actual === null || shown.actual === undefined) why[0] = words.barred_unlabelled;
    else if (shown.actual === shown.said) why[1] = words.barred_same;
    if (!standing.data.number && !this.others().length) why[2] = words.barred_two;
    return why;
  }

  others() {
    const { data } = this.standing;
    const shown = this.standing.case;
    const known = data.classes.map(({ name }, at) => ({ name, at }));
    return data.blind ? known : known.filter(({ name }) => name !== shown.said && name !== shown.actual);
  }

  // Do what a key or a button asks for; tells whether the key was ours.
  press(asked) {
    this.hush();
    if (typeof asked === "number") this.verdict(asked);
    else this[asked]?.();
    return true;
  }

  verdict(number) {
    if (!this.ready) return this.notify(this.words.on_its_way);
    const why = this.barred()[number - 1];
    if (why !== null) return this.notify(why);
    const verdict = VERDICTS[number - 1];
    if (verdict === "other") return this.another();
    const cell = verdict === "faulty" ? this.standing.chosen.cell : null;
    return this.choose({ verdict, new_label: null, cell });
  }

  another() {
    const choose = (name) => {
      this.window.close();
      this.choose({ verdict: "other", new_label: name, cell: null });
    };
    const { data } = this.standing;
    const stated = this.standing.case.actual;
    const [parts, keys] = data.number ? numberEntry(this.look, choose, data.known, stated) : classList(this.look, this.others(), choose);
    this.window.open(data.blind ? this.words.other_blind : this.words.verdict_other, parts, keys);
  }

  choose(what) {
    if (!this.ready) return;
    this.standing.choose(what);
    this.refresh();
    if (what.verdict) this.announce(this.words.chosen.replace("{verdict}", this.named(what)));
  }

  save() {
    const { standing, words } = this;
    if (!this.ready) return this.notify(words.on_its_way);
    const { chosen } = standing;
    const { state } = standing.of(standing.row);
    if (!standing.touched && state !== "open" && state !== "skipped") return this.advance();
    if (!chosen.verdict) return this.notify(words.choose_first);
    const name = this.head.name;
    standing.speak(this.drawn, chosen, this.clock.seconds());
    return this.advance(words.saved.replace("{name}", name).replace("{verdict}", this.named(chosen)));
  }

  advance(said = "") {
    const next = this.onward ? this.standing.nextOpen() : null;
    if (next !== null) return this.go(next, said);
    this.show();
    this.ask();
    const { open, skipped } = this.standing.counts();
    const over = skipped ? this.words.aside_left.replace("{count}", skipped) : this.words.all_done;
    return this.onward && open === 0 ? this.notify(`${said} ${over}`) : this.announce(said);
  }

  go(row, said = "") {
    if (row === null) return this.notify(this.words.no_further);
    this.standing.row = row;
    this.show();
    this.ask();
    const shown = this.standing.case;
    return this.announce(`${said} ${this.head.name}. ${shown?.headline ?? this.words.on_its_way}`.trim());
  }

  next() {
    this.go(this.standing.step(1));
  }

  previous() {
    this.go(this.standing.step(-1));
  }

  skip() {
    const { standing, words } = this;
    if (!this.ready) return this.notify(words.on_its_way);
    const { state, entry } = standing.of(standing.row);
    if (state === "skipped") {
      standing.speak(this.drawn, { verdict: "undone", takes_back: entry }, this.clock.seconds());
      this.show();
      return this.announce(words.unskipped);
    }
    if (state !== "open") return this.notify(words.skip_done);
    const kept = standing.drafts.get(standing.row);
    const { row } = standing;
    standing.speak(this.drawn, { verdict: "skipped", note: standing.chosen.note }, this.clock.seconds());
    if (kept) standing.restore(row, kept);
    return this.advance(words.skipped.replace("{name}", this.head.name));
  }

  undo() {
    const { standing, words } = this;
    const here = standing.of(standing.row);
    const before = here.state === "open" || here.state === "skipped" ? null : here.verdict;
    if (standing.touched && standing.chosen.verdict !== before) {
      standing.choose({ verdict: before, new_label: here.new_label ?? null, cell: here.cell ?? null });
      this.refresh();
      return this.announce(words.unchosen);
    }
    const step = standing.toUndo(this.ready ? this.drawn : null);
    if (step === null) return this.notify(words.nothing_to_undo);
    standing.speak(step, { verdict: "undone", takes_back: step.id }, this.clock.seconds());
    // What was written stays at hand; the verdict is to be chosen again.
    if (step.verdict !== "skipped") standing.restore(step.row, { ...step, verdict: null, new_label: null, cell: null });
    return this.go(step.row, words.undone);
  }

  flag() {
    const name = this.values.at;
    if (!this.ready || name === null) return this.notify(this.words.flag_first);
    const { chosen } = this.standing;
    const off = chosen.verdict === "faulty" && chosen.cell === name;
    return this.choose({ verdict: "faulty", new_label: null, cell: off ? null : name });
  }

  up() {
    this.values.move(-1);
  }

  down() {
    this.values.move(1);
  }

  note() {
    this.answers.note.focus();
  }

  veil() {
    if (this.standing.case?.picture) this.pictures.toggle();
    else this.notify(this.words.no_picture);
  }

  map() {
    const map = this.standing.case?.map;
    if (!map || !this.ground) return this.notify(this.words.no_map);
    return this.window.open(this.words.map, largeMap(map, this.ground, this.look), (event) => {
      if (event.key.toLowerCase() === "m") this.window.close();
    });
  }

  keys() {
    this.window.open(this.words.all_keys, [keyList(this.words, Boolean(this.standing.case?.picture))], (event) => {
      if (event.key.toLowerCase() === "h") this.window.close();
    });
  }

  goOn(on) {
    this.onward = on;
    write(ON, on);
  }

  forget(entry) {
    this.standing.outbox.forget(entry);
    this.refresh();
  }

  named({ verdict, new_label: label, cell }) {
    const name = this.words[verdict === "other" && this.standing.data.blind ? "other_blind" : `verdict_${verdict}`];
    const more = verdict === "other" ? label : verdict === "faulty" ? cell : null;
    return more ? `${name}: ${more}` : name;
  }

  announce(text) {
    say(this.live, text);
  }

  notify(text) {
    this.announce(text);
    say(this.message, text);
    this.message.hidden = false;
    this.standing.outbox.told = text;
    this.fit();
  }

  hush() {
    if (this.message.hidden) return;
    this.message.hidden = true;
    this.standing.outbox.told = "";
    this.fit();
  }

  // Tell the server where we are: soon where evidence runs out, else when we rest.
  ask() {
    const { standing } = this;
    clearTimeout(this.timer);
    const short = standing.short(AHEAD);
    const { row } = standing;
    if (row === null || (!short && this.told === row)) return;
    const wait = !short ? REST : this.told === row ? ASK_AGAIN : 0;
    this.timer = setTimeout(() => {
      if (this.told === row) this.remindOrReload();
      else this.tell(row);
      this.told = row;
      this.ask();
    }, wait);
  }

  // A page that nobody answers any more, although the server is there, is loaded again: what was said is in the browser.
  remindOrReload() {
    this.unanswered += 1;
    const typing = this.root.getRootNode().activeElement instanceof HTMLTextAreaElement;
    if (this.unanswered > UNANSWERED && isConnected() && !typing && this.drawn === null) location.reload();
    else this.remind();
  }

  // The foot is as wide as the component, and two columns are as high as the window has room.
  fit() {
    const foot = this.foot?.element;
    if (!foot) return;
    this.values.fit();
    const box = this.root.getBoundingClientRect();
    const [left, across] = [`${box.left}px`, `${box.width}px`];
    if (foot.style.left !== left || foot.style.width !== across) Object.assign(foot.style, { left, width: across });
    const wide = box.width >= WIDE;
    if (this.root.hasAttribute("data-wide") !== wide) set(this.root, { "data-wide": wide });
    // Everything is read before anything is written: each reading after a writing makes the browser lay the page out anew.
    const high = foot.offsetHeight;
    const above = this.grid.getBoundingClientRect().top + scrolled(this.parent.host ?? this.parent);
    const beside = wide ? this.pictures.element.offsetHeight + this.evidence.below.offsetHeight + 16 : 0;
    const room = window.innerHeight - above - high - 8;
    const line = (room - 60 - beside) / (this.values.lines.length + 1);
    const larger = parseFloat(getComputedStyle(document.documentElement).fontSize) / FONT;
    this.root.style.setProperty("--foot", `${high}px`);
    if (this.room !== high) document.documentElement.style.setProperty(FOOT, `${(this.room = high)}px`);
    this.root.style.setProperty("--room", `${Math.max(LEAST, Math.floor(room))}px`);
    this.root.style.setProperty("--line-high", `${Math.round(Math.min(larger * LINES[1], Math.max(larger * LINES[0], line)))}px`);
  }
}

function scrolled(element) {
  let sum = 0;
  for (let one = element; one; one = one.parentElement) sum += one.scrollTop;
  return sum;
}
