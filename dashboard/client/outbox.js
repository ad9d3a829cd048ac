// What has been said and what the server has not yet confirmed: kept in the browser's session, sent until it is confirmed.

import { isConnected } from "./connection.js";

const GAP = 100; // milliseconds between two messages, at least
const FIRST_WAIT = 3_000; // milliseconds until what was not confirmed is sent again
const LONGEST_WAIT = 6_000;
const CLIENT = [...crypto.getRandomValues(new Uint8Array(10))].map((one) => one.toString(16).padStart(2, "0")).join("");
const known = new Map(); // by study: a component that is taken away and comes back finds its own again

let sequence = 0;

export function nextEntry() {
  sequence += 1;
  return `${CLIENT}-${sequence}`;
}

export function read(name, otherwise) {
  try {
    return JSON.parse(sessionStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise; // storage is forbidden, or holds what is none of ours: what is said stays in memory
  }
}

export function write(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // as above
  }
}

export function outboxOf(study) {
  if (!known.has(study)) known.set(study, new Outbox(study));
  return known.get(study);
}

class Outbox {
  constructor(study) {
    this.name = `proset.review.${study}`;
    const kept = read(this.name, {});
    this.pending = Array.isArray(kept.pending) ? kept.pending : [];
    this.refused = Array.isArray(kept.refused) ? kept.refused : []; // [{entry, message}]
    this.row = read(`${this.name}.row`, null); // where the person is
    this.told = ""; // the message that stands there
    this.deliver = null;
    this.timer = null;
    this.again = null;
    this.wait = FIRST_WAIT;
    this.last = -Infinity;
  }

  // From now on messages go this way; null while nothing is mounted.
  connect(deliver) {
    const first = this.deliver === null;
    this.deliver = deliver;
    if (first && this.pending.length) this.schedule();
  }

  // Whoever goes says which way was its own: another screen may have taken over.
  disconnect(deliver) {
    if (deliver !== this.deliver) return;
    this.flush();
    this.deliver = null;
    clearTimeout(this.timer);
    clearTimeout(this.again);
    this.timer = this.again = null;
  }

  add(entry) {
    this.pending.push(entry);
    this.keep();
    this.schedule();
  }

  // The server has confirmed some entries and refused others; gives those that are refused now.
  settle(acked, refused) {
    const done = new Set(acked ?? []);
    const messages = new Map(Object.entries(refused ?? {}));
    const before = this.pending.length;
    const turned = this.pending.filter((entry) => !done.has(entry.id) && messages.has(entry.id));
    this.pending = this.pending.filter((entry) => !done.has(entry.id) && !messages.has(entry.id));
    this.refused.push(...turned.map((entry) => ({ entry, message: String(messages.get(entry.id)) })));
    if (this.pending.length < before) {
      this.keep();
      this.wait = FIRST_WAIT;
    }
    if (!this.pending.length) {
      clearTimeout(this.again);
      this.again = null;
    }
    return turned;
  }

  forget(entry) {
    this.refused = this.refused.filter((one) => one.entry.id !== entry);
    this.keep();
  }

  schedule() {
    if (this.timer !== null || this.deliver === null) return;
    this.timer = setTimeout(() => this.send(), Math.max(0, this.last + GAP - performance.now()));
  }

  // The server is back: whatever it did not confirm is sent once more.
  resume() {
    this.wait = FIRST_WAIT;
    this.schedule();
  }

  // At once, because the page may be gone in a moment.
  flush() {
    if (this.timer !== null) {
      clearTimeout(this.timer);
      this.send();
    }
  }

  send() {
    this.timer = null;
    // Nobody would hear it; when the server is back, it is sent again.
    if (this.deliver === null || !this.pending.length || !isConnected()) return;
    this.last = performance.now();
    clearTimeout(this.again);
    this.again = setTimeout(() => {
      this.again = null;
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
      this.schedule();
    }, this.wait);
    this.deliver([...this.pending]);
  }

  keep() {
    write(this.name, { pending: this.pending, refused: this.refused });
  }
}
