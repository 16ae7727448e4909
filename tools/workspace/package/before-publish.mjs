/**
 * The last part of `prepack`, in the folder of a package. While npm publishes, it refuses if npm has no registry for the
 * packages, which are private, or if an answer of the contract can't be carried out. `npm pack` is always allowed.
 *
 * npm doesn't run `prepublishOnly` where .npmrc turns scripts off, whatever `publishConfig` says.
 */
import { spawnSync } from 'node:child_process';

const SCOPE = '@plant-store:registry';

if (process.env['npm_command'] === 'publish') {
  const faults = hasRegistry()
    ? await faultsOfAnswers()
    : [`npm has no registry for @plant-store. Set it: npm config set ${SCOPE} ADDRESS`];
  for (const fault of faults) console.error(`Not published: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

function hasRegistry() {
  // In the folder of a package, `npm config` refuses to run.
  const cwd = new URL('../../..', import.meta.url);
  const { stdout } = spawnSync('npm', ['config', 'get', SCOPE], { cwd, encoding: 'utf8' });
  return /^https?:/.test(stdout);
}

async function faultsOfAnswers() {
  const built = (/** @type {string} */ name) =>
    import(new URL(`../../../libs/contract/dist/${name}.js`, import.meta.url).href);
  /** @type {typeof import('@plant-store/contract')} */
  const { accepts, answers } = await built('index');
  /** @type {typeof import('@plant-store/contract/check')} */
  const { acceptFaults, answerFaults } = await built('check');
  return [...answerFaults(answers), ...acceptFaults(accepts, answers)];
}
