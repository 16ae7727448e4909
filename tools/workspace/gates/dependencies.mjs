/** `nx run workspace:dependencies`: docs/reference/dependencies.md names each dependency of a package.json, and no other. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const PAGE = 'docs/reference/dependencies.md';

const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*package.json'];
const files = execFileSync('git', list, { encoding: 'utf8' }).split('\0').filter(existsSync);
const manifests = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
const own = new Set(manifests.map(({ name }) => name));
const declared = new Set(
  manifests
    .flatMap(({ dependencies, devDependencies, peerDependencies, optionalDependencies }) =>
      Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies, ...optionalDependencies }),
    )
    .filter((name) => !own.has(name)),
);
// An item is "- `name`, `name`: what for".
const items = readFileSync(PAGE, 'utf8').matchAll(/^- (`[^`]+`(?:, `[^`]+`)*): +\S/gm);
const named = new Set(Array.from(items, ([, names = '']) => names.slice(1, -1).split('`, `')).flat());

const faults = [
  ...[...declared].filter((name) => !named.has(name)).map((name) => `add ${name}, and what it is for`),
  ...[...named]
    .filter((name) => !declared.has(name))
    .map((name) => `remove ${name}, which no package.json has`),
];
for (const fault of faults) console.error(`${PAGE}: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
