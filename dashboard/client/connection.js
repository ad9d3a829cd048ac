// Whether the server is there, as Streamlit's page tells it; a page that does not tell is taken to be connected.

const STATE = "data-test-connection-state";
const CONNECTED = new Set(["CONNECTED", "STATIC_CONNECTED"]);

function told() {
  return document.querySelector(`[${STATE}]`)?.getAttribute(STATE) ?? null;
}

export function isConnected() {
  const state = told();
  return state === null || CONNECTED.has(state);
}

// Windows of the app have elements of Streamlit in them; the one about a lost connection has none.
function isAlarm(dialog) {
  return !dialog.querySelector("[data-testid='stVerticalBlock']");
}

// Streamlit's window about a lost connection covers the page and takes the focus out of a note. Here work goes on without the
// server, and the queue says so itself: the window is closed.
function closeAlarm() {
  if (isConnected()) return;
  for (const alarm of document.querySelectorAll("[data-testid='stDialog']:not([data-exiting])")) {
    if (isAlarm(alarm)) alarm.querySelector("button")?.click();
  }
}

// Whether the focus has gone from somewhere to that window.
export function isTakenByAlarm(event) {
  const dialog = event.relatedTarget?.closest?.("[data-testid='stDialog']");
  return Boolean(dialog) && isAlarm(dialog);
}

// Call `changed` whenever the server comes or goes, until `signal` says that it is over.
export function watchConnection(changed, signal) {
  let before = isConnected();
  const look = () => {
    const now = isConnected();
    closeAlarm();
    if (now !== before) {
      before = now;
      changed(now);
    }
  };
  const watch = new MutationObserver(look);
  const app = document.querySelector(`[${STATE}]`);
  if (app) watch.observe(app, { attributes: true, attributeFilter: [STATE] });
  watch.observe(document.body, { childList: true });
  signal.addEventListener("abort", () => watch.disconnect());
}
