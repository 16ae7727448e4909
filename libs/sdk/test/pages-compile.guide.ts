import { readFileSync } from 'node:fs';
import { compile } from './support/compiler.js';

/** A block without imports goes on from the first example of README.md. */
const context = `import { createNewPlantSender, json, type NewPlantSender } from '@plant-store/sdk';
declare const sender: NewPlantSender<unknown>;\n`;

/** Numbers of the messages about a parameter or a variable without a type, as it is in JavaScript. */
const withoutType = [7006, 7031, 7034];

/** Packages that the pages use, and that the workspace doesn't install. */
const notInstalled = `
declare module '@prisma/client' {
  namespace Prisma {
    interface TransactionClient {
      $executeRawUnsafe(query: string, ...values: unknown[]): Promise<number>;
    }
  }
}`;

const pages = ['README.md', 'docs/outbox.md'];

test('the examples of the pages compile in strict TypeScript', () => {
  const examples = pages.flatMap((page) => {
    const text = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');
    return [...text.matchAll(/^ *```([jt]s)\n(.*?)^ *```/gms)].map(([, language, code = ''], index) => {
      const [, name = `${index}.mjs`] = /^\/\/ (\S+\.m?[jt]s)\n/.exec(code) ?? [];
      const file = `${page}/${name.replace(/js$/, 'ts')}`;
      return { file, language, code: /^import /m.test(code) ? code : context + code };
    });
  });
  expect(examples.length).toBeGreaterThan(pages.length);
  const compiled = compile({
    ...Object.fromEntries(examples.map(({ file, code }) => [file, code])),
    'not-installed.d.ts': notInstalled,
  });

  const errors = examples.flatMap(({ file, language }) =>
    compiled
      .errors(file)
      .filter(({ code }) => language === 'ts' || file.startsWith('README.md') || !withoutType.includes(code))
      .map(({ text }) => `${file}: ${text}`),
  );
  expect(errors).toEqual([]);
});
