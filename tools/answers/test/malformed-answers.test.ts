import { runUnder } from './run-under-answers.js';

/** Answers that cannot be carried out, and what is wrong with them. Only `as any` gets most past the compiler. */
const malformed: [name: string, answers: string, faults: string[]][] = [
  [
    'answers of other types',
    `'base-address': 'http://receiver.example', signing: 'hmac', payload: null, 'plant-fields': {}`,
    [
      'base-address: must begin with https://, because a sender refuses plain HTTP except to loopback (RFC 6750 §5.3; got http://receiver.example)',
      'signing: the answer must be an object (got "hmac")',
      'payload: the answer must be one of plant (got null)',
      'plant-fields: the answer must be a Standard Schema, such as one of Zod. Pass a JSON Schema to jsonSchema() of @plant-store/contract/json-schema',
    ],
  ],
  [
    'a signature over an identifier that is open',
    `signing: { algorithm: 'hmac-sha256', signed: ['event-id', 'content'], separator: '.',
       signature: { header: 'x-signature', prefix: '', encoding: 'hex' }, key: { prefix: '', encoding: 'utf8' } }`,
    ['signing: signs the event id, so event-identity must be answered with a header'],
  ],
];

const PROGRAMS: [name: string, file: string, args: string[], lines: (faults: string[]) => string[]][] = [
  [
    'openapi answers',
    'tools/openapi/dist/cli.js',
    ['answers'],
    (faults) => faults.map((fault) => `libs/contract/src/answers.ts: ${fault}`),
  ],
  [
    'nx run webhook:openapi',
    'apps/webhook/dist/openapi/write-document.js',
    ['no-such-folder/openapi.json'],
    (faults) => ['These answers cannot be carried out:', ...faults.map((fault) => `  ${fault}`)],
  ],
  [
    'the receiver',
    'apps/webhook/dist/main.js',
    [],
    (faults) => [
      'These answers cannot be carried out: [ANSWERS_INVALID]',
      ...faults.map((fault) => `  ${fault}`),
    ],
  ],
  [
    'plant-store send',
    'libs/sdk/bin/plant-store.js',
    ['send', '-'],
    (faults) =>
      faults.map(
        (fault) => `plant-store: An answer of @plant-store/contract cannot be carried out: ${fault}`,
      ),
  ],
];

describe.each(PROGRAMS)('%s', (_program, file, args, lines) => {
  test.each(malformed)(
    'refuses %s, with a line for each fault and without a stack',
    (_name, answers, faults) => {
      const { code, stdout, stderr } = runUnder(`export const answers = { ${answers} };`, file, args);

      expect({ stdout, stderr: stderr.trimEnd().split('\n') }).toEqual({ stdout: '', stderr: lines(faults) });
      expect(code).toBeGreaterThan(0);
    },
  );
});
