/**
 * Preloaded with `node --import`: the contract then has no answers. These tests are about what is true whatever is
 * answered, so they must not change when a question is answered. tools/answers tests what an answer changes.
 */
import { register } from 'node:module';

register(
  `data:text/javascript,${encodeURIComponent(`
    export async function resolve(specifier, context, next) {
      const resolved = await next(specifier, context);
      return new URL(resolved.url).pathname.endsWith('/libs/contract/dist/answers.js')
        ? { url: 'data:text/javascript,export const answers = {};', shortCircuit: true }
        : resolved;
    }`)}`,
);
