/**
 * An element of the page.
 *
 * @template {HTMLElement} Type
 * @param {string} id
 * @param {new () => Type} type
 * @returns {Type}
 */
export function find(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${type.name} with the id ${id}.`);
  return found;
}

/**
 * Makes an element. Text is added as text, never as HTML: the policy of the page forbids that, too.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<Omit<HTMLElementTagNameMap[Name], 'dataset' | 'style'>>} properties
 * @param {readonly (Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/**
 * Changes the text of an element, only if it is another one: what is selected stays selected.
 *
 * @param {Node} node
 * @param {string} text
 */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let clearing;

/**
 * Says what became of an action: for a while, and to a screen reader.
 *
 * @param {string} text
 */
export function say(text) {
  const message = find('message', HTMLElement);
  message.textContent = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => (message.textContent = ''), 10_000);
}
