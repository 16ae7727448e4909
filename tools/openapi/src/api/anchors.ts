import type { Page, Section } from './page.js';

/**
 * The fragment of each section by its id: its words, numbered where they repeat. It is the one that GitHub gives to a
 * heading of Markdown, so that a link leads to the same place in every rendering.
 */
export function anchorsOf(page: Page): ReadonlyMap<string, string> {
  const used = new Map<string, number>();
  const anchors = new Map<string, string>();
  const visit = (title: string): string => {
    const slug = slugOf(title);
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
  const descend = (sections: readonly Section[]): void => {
    for (const { id, title, sections: nested } of sections) {
      anchors.set(id, visit(title));
      descend(nested);
    }
  };
  visit(page.title);
  descend(page.sections);
  return anchors;
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
