import { spawnSync } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokenLinks, fragments, relativeLinks } from './links.mjs';

test.each([
  {
    name: 'inline',
    markdown: 'See [a](docs/a.md) and [b](../b.md#part "title").',
    want: ['docs/a.md', '../b.md#part'],
  },
  { name: 'an image', markdown: '![drawing](drawing.svg)', want: ['drawing.svg'] },
  { name: 'a definition', markdown: 'See [a].\n\n[a]: docs/a.md', want: ['docs/a.md'] },
  { name: 'out of the repository', markdown: '[a](https://example.com) [b](mailto:a@example.com)', want: [] },
  { name: 'in code', markdown: '`[a](a.md)`\n\n```md\n[b](b.md)\n```\n', want: [] },
])('links: $name', ({ markdown, want }) => {
  expect(relativeLinks(markdown)).toEqual(want);
});

test('fragments are headings as GitHub names them, and ids', () => {
  const markdown =
    '# Who may import whom?\n## `npm test`\n## Same\n## Same\n<a id="there"></a>\n```\n# code\n```\n';
  expect([...fragments(markdown)]).toEqual(['who-may-import-whom', 'npm-test', 'same', 'same-1', 'there']);
});

describe('in a folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'links-'));
    spawnSync('git', ['init', '--quiet'], { cwd: folder });
    await writeFile(join(folder, '.gitignore'), 'node_modules\n');
    await mkdir(join(folder, 'docs'));
    await mkdir(join(folder, 'node_modules'));
    await writeFile(join(folder, 'node_modules/a.md'), '[gone](gone.md)');
    await writeFile(join(folder, 'docs/a.md'), '# Here\n[up](../README.md) [self](#here) [root](/docs/a.md)');
    await writeFile(
      join(folder, 'README.md'),
      '[a](docs/a.md#here) [b](docs/b.md) [c](docs/a.md#there) [d](docs/)',
    );
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('names the links that lead nowhere', () => {
    expect(brokenLinks(folder)).toEqual([
      'README.md: docs/b.md leads to no file',
      'README.md: docs/a.md#there leads to no heading of docs/a.md',
    ]);
  });
});
