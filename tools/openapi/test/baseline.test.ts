import { join } from 'node:path';
import { facts } from '@plant-store/contract';
import { compare } from '../src/facts/compare.js';
import { factGraph } from '../src/facts/fact-graph.js';
import { statedIn } from '../src/facts/fact.js';
import { readTextFile } from '../src/read/read-text-file.js';
import { readOpenapi, SourceFiles } from '../src/read/source-files.js';
import { run, runCli, WORKSPACE } from './run-cli.js';

const BASELINE = join(WORKSPACE, 'libs/contract/spec/plant-store.openapi.yaml');

function readBaseline() {
  const files = new SourceFiles(readTextFile);
  const root = factGraph(files, readOpenapi(files, BASELINE));
  return [...compare(root, root).equalFacts()];
}

describe('the baseline of the plant store', () => {
  const webhook = `/webhooks/${facts.DELIVERY_PATH.replaceAll('/', '~1')}`;
  const scheme = `/components/securitySchemes/${facts.SECURITY_SCHEME_NAME}`;
  const want: [pointer: string, value: unknown, section: string][] = [
    ['/openapi', facts.OPENAPI_VERSION, '§9'],
    ['/info/title', facts.TITLE, '§1'],
    ['/info/license/name', facts.LICENSE_NAME, '§1'],
    ['/info/version', facts.VERSION, '§1, §9'],
    ['/servers/0/url', facts.BASE_ADDRESS, '§1'],
    ['/paths', {}, '§4'],
    [`${webhook}/summary`, facts.WEBHOOK_NAME, '§4'],
    [`${webhook}/description`, facts.WEBHOOK_DESCRIPTION, '§6'],
    [`${scheme}/type`, facts.SECURITY_SCHEME_TYPE, '§5'],
    [`${scheme}/scheme`, facts.AUTHENTICATION_SCHEME, '§5'],
    [`/security/0/${facts.SECURITY_SCHEME_NAME}`, [], '§5'],
  ];

  it('states the constants of the contract, each with its section', () => {
    const stated = readBaseline().map((fact) => [
      fact.pointer,
      JSON.parse(fact.text) as unknown,
      statedIn(fact),
    ]);
    expect(stated).toEqual(want);
  });

  it('is valid', () => {
    expect(runCli(['validate', BASELINE]).code).toBe(0);
  });
});

describe('redocly.yaml', () => {
  const redocly = join(WORKSPACE, 'node_modules/@redocly/cli/bin/cli.js');
  const lint = (file: string) => run([redocly, 'lint', '--config', 'redocly.yaml', '--format=json', file]);

  it('accepts the baseline', () => {
    expect(lint(BASELINE).code).toBe(0);
  });

  it('turns off no rule that finds a fault', () => {
    const { code, out } = lint(join(WORKSPACE, 'tools/openapi/test/faulty.openapi.yaml'));
    const { problems } = JSON.parse(out) as { problems: { ruleId: string }[] };
    expect(code).toBe(1);
    expect(problems.map(({ ruleId }) => ruleId)).toEqual(
      expect.arrayContaining(['struct', 'security-defined']),
    );
  });
});
