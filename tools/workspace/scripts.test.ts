import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** The targets of each project. */
let targets: Record<string, string[]>;

beforeAll(() => {
  const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  const printed = execFileSync(process.execPath, [nx, 'graph', '--file=stdout'], options);
  const { graph } = JSON.parse(printed) as {
    graph: { nodes: Record<string, { data: { targets: object } }> };
  };
  targets = Object.fromEntries(
    Object.entries(graph.nodes).map(([name, { data }]) => [name, Object.keys(data.targets)]),
  );
});

/** The targets after `-t`. */
const runMany = (text: string): string[] =>
  [...text.matchAll(/ -t ((?:[a-z][\w-]*\s?)+)/g)].flatMap(([, names = '']) => names.trim().split(/\s+/));

// Nx says "No tasks were run", and succeeds.
test.each([
  ...Object.entries(scripts).map(([name, script]) => ({ from: `npm run ${name}`, text: script })),
  ...[
    '.ci/run',
    '.github/workflows/ci.yml',
    '.github/workflows/release.yml',
    'CONTRIBUTING.md',
    'deploy/build.sh',
  ].map((file) => ({ from: file, text: read(file) })),
])('$from runs targets that exist', ({ text }) => {
  const known = new Set(Object.values(targets).flat());
  expect(runMany(text).filter((name) => !known.has(name))).toEqual([]);
  const named = [...text.matchAll(/\bnx (?:run )?([a-z-]+):([a-z-]+)/g)];
  expect(named.filter(([, project = '', target = '']) => !targets[project]?.includes(target))).toEqual([]);
});

test.each(Object.entries(scripts))('npm run %s says first which packages are missing', (_name, script) => {
  expect(script).toMatch(/^(node tools\/workspace\/ready\.mjs && |npm run --silent openapi -- )/);
});
