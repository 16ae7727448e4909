import { codeAnswersOf } from '../src/gate/code-answers.js';
import { gate } from '../src/gate/gate.js';
import { impliedBy } from '../src/gate/implied.js';
import { renderText } from '../src/report/report.js';
import { action, overlayOf, withHook } from './documents.js';

const BASELINE = `# The facts
openapi: 3.1.0 # §9
info: { title: T, version: "1" }
webhooks:
  /hook:
    summary: Hook # §4
`;
const METHOD = action(
  "$.webhooks['/hook']",
  { post: {} },
  { 'x-question': 'http-method', 'x-answer': 'POST' },
);

/** What the gate prints of a document. */
function printed(document: string, { overlay, answers }: { overlay?: string; answers?: object } = {}) {
  const baseline = { text: BASELINE, file: 'b.yaml' };
  const shown = { text: document, file: 'd.json' };
  const without = new Map([['http-method', { text: withHook({}), file: 'without.json' }]]);
  return renderText({
    report: gate({
      baseline,
      document: shown,
      overlay: overlay === undefined ? undefined : { text: overlay, file: 'o.yaml' },
      ...(answers && { answers: codeAnswersOf({ ...answers }) }),
    }),
    implied: answers && impliedBy(baseline, shown, without),
    overlay: 'o.yaml',
  });
}

test('nothing but the counts when the document is what the baseline states', async () => {
  expect(await printed(withHook({}))).toBe(
    '4 specified, 0 missing, 0 contradicted, 0 invented, 0 answered\n',
  );
});

test('each finding with its place and what to do', async () => {
  expect(await printed(withHook({ summary: 'Other', post: {} })))
    .toBe(`contradicted: webhooks › /hook › summary   /webhooks/~1hook/summary
  specification  "Hook"   b.yaml:6 (§4)
  document       "Other"   d.json:1
  to do          The document must show "Hook". Change it in libs/contract/src/facts.ts or apps/webhook/src/openapi/new-plant.decorators.ts, then run: npx nx run webhook:openapi
                 If the specification changed, change b.yaml:6 and the section beside it.

invented: webhooks › /hook › post   /webhooks/~1hook/post
  document       {}   d.json:1
  to do          Nothing states it. Remove it from libs/contract/src/facts.ts or apps/webhook/src/openapi/new-plant.decorators.ts, then run: npx nx run webhook:openapi
                 If it was answered, enter the answer: npm run answer

3 specified, 0 missing, 1 contradicted, 1 invented, 0 answered
`);
});

test('what is answered, with who, when and why', async () => {
  const text = await printed(withHook({ post: {} }), { overlay: overlayOf(METHOD) });
  expect(text).toContain('answered: webhooks › /hook › post');
  expect(text).toContain('question http-method, answered by A. Person on 2026-01-31: Minutes (o.yaml:1)');
});

test('the whole action that the overlay lacks, and nothing that follows from it', async () => {
  const text = await printed(withHook({ post: {} }), { answers: { 'http-method': 'POST' } });
  expect(text.replace(/answers\.ts(:\d+)?/, 'answers.ts'))
    .toBe(`missing answer: http-method, not in the overlay
  code           "POST"   libs/contract/src/answers.ts
  to do          Sign it: npm run answer -- --question http-method --who "…" --reason "…"
                 Or add to o.yaml, with who answered, when and why:

  - target: $.webhooks['/hook']
    update:
      post: {}
    x-question: http-method
    x-answer: POST
    x-answered-by: <who answered>
    x-date: <when, as 2026-01-31>
    x-reason: <why, or where to read it>

4 specified, 0 missing, 0 contradicted, 1 invented, 0 answered, 1 unmatched
`);
});

test('the line that the code lacks', async () => {
  const text = await printed(withHook({ post: {} }), { overlay: overlayOf(METHOD), answers: {} });
  expect(text).toContain('missing answer: http-method, not in the code\n');
  expect(text).toContain("\n  'http-method': 'POST',\n");
});
