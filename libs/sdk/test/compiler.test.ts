/** What TypeScript tells who uses the package: in editors, about missing options, and about the documentation. */
import { readFileSync } from 'node:fs';
import { compile, exampleAnswersModule } from './support/compiler.js';

const whileOpen = `import { createNewPlantSender, json } from '@plant-store/sdk';
const sender = createNewPlantSender({
  baseUrl: process.env.RECEIVER_URL, accessToken: process.env.ACCESS_TOKEN, method: 'POST', encode: json });
const acknowledgement = await sender.send({ arbitrary: 'content' });`;

const onceAnswered = `import { createNewPlantSender } from '@plant-store/sdk';
const sender = createNewPlantSender({ accessToken: process.env.ACCESS_TOKEN, signingKey: process.env.KEY });
const acknowledgement = await sender.send({ name: 'example' }, { eventId: '1', event: { addedOn: '2026-01-31' } });`;

test.each([
  ['while everything is open', whileOpen, undefined],
  ['with an answer to every question', onceAnswered, exampleAnswersModule()],
])('%s, an editor shows one line for a function', (_, source, answers) => {
  const compiled = compile({ 'send.mts': source }, answers);

  expect(compiled.errors()).toEqual([]);
  for (const text of ['createNewPlantSender({', 'sender =', 'send({', 'acknowledgement =']) {
    const [line, ...others] = compiled
      .hover('send.mts', text)
      .replace(/\nimport .*/, '')
      .split('\n');
    expect(others).toEqual([]);
    expect(line!.length).toBeLessThan(200);
  }
});

test('a message about missing options names all of them, and the open questions', () => {
  const imports = `import { createNewPlantSender, json } from '@plant-store/sdk';`;
  const some = `{ baseUrl: 'https://example.test', accessToken: 'token', encode: json }`;
  const compiled = compile({
    'none.mts': `${imports} createNewPlantSender({});`,
    'some.mts': `${imports} createNewPlantSender(${some});`,
  });

  const [none] = compiled.errors('none.mts').map(({ text }) => text);
  const [one] = compiled.errors('some.mts').map(({ text }) => text);
  expect(none).toMatch(/missing the following properties .*: baseUrl, method, encode, accessToken$/);
  expect(one).toMatch(/Property 'method' is missing/);
  for (const id of ['base-address', 'http-method', 'media-type', 'payload']) {
    expect(none).toContain(`"${id}"`);
    expect(one).toContain(`"${id}"`);
  }
});

/** A block without imports goes on from the first example of README.md. */
const context = `import { createNewPlantSender, json, type NewPlantSender } from '@plant-store/sdk';
declare const sender: NewPlantSender<unknown>;
declare const plants: Iterable<unknown>;\n`;

/** Numbers of the messages about a parameter or a variable without a type, as it is in JavaScript. */
const withoutType = [7006, 7031, 7034];

/** Packages that the pages use, and that the workspace doesn't install. */
const notInstalled = `
declare module '@opentelemetry/exporter-metrics-otlp-http';
declare module '@opentelemetry/exporter-trace-otlp-http';
declare module '@opentelemetry/instrumentation-undici';
declare module '@prisma/client' {
  namespace Prisma {
    interface TransactionClient {
      $executeRawUnsafe(query: string, ...values: unknown[]): Promise<number>;
    }
  }
}`;

const pages = [
  'README.md',
  ...['nest', 'observability', 'outbox', 'sending', 'testing'].map((page) => `docs/${page}.md`),
];

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
