import { openQuestions, type QuestionId } from '@plant-store/contract';

import { observeGate, withoutAnswer } from '../src/documents/observe-documents.js';
import { changes } from '../src/matrix/changes.js';
import { type Seen, SURFACES } from '../src/matrix/matrix.js';
import { OPEN, ROWS } from '../src/matrix/rows.js';
import { observeTypes } from '../src/types/observe-types.js';
import { makeWorld, type World } from '../src/world/make-world.js';
import { observeWorld, type WorldObservations, worldName } from '../src/observe-world.js';

/** What the gate says of every answer. */
const HELD = {
  'on both sides': 'clean',
  'in the code alone': 'fails, and names the line',
  'in the overlay alone': 'fails, and names the line',
  'with another value': 'fails, and names the line',
};

/** Whether an answer is carried out, or is words for the documents. */
const isExecutable = (id: QuestionId): id is keyof typeof ROWS => Object.hasOwn(ROWS, id);
const executable = openQuestions.map(({ id }) => id).filter(isExecutable);
const inWords = openQuestions.map(({ id }) => id).filter((id) => !isExecutable(id));

const worlds = new Map<string, World>();
const observed = new Map<string, WorldObservations & Seen>();

/** Worlds at a time; each runs processes of its own. */
const AT_A_TIME = 3;

beforeAll(async () => {
  for (const questions of [
    [],
    ...executable.flatMap((id) => [[...ROWS[id].builtOn], [...ROWS[id].builtOn, id]]),
    inWords,
  ]) {
    const name = worldName(questions);
    if (!worlds.has(name)) worlds.set(name, makeWorld(questions));
  }
  const waiting = [...worlds];
  const types = observeTypes([...worlds.values()]);
  const order = [...worlds.keys()];
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let next; (next = waiting.shift()) !== undefined;) {
        const [name, world] = next;
        observed.set(name, { ...(await observeWorld(world)), types: types[order.indexOf(name)]! });
      }
    }),
  );
}, 600_000);

afterAll(() => {
  for (const world of worlds.values()) world.remove();
});

const seenIn = (questions: readonly QuestionId[]) => observed.get(worldName(questions))!;

const surfaces = ({ receiver, sender, types, document }: Seen): Seen => ({
  receiver,
  sender,
  types,
  document,
});

function changed(before: Seen, after: Seen): Seen {
  return {
    receiver: changes(before.receiver, after.receiver),
    sender: changes(before.sender, after.sender),
    types: changes(before.types, after.types),
    document: changes(before.document, after.document),
  };
}

test('while everything is open', () => {
  expect(surfaces(seenIn([]))).toEqual(OPEN);
});

describe.each(executable)('%s', (id) => {
  const { builtOn, ...row } = ROWS[id];

  test('changes what its row says, and nothing else', () => {
    expect(changed(seenIn(builtOn), seenIn([...builtOn, id]))).toEqual(row);
  });

  test('is answered in OPEN_QUESTIONS.md, and nothing else is', () => {
    const states = changes(seenIn(builtOn).openQuestions, seenIn([...builtOn, id]).openQuestions);
    expect(states).toEqual({ [id]: expect.stringMatching(/^answered/) });
  });

  test('passes the gate on both sides, and fails it on one', async () => {
    const world = worlds.get(worldName([...builtOn, id]))!;
    const { files } = seenIn([...builtOn, id]);
    expect(await observeGate(id, world, files, seenIn(builtOn).files)).toEqual(HELD);
  });
});

test('answers in words change the documents alone', () => {
  const { openQuestions: states, ...seen } = seenIn(inWords);
  expect(surfaces(seen)).toEqual(OPEN);
  expect(Object.keys(changes(seenIn([]).openQuestions, states)).sort()).toEqual([...inWords].sort());
});

test.each(inWords)('%s, answered in words, passes the gate on both sides and fails it on one', async (id) => {
  const world = worlds.get(worldName(inWords))!;
  const { files } = seenIn(inWords);
  expect(await observeGate(id, world, files, withoutAnswer(id, world, files))).toEqual(HELD);
});

test.each(executable)('%s shows where the register says that it would', (id) => {
  const { shows } = openQuestions.find((question) => question.id === id)!;
  const seen = SURFACES.filter((surface) => Object.keys(ROWS[id][surface]).length > 0);
  expect([...shows].sort()).toEqual(seen.sort());
});
