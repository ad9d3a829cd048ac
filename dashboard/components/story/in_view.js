// An audience sees what a step speaks of, which is drawn after the bar: as long as nobody touches anything it is looked for again.
const LASTS = 60_000; // milliseconds; fonts and figures of a slow page come late
const began = performance.now();
const asked = new AbortController();
window.storyInView?.abort();
window.storyInView = asked;
for (const kind of ["pointerdown", "wheel", "keydown", "touchmove"]) {
  addEventListener(kind, () => asked.abort(), { capture: true, passive: true, signal: asked.signal });
}

function bring() {
  if (asked.signal.aborted || performance.now() - began > LASTS) return;
  const main = document.querySelector("[data-testid='stMain']");
  const shown = main?.querySelector(`[class*='${SHOWS}']`);
  const bar = main?.querySelector(".st-key-story");
  // Keys scroll what has the focus; a button would take Space for itself.
  if (!main?.contains(document.activeElement) || document.activeElement.matches("button")) main?.focus({ preventScroll: true });
  if (shown && bar) main.scrollTop += shown.getBoundingClientRect().top - bar.getBoundingClientRect().bottom - 8;
  setTimeout(bring, 150);
}
bring();
