import { reviewPage } from './review-page.mjs';

const clean = { status: 0, stdout: '**11 specified**\n' };

test('nothing when the document is clean and nothing changed', () => {
  expect(reviewPage({ base: 'main', diff: clean, changes: { stdout: '' } })).toBe('');
});

test('what is not as stated, and what changed', () => {
  const page = reviewPage({
    base: 'main',
    diff: { status: 1, stdout: 'FINDINGS\n' },
    changes: { stdout: 'CHANGES\n' },
  });
  expect(page).toBe(
    '## The document is not what is stated\n\nFINDINGS\n\n## What changed for senders and receivers since main\n\nCHANGES\n',
  );
});
