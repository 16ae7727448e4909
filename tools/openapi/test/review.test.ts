import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '@plant-store/test-support';
import { stringify } from 'yaml';
import { committedSources } from '../src/repository.js';
import { review, type ReviewOptions } from '../src/review/review.js';

const FILES = {
  baseline: 'libs/contract/spec/plant-store.openapi.yaml',
  overlay: 'libs/contract/spec/answers.overlay.yaml',
  document: 'apps/webhook/openapi.json',
};
const BASELINE = readFileSync(new URL(`../../../${FILES.baseline}`, import.meta.url), 'utf8');

/** The document while everything is open, as the baseline states it. */
const OPEN = {
  openapi: '3.1.0',
  info: { title: 'OpenAPI Plant Store', license: { name: 'MIT' }, version: '1.0.0' },
  servers: [{ url: '{base_url}' }],
  paths: {},
  webhooks: {
    '/plant/webhook': {
      summary: 'New Plant',
      description: 'Information about a new plant added to the store',
    },
  },
  components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
  security: [{ bearerAuth: [] }],
};

const action = (question: string, answer: unknown, others: object = {}) => ({
  target: '$',
  'x-question': question,
  'x-answer': answer,
  'x-answered-by': 'Ada Grower',
  'x-date': '2026-01-31',
  'x-reason': 'Minutes.',
  ...others,
});
const overlay = (...actions: object[]): string =>
  stringify({ overlay: '1.0.0', info: { title: 'Answers', version: '1.0.0' }, actions });

const WORKSPACE = process.cwd();
let folder: string;

beforeEach(() => {
  folder = makeFolder();
  process.chdir(folder);
  git('init', '--quiet', '--initial-branch', 'main');
  write({ [FILES.baseline]: BASELINE, [FILES.document]: JSON.stringify(OPEN) });
  commit();
});

afterEach(() => process.chdir(WORKSPACE));

function git(...args: readonly string[]): string {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.test'];
  return execFileSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

function commit(files: Readonly<Record<string, string>> = {}): string {
  write(files);
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'A commit');
  return git('rev-parse', 'HEAD');
}

/** The page of the working tree, with these answers on the code's side. */
function page(
  answers: Readonly<Record<string, unknown>> = {},
  options: Partial<ReviewOptions> = {},
  stillAccepted: Parameters<typeof review>[2] = {},
) {
  return review(
    { format: 'markdown', all: false, ...options },
    { ...committedSources(), answers },
    stillAccepted,
  );
}

test('is empty while nothing changes', async () => {
  expect(await page()).toBe('');
  expect(await page({}, { format: 'github' })).toBe('');
});

test('says of a new answer who gave it and what it means', async () => {
  write({ [FILES.overlay]: overlay(action('size-limits', 1_000)) });

  expect(await page({ 'size-limits': 1_000 })).toBe(`## Answers since main

**1 new. Version step: major.**

### Size limits: new

- Answer to \`size-limits\`: 1000 bytes
- Answered by Ada Grower on 2026-01-31: Minutes.
- Receiver: Takes content of at most 1000 bytes; larger content gets 413. (breaking)
- Sender: Refuses content of more than 1000 bytes before it is sent. (breaking)
- Roll out: senders first. From an old sender to a new receiver: content of more than 1000 bytes gets 413.
- Version step: major
`);
});

test('says what changed, what was withdrawn and what was signed again, the larger steps first', async () => {
  const [retry, realm] = [{ delays: [1], statuses: 'all', withoutResponse: true }, 'plants'];
  commit({
    [FILES.overlay]: overlay(
      action('retry', retry),
      action('size-limits', 1_000),
      action('authentication-realm', realm),
    ),
  });
  write({
    [FILES.overlay]: overlay(
      action('size-limits', 2_000),
      action('authentication-realm', realm, { 'x-reason': 'A mail.' }),
    ),
  });

  const text = await page({ 'size-limits': 2_000, 'authentication-realm': realm });

  expect(text).toContain('**1 changed, 1 withdrawn, 1 signed again. Version step: major.**');
  expect(text.match(/^### .*$/gm)).toEqual([
    '### Retry behaviour: withdrawn',
    '### Size limits: changed',
    '### Authentication realm: signed again',
  ]);
  expect(text).toContain('2000 bytes (was 1000 bytes)');
  expect(text).toContain('- Answer to `retry`: open (was again after 1 ms,');
  expect(text).toContain('Was answered by Ada Grower on 2026-01-31: Minutes.');
});

test('says that the software does not follow words', async () => {
  const words = { inWords: 'As another service does.' };
  write({ [FILES.overlay]: overlay(action('signing', words), action('event-order', 'None.')) });

  const text = await page({ signing: words, 'event-order': 'None.' });

  expect(text).toContain('- Answer to `signing`: As another service does.');
  expect(text.match(/^- The software does not carry this out\.$/gm)).toHaveLength(2);
});

test('says nothing of what an answer means that is none', async () => {
  write({ [FILES.overlay]: overlay(action('retry', 5)) });

  expect(await page({ retry: 5 })).toContain('- Effect: unknown, because an answer is not valid.');
});

