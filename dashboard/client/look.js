// Words and colours of a screen. Those of the page are Streamlit's, those of classes come with the data.

import { glyph } from "./marks.js";

export function lookOf(root, data) {
  const style = getComputedStyle(root);
  const ink = style.color;
  const ground = colourOf(root, "--st-background-color");
  const dark = luminance(ground) < 0.4;
  const colours = data.classes.map((one) => safe(dark ? one.dark : one.color) ?? ink);
  // A word that is missing shows its name, so that it is noticed.
  const words = new Proxy(data.words ?? {}, { get: (all, name) => (Object.hasOwn(all, name) ? String(all[name]) : String(name)) });
  const signature = JSON.stringify([data.words, data.classes, dark, ink, ground]);
  const colour = (at) => colours[at] ?? style.getPropertyValue("--muted");
  return { words, classes: data.classes, dark, ink, ground, colour, glyph, signature, number: Boolean(data.number) };
}

function safe(colour) {
  return /^#[0-9a-f]{6}$/i.test(colour ?? "") ? colour : null;
}

// A colour of the theme as the browser understands it.
function colourOf(root, name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name}, #ffffff)`;
  root.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function luminance(colour) {
  const parts = (colour.match(/[\d.]+/g) ?? [255, 255, 255]).slice(0, 3).map((part) => Number(part) / 255);
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}
