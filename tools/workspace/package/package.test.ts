import { driftOf } from './api.mjs';
import { readEntries, reportOf } from './entries.mjs';

test('the entry points are those of `exports`, each with a report', () => {
  const reports = readEntries().map(reportOf);
  expect(reports).toContain('libs/contract/api/json-schema.api.md');
  expect(reports).toContain('libs/sdk/api/index.api.md');
});

test('a report that is out of date, one that is missing and one too many are found', () => {
  const [first = '', ...others] = readEntries().map(reportOf);
  expect(
    driftOf(new Map([[first, 'other text'] as const, ['libs/sdk/api/new.api.md', ''] as const])),
  ).toEqual([...[first, 'libs/sdk/api/new.api.md', ...others].map((file) => `${file} is out of date`)]);
});
