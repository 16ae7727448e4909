import { plainAnswers } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

import { answerChanges, type StatedAnswers } from '../../src/review/answer-changes.js';
import { answerParts, describeChange, type DescribedChange } from '../../src/review/describe-change.js';

const stated = (answers: Readonly<Record<string, unknown>>, reason = 'Minutes'): StatedAnswers =>
  new Map(
    Object.entries(answers).map(([question, answer]) => [
      question,
      { answer, answeredBy: 'Ada', date: '2026-02-03', reason },
    ]),
  );

function describeAll(before: StatedAnswers, after: StatedAnswers): DescribedChange[] {
  return answerChanges(before, after).map((change) => describeChange(change, after));
}

test.each([
  ['new', stated({}), stated({ 'size-limits': 2000 }), '2000 bytes'],
  [
    'changed',
    stated({ 'size-limits': 1000 }),
    stated({ 'size-limits': 2000 }),
    '2000 bytes (was 1000 bytes)',
  ],
  ['withdrawn', stated({ 'size-limits': 1000 }), stated({}), 'open (was 1000 bytes)'],
  [
    'stated again',
    stated({ 'size-limits': 1000 }, 'A guess'),
    stated({ 'size-limits': 1000 }),
    '1000 bytes (as before)',
  ],
])('a %s answer has its value with the unit', (kind, before, after, value) => {
  const was = kind === 'withdrawn' ? 'Was answered' : 'Answered';
  expect(describeAll(before, after)).toMatchObject([
    { kind, value, title: 'Size limits', stated: `${was} by Ada on 2026-02-03: Minutes` },
  ]);
});

test('an answer has what it means for both sides, its rollout and its version step', () => {
  const [method] = describeAll(stated({}), stated({ 'http-method': 'PUT' }));
  expect(method!.effect).toMatchObject({
    receiver: 'Takes PUT only; other methods get 405.',
    rollout: { order: 'senders first' },
    step: 'minor',
  });
});

test('the other answers of the working tree count', () => {
  const codes = { 'content-too-large': { status: 409, description: 'Too large.' } };
  const alone = describeAll(stated({}), stated({ 'size-limits': 1000 }))[0]!.effect!.receiver;
  const together = describeAll(stated({}), stated({ 'size-limits': 1000, 'status-codes': codes }));
  const { receiver } = together.find(({ question }) => question === 'size-limits')!.effect!;
  expect([alone, receiver]).toEqual([expect.stringContaining('413'), expect.stringContaining('409')]);
});

test('what is accepted beside an answer for a while is told with it', () => {
  const accepts = {
    'http-method': { also: ['POST'], until: '2026-12-31', decidedBy: 'Grace', reason: 'Old senders' },
  };
  const now = stated({ 'http-method': 'PUT', 'size-limits': 1000 });
  const [method, size] = answerChanges(stated({ 'http-method': 'POST' }), now).map((change) =>
    describeChange(change, now, accepts),
  );
  expect(size!.accepted).toBeUndefined();
  expect(answerParts([method!]).at(-1)).toContain(
    '\n- Accepted too: POST until 2026-12-31, decided by Grace: Old senders',
  );
});

test('nothing is said of what an answer means that is none', () => {
  const [unknown, notOne] = describeAll(
    stated({}),
    stated({ 'status-codes': null, 'unheard-of': [1] }),
  ).reverse();
  expect(unknown).toMatchObject({ title: 'unheard-of', value: '[1]', effect: undefined });
  expect(notOne).toMatchObject({ title: 'Status codes', value: 'null', effect: undefined });
});

test('every example answer, as new and as withdrawn, has a part', () => {
  const all = stated(plainAnswers(exampleAnswers));
  for (const [before, after] of [
    [stated({}), all],
    [all, stated({})],
  ] as const) {
    const parts = answerParts(describeAll(before, after));
    const texts = parts.filter((part) => part.startsWith('### '));
    expect(texts).toHaveLength(all.size);
    for (const part of texts) {
      expect(part).toMatch(
        /\n- Receiver: .+\n- Sender: .+\n- Roll out: \*\*.+\*\*\. .+\n- Version step: .+$/,
      );
      expect(part).not.toMatch(/undefined|\[object/);
    }
  }
});
