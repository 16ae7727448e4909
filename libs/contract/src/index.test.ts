import { readFile } from 'node:fs/promises';
import { isSchema } from './answer-schema.js';
import * as contract from './index.js';

/** Read off the specification. Its text is the only reason to change one. */
test('the facts', () => {
  expect({ ...contract.facts }).toEqual({
    AUTHENTICATION_SCHEME: 'bearer',
    BASE_ADDRESS: '{base_url}',
    DELIVERY_PATH: '/plant/webhook',
    LICENSE_NAME: 'MIT',
    OPENAPI_VERSION: '3.1.0',
    SECURITY_SCHEME_NAME: 'bearerAuth',
    SECURITY_SCHEME_TYPE: 'http',
    TITLE: 'OpenAPI Plant Store',
    VERSION: '1.0.0',
    WEBHOOK_DESCRIPTION: 'Information about a new plant added to the store',
    WEBHOOK_NAME: 'New Plant',
  });
});

test('the package depends on Valibot, and on another schema library only for answered fields', async () => {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const manifest = JSON.parse(text) as { dependencies: object };
  // Nobody gets the devDependencies of a package that they install.
  const kinds = Object.keys(manifest).filter(
    (key) => /dependencies$/i.test(key) && key !== 'devDependencies',
  );
  expect(kinds).toEqual(['dependencies']);
  const hasSchema = Object.values(contract.answerValues).some(isSchema);
  expect(Object.keys(manifest.dependencies)).toEqual(
    hasSchema ? expect.arrayContaining(['valibot']) : ['valibot'],
  );
});

describe('the syntax of an access token (RFC 6750 §2.1)', () => {
  test.each(['a', 'mF_9.B5f-4.1JqM', 'a+b/c~d', 'YQ=='])('%j is one', (token) => {
    expect(token).toMatch(contract.ACCESS_TOKEN_PATTERN);
  });

  test.each(['', '=', 'a b', 'a,b', 'a=b', 'a\n', 'ä', '"a"'])('%j is not one', (token) => {
    expect(token).not.toMatch(contract.ACCESS_TOKEN_PATTERN);
  });
});
