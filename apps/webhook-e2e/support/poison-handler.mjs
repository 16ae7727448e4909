/** A handler that does what the content of a delivery says. */
import { existsSync } from 'node:fs';

const log = (msg, fields) => {
  process.stdout.write(JSON.stringify({ level: 'info', msg, ...fields }) + '\n');
};

/** The log shows 80 KB of it. */
const failed = new Set();
const fates = {
  'fail once': ({ id }) => {
    if (failed.has(id)) return;
    failed.add(id);
    throw new Error('failed on purpose');
  },
  'throw outside its promise': () =>
    new Promise(() =>
      setTimeout(() => {
        throw new Error('thrown on purpose');
      }, 20),
    ),
  block: () => {
    for (;;);
  },
  'block at the stop': (_delivery, { signal }) =>
    new Promise(() => {
      signal.addEventListener('abort', () => {
        for (;;);
      });
    }),
  'block briefly': () => {
    const end = Date.now() + 100;
    while (Date.now() < end);
  },
  // The file that the content names says that the response has arrived.
  'block until': ({ content }) => {
    const file = String(content).slice('block until '.length);
    const deadline = Date.now() + 20_000;
    while (!existsSync(file)) if (Date.now() > deadline) throw new Error('the response did not arrive');
  },
  'reject unhandled': async () => void Promise.reject(new Error('rejected on purpose')),
  // A test that traces defines it.
  call: async () => {
    await new Promise(setImmediate);
    globalThis.call();
  },
  work: ({ content }) => new Promise((resolve) => setTimeout(resolve, /\d+/.exec(String(content))[0])),
  wait: () => new Promise((resolve) => setTimeout(resolve, 400)),
  'wait for ever': () => new Promise(() => undefined),
  'throw an error': () => {
    const cause = Object.assign(new RangeError('the cause'), { code: 'CAUSE' });
    throw Object.assign(new TypeError('thrown on purpose', { cause }), { code: 'ARBITRARY', omitted: {} });
  },
  'sample content': () => {
    throw new Error('connect ECONNREFUSED 127.0.0.1:5432');
  },
  'throw lines': () => {
    throw new Error('an error of\ntwo lines');
  },
  'throw nothing': () => {
    throw null;
  },
  show: ({ content, ...fields }) =>
    log('shown', { fields, type: content.constructor.name, hex: Buffer.from(content).toString('hex') }),
};

export default class PoisonHandler {
  handle(delivery, attempt) {
    const { id, attempts } = delivery;
    const fate = /^[a-z ]*[a-z]/.exec(String(delivery.content))?.[0];
    log('attempt', { delivery: id, attempts });
    return fates[fate]?.(delivery, attempt);
  }

  onModuleDestroy() {
    log('the handler closed');
  }
}
