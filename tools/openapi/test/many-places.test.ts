import { gate, type GateReport } from '../src/gate/gate.js';
import { tally, tallyLine } from '../src/gate/tally.js';
import { renderLedger } from '../src/pages/ledger.js';
import { FORMATS } from '../src/report/formats.js';
import { documentOf, reader } from './documents.js';

/** More than the 1000 places that are listed of one fact. */
const HOOKS = 1200;
const REFERENCE = { $ref: '#/components/schemas/P' };
const hookWith = (schema: object) => ({
  post: { requestBody: { content: { 'application/json': { schema } } } },
});

/** Each webhook has the same payload. */
function documentWith(payload: object, more: object = {}): string {
  const hooks = Array.from({ length: HOOKS }, (_, index) => [`h${index}`, hookWith(REFERENCE)]);
  const webhooks = { ...(Object.fromEntries(hooks) as object), ...more };
  return documentOf({ webhooks, components: { schemas: { P: payload } } });
}

function answering(target: string, update: object): string {
  const provenance = { 'x-answered-by': 'A. Person', 'x-date': '2026-01-31', 'x-reason': 'Minutes' };
  const action = { target, update, 'x-question': 'plant-fields', 'x-answer': 1, ...provenance };
  return JSON.stringify({ overlay: '1.0.0', actions: [action] });
}

function compared(baseline: string, document: string, overlay?: string): GateReport {
  const readText = reader({ baseline, document, ...(overlay !== undefined && { overlay }) });
  return gate({ readText, baseline: 'baseline', document: 'document', overlay: overlay && 'overlay' });
}

const linesOf = (report: GateReport) =>
  FORMATS.text({
    report,
    overlay: undefined,
    hasOverlay: false,
    producerOf: () => undefined,
    fixWith: undefined,
  });
const ledgerOf = (report: GateReport) =>
  renderLedger({ report, questions: [], generator: 'make ledger', sources: [] });

const STRING = { type: 'string' };
const NUMBER = { type: 'number' };

describe('a fact in more places than are listed', () => {
  it.each<{ state: string; before: object; after: object; want: object }>([
    { state: 'specified', before: STRING, after: STRING, want: { specified: 3 + HOOKS, contradicted: 0 } },
    { state: 'contradicted', before: STRING, after: NUMBER, want: { specified: 3, contradicted: HOOKS } },
    { state: 'missing', before: { ...STRING, title: 'T' }, after: STRING, want: { missing: HOOKS } },
    { state: 'invented', before: STRING, after: { ...STRING, title: 'T' }, want: { invented: HOOKS } },
  ])('counts for each of them: $state', ({ before, after, want }) => {
    expect(tally(compared(documentWith(before), documentWith(after)))).toMatchObject(want);
  });

  it('has a list that says how many it leaves out', async () => {
    const report = compared(documentWith(STRING), documentWith(NUMBER));
    const text = await linesOf(report);
    expect(text.match(/\/webhooks\/h\d+\//g)).toHaveLength(1000);
    expect(text).toContain(' and 200 more places\n');
    expect(ledgerOf(report)).toContain('| contradicted | and 200 more places | |');
    const same = ledgerOf(compared(documentWith(STRING), documentWith(STRING)));
    expect(same).toContain('1203 specified');
    expect(same).toContain('\n\nand 200 more places\n');
  });

  it('has the same verdict in the places that are not listed', () => {
    const [last] = [`h${HOOKS - 1}`];
    const own = { [last]: hookWith(NUMBER) };
    expect(tally(compared(documentWith(STRING), documentWith(STRING, own)))).toMatchObject({
      specified: 3 + HOOKS - 1,
      contradicted: 1,
    });
  });

  it('is answered in all of them, and counts for each as what the answer adds', async () => {
    const overlay = answering('$.components.schemas.P', { title: 'T' });
    const titled = documentWith({ ...STRING, title: 'T' });
    const report = compared(documentWith(STRING), titled, overlay);
    expect(report.findings.map(({ state, count }) => [state, count])).toEqual([['answered', HOOKS]]);
    expect(await linesOf(report)).toContain('1200 facts to the document');
    const other = hookWith({ ...STRING, title: 'Other' });
    const stale = compared(
      documentWith(STRING),
      documentWith({ title: 'T', ...STRING }, { h1199: other }),
      overlay,
    );
    expect(stale.findings.map(({ state, count }) => [state, count])).toEqual([
      ['answered', HOOKS - 1],
      ['stale answer', 1],
    ]);
  });

  it('is answered in a place that is not listed', () => {
    const overlay = answering('$.webhooks', { last: hookWith(REFERENCE) });
    const shown = (schema: object) =>
      compared(documentWith(STRING), documentWith(STRING, { last: hookWith(schema) }), overlay);
    expect(shown(STRING).findings.map(({ state }) => state)).toEqual(['answered']);
    expect(shown(NUMBER).findings.map(({ reason }) => reason)).toEqual(['shown differently']);
  });
});

it('says so where a count ends with the numbers of JavaScript', () => {
  const counts = {
    specified: Number.MAX_SAFE_INTEGER,
    missing: 0,
    contradicted: 0,
    invented: 0,
    answered: 0,
  };
  expect(tallyLine({ ...counts, 'stale answer': 0, 'unmatched answer': 0 })).toBe(
    'at least 9007199254740991 specified, 0 missing, 0 contradicted, 0 invented, 0 answered',
  );
});
