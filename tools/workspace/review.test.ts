import { reviewPage } from './review.mjs';

const clean = { status: 0, stdout: '**11 specified**\n' };

test('nothing when the document is clean and nothing changed', () => {
  expect(reviewPage({ base: 'main', diff: clean, changes: { stdout: '' } })).toBe('');
});

test('the findings, and the changes', () => {
  const page = reviewPage({
    base: 'main',
    diff: { status: 1, stdout: 'FINDINGS\n' },
    changes: { stdout: 'CHANGES\n' },
  });
  expect(page).toBe(
    '## The document differs from what is stated\n\nFINDINGS\n\n## Changes for senders and receivers since main\n\nCHANGES\n',
  );
});
