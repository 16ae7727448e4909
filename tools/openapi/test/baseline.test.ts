import { join } from 'node:path';
import { facts } from '@plant-store/contract';
import { factsOf } from '../src/gate/facts.js';
import { readSource } from '../src/repository.js';
import { run, WORKSPACE } from './run-cli.js';

const BASELINE = join(WORKSPACE, 'libs/contract/spec/plant-store.openapi.yaml');

test('the baseline states the constants of the contract, each with its section', () => {
  const webhook = `/webhooks/${facts.DELIVERY_PATH.replaceAll('/', '~1')}`;
  const scheme = `/components/securitySchemes/${facts.SECURITY_SCHEME_NAME}`;
  const stated = Array.from(factsOf(readSource(BASELINE)).values(), ({ pointer, text, comment }) => [
    pointer,
    JSON.parse(text) as unknown,
    comment,
  ]);
  expect(stated).toEqual([
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
  ]);
});

describe('the gate openapi-lint', () => {
  const redocly = (file: string) =>
    run([
      join(WORKSPACE, 'node_modules/@redocly/cli/bin/cli.js'),
      'lint',
      '--config',
      'redocly.yaml',
      '--format=json',
      file,
    ]);
  const schema = (file: string) =>
    run([join(WORKSPACE, 'node_modules/@seriousme/openapi-schema-validator/bin/validate-api-cli.js'), file]);
  const faulty = join(WORKSPACE, 'tools/openapi/test/faulty.openapi.yaml');

  test('accepts the baseline', () => {
    expect([redocly(BASELINE).code, schema(BASELINE).code]).toEqual([0, 0]);
  });

  test('turns off no rule that finds a fault', () => {
    const { code, out } = redocly(faulty);
    const { problems } = JSON.parse(out) as { problems: { ruleId: string }[] };
    expect(code).toBe(1);
    expect(problems.map(({ ruleId }) => ruleId)).toEqual(
      expect.arrayContaining(['struct', 'security-defined']),
    );
    expect(schema(faulty).code).toBe(1);
  });
});
