/**
 * The gate `pictures-check`: whether the pictures in docs/images are those that picture.browser.ts would take. A picture
 * isn't compared with another one, because each version of Chromium and each font draws others. What is compared is what
 * it was made from: the inspector as it is served and the scene, both without comments.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

const ROOT = new URL('../../../', import.meta.url);
const COMMAND = 'npx nx run webhook-e2e:pictures';
const TEMPLATES = 'apps/webhook/src/operations/inspector/';
const FILE = fileURLToPath(new URL('docs/images/made-from.txt', ROOT));

/** What the pictures are made from, and the pictures themselves: a line with the digest of each. */
function digests(): string {
  const pictures = readdirSync(new URL('docs/images/', ROOT)).filter((name) => name.endsWith('.png'));
  const templates = readdirSync(new URL(TEMPLATES, ROOT)).filter((name) => !name.includes('.test.'));
  const files = [
    ...['css', 'js'].map((type) => `apps/webhook/dist/inspector.${type}`),
    ...templates.sort().map((name) => TEMPLATES + name),
    'apps/webhook-e2e/browser/picture.browser.ts',
    ...pictures.sort().map((name) => `docs/images/${name}`),
  ];
  const lines = files.map((file) => {
    const bytes = readFileSync(new URL(file, ROOT));
    const seen = /\.tsx?$/.test(file) ? withoutComments(file, bytes.toString()) : bytes;
    return `${createHash('sha256').update(seen).digest('hex')}  ${file}\n`;
  });
  return `# Written by ${COMMAND}\n${lines.join('')}`;
}

const withoutComments = (fileName: string, text: string): string =>
  ts.transpileModule(text, {
    fileName,
    compilerOptions: { removeComments: true, target: ts.ScriptTarget.ESNext, jsx: ts.JsxEmit.ReactJSX },
  }).outputText;

export function writeMadeFrom(): void {
  writeFileSync(FILE, digests());
}

const [, program, file = FILE] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
  const written = readFileSync(file, 'utf8').split('\n');
  const made = digests().split('\n');
  const changed = [
    ...made.filter((line) => !written.includes(line)),
    ...written.filter((line) => !made.includes(line)),
  ];
  if (changed.length > 0) {
    const names = [...new Set(changed.map((line) => line.replace(/^\w+ +/, '')))].join(', ');
    console.error(`The pictures in docs/images are old: ${names} changed after they were made.`);
    console.error(`Fix with: ${COMMAND}`);
    process.exitCode = 1;
  }
}
