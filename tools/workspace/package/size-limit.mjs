/**
 * Configuration of size-limit, for `nx run workspace:package-budget`: the core of the SDK as a store would bundle it, the
 * entry point `.` with what it takes of the contract. The limit has no meaning of its own: undici alone is 167 kB. It
 * shows when the core grows, or takes the register's texts or a library with it.
 */
export default [
  {
    name: 'The core of the SDK, without undici',
    path: '../../../libs/sdk/dist/index.js',
    limit: '15 kB',
    gzip: true,
    ignore: ['undici'],
    modifyEsbuildConfig: (/** @type {object} */ config) => ({
      ...config,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      plugins: [{ name: 'core', setup }],
    }),
  },
];

/** @param {any} build of esbuild */
function setup({ onResolve, onLoad }) {
  // The team's answers, and what they bring, are no part of the core.
  onLoad({ filter: /libs\/contract\/dist\/(answers|accepts)\.js$/ }, () => ({
    contents: 'export const answers = {}; export const accepts = {};',
  }));
  onResolve({ filter: /^[^./]/ }, (/** @type {{ path: string }} */ { path }) =>
    /^(undici$|node:|@plant-store\/)/.test(path)
      ? undefined
      : { errors: [{ text: `The core may not import ${path}.` }] },
  );
}
