import { createHash } from 'node:crypto';
import { Marked, type Tokens } from 'marked';
import { slugOf } from '../markdown.js';
import { STYLE } from './style.js';

/**
 * The interface as one file of HTML that needs nothing else: no script, no address outside, and a policy with which a
 * browser would refuse both.
 *
 * @param markdown begins with the title and a line below it
 */
export function renderHtml(markdown: string): string {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(markdown);
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  marked.use({
    renderer: {
      // The register and the document have none.
      html: ({ text }) => escape(text),
      heading({ depth, text, tokens: inside }) {
        return `<h${depth} id="${slugOf(textIn(text))}">${this.parser.parseInline(inside)}</h${depth}>\n`;
      },
    },
  });
  const [title, ...sections] = headings.filter(({ depth }) => depth <= 2).map(({ text }) => textIn(text));
  const [introduction = '', ...rest] = marked.parser(tokens).split(/(?=<h2)/);
  const [, heading = '', subtitle = '', beginning = ''] =
    /^(<h1[^]*?<\/h1>)\n(<p>[^]*?<\/p>)([^]*)$/.exec(introduction) ?? [];
  const contents = sections.map((name) => `<li><a href="#${slugOf(name)}">${escape(name)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title ?? '')}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#_content">Skip to the content</a>
<header>
${heading}
${subtitle}
</header>
<div class="columns">
<nav aria-label="Contents">
<ul>
${contents.join('\n')}
</ul>
</nav>
<main id="_content" tabindex="-1">
${beginning}${rest.map((section) => `<section>\n${section}</section>`).join('\n')}
</main>
</div>
</body>
</html>
`;
}

/** Allows the page its own style and nothing else. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** A heading as it is read. */
function textIn(markdown: string): string {
  return markdown.replace(/\\(?=[^\w\s])/g, '');
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
