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

// Streamlit's window about a lost connection covers the page and takes the focus out of a note. Here work goes on without the
// server, and the queue says so itself: the window is closed. Windows of the app have elements of Streamlit in them.
function closeAlarm() {
  if (isConnected()) return;
  for (const alarm of document.querySelectorAll("[data-testid='stDialog']:not([data-exiting])")) {
    if (!alarm.querySelector("[data-testid='stVerticalBlock']")) alarm.querySelector("button")?.click();
  }
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
