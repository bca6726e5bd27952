// Building and replacing elements. No framework: every view is a function of the state.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: `h("button", {class: "x", onclick: f, "aria-label": "…"}, child, "text")`. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in PROPERTIES) element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// What has to be set as a property: an attribute of that name would only be the default.
const PROPERTIES = { value: 1, checked: 1, selected: 1, disabled: 1, textContent: 1 };

/** Replace what `container` holds; keyboard focus stays on the element with the same data-key. */
export function show(container, ...children) {
  const key = container.contains(document.activeElement) ? document.activeElement.dataset?.key : undefined;
  container.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (key) container.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** Say something to screen readers and show it for a few seconds. */
export function announce(message, kind = "note") {
  const toast = document.getElementById("toast");
  toast.textContent = message;
  toast.dataset.kind = kind;
  toast.classList.add("shown");
  clearTimeout(announce.timer);
  announce.timer = setTimeout(hush, 5000);
}

/** Take away what was last said. */
export function hush() {
  document.getElementById("toast").classList.remove("shown");
}
