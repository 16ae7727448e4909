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
  { url: 'file:in%20box', folder: `${process.cwd()}/in%20box` },
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

test('says that the working directory was removed, if the folder is relative to it', () => {
  const before = process.cwd();
  const folder = makeFolder();
  process.chdir(folder);
  rmdirSync(folder);
  try {
    expect(() => inboxFolder('file:./data/inbox')).toThrow(
      'The inbox file:./data/inbox is relative to the working directory, which was removed.',
    );
    expect(inboxFolder('file:/var/inbox')).toBe('/var/inbox');
  } finally {
    process.chdir(before);
  }
});
