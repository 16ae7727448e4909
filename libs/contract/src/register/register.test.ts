import type { OpenQuestion } from './open-question.js';
import { openQuestions } from './register.js';

const register: readonly OpenQuestion[] = openQuestions;

const questions: Readonly<Record<OpenQuestion['foundBy'], Readonly<Record<string, readonly string[]>>>> = {
  /** What the specification says "not shown" of, read off its text, section by section. */
  specification: {
    '§1': ['store-operations'],
    '§2': ['plant-fields'],
    '§3': ['states-and-transitions'],
    '§4': ['http-method', 'payload', 'receiver-response'],
    '§5': ['token-issuance', 'token-format', 'token-lifetime'],
    '§6': ['event-payload-fields', 'retry', 'signing', 'triggering-operation'],
    '§7': ['error-codes', 'status-codes', 'error-payloads'],
    '§8': ['rate-limits', 'size-limits', 'time-outs'],
    '§9': ['request-versioning', 'deprecation-policy'],
  },
  /** The holes that we found in it. One that is no longer an entry would be filled in silence. */
  us: {
    '§1': ['base-address'],
    '§4': ['delivery-target', 'http-version', 'media-type', 'webhook-key'],
    '§5': ['authentication-realm', 'notification-security', 'transport-security'],
    '§6': ['event-identity', 'event-order'],
  },
};

test.each(['specification', 'us'] as const)(
  'each question that was found by %s is an entry, and no other',
  (foundBy) => {
    const entries = register.filter((entry) => entry.foundBy === foundBy);
    const want = Object.entries(questions[foundBy]).flatMap(([section, ids]) =>
      ids.map((id) => ({ section, id })),
    );
    expect(sorted(entries.map(({ section, id }) => ({ section, id })))).toEqual(sorted(want));
  },
);

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

  test('says where an answer would show, and what is done there meanwhile', () => {
    expect(entry.shows).not.toEqual([]);
    expect(entry.shows).toEqual([...new Set(entry.shows)]);
    // What the types do is said of the sender.
    const surfaces = entry.shows.filter((surface) => surface !== 'types');
    expect(Object.keys(entry.whileOpen)).toEqual(expect.arrayContaining(surfaces));
  });
});

function sorted<Entry extends { readonly id: string }>(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((one, other) => (one.id < other.id ? -1 : 1));
}
