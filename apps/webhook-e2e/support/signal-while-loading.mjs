/** Preloaded: a receiver that begins to load its packages gets the signal that SIGNAL names. */
import { register } from 'node:module';

const hooks = `
  let sent = false;
  export async function resolve(specifier, context, next) {
    if (specifier === 'reflect-metadata' && !sent) process.kill(process.pid, ${JSON.stringify(process.env.SIGNAL)});
    sent ||= specifier === 'reflect-metadata';
    return next(specifier, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
