import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { ROOT } from '../scenario/run-program.js';

/** Runs the built program in the repository. */
function review(...args: readonly string[]): { code: number | null; out: string; err: string } {
  const program = join(ROOT, 'tools/answers/dist/review/main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  return { code: status, out: stdout, err: stderr };
}

test.each([
  [[], '--base is missing'],
  [['--base', ''], '--base is missing'],
  [['--base', 'HEAD', '--format', 'pdf'], '--format must be markdown or github'],
  [['--base', 'mian'], 'git knows no revision "mian". Fetch it, or name another with --base.'],
  [['--bass', 'HEAD'], "Unknown option '--bass'"],
])('%j cannot run: %s', (args, message) => {
  const { code, out, err } = review(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err.startsWith(`review: ${message}`)).toBe(true);
  expect(err.trim().split('\n')).toHaveLength(1);
});

test('before the first push, all of the document is new', () => {
  const { code, out, err } = review('--base', '0'.repeat(40));
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^This is the first push\. Everything is compared with an empty document\.\n\n## /);
  expect(out).toMatch(/^\| webhook added<br>`webhook-added`<br>.*`\/webhooks\/~1plant~1webhook` \|/m);
});

test('everything is annotated at lines of the repository', () => {
  const { code, out, err } = review('--base', '0'.repeat(40), '--format', 'github');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^::\w+ file=apps\/webhook\/openapi\.json,line=\d+,title=\w+%3A webhook added%3A /m);
});
