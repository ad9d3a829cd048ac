// The queue of cases to judge: a component of the page, drawn and answered in the browser; docs are in __init__.py.

import { watchConnection } from "./connection.js";
import { meaning } from "./keys.js";
import { Screen } from "./screen.js";

const mounted = new WeakMap();

export default function mount(component) {
  const { parentElement } = component;
  let screen = mounted.get(parentElement);
  if (!screen || screen.ended) {
    screen = new Screen(parentElement, component.data);
    mounted.set(parentElement, screen);
    listen(screen);
  }
  screen.take(component);
  // Streamlit calls again with new data, and ends a call that newer data have overtaken before it calls again: what is
  // in the page goes on, or keys that are pressed between the two are lost.
  return () => screen.endIfGone();
}

function listen(screen) {
  const { signal } = screen.ending;
  document.addEventListener("keydown", (event) => screen.answers?.typeOn(event), { signal, capture: true });
  document.addEventListener("keydown", (event) => {
    if (screen.busy) return;
    const asked = meaning(event);
    if (asked !== null && screen.press(asked)) event.preventDefault();
  }, { signal });
  document.addEventListener("pointerdown", () => screen.elsewhere(), { signal, capture: true });
  window.addEventListener("pagehide", () => screen.leave(), { signal });
  document.addEventListener("visibilitychange", () => screen.seen(), { signal });
  window.addEventListener("resize", () => screen.fit(), { signal });
  watchConnection((there) => screen.connected(there), signal);
}
