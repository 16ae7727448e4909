import { slugOf } from '../markdown.js';

/** The interface specification, word for word. */
export const SPECIFICATION = 'libs/contract/spec/interface-specification.md';

/** Its headings, in its order. */
export const HEADINGS: Readonly<Record<string, string>> = {
  '§1': 'What the service does',
  '§2': 'Resources and their fields',
  '§3': 'States and transitions',
  '§4': 'Endpoints',
  '§5': 'Authentication',
  '§6': 'Events',
  '§7': 'Errors',
  '§8': 'Limits',
  '§9': 'Versioning',
};

/** Code, which stays as it is, or a section of the specification. A section of an RFC is named after it. */
const SECTION = /(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)|(?<!RFC \d+ )§[1-9](?!\d|\.\d)/g;

/**
 * A page on which each section of the specification, such as §4, is a link to its heading.
 *
 * @param root the path from the page to the repository, such as `../../`
 */
export function linkSections(markdown: string, root: string): string {
  return markdown.replace(SECTION, (found) => {
    const heading = HEADINGS[found];
    if (heading === undefined) return found;
    return `[${found}](${root}${SPECIFICATION}#${slugOf(`${found} ${heading}`)})`;
  });
}
