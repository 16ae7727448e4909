/** Preloaded with `node --import`: the contract then has one answer, and a repeated event is recognised by a field. */
import { register } from 'node:module';

const answers = { 'event-identity': { header: 'webhook-id' } };

register(
  `data:text/javascript,${encodeURIComponent(`
    const modules = { answers: ${JSON.stringify(answers)}, accepts: {} };
    export async function resolve(specifier, context, next) {
      const resolved = await next(specifier, context);
      const [, name] = /\\/libs\\/contract\\/dist\\/(answers|accepts)\\.js$/.exec(new URL(resolved.url).pathname) ?? [];
      return name === undefined
        ? resolved
        : {
            url: 'data:text/javascript,export const ' + name + ' = ' + JSON.stringify(modules[name]) + ';',
            shortCircuit: true,
          };
    }`)}`,
);
