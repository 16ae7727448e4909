import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '@plant-store/test-support';
import { review } from '../src/review/review.js';
import { BY, ROOT } from './built.js';
import { CLI, run } from './run-cli.js';

const FILES = {
  baseline: 'libs/contract/spec/plant-store.openapi.yaml',
  document: 'apps/webhook/openapi.json',
  ledger: 'apps/webhook/answers.json',
};
const BASELINE = readFileSync(join(ROOT, FILES.baseline), 'utf8');

const WORKSPACE = process.cwd();
let folder: string;

beforeEach(() => {
  folder = makeFolder();
  process.chdir(folder);
  git('init', '--quiet', '--initial-branch', 'main');
  write({ [FILES.baseline]: BASELINE, [FILES.document]: '{}' });
  commit({});
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

/** Enters answers into the working tree. */
function enter(ledger: object): void {
  write({ [FILES.ledger]: JSON.stringify(ledger) });
}

function commit(ledger: object): string {
  enter(ledger);
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'A commit');
  return git('rev-parse', 'HEAD');
}

const sizes = { 'size-limits': { is: 1_000, ...BY } };

test('is empty while nothing changes', () => {
  expect(review('main')).toBe('');
});

test('says of a new answer who gave it and what it means', () => {
  enter(sizes);

  expect(review('main')).toBe(`## Answers since main

**1 new. Version step: major.**

### Size limits: new

- \`size-limits\`: \`1000\`
- Answered by Nobody on 2026-01-31: An example.
- Receiver: Accepts content up to this size. Larger content gets 413. \`MAX_CONTENT_BYTES\` can't be set.
- Sender: Refuses larger content before it is sent.
- Rollout and version step: More than the 1,048,576 bytes that receivers accept by default: a transition.
- Roll out: senders first
- Version step: major
`);
});

test('says what changed, what was withdrawn and what was signed again, the larger steps first', () => {
  commit({
    'event-order': { inWords: 'None.', ...BY },
    'authentication-realm': { is: 'plants', ...BY },
    ...sizes,
    retry: { is: { delays: [1], statuses: 'all', withoutResponse: true }, ...BY },
  });
  enter({
    'event-order': { inWords: 'None.', ...BY, who: 'Ada Grower' },
    'authentication-realm': { inWords: 'As the proxy says.', ...BY },
    'size-limits': { is: 2_000, ...BY },
  });
  const text = review('HEAD');
  expect(text).toContain('**2 changed, 1 withdrawn, 1 signed again. Version step: major.**');
  expect(text.match(/^### .*$/gm)).toEqual([
    '### Authentication realm: changed',
    '### Retry behaviour: withdrawn',
    '### Size limits: changed',
    '### Order of events: signed again',
  ]);
  expect(text).toContain('- `size-limits`: `2000` (was `1000`)\n');
  expect(text).toContain('- `authentication-realm`: `As the proxy says.` (was `"plants"`)\n');
  expect(text).toContain('- `retry`: open again (was ');
  expect(text).toContain('- Answered by Ada Grower on 2026-01-31: An example.\n');
  expect(text.match(/^- Roll out: transition\n- Version step: major$/gm)).toHaveLength(3);
});

test('an answer in words may be deployed in any order', () => {
  enter({ retry: { inWords: 'Twice.', ...BY } });
  expect(review('main')).toMatch(/In words: .*\n- Roll out: any order\n- Version step: patch\n/);
});

test('says which open questions keep an answer from showing', () => {
  enter({ 'receiver-response': { is: { status: 200, description: 'Taken.' }, ...BY } });
  expect(review('main')).toContain('- Shows only beside an answer to `http-method`, which is open.\n');
});

test('says what to do about answers of opposite order', () => {
  enter({ ...sizes, 'receiver-response': { is: { status: 200, description: 'Taken.' }, ...BY } });
  expect(review('main')).toContain('Split the change, or enter the later answers in words');
});

test('shows what changed in the facts', () => {
  write({ [FILES.baseline]: BASELINE.replace('1.0.0 # §1', '1.1.0 # §1') });
  expect(review('main')).toContain(
    '```diff\n@@ -7,3 +7,3 @@ info:\n     name: MIT # §1\n-  version: 1.0.0 # §1, §9\n+  version: 1.1.0 # §1, §9\n',
  );
});

describe('compares with', () => {
  test('the last commit that both have, and says so', () => {
    const common = git('rev-parse', 'HEAD');
    git('checkout', '--quiet', '-b', 'work');
    git('checkout', '--quiet', 'main');
    commit(sizes);
    git('checkout', '--quiet', 'work');
    enter({ 'http-method': { is: 'PUT', ...BY } });
    const text = review('main');
    expect(text).toContain(`It is compared with ${common.slice(0, 7)}, the last commit that both have.`);
    expect(text).toContain('**1 new.');
  });

  test.each([
    ['0'.repeat(40), 'This is the first push.'],
    ['1'.repeat(40), 'The commit 1111111 is gone, as after a force-push.'],
  ])('nothing, after %s', (reference, note) => {
    commit(sizes);
    expect(review(reference)).toContain(`${note} Everything is compared with nothing.`);
    expect(review(reference)).toContain('## Answers since nothing');
  });

  test('nothing, if there is no commit in common', () => {
    git('checkout', '--quiet', '--orphan', 'other');
    commit(sizes);
    expect(review('main')).toContain('The working tree has no commit in common with main.');
  });

  test('a revision of the remote, if the clone has one branch', () => {
    commit(sizes);
    const origin = folder;
    process.chdir(makeFolder());
    execFileSync('git', ['clone', '--quiet', origin, '.']);
    execFileSync('git', ['checkout', '--quiet', '--detach']);
    execFileSync('git', ['branch', '--quiet', '-D', 'main']);
    writeFileSync(FILES.ledger, '{}');
    expect(review('main')).toContain('1 withdrawn');
  });
});

describe('says what git says', () => {
  test('of a repository of another owner', () => {
    const variables = {
      GIT_TEST_ASSUME_DIFFERENT_OWNER: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
    };
    const { code, err } = run([CLI, 'review'], folder, variables);
    expect(code).toBe(2);
    expect(err).toContain('openapi: git rev-parse: fatal: detected dubious ownership in repository');
  });

  test('of a folder without a repository', () => {
    rmSync(join(folder, '.git'), { recursive: true });
    const { code, err } = run([CLI, 'review'], folder, { GIT_CEILING_DIRECTORIES: dirname(folder) });
    expect(code).toBe(2);
    expect(err).toContain('openapi: git rev-parse: fatal: not a git repository');
  });

  test('of a clone that is too shallow', () => {
    git('checkout', '--quiet', '-b', 'work');
    commit(sizes);
    git('checkout', '--quiet', 'main');
    commit({ 'http-method': { is: 'PUT', ...BY } });
    const clone = makeFolder();
    execFileSync('git', ['clone', '--quiet', '--depth=1', '--no-single-branch', `file://${folder}`, clone]);
    process.chdir(clone);
    expect(() => review('origin/work')).toThrow('this clone is shallow, and has no commit in common');
  });

  test('of a partial clone without its remote', () => {
    git('config', 'uploadpack.allowFilter', 'true');
    commit(sizes);
    commit({});
    const clone = makeFolder();
    execFileSync('git', ['clone', '--quiet', '--filter=blob:none', `file://${folder}`, clone]);
    rmSync(join(folder, '.git'), { recursive: true });
    process.chdir(clone);
    expect(() => review('HEAD~1')).toThrow(/^git cat-file: fatal: /);
  });

  test('of a revision that nobody fetched', () => {
    expect(() => review('gone')).toThrow(
      'git knows no revision "gone". Fetch it, or name another with --base',
    );
  });
});
