/**
 * The last part of `prepack`, in the folder of a package. While npm publishes, it refuses if npm has no registry for the
 * packages, which are private, if that is the public one, or if an answer of the contract can't be carried out. `npm pack` is always allowed.
 *
 * npm runs `prepublishOnly` before `prepack`, and this needs what is built.
 */
import { spawnSync } from 'node:child_process';

const SCOPE = '@plant-store:registry';

if (process.env['npm_command'] === 'publish') {
  const faults = [...faultsOfRegistry(), ...(await faultsOfAnswers())];
  for (const fault of faults) console.error(`Not published: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

function faultsOfRegistry() {
  const registry = npmConfig(SCOPE);
  if (!URL.canParse(registry)) {
    return [`npm has no registry for @plant-store. Set it: npm config set ${SCOPE} ADDRESS`];
  }
  // What npm uses if nothing is configured is the public registry.
  const environment = Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name));
  const nothing = ['--userconfig=no-such-file', '--globalconfig=nor-this-one'];
  const isPublic =
    hostOf(registry) === hostOf(npmConfig('registry', nothing, Object.fromEntries(environment)));
  return isPublic ? [`${SCOPE} is the public registry, and the packages are private.`] : [];
}

/**
 * @param {string} name
 * @param {readonly string[]} [options]
 * @param {NodeJS.ProcessEnv} [env]
 */
function npmConfig(name, options = [], env = process.env) {
  // In the folder of a package, `npm config` refuses to run.
  const cwd = new URL('../../..', import.meta.url);
  return spawnSync('npm', ['config', 'get', name, ...options], { cwd, env, encoding: 'utf8' }).stdout.trim();
}

/** @param {string} address */
function hostOf(address) {
  return new URL(address).host;
}

async function faultsOfAnswers() {
  const built = (/** @type {string} */ name) =>
    import(new URL(`../../../libs/contract/dist/${name}.js`, import.meta.url).href);
  /** @type {typeof import('@plant-store/contract')} */
  const { answers } = await built('index');
  /** @type {typeof import('@plant-store/contract/check')} */
  const { answerFaults } = await built('check');
  return answerFaults(answers);
}
