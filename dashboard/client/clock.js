// How long a case has been looked at: while the page is in view.

export class Clock {
  constructor() {
    this.start();
  }

  start() {
    this.spent = 0;
    this.since = document.visibilityState === "hidden" ? null : performance.now();
  }

  pause(hidden) {
    if (hidden && this.since !== null) {
      this.spent += performance.now() - this.since;
      this.since = null;
    } else if (!hidden && this.since === null) this.since = performance.now();
  }

  seconds() {
    const now = this.since === null ? 0 : performance.now() - this.since;
    return Math.round((this.spent + now) / 10) / 100;
  }
}
