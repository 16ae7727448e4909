/**
 * How swc compiles the sources of this repository. tsconfig.base.json says the same to TypeScript, and requires
 * `import type` as well, which your team's handler needn't write.
 *
 * @type {import('@swc/core').Options}
 */
export const compilerOptions = {
  swcrc: false,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      react: { runtime: 'automatic', importSource: 'preact' },
    },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

/**
 * The same for the templates of the inspector, *.tsx.
 *
 * @type {import('@swc/core').Options}
 */
export const templateOptions = {
  ...compilerOptions,
  jsc: { ...compilerOptions.jsc, parser: { syntax: 'typescript', decorators: true, tsx: true } },
};
