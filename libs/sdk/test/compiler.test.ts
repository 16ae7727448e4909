/** What TypeScript tells who uses the package: in editors, and about missing options. */
import { compile, exampleAnswersModule } from './support/compiler.js';

const whileOpen = `import { createNewPlantSender, json } from '@plant-store/sdk';
const sender = createNewPlantSender({
  baseUrl: process.env.RECEIVER_URL, accessToken: process.env.ACCESS_TOKEN, method: 'POST', encode: json });
const acknowledgement = await sender.send({ arbitrary: 'content' });`;

const onceAnswered = `import { createNewPlantSender } from '@plant-store/sdk';
const sender = createNewPlantSender({ accessToken: process.env.ACCESS_TOKEN, signingKey: process.env.KEY });
const acknowledgement = await sender.send({ name: 'example' }, { eventId: '1', event: { addedOn: '2026-01-31' } });`;

const types = `import type { Acknowledgement, NewPlantSender, NewPlantSenderOptions, SendOptions } from '@plant-store/sdk';
export type All = [NewPlantSenderOptions<string>, NewPlantSender<string>];
export type Send = SendOptions;
export type Result = Acknowledgement;`;

const imports = `import { createNewPlantSender, json } from '@plant-store/sdk';`;
const some = `{ baseUrl: 'https://example.test', accessToken: 'token', encode: json }`;

const open = compile({
  'send.mts': whileOpen,
  'types.mts': types,
  'none.mts': `${imports} createNewPlantSender({});`,
  'some.mts': `${imports} createNewPlantSender(${some});`,
});
const answered = compile({ 'send.mts': onceAnswered }, exampleAnswersModule());

test('an editor shows a plain interface', () => {
  expect(open.hover('types.mts', 'NewPlantSenderOptions<')).toMatch(
    /\binterface NewPlantSenderOptions<\w+>$/m,
  );
  expect(open.hover('types.mts', 'NewPlantSender<')).toMatch(/\binterface NewPlantSender<\w+>$/m);
  for (const name of ['SendOptions', 'Acknowledgement'])
    expect(open.hover('types.mts', `${name};`)).toMatch(new RegExp(`\\binterface ${name}$`, 'm'));
});

test.each([
  ['while everything is open', open],
  ['with an answer to every question', answered],
])('%s, an editor shows one line for a function', (_, compiled) => {
  expect(compiled.errors('send.mts')).toEqual([]);
  for (const text of ['createNewPlantSender({', 'sender =', 'send({', 'acknowledgement =']) {
    const [line, ...others] = compiled
      .hover('send.mts', text)
      .replace(/\nimport .*/, '')
      .split('\n');
    expect(others).toEqual([]);
    expect(line!.length).toBeLessThan(200);
  }
});

test('a message about missing options names all of them', () => {
  const [none] = open.errors('none.mts').map(({ text }) => text);
  const [one] = open.errors('some.mts').map(({ text }) => text);
  expect(none).toMatch(/missing the following properties .*: baseUrl, method, encode, accessToken$/);
  expect(one).toMatch(/Property 'method' is missing/);
});
