import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { MARKER } from './comment.mjs';

const program = fileURLToPath(new URL('comment.mjs', import.meta.url));
const COMMENTS = '/repos/store/plants/issues/7/comments';

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string };
}

/** Plays the part of GitHub's API that has the comments of one pull request. */
let github: Server;
let comments: Comment[];
let requests: string[];
/** What GitHub says to whoever writes. */
let refusal: { readonly status: number; readonly body: string } | undefined;

beforeEach(async () => {
  comments = [];
  requests = [];
  refusal = undefined;
  github = createServer((request, response) => void handle(request, response));
  github.listen(0, '127.0.0.1');
  await once(github, 'listening');
});

afterEach(() => github.close());

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const content = await text(request);
  const respond = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const { pathname, searchParams } = new URL(url, 'http://github');
  requests.push(`${method} ${pathname}`);
  if (headers.authorization !== 'Bearer secret') return respond(401, { message: 'Bad credentials' });
  if (method === 'GET' && pathname === COMMENTS) {
    const size = Number(searchParams.get('per_page') ?? 30);
    const first = (Number(searchParams.get('page') ?? 1) - 1) * size;
    return respond(200, comments.slice(first, first + size));
  }
  if (refusal) return respond(refusal.status, refusal.body);
  const { body } = JSON.parse(content) as { body: string };
  if (method === 'POST' && pathname === COMMENTS) {
    comments.push({ id: comments.length + 1, body, user: { login: 'github-actions[bot]' } });
    return respond(201, comments.at(-1));
  }
  const id = Number(/^\/repos\/store\/plants\/issues\/comments\/(\d+)$/.exec(pathname)?.[1]);
  const known = comments.find((one) => one.id === id);
  if (method !== 'PATCH' || known === undefined) return respond(404, { message: 'Not Found' });
  known.body = body;
  return respond(200, known);
}

/** Runs the program as the workflow does. */
async function run(
  page: string,
  token = 'secret',
  { port } = github.address() as AddressInfo,
): Promise<{ code: number; out: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'comment-'));
  try {
    writeFileSync(join(folder, 'page.md'), page);
    const child = spawn(process.execPath, [program, 'page.md'], {
      cwd: folder,
      env: {
        GITHUB_API_URL: `http://127.0.0.1:${port}`,
        GITHUB_REPOSITORY: 'store/plants',
        GITHUB_TOKEN: token,
        PULL_REQUEST: '7',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number]>]);
    return { code, out };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const others = (count: number): Comment[] =>
  Array.from({ length: count }, (_, index) => ({ id: 1_000 + index, body: 'Hello', user: { login: 'ada' } }));

test('the first run creates the comment, the next ones update it', async () => {
  comments = others(2);
  expect(await run('# One\n')).toEqual({ code: 0, out: 'The comment on pull request 7: created.\n' });
  expect(await run('# Two\n')).toEqual({ code: 0, out: 'The comment on pull request 7: updated.\n' });
  expect(await run('# Three\n')).toMatchObject({ code: 0 });
  expect(comments.map(({ body }) => body)).toEqual(['Hello', 'Hello', `${MARKER}\n\n# Three`]);
});

test('its comment is found on a later page', async () => {
  await run('# One');
  comments = [...others(250), ...comments];
  expect(await run('# Two')).toMatchObject({ code: 0 });
  expect(comments).toHaveLength(251);
  expect(comments.at(-1)!.body).toBe(`${MARKER}\n\n# Two`);
  expect(requests.filter((request) => request.startsWith('GET'))).toHaveLength(1 + 3);
});

test('a comment of another workflow, or of a person who quotes the marker, stays', async () => {
  comments = [
    { id: 1, body: 'Coverage: 100 %', user: { login: 'github-actions[bot]' } },
    { id: 2, body: `${MARKER}\n\nLook at this`, user: { login: 'mallory' } },
  ];
  const before = structuredClone(comments);
  await run('# One');
  await run('# Two');
  expect(comments.slice(0, 2)).toEqual(before);
  expect(comments).toHaveLength(3);
});

test('an empty page creates no comment, and updates one that is there', async () => {
  expect(await run('\n')).toEqual({ code: 0, out: 'The comment on pull request 7: nothing to say.\n' });
  expect(comments).toEqual([]);
  await run('# One');
  await run('');
  expect(comments.map(({ body }) => body)).toEqual([
    `${MARKER}\n\nNo answer changed, and neither did the document.`,
  ]);
});

test('a page that is too long for GitHub is cut', async () => {
  await run('x'.repeat(100_000));
  expect(comments[0]!.body.length).toBeLessThanOrEqual(65_536);
});

test('a token that may only read is a warning, on one line', async () => {
  refusal = { status: 403, body: '{"message":"Resource not accessible\\nby integration"}' };
  expect(await run('# One')).toEqual({
    code: 0,
    out: `::warning::The token may not comment. The summary of the job has the page. POST ${COMMENTS}: 403 Resource not accessible by integration\n`,
  });
});

test.each([
  ['an error of GitHub', { status: 502, body: '<html>\nBad gateway' }, '502 <html> Bad gateway'],
  ['a refused comment', { status: 422, body: '{"message":"Validation Failed"}' }, '422 Validation Failed'],
])('%s fails, with one line', async (_name, refused, said) => {
  refusal = refused;
  const { code, out } = await run('# One');
  expect({ code, out }).toEqual({
    code: 1,
    out: `::error::The comment could not be written. POST ${COMMENTS}: ${said}\n`,
  });
});

test('GitHub that cannot be reached fails, with one line', async () => {
  const address = github.address() as AddressInfo;
  github.close();
  await once(github, 'close');
  const { code, out } = await run('# One', 'secret', address);
  expect(code).toBe(1);
  expect(out).toMatch(/^::error::The comment could not be written. fetch failed: .*ECONNREFUSED.*\n$/);
});

test('a wrong token fails, and is not shown', async () => {
  const { code, out } = await run('# One', 'wrong-token');
  expect(code).toBe(1);
  expect(out).toContain('401 Bad credentials');
  expect(out).not.toContain('wrong-token');
});
