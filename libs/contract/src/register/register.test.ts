import type { OpenQuestion } from './open-question.js';
import { openQuestions } from './register.js';

const register: readonly OpenQuestion[] = openQuestions;

/** What the specification says "not shown" of, read off its text, section by section. */
const notShown: Record<string, string[]> = {
  '§1': ['store-operations'],
  '§2': ['plant-fields'],
  '§3': ['states-and-transitions'],
  '§4': ['http-method', 'payload', 'receiver-response'],
  '§5': ['token-issuance', 'token-format', 'token-lifetime'],
  '§6': ['event-payload-fields', 'retry', 'signing', 'triggering-operation'],
  '§7': ['error-codes', 'status-codes', 'error-payloads'],
  '§8': ['rate-limits', 'size-limits', 'time-outs'],
  '§9': ['request-versioning', 'deprecation-policy'],
};

test.each(Object.entries(notShown))('%s: everything that is not shown is an entry', (section, ids) => {
  const entries = register.filter((entry) => entry.section === section && entry.foundBy === 'specification');
  expect(entries.map(({ id }) => id).sort()).toEqual([...ids].sort());
});

test('no entry blames a section that the specification does not have', () => {
  expect([...new Set(register.map(({ section }) => section))].sort()).toEqual(Object.keys(notShown));
});

test('ids are unique', () => {
  const ids = register.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});

describe.each(register.map((entry) => [entry.id, entry] as const))('%s', (id, entry) => {
  test('has an id in kebab-case', () => {
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  test('asks, and says what an answer looks like', () => {
    expect(entry.title).toMatch(/\S/);
    expect(entry.question).toMatch(/\?/);
    expect(entry.answer).toMatch(/\S/);
  });

  test('says what is done meanwhile', () => {
    const meanwhile = Object.values(entry.whileOpen);
    expect(meanwhile).not.toEqual([]);
    for (const text of meanwhile) expect(text).toMatch(/\S/);
  });

  test('says where an answer would show', () => {
    expect(entry.shows).not.toEqual([]);
    expect(entry.shows).toEqual([...new Set(entry.shows)]);
  });
});
