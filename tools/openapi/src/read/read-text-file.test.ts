import { join } from 'node:path';
import { inFolder } from '../../test/run-cli.js';
import { readTextFile } from './read-text-file.js';

describe('readTextFile', () => {
  it.each([
    { name: 'gone', code: 'unreadable', cause: { code: 'ENOENT' } },
    { name: 'latin-1', code: 'not-text', cause: { name: 'TypeError' } },
  ])('fails for a file that is $name, with the cause', ({ name, code, cause }) => {
    inFolder({ 'latin-1': Buffer.from([0xe9]) }, (folder) => {
      const path = join(folder, name);
      const failing = (): unknown => {
        try {
          return readTextFile(path);
        } catch (error) {
          return error;
        }
      };
      expect(failing()).toMatchObject({
        name: 'ToolError',
        code,
        message: expect.stringContaining(path) as string,
        cause,
      });
    });
  });
});
