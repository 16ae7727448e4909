/**
 * `node tools/workspace/package/set-address.mjs ADDRESS`: writes the web address of the repository into the packages that
 * are about to be published. It is not committed: each company has the repository at another address.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../nx.mjs';
import { libraries } from './entries.mjs';

const [address = ''] = process.argv.slice(2);
if (!URL.canParse(address)) {
  console.error(`set-address: needs the web address of the repository (got ${address || 'nothing'})`);
  process.exit(2);
}
for (const library of libraries) {
  const file = join(root, library, 'package.json');
  const content = JSON.parse(readFileSync(file, 'utf8'));
  const addresses = {
    repository: { type: 'git', url: `git+${address}.git`, directory: library },
    bugs: { url: `${address}/issues` },
    homepage: `${address}/tree/main/${library}#readme`,
  };
  writeFileSync(file, `${JSON.stringify({ ...content, ...addresses }, undefined, 2)}\n`);
}
