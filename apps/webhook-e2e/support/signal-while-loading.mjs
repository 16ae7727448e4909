/** Preloaded: a receiver that begins to load its packages gets the signal that SIGNAL names. */
import module from 'node:module';

const hooks = `data:text/javascript,${encodeURIComponent(`
  let sent = false;
  export function resolve(specifier, context, next) {
    if (specifier === 'reflect-metadata' && !sent) process.kill(process.pid, ${JSON.stringify(process.env.SIGNAL)});
    sent ||= specifier === 'reflect-metadata';
    return next(specifier, context);
  }`)}`;
// Node.js 20 has only the second, and 26 prints a warning for it.
if (module.registerHooks) module.registerHooks(await import(hooks));
else module.register(hooks);
