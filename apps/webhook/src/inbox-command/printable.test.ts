import { jsonText } from './printable.js';

const ESC = '\u001b';

test('JSON stays the same JSON, without what a terminal acts on', () => {
  const value = { text: `"${ESC}\u009b\u202e\u{e0001}\n" ü` };
  const line = jsonText(value, 0);

  expect(JSON.parse(line)).toEqual(value);
  expect(line.trimEnd()).toMatch(/^[\x20-\x7eü]+$/);
});

test('times in JSON are ISO 8601', () => {
  expect(jsonText({ id: 1, receivedAt: 2, history: [{ startedAt: 3 }], dueAt: null }, 2)).toBe(
    `{
  "id": 1,
  "receivedAt": "1970-01-01T00:00:00.002Z",
  "history": [
    {
      "startedAt": "1970-01-01T00:00:00.003Z"
    }
  ],
  "dueAt": null
}
`,
  );
});
