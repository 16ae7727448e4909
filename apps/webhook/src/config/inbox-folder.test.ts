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
