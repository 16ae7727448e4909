/**
 * Preloaded with `node --import`: replaces the receiver's handler by one that does what the content of a delivery says.
 */
import { register } from 'node:module';

const HANDLER = `
  /** The log shows 80 KB of it. */
  const longError = () => {
    const members = Array.from({ length: 20 }, (_, index) => ['member' + index, 'long'.repeat(250)]);
    const part = Object.assign(new Error('part'), Object.fromEntries(members));
    return new AggregateError([part, part, part, part], 'long on purpose');
  };
  const fates = {
    exit: () => process.exit(7),
    kill: () => process.kill(process.pid, 'SIGKILL'),
    'throw outside its promise': () =>
      new Promise(() => setTimeout(() => { throw new Error('thrown on purpose'); }, 20)),
    'reject unhandled': async () => void Promise.reject(new Error('rejected on purpose')),
    'wait then exit': () => new Promise(() => setTimeout(() => process.exit(7), 200)),
    wait: () => new Promise((resolve) => setTimeout(resolve, 400)),
    'fail at length': () => { throw longError(); },
    'change the delivery': (delivery) => {
      delivery.id = 1000;
      delivery.failures = 1000;
      delivery.content.fill(0);
      throw new Error('changed on purpose');
    },
  };
  export class NewPlantHandler {
    handle(delivery) {
      const { id, failures } = delivery;
      const fate = String(delivery.content).replace(/ \\d+$/, '');
      process.stdout.write(JSON.stringify({ level: 'info', msg: 'attempt', delivery: id, failures }) + '\\n');
      return fates[fate]?.(delivery);
    }
  }`;

register(
  `data:text/javascript,${encodeURIComponent(`
    export async function resolve(specifier, context, next) {
      const resolved = await next(specifier, context);
      return new URL(resolved.url).pathname.endsWith('/dist/dispatch/new-plant.handler.js')
        ? { url: 'data:text/javascript,' + encodeURIComponent(${JSON.stringify(HANDLER)}), shortCircuit: true }
        : resolved;
    }`)}`,
);
