/**
 * How swc compiles the sources of this repository. tsconfig.base.json says the same to TypeScript, but that an import of
 * types says so: it needn't in your team's handler.
 *
 * @type {import('@swc/core').Options}
 */
export const compilerOptions = {
  swcrc: false,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};
