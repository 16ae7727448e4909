/** Bundles an application with everything that it needs: bundle.js BUNDLER ENTRY OUTPUT */
import { resolve } from 'node:path';
import { build } from 'esbuild';
import webpack from 'webpack';

const [bundler, entry, output] = process.argv.slice(2);
// Optional, and not installed.
const external = ['pg-native'];
if (bundler === 'webpack') {
  const configuration = {
    mode: 'none',
    target: 'node20',
    entry: resolve(entry),
    output: { path: resolve(output, '..'), filename: output.split('/').at(-1) },
    externals: Object.fromEntries(external.map((name) => [name, `commonjs ${name}`])),
  };
  const stats = await new Promise((done, fail) =>
    webpack(configuration, (error, result) => (error ? fail(error) : done(result))),
  );
  if (stats.hasErrors()) throw new Error(stats.toString());
} else {
  // undici is CommonJS, and its `require` has to be there in an ES module.
  const require =
    "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  const format = bundler === 'esbuild to ESM' ? 'esm' : 'cjs';
  const banner = format === 'esm' ? { js: require } : {};
  const options = { bundle: true, platform: 'node', format, banner, external, logLevel: 'error' };
  await build({ entryPoints: [entry], outfile: output, ...options });
}
