// Which key means what, and when keys mean something else: while somebody types, while a dialog is open, with Ctrl and Alt.

const TYPED = "textarea, select, [contenteditable=''], [contenteditable='true'], [contenteditable='plaintext-only'], "
  + "[role='textbox'], [role='searchbox'], [role='combobox'], [role='listbox'], [role='spinbutton'], [role='slider'], "
  + "[role='menu'], [role='radiogroup'], [role='grid'], "
  + "input:not([type='checkbox'], [type='button'], [type='submit'], [type='reset'], [type='image'])";
const PRESSED = "button, a[href], summary, [role='button'], [role='link'], [role='tab'], "
  + "input[type='button'], input[type='submit']"; // a box that is ticked has no use for Enter
const DIALOGS = "dialog[open], [role='dialog'], [role='alertdialog'], [aria-modal='true'], [role='menu'], [role='listbox']";
// What goes away by itself: news that pass by are dialogs to those who listen, and take no keys.
const PASSING = "[data-exiting], [data-testid^='stToast']";

const NAMED = {
  Enter: "save", ArrowRight: "next", ArrowLeft: "previous", ArrowUp: "up", ArrowDown: "down",
  j: "next", k: "previous", u: "undo", s: "skip", n: "note", v: "veil", m: "map", h: "keys", f: "flag",
};
const REPEATED = new Set(["next", "previous", "up", "down"]);

// What a key asks for: a number from 1 to 6, a word, or null for nothing.
export function meaning(event) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return null;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const asked = /^[1-6]$/.test(name) ? Number(name) : Object.hasOwn(NAMED, name) ? NAMED[name] : null;
  if (asked === null || (event.repeat && !REPEATED.has(asked))) return null;
  return isTaken(event) || hasDialog() ? null : asked;
}

// Whether the key belongs to what has the focus. A path goes through the walls around components.
function isTaken(event) {
  const own = event.key === "Enter" || event.key === " ";
  return event.composedPath().some((one) => {
    if (!(one instanceof Element)) return false;
    return one.isContentEditable || one.matches(TYPED) || (own && one.matches(PRESSED));
  });
}

function hasDialog() {
  const open = [...document.querySelectorAll(DIALOGS)].filter((one) => !one.closest(PASSING));
  return open.some((one) => one.checkVisibility({ checkVisibilityCSS: true }));
}
