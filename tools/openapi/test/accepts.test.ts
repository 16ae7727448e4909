import { CLI, run } from './run-cli.js';

/** Runs `openapi answers` with these answers, and with this accepted beside them. */
function runAnswers(answers: object, accepts: object) {
  const sources = { answers, accepts };
  const hooks = `
    const sources = ${JSON.stringify(sources)};
    export async function resolve(specifier, context, next) {
      const resolved = await next(specifier, context);
      const [, name] = /\\/libs\\/contract\\/dist\\/(answers|accepts)\\.js$/.exec(resolved.url) ?? [];
      return name === undefined
        ? resolved
        : {
            url: 'data:text/javascript,' + encodeURIComponent('export const ' + name + ' = ' + JSON.stringify(sources[name])),
            shortCircuit: true,
          };
    }`;
  const program = `import { register } from 'node:module';
register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
  // Node 26 warns of `register`, and Node 20 has nothing else.
  return run([
    '--disable-warning=DEP0205',
    '--import',
    `data:text/javascript,${encodeURIComponent(program)}`,
    CLI,
    'answers',
  ]);
}

const accepted = { also: ['PUT'], until: '9999-12-31', decidedBy: 'Ada Grower', reason: 'Two senders PUT.' };

test('writes what is accepted beside the answers', () => {
  const { code, out } = runAnswers({ 'http-method': 'POST' }, { 'http-method': accepted });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    answers: { 'http-method': 'POST' },
    accepts: { 'http-method': accepted },
  });
});

test.each([
  [
    'its time is over',
    { 'http-method': { ...accepted, until: '2000-01-31' } },
    'http-method: until 2000-01-31 is over; remove it, or decide on a later day',
  ],
  [
    'it is the answer',
    { 'http-method': { ...accepted, also: ['POST'] } },
    'http-method: also must not have POST, which is the answer',
  ],
])('fails if %s', (_name, accepts, fault) => {
  expect(runAnswers({ 'http-method': 'POST' }, accepts)).toEqual({
    code: 1,
    out: '',
    err: `libs/contract/src/accepts.ts: ${fault}\n`,
  });
});
