/**
 * Preloaded into the receiver with `node --import`: replaces its handler by handler.mjs. The contract has no answers
 * then, because the soak sends what is accepted while every question is open.
 */
import { register } from 'node:module';

const handler = new URL('handler.mjs', import.meta.url).href;

register(
  `data:text/javascript,${encodeURIComponent(`
    const replacements = [
      ['/dist/dispatch/new-plant.handler.js', ${JSON.stringify(handler)}],
      ['/libs/contract/dist/answers.js', 'data:text/javascript,export const answers = {};'],
    ];
    export async function resolve(specifier, context, next) {
      const resolved = await next(specifier, context);
      const found = replacements.find(([end]) => new URL(resolved.url).pathname.endsWith(end));
      return found === undefined ? resolved : { url: found[1], shortCircuit: true };
    }`)}`,
);
