import { rmdirSync } from 'node:fs';

import { makeFolder } from '@plant-store/test-support';

import { inboxFolder } from './inbox-folder.js';

test.each([
  { url: 'file:./data/inbox', folder: `${process.cwd()}/data/inbox` },
  { url: 'file:data', folder: `${process.cwd()}/data` },
  { url: 'file:../data', folder: `${process.cwd().replace(/\/[^/]*$/, '')}/data` },
  { url: 'file:/var/inbox', folder: '/var/inbox' },
  { url: 'file:///var/inbox', folder: '/var/inbox' },
  { url: 'file:///var/in%20box/', folder: '/var/in box' },
  { url: 'file://localhost/var/inbox', folder: '/var/inbox' },
  { url: 'file:in box', folder: `${process.cwd()}/in box` },
  { url: 'file:///var/50%25~/in%C3%A4', folder: '/var/50%~/inä' },
  { url: 'file:///var/why%3F%24', folder: '/var/why?$' },
])('$url is $folder', ({ url, folder }) => {
  expect(inboxFolder(url)).toBe(folder);
});

test.each([
  'file:',
  'file:/',
  'file://',
  'file:///',
  'file://elsewhere/inbox',
  'file:///%',
  '/var/inbox',
  '',
])('%j names no folder', (url) => {
  expect(() => inboxFolder(url)).toThrow();
});

test.each([
  ...[
    'file:~/inbox',
    'file:///~/inbox',
    'file:$HOME/inbox',
    'file:./inbox ',
    'file: ./inbox',
    'file:./inbox\r',
  ],
  ...[
    'file:./in\nbox',
    'file:///var/inbox%0A',
    'file:"./inbox"',
    'file:./inbox?mode=ro',
    'file:///var/inbox#1',
  ],
  ...['file:in%20box', 'file:.\\inbox', 'file:///var/inbox ', 'file:///var/inbox"', 'file:///var/inbox%20'],
])('%j names a folder that nobody means', (url) => {
  expect(() => inboxFolder(url)).toThrow(new TypeError('The URL names no folder.'));
});

test('says that the working directory was removed, without which no thread starts', () => {
  const before = process.cwd();
  const folder = makeFolder();
  process.chdir(folder);
  rmdirSync(folder);
  try {
    for (const url of ['file:./data/inbox', 'file:/var/inbox'])
      expect(() => inboxFolder(url)).toThrow(
        'The working directory was removed. Start in a folder that exists.',
      );
  } finally {
    process.chdir(before);
  }
});
