import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { listFiles } from './files.mjs';

/**
 * The links of a Markdown text to files of the repository, except those in code.
 *
 * @param {string} markdown
 * @returns {string[]}
 */
export function relativeLinks(markdown) {
  const prose = withoutFences(markdown).replaceAll(/`[^`\n]*`/g, '');
  const inline = prose.matchAll(/\]\(\s*<?([^)>\s]+)/g);
  const definitions = prose.matchAll(/^\[[^\]]+\]:\s*<?([^>\s]+)/gm);
  return [...inline, ...definitions]
    .map(([, target = '']) => target)
    .filter((target) => !/^([a-z][a-z+.-]*:|\/\/)/i.test(target));
}

/**
 * The fragments that links to a Markdown text may have: its headings as GitHub names them, and its ids.
 *
 * @param {string} markdown
 * @returns {Set<string>}
 */
export function fragments(markdown) {
  const text = withoutFences(markdown);
  /** @type {Map<string, number>} */
  const seen = new Map();
  const headings = Array.from(text.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm), ([, heading = '']) => {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
  const ids = Array.from(text.matchAll(/\bid="([^"]+)"/g), ([, id = '']) => id);
  return new Set([...headings, ...ids]);
}

/** @param {string} markdown */
function withoutFences(markdown) {
  return markdown.replaceAll(/^( *)(`{3,}|~{3,})[\s\S]*?^\1\2.*$/gm, '');
}

/**
 * Gate: every relative link in Markdown leads to a file, and its fragment to a heading. Returns a line for each that
 * doesn't.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function brokenLinks(folder) {
  /** @param {string} file */
  const read = (file) => readFileSync(join(folder, file), 'utf8');
  return listFiles(folder, '*.md').flatMap((file) =>
    relativeLinks(read(file)).flatMap((link) => {
      const [path = '', fragment] = link.split('#').map(decodeURIComponent);
      const target =
        path === '' ? file : normalize(path.startsWith('/') ? `.${path}` : join(dirname(file), path));
      if (!existsSync(join(folder, target))) return [`${file}: ${link} leads to no file`];
      if (!fragment || !target.endsWith('.md') || fragments(read(target)).has(fragment)) return [];
      return [`${file}: ${link} leads to no heading of ${target}`];
    }),
  );
}
