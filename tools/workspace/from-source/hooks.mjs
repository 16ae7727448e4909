import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';
import { compilerOptions } from '../../../swc.shared.mjs';

/**
 * An import names the file that a build writes.
 *
 * @type {import('node:module').ResolveHook}
 */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'ERR_MODULE_NOT_FOUND' || !specifier.endsWith('.js')) throw error;
    return next(specifier.replace(/\.js$/, '.ts'), context);
  }
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  const { pathname } = new URL(url);
  if (!pathname.endsWith('.ts')) return next(url, context);
  const { code } = await transformFile(fileURLToPath(new URL(pathname, url)), compilerOptions);
  return { format: 'module', source: code, shortCircuit: true };
}
