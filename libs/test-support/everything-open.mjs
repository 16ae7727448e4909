/**
 * Preloaded with `node --import`: the contract then has no answers, and accepts nothing beside them. These tests are about what is true whatever is
 * answered, so they must not change when a question is answered. Where code takes
 * the answers as a parameter, pass them: tools/openapi does, and tests what an answer changes.
 */
import { register } from 'node:module';

register(
  `data:text/javascript,${encodeURIComponent(`
    export async function resolve(specifier, context, next) {
      const resolved = await next(specifier, context);
      const [, name] = /\\/libs\\/contract\\/(?:dist-dev\\/)?dist\\/(answers|accepts)\\.js$/.exec(new URL(resolved.url).pathname) ?? [];
      return name === undefined
        ? resolved
        : { url: 'data:text/javascript,export const ' + name + ' = {};', shortCircuit: true };
    }`)}`,
);