test('says that opposite orders need two steps, and what is accepted meanwhile', async () => {
  const response = { status: 200, description: 'Taken.' };
  write({ [FILES.overlay]: overlay(action('size-limits', 1_000), action('receiver-response', response)) });
  const stillAccepted = {
    'receiver-response': { also: [204], until: '2026-12-31', decidedBy: 'Ada', reason: 'A while.' },
  };

  const text = await page({ 'size-limits': 1_000, 'receiver-response': response }, {}, stillAccepted);

  expect(text).toContain('roll them out one after the other');
  expect(text).toContain('- Accepted too: 204 until 2026-12-31, decided by Ada: A while.');
});

test('quotes what somebody wrote: no marks of Markdown, and nobody is notified', async () => {
  write({
    [FILES.overlay]: overlay(action('size-limits', 1_000, { 'x-reason': '<b> *all* of @team\n# Head' })),
  });

  const text = await page({ 'size-limits': 1_000 });

  expect(text).toContain('\\<b\\> \\*all\\* of @<!-- -->team \\# Head');
});

test('lists an edit of the baseline', async () => {
  const document = { ...OPEN, info: { ...OPEN.info, license: { name: 'Apache-2.0' } } };
  write({
    [FILES.baseline]: BASELINE.replace('MIT', 'Apache-2.0'),
    [FILES.document]: JSON.stringify(document),
  });

  const text = await page();

  expect(text).toContain("## Changes of the specification's facts since main\n\n```diff\n@@ ");
  expect(text).toMatch(/^-.*MIT.*\n\+.*Apache-2\.0.*$/m);
});

test('lists what the gate finds, such as an invented fact', async () => {
  write({ [FILES.document]: JSON.stringify({ ...OPEN, externalDocs: { url: 'https://a.example' } }) });

  const text = await page();

  expect(text).toContain('## The document differs from what is stated');
  expect(text).toContain('invented: externalDocs › url');
});

test('annotates findings as errors and answers as notices, at their lines', async () => {
  write({
    [FILES.document]: JSON.stringify({ ...OPEN, externalDocs: { url: 'https://a.example' } }),
    [FILES.overlay]: overlay(action('size-limits', 1_000)),
  });

  const lines = (await page({ 'size-limits': 1_000 }, { format: 'github' })).trimEnd().split('\n');

  expect(lines).toEqual([
    expect.stringMatching(
      /^::error file=apps\/webhook\/openapi\.json,line=1,title=invented%3A externalDocs › url {3}\/externalDocs\/url::/,
    ),
    expect.stringMatching(
      /^::notice file=libs\/contract\/spec\/answers\.overlay\.yaml,line=6,title=Size limits%3A new::.*Version step: major$/,
    ),
  ]);
});

test('prints no control character of an answer', async () => {
  const words = 'No\u001b[31m \u202eorder.';
  write({ [FILES.overlay]: overlay(action('event-order', words)) });

  const text = await page({ 'event-order': words }, { format: 'github' });
  expect(text).toContain('No\\u001b[31m \\u202eorder.');
});

test('fits into a comment on GitHub, and says how to see the rest', async () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `x${index}`);
  const invented = Object.fromEntries(names.map((name) => [name, 'a long text '.repeat(5)]));
  write({ [FILES.document]: JSON.stringify({ ...OPEN, ...invented }) });

  const text = await page();

  expect(text.length).toBeLessThan(60_000);
  expect(text.trimEnd()).toMatch(/and more: `npm run review -- --base main --all`$/);
  expect(await page({}, { all: true })).toContain('x1999');
});

describe('the base', () => {
  const answered = { [FILES.overlay]: overlay(action('size-limits', 1_000)) };
  const code = { 'size-limits': 1_000 };

  test('is the last commit that both have', async () => {
    git('switch', '--quiet', '--create', 'branch');
    commit(answered);
    git('switch', '--quiet', 'main');
    commit({ 'other.txt': '' });
    git('switch', '--quiet', 'branch');

    const text = await page(code);

    expect(text).toMatch(/^The working tree isn't based on main\. It is compared with [0-9a-f]{7},/);
    expect(text).toContain('## Answers since main');
  });

  test('is the branch of the remote in a clone that has no other', async () => {
    git('switch', '--quiet', '--create', 'branch');
    git('update-ref', 'refs/remotes/origin/main', 'main');
    git('branch', '--quiet', '--delete', '--force', 'main');
    commit(answered);
    expect(await page(code)).toContain('## Answers since main');
  });

  test('is the commit itself on main', async () => {
    commit(answered);
    expect(await page(code)).toBe('');
    rmSync(join(folder, FILES.overlay));
    expect(await page()).toContain('### Size limits: withdrawn');
  });

  test.each([
    ['0'.repeat(40), 'This is the first push.'],
    ['1'.repeat(40), 'The commit 1111111 is gone, as after a force-push.'],
  ])('is empty for %s', async (base, note) => {
    write(answered);
    const text = await page(code, { base });
    expect(text.startsWith(`${note} Everything is compared with an empty document.\n`)).toBe(true);
    expect(text).toContain("## Changes of the specification's facts since nothing\n");
  });

  test('is empty between histories without a common commit', async () => {
    git('switch', '--quiet', '--orphan', 'other');
    commit({ [FILES.baseline]: BASELINE, [FILES.document]: JSON.stringify(OPEN), 'other.txt': '' });
    expect(await page()).toMatch(/^The working tree has no commit in common with main\./);
  });

  test('that git does not know is refused', async () => {
    await expect(page({}, { base: 'no-such' })).rejects.toMatchObject({
      code: 'usage',
      message: 'git knows no revision "no-such". Fetch it, or name another with --base',
    });
  });
});
