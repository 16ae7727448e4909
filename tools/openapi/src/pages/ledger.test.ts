import { type OpenQuestion, openQuestions } from '@plant-store/contract';
import { documentOf, reader } from '../../test/documents.js';
import { gate } from '../gate/gate.js';
import { renderLedger } from './ledger.js';

const BASELINE = `openapi: 3.1.0 # §9
info: { title: T, version: "1" }
webhooks:
  /hook:
    summary: Hook # §4
`;
const overlayOf = (...actions: object[]) =>
  JSON.stringify({ overlay: '1.0.0', info: { title: 'Answers', version: '1' }, actions });

const OVERLAY = overlayOf({
  target: "$.webhooks['/hook']",
  update: { post: { summary: 'S' } },
  'x-question': 'http-method',
  'x-answer': 'POST',
  'x-answered-by': 'A. Person',
  'x-date': '2026-01-31',
  'x-reason': 'Minutes',
});
const WORDS = overlayOf({
  target: '$',
  'x-question': 'retry',
  'x-answer': 'a|b',
  'x-answered-by': 'B. Person',
  'x-date': '2026-01-31',
  'x-reason': 'A # reason',
});

interface Given {
  readonly hook: object;
  readonly fields?: object;
  readonly overlay?: string;
  readonly answers?: object;
  readonly accepts?: object;
}

function render({ hook, fields, overlay, answers, accepts }: Given): string {
  const document = documentOf({ webhooks: { '/hook': hook }, ...fields });
  const entered = { source: 'answers.ts', questions: openQuestions.map(({ id }) => id), answers, accepts };
  const texts = { b: BASELINE, d: document, o: overlay ?? '', a: JSON.stringify(entered) };
  const report = gate({
    readText: reader(texts),
    baseline: 'b',
    document: 'd',
    overlay: overlay && 'o',
    answers: answers && 'a',
  });
  return renderLedger({ report, questions: openQuestions, generator: 'make ledger', sources: ['b', 'd'] });
}

const rows = (page: string) =>
  page.split('\n').filter((line) => /^\| (?!State|---|open|specified)/.test(line));

describe('the ledger', () => {
  it.each<{ name: string; given: Given; want: string[] }>([
    { name: 'nothing but what is specified', given: { hook: { summary: 'Hook' } }, want: [] },
    {
      name: 'a missing fact',
      given: { hook: {} },
      want: [
        '| missing | webhooks › /hook › summary | `/webhooks/~1hook/summary` | `"Hook"` | nothing | §4 |',
      ],
    },
    {
      name: 'a contradicted fact',
      given: { hook: { summary: 'a|b' } },
      want: [
        '| contradicted | webhooks › /hook › summary | `/webhooks/~1hook/summary` | `"Hook"` | `"a\\|b"` | §4 |',
      ],
    },
    {
      name: 'an invented fact',
      given: { hook: { summary: 'Hook' }, fields: { 'x-a': 1 } },
      want: ['| invented | x-a | `/x-a` | nothing | `1` | |'],
    },
    {
      name: 'an answered fact',
      given: { hook: { summary: 'Hook', post: { summary: 'S' } }, overlay: OVERLAY },
      want: [
        '| answered | webhooks › /hook › post › summary | `/webhooks/~1hook/post/summary` | `"S"` | `"S"` | http-method |',
        '| answered | HTTP method (§4, http-method) | `"POST"` | A. Person | 2026-01-31 | Minutes | `/webhooks/~1hook/post/summary` |',
      ],
    },
    {
      name: 'a stale answer',
      given: { hook: { summary: 'Hook' }, overlay: OVERLAY },
      want: [
        '| stale answer: not shown | webhooks › /hook › post › summary | `/webhooks/~1hook/post/summary` | `"S"` | nothing | http-method |',
        '| answered | HTTP method (§4, http-method) | `"POST"` | A. Person | 2026-01-31 | Minutes | none |',
      ],
    },
    {
      name: 'an answer on both sides that OpenAPI has no place for',
      given: { hook: { summary: 'Hook' }, overlay: WORDS, answers: { retry: 'a|b' } },
      want: [
        '| answered | Retry behaviour (§6, retry) | `"a\\|b"` | B. Person | 2026-01-31 | A \\# reason | none |',
      ],
    },
    {
      name: 'an answer of the code alone',
      given: { hook: { summary: 'Hook' }, answers: { retry: 'none' } },
      want: [
        '| missing answer | Retry behaviour (§6, retry) | overlay: nothing<br>code: `"none"` | | | | none |',
      ],
    },
    {
      name: 'an answer of the overlay alone',
      given: { hook: { summary: 'Hook' }, overlay: WORDS, answers: {} },
      want: [
        '| missing answer | Retry behaviour (§6, retry) | overlay: `"a\\|b"`<br>code: nothing | B. Person | 2026-01-31 | A \\# reason | none |',
      ],
    },
    {
      name: 'what is accepted beside an answer for a while',
      given: {
        hook: { summary: 'Hook' },
        overlay: WORDS,
        answers: { retry: 'a|b' },
        accepts: {
          'http-method': { also: ['PUT'], until: '2026-12-31', decidedBy: 'C. Person', reason: 'One | two' },
        },
      },
      want: [
        '| answered | Retry behaviour (§6, retry) | `"a\\|b"` | B. Person | 2026-01-31 | A \\# reason | none |',
        '| Question | Accepted too | Until | Decided by | Why |',
        '| http-method | `["PUT"]` | 2026-12-31 | C. Person | One \\| two |',
      ],
    },
  ])('shows $name', ({ given, want }) => {
    expect(rows(render(given))).toEqual(want);
  });

  it('folds what is specified, and counts as the gate does', () => {
    const page = render({ hook: { summary: 'Hook' } });
    expect(page).toContain('**4 specified, 0 missing, 0 contradicted, 0 invented, 0 answered, ');
    expect(page).toContain('<summary>4 specified</summary>');
    expect(page).toContain('| specified | openapi | `/openapi` | `"3.1.0"` | `"3.1.0"` | §9 |');
    expect(page.match(/^\| specified /gm)).toHaveLength(4);
  });

  it('lists each open question with what the register says, and no answered one', () => {
    const open = (page: string) => page.split('\n').filter((line) => line.startsWith('| open |'));
    const hook = { summary: 'Hook' };
    expect(render({ hook })).toContain(
      '\n\nThe specification does not state these, and nobody has answered them. ',
    );
    expect(open(render({ hook }))).toEqual(
      openQuestions.map(({ id, section, foundBy, title, whileOpen }) => {
        const { document = 'Nothing.' }: OpenQuestion['whileOpen'] = whileOpen;
        const stated = foundBy === 'specification' ? 'not shown' : 'nothing';
        return `| open | ${title} | | ${stated} | ${document} | ${section}, ${id} |`;
      }),
    );
    expect(open(render({ hook, answers: { retry: 'none' } }))).toHaveLength(openQuestions.length - 1);
    expect(open(render({ hook, overlay: WORDS }))).toHaveLength(openQuestions.length - 1);
  });

  it('names its generator', () => {
    expect(render({ hook: {} })).toMatch(/^<!-- Generated by `make ledger` from b, d, libs\/contract/);
  });
});
