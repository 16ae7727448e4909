import {
  action,
  ALL,
  ANSWERS,
  FILES,
  filesOf,
  type Given,
  HOOK,
  IDENTITY,
  METHOD,
  RESPONSE,
  RETRY,
} from './answered-interface.js';
import { inFolder, runCli } from './run-cli.js';

function diff(given: Given) {
  return inFolder(filesOf(given), (folder) =>
    runCli(['diff', ...FILES, '--sources', 'sources.json'], folder),
  );
}

/** The titles of what the gate lists, and its last line. */
function listed(given: Given): string[] {
  const { out } = diff(given);
  const titles = out.split('\n').filter((line) => /^[a-z][a-z ]*: /.test(line));
  return [...titles, out.trimEnd().split('\n').at(-1) ?? ''];
}

/** The lines to paste, as a list of actions. */
function printed(given: Given): string {
  const { out } = diff(given);
  return Array.from(out.matchAll(/^ {2}- target:.*\n(?: {4}.*\n)*/gm), ([lines]) => lines).join('');
}

const COUNTS = '4 specified, 0 missing, 0 contradicted, 0 invented';

describe('one cause is one finding', () => {
  it.each<{ name: string; given: Given; want: string[] }>([
    {
      name: 'an answer that was changed in the code alone',
      given: { actions: ALL, answers: { ...ANSWERS, 'http-method': 'PUT' } },
      want: ['contradicting answers: http-method', `${COUNTS}, 1 answered, 1 unmatched`],
    },
    {
      name: 'an answer that was changed in the overlay alone',
      given: {
        actions: [
          action('http-method', HOOK, { put: {} }, { 'http-method': 'PUT' }),
          RESPONSE,
          IDENTITY,
          RETRY,
        ],
      },
      want: ['contradicting answers: http-method', `${COUNTS}, 1 answered, 1 unmatched`],
    },
    {
      name: 'an answer that was removed from the code alone',
      given: { actions: ALL, answers: { ...ANSWERS, 'http-method': undefined } },
      want: ['missing answer: http-method, not in the code', `${COUNTS}, 1 answered, 1 unmatched`],
    },
    {
      name: 'an answer that was removed from the overlay alone',
      given: { actions: [RESPONSE, IDENTITY, RETRY] },
      want: ['missing answer: http-method, not in the overlay', `${COUNTS}, 1 answered, 1 unmatched`],
    },
    {
      name: 'an action that adds something else',
      given: { actions: [action('http-method', HOOK, { put: {} }), RESPONSE, IDENTITY, RETRY] },
      want: ['wrong actions: http-method', `${COUNTS}, 1 answered, 1 unmatched`],
    },
    {
      name: 'an action that stands before the one that adds its target',
      given: { actions: [RESPONSE, METHOD, IDENTITY, RETRY] },
      want: ['wrong actions: receiver-response', `${COUNTS}, 3 answered, 1 unmatched`],
    },
    {
      name: 'an action that states what the document never shows',
      given: { actions: [METHOD, RESPONSE, IDENTITY, action('retry', HOOK, { 'x-retry': 1 })] },
      want: ['wrong actions: retry', `${COUNTS}, 3 answered, 1 unmatched`],
    },
    {
      name: 'an action that states what the document shows without the answer',
      given: {
        actions: [METHOD, RESPONSE, IDENTITY, action('retry', HOOK, { description: 'D' })],
        invented: { description: 'D' },
      },
      want: ['wrong actions: retry', `${COUNTS}, 3 answered, 1 unmatched`],
    },
    {
      name: 'an answer in the code alone that fills an empty map of another',
      given: { actions: [METHOD], answers: { 'http-method': 'POST', 'receiver-response': 204 } },
      want: ['missing answer: receiver-response, not in the overlay', `${COUNTS}, 1 answered, 1 unmatched`],
    },
    {
      name: 'two causes',
      given: { actions: [METHOD, IDENTITY, action('retry', '$', undefined, { retry: 'always' })] },
      want: [
        'contradicting answers: retry',
        'missing answer: receiver-response, not in the overlay',
        `${COUNTS}, 2 answered, 2 unmatched`,
      ],
    },
  ])('$name', ({ given, want }) => {
    expect(listed(given)).toEqual(want);
  });

  it('and what no answer explains is listed after it', () => {
    const given = {
      actions: ALL,
      answers: { ...ANSWERS, 'http-method': 'PUT' },
      invented: { description: 'D' },
    };
    expect(listed(given)).toEqual([
      'contradicting answers: http-method',
      'invented: webhooks › /hook › description   /webhooks/~1hook/description',
      '4 specified, 0 missing, 0 contradicted, 1 invented, 1 answered, 1 unmatched',
    ]);
    expect(diff(given).out.match(/controller\.ts/g)).toHaveLength(2);
  });

  it('and it names the answers that are wrong because of it, and no file that nobody touched', () => {
    const { out } = diff({ actions: ALL, answers: { ...ANSWERS, 'http-method': 'PUT' } });
    expect(out).toContain('the actions of receiver-response, event-identity. Correct this one');
    expect(out).toContain('Or run: npm run answer -- --question http-method --replace');
    expect(out).not.toContain('controller.ts');
  });
});

describe('the printed actions are enough', () => {
  it.each(Object.keys(ANSWERS))('for %s alone in the code', (question) => {
    const others = ALL.filter((one) => !JSON.stringify(one).includes(`"${question}"`));
    const lines = printed({ actions: others });
    expect(lines).toContain(`x-question: ${question}\n`);
    const filled = lines.replace(/<.*>/g, (text) => (text.includes('when') ? '2026-01-31' : 'A. Person'));
    const files = filesOf({ actions: others });
    const overlay = `${files['o.yaml']}${filled}`;
    const { code, out } = inFolder({ ...files, 'o.yaml': overlay }, (folder) =>
      runCli(['diff', ...FILES], folder),
    );
    // The actions of the others have their target in this one, which stands last.
    if (question === 'http-method') expect(out).toContain('move the action after it');
    else expect({ code, out }).toEqual({ code: 0, out });
  });

  it('they have every problem of an action, its target and its provenance', () => {
    const wrong = action('receiver-response', `${HOOK}.put`, {
      responses: { '204': { description: 'Other' } },
      summary: 'More',
    });
    const given = { actions: [METHOD, IDENTITY, RETRY, wrong] };
    const { out } = diff(given);
    expect(out).toContain('no target: webhooks › /hook › put (o.yaml:');
    expect(out).toContain('not in the overlay: webhooks › /hook › post › responses › 204 › description');
    expect(printed(given)).toBe(`  - target: $.webhooks['/hook']
    update:
      post:
        responses:
          '204':
            description: Taken
    x-question: receiver-response
    x-answer: 204
    x-answered-by: A. Person
    x-date: 2026-01-31
    x-reason: Minutes
`);
  });

  it('and an action that stands too early is told where to go', () => {
    const { out } = diff({ actions: [RESPONSE, METHOD, IDENTITY, RETRY] });
    expect(out).toMatch(
      /out of order: webhooks › \/hook › post \(o\.yaml:6\); added at o\.yaml:\d+: move the action after it/,
    );
  });
});
