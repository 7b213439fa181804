// Makes elements.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Record<string, string | number | boolean | EventListener | undefined>} Attributes
 * @typedef {Node | string | null | undefined} Child
 */

/**
 * Sets attributes: `false` and `undefined` remove one, `true` sets it empty, and names that begin
 * with `on` are listeners.
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @returns {E}
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (value === undefined || value === false) {
      element.removeAttribute(name);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  return element;
}

/** Makes an HTML element. @param {string} name @param {Attributes} [attributes] @param {...Child} children */
export function html(name, attributes = {}, ...children) {
  const element = set(document.createElement(name), attributes);
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Makes an SVG element. @param {string} name @param {Attributes} [attributes] @param {...Child} children */
export function svg(name, attributes = {}, ...children) {
  const element = set(document.createElementNS(SVG, name), attributes);
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Returns the element of the page with an id. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element;
}

/** Scrolls a list to one of its items, but never the page. @param {Element | null} list @param {Element | null} item */
export function reveal(list, item) {
  if (!list || !item) return;
  const [around, inside] = [list, item].map((element) => element.getBoundingClientRect());
  list.scrollTop += inside.top - around.top - (around.height - inside.height) / 2;
  list.scrollLeft += inside.left - around.left - (around.width - inside.width) / 2;
}

/** Replaces the content of an element. If the focus was in it, the new element with the same `data-key` gets it.
 * @param {Element} element @param {...Child} children */
export function redraw(element, ...children) {
  const active = document.activeElement;
  const key = element.contains(active) ? active?.getAttribute("data-key") : null;
  element.replaceChildren(...children.filter((child) => child != null));
  if (key) {
    const again = element.querySelector(`[data-key="${CSS.escape(key)}"]`);
    /** @type {HTMLElement | null} */ (again)?.focus();
  }
}
