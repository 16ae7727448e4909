/**
 * Says in one line that a version of Node.js is too old.
 *
 * @param {string} version of Node.js, as in `process.versions.node`
 * @param {string} range the field `engines.node` of package.json: `>=` and a version
 * @returns {string | undefined} nothing if the version is right
 */
export function nodeVersionFault(version, range) {
  const needed = range.replace('>=', '');
  if (isAtLeast(numbersOf(version), numbersOf(needed))) return undefined;
  return `Node.js ${needed} or newer is required (this is ${version}). Install it, for example with "nvm install", and run the command again.`;
}

/** @param {string} version */
function numbersOf(version) {
  return version.split('.').map((part) => Number.parseInt(part, 10));
}

/**
 * @param {number[]} version
 * @param {number[]} needed
 */
function isAtLeast(version, needed) {
  const differs = needed.findIndex((part, index) => part !== (version[index] ?? 0));
  return differs === -1 || (version[differs] ?? 0) > needed[differs];
}
