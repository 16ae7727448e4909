/**
 * Says in one line that a version of Node.js is too old.
 *
 * @param {string} version of Node.js, as in `process.versions.node`
 * @param {string} range the field `engines.node` of package.json: `>=` and a version
 * @returns {string | undefined} nothing if the version is right
 */
export function nodeVersionFault(version, range) {
  const needed = range.replace('>=', '');
  if (version.localeCompare(needed, 'en', { numeric: true }) >= 0) return undefined;
  return `This workspace needs Node.js ${needed} or newer (this is ${version}). Install it, for example with "nvm install".`;
}
