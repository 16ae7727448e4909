import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ALL,
  ANSWERS,
  type Answers,
  FILES,
  filesOf,
  IDENTITY,
  METHOD,
  QUESTIONS,
  RETRY,
} from './answered-interface.js';
import { CLI, inFolder, runCli } from './run-cli.js';

const PROVENANCE = ['--who', 'B. Person', '--date', '2026-02-03', '--reason', 'A letter'];
const enter = (files: Record<string, string>, ...args: readonly string[]) =>
  inFolder(files, (folder) => ({
    ...runCli(['enter', ...FILES, ...args], folder),
    gate: runCli(['diff', ...FILES], folder).code,
    overlay: readOverlay(folder),
  }));
const readOverlay = (folder: string) => {
  try {
    return readFileSync(join(folder, 'o.yaml'), 'utf8');
  } catch {
    return undefined;
  }
};

describe('openapi enter', () => {
  it('puts a new answer in the order of the register, and leaves the others as they are', () => {
    const files = filesOf({ actions: [METHOD, IDENTITY, RETRY] });
    const commented = { ...files, 'o.yaml': files['o.yaml']?.replace('actions:', '# Kept\nactions:') ?? '' };
    const { gate, overlay } = enter(commented, '--question', 'receiver-response', ...PROVENANCE);
    expect(gate).toBe(0);
    expect(overlay).toContain('# Kept\n');
    expect(overlay?.match(/x-question: .*/g)).toEqual(QUESTIONS.map((id) => `x-question: ${id}`));
    expect(overlay).toContain('x-answered-by: B. Person\n    x-date: 2026-02-03\n    x-reason: A letter\n');
  });

  it('corrects the actions that depend on a changed answer; they keep who, when and why', () => {
    const files = filesOf({ actions: ALL, answers: { ...ANSWERS, 'http-method': 'PUT' } });
    const { gate, overlay } = enter(files, '--question', 'http-method', ...PROVENANCE);
    expect(gate).toBe(0);
    expect(overlay?.match(/A\. Person/g)).toHaveLength(3);
    expect(overlay?.match(/B\. Person/g)).toHaveLength(1);
  });

  it('makes the overlay, and removes it with its last answer', () => {
    const answers: Answers = { retry: 'never' };
    const made = enter(filesOf({ actions: [], answers }), '--question', 'retry', ...PROVENANCE);
    expect(made).toMatchObject({ code: 0, gate: 0, out: 'o.yaml  changed\n' });
    const removed = enter(filesOf({ actions: [RETRY], answers: {} }), '--question', 'retry', '--remove');
    expect(removed).toMatchObject({ code: 0, gate: 0, overlay: undefined });
  });

  it('removes an answer that others are built on', () => {
    const files = filesOf({ actions: ALL, answers: { ...ANSWERS, 'http-method': undefined } });
    const { gate, overlay } = enter(files, '--question', 'http-method', '--remove');
    expect(gate).toBe(0);
    expect(overlay).not.toContain('http-method');
  });

  it('writes out what an alias stands for, although the action that has it goes', () => {
    const files = filesOf({ actions: ALL, answers: { ...ANSWERS, 'http-method': undefined } });
    const [first = '', ...others] = (files['o.yaml'] ?? '').split('x-answered-by: A. Person');
    const aliased = `${first}x-answered-by: &who A. Person${others.join('x-answered-by: *who')}`;
    const { gate, overlay } = enter({ ...files, 'o.yaml': aliased }, '--question', 'http-method', '--remove');
    expect(gate).toBe(0);
    expect(overlay).not.toMatch(/[&*]who/);
    expect(overlay).toContain('A. Person');
  });

  it('leaves the overlay whole on a full disk', () => {
    const reason = 'Why. '.repeat(300);
    const files = filesOf({ actions: [METHOD], answers: { ...ANSWERS } });
    inFolder(files, (folder) => {
      const args = ['enter', ...FILES, '--question', 'retry', ...PROVENANCE, '--reason', reason];
      const limited = ['-c', 'ulimit -f 1; exec "$@"', 'bash', process.execPath, CLI, ...args];
      const { status, stderr } = spawnSync('bash', limited, { cwd: folder, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('EFBIG') as string });
      expect(readOverlay(folder)).toBe(files['o.yaml']);
      expect(readdirSync(folder)).not.toContain('o.yaml.new');
    });
  });

  it.each([
    { args: ['--question', 'nope', ...PROVENANCE], want: 'answers.ts has no answer to nope' },
    { args: ['--question', 'retry', '--who', 'x', '--reason', 'y'], want: '--date is missing' },
    {
      args: ['--question', 'retry', '--who', 'x', '--reason', 'y', '--date', '2026-13-41'],
      want: '--date is "2026-13-41": write a date such as 2026-01-31',
    },
  ])('refuses $args', ({ args, want }) => {
    const { code, err, overlay } = enter(filesOf({ actions: [] }), ...args);
    expect({ code, err, overlay }).toEqual({
      code: 2,
      err: expect.stringContaining(want) as string,
      overlay: undefined,
    });
  });
});

it('two branches with answers conflict in one place of the overlay', () => {
  const base = filesOf({ actions: [METHOD] });
  const overlayWith = (question: keyof Answers): string => {
    const answers: Answers = { 'http-method': 'POST', [question]: ANSWERS[question] };
    const files = { ...filesOf({ actions: [METHOD], answers }) };
    return enter(files, '--question', question, ...PROVENANCE).overlay ?? '';
  };
  const texts = {
    'base.yaml': base['o.yaml'] ?? '',
    'one.yaml': overlayWith('retry'),
    'other.yaml': overlayWith('event-identity'),
  };
  const merged = inFolder(texts, (folder) =>
    spawnSync('git', ['merge-file', '-p', 'one.yaml', 'base.yaml', 'other.yaml'], {
      cwd: folder,
      encoding: 'utf8',
    }),
  );
  expect({ status: merged.status, stderr: merged.stderr }).toEqual({ status: 1, stderr: '' });
  expect(merged.stdout.match(/^<{7} /gm)).toHaveLength(1);
});
