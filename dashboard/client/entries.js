// One step of a person is one entry of the browser's history. Where the app turns to another page, Streamlit pushes the new
// parameters with the old page and then the new page: the second of the two takes the place of the first, unless
// somebody has done something in between.

let pushed = null; // the address of which nothing but the parameters was new, as long as nobody has touched anything

function forget() {
  pushed = null;
}

function joined(push) {
  return function pushOnce(state, title, url) {
    const old = location.pathname, next = new URL(url ?? "", location.href);
    if (pushed === location.href && next.pathname !== old && next.search === location.search) {
      history.replaceState(state, title, url);
    } else {
      push.call(history, state, title, url);
      pushed = next.pathname === old ? location.href : null;
    }
  };
}

export default function start() {
  if (history.pushState.name === "pushOnce") return;
  history.pushState = joined(history.pushState);
  for (const kind of ["pointerdown", "keydown", "popstate"]) addEventListener(kind, forget, true);
}
