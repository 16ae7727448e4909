import { spawnSync } from 'node:child_process';

test.each([
  { version: '18.20.8', status: 1 },
  { version: '20.9.0', status: 1 },
  { version: '20.19.0', status: 0 },
  { version: '24.0.0', status: 0 },
])('Node.js $version ends with $status', ({ version, status }) => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`;
  const result = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, `${import.meta.dirname}/nx.mjs`],
    { encoding: 'utf8', env: { PATH: process.env['PATH'] } },
  );
  const message = `This workspace needs Node.js 20.19 or newer (this is ${version}).\n`;
  expect(result).toMatchObject({ status, stderr: status === 0 ? '' : message });
});
