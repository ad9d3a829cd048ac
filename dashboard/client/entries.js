// One step of a person is one entry of the browser's history. Streamlit pushes an address whenever parameters or the page
// change, several times where the app turns to another page: all but the first of a step take the place of that one.

const RECENT = 4000; // milliseconds for which a touch waits for its address beside later ones
const DIRECT = ["pointerdown", "keydown"];

// When somebody has touched something and no address has followed yet. On a slow line a file is chosen before this is
// there, and if its address took the place of the first one, Back would leave the app.
const followed = location.href !== performance.getEntriesByType("navigation")[0]?.name;
let touches = performance.getEntriesByType("first-input").length && !followed ? [performance.now()] : [];
let last = -Infinity;

function touched(event) {
  const now = performance.now();
  // A click that counts is a pointer's, which has been heard when it went down, however long ago that was.
  const heard = event.type === "click" && event.detail > 0;
  if (heard) last = now;
  // Without a key or a pointer before it a click is a screen reader's, and a file is dropped or comes from a dialog.
  if (heard || (!DIRECT.includes(event.type) && now - last < RECENT)) return;
  touches = [...touches.filter((then) => now - then < RECENT), now];
  last = now;
}

function joined(push) {
  return function pushOnce(state, title, url) {
    const steps = touches.length;
    touches = touches.slice(1);
    if (steps) push.call(history, state, title, url);
    else history.replaceState(state, title, url);
  };
}

export default function start() {
  if (history.pushState.name === "pushOnce") return;
  history.pushState = joined(history.pushState);
  for (const kind of [...DIRECT, "click", "change", "drop"]) addEventListener(kind, touched, true);
  addEventListener("popstate", () => (touches = []), true);
}
