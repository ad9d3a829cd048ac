// Elements, made without markup: whatever a stranger has written reaches the page as text only.

const SVG = "http://www.w3.org/2000/svg";

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

function attribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

// make("p", {class: "x", text: "words", onclick: f, "aria-label": "name"}, child, ...)
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else attribute(element, name, value);
  }
  return append(element, children);
}

export function draw(tag, properties = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "text") element.textContent = value;
    else attribute(element, name, value);
  }
  return append(element, children);
}

export function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) attribute(element, name, value);
}

export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function fill(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

// A press of the mouse leaves the focus where it is: whoever clicks a verdict can go on with Enter.
export function button(properties, ...children) {
  const made = make("button", { type: "button", ...properties }, ...children);
  made.addEventListener("mousedown", (event) => event.preventDefault());
  return made;
}

export function key(letter) {
  return make("kbd", { text: letter, "aria-hidden": "true" });
}

export function limited(number) {
  return Math.min(1, Math.max(0, Number(number) || 0));
}

// As the engine writes a share, with signs for "under" and "over".
export function percent(share) {
  const text = (100 * share).toFixed(1);
  if (share === 0 || share === 1) return `${100 * share} %`;
  return `${text === "0.0" ? "< 0.1" : text === "100.0" ? "> 99.9" : text} %`;
}

// Nearly the same is not the same, and hardly alike is not nothing.
export function near(similarity) {
  const value = limited(similarity);
  return value < 1 && value >= 0.995 ? "> 0.99" : value > 0 && value < 0.005 ? "< 0.01" : value.toFixed(2);
}
