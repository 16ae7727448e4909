import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');

const node = (args: readonly string[], cwd = root, env: NodeJS.ProcessEnv = {}): string =>
  execFileSync(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });

// Otherwise the cache gives an old result after a change.
test.each([
  { target: 'webhook:inspector', cwd: 'apps/webhook', args: ['serve/build-inspector.mjs'] },
  {
    target: 'webhook:openapi-check',
    cwd: 'apps/webhook',
    args: ['dist/openapi/write-document.js', '--check'],
  },
  { target: 'openapi:pages-check', cwd: '.', args: ['tools/openapi/dist/cli.js', 'pages', '--check'] },
])('the inputs of $target name each file of the repository that it reads', ({ target, cwd, args }) => {
  const folder = mkdtempSync(join(tmpdir(), 'inputs-'));
  const READS = join(folder, 'reads');
  try {
    node(['--import', join(import.meta.dirname, 'test/record-reads.mjs'), ...args], join(root, cwd), {
      READS,
    });
    const tracked = new Set(
      execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0'),
    );
    const printed = node([nx, 'show', 'target', 'inputs', target, '--json']);
    const inputs = new Set((JSON.parse(printed) as { files: string[] }).files);

    const files = new Set(
      readFileSync(READS, 'utf8')
        .split('\n')
        .map((file) => relative(root, file)),
    );
    const read = [...files].filter((file) => tracked.has(file));
    expect(read).not.toEqual([]);
    expect(read.filter((file) => !inputs.has(file))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('each file that the inputs of a target name is there', () => {
  const { graph } = JSON.parse(node([nx, 'graph', '--file=stdout'])) as {
    graph: {
      nodes: Record<string, { data: { root: string; targets: Record<string, { inputs?: unknown[] }> } }>;
    };
  };
  const missing = Object.values(graph.nodes).flatMap(({ data }) =>
    Object.entries(data.targets).flatMap(([target, { inputs = [] }]) =>
      inputs
        .filter((input) => typeof input === 'string')
        .map((input) => input.replace('{projectRoot}', data.root).replace('{workspaceRoot}/', ''))
        .filter((path) => /^[\w./-]+\.\w+$/.test(path) && !existsSync(join(root, path)))
        .map((path) => `${data.root} ${target}: ${path}`),
    ),
  );
  expect(missing).toEqual([]);
});
