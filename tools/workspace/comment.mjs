/**
 * `node tools/workspace/comment.mjs FILE`: puts the page in FILE into one comment on a pull request. The first run
 * creates the comment, later runs update it. An empty page creates none.
 *
 * The workflow runs it with a token that may write comments, so it runs nothing of the pull request, imports nothing
 * that has to be installed, and takes the page as text.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The first line of the comment. It tells the comment from others of the same bot. */
export const MARKER = '<!-- plant-store-review -->';

/** The user of a workflow's own token. */
const BOT = 'github-actions[bot]';

const NOTHING = 'No answer changed, and neither did the document.';

/** GitHub takes 65,536 characters. */
const MAX_BODY = 65_000;

const PAGE_SIZE = 100;
const TIMEOUT_MS = 30_000;

/**
 * @typedef {object} PullRequest
 * @property {string} api the address of GitHub's API: `https://api.github.com`
 * @property {string} repository `owner/name`
 * @property {number} number
 * @property {string} token may write comments on pull requests
 *
 * @typedef {{ id: number, body?: string, user: { login: string } | null }} Comment
 */

/**
 * Creates the comment, or updates it.
 *
 * @param {string} page Markdown
 * @param {PullRequest} pullRequest
 * @returns {Promise<'created' | 'updated' | 'nothing to say'>}
 * @throws {Error} if GitHub can't be reached, or refuses; then with the `status` of its response
 */
export async function comment(page, pullRequest) {
  const issues = `/repos/${pullRequest.repository}/issues`;
  const own = await findOwn(`${issues}/${pullRequest.number}/comments`, pullRequest);
  if (page.trim() === '' && own === undefined) return 'nothing to say';
  const body = `${MARKER}\n\n${page.trim() || NOTHING}`.slice(0, MAX_BODY);
  if (own === undefined) {
    await request('POST', `${issues}/${pullRequest.number}/comments`, pullRequest, { body });
    return 'created';
  }
  await request('PATCH', `${issues}/comments/${own.id}`, pullRequest, { body });
  return 'updated';
}

/**
 * The comment of an earlier run. Somebody else who quotes the marker has another name.
 *
 * @param {string} path
 * @param {PullRequest} pullRequest
 * @returns {Promise<Comment | undefined>}
 */
async function findOwn(path, pullRequest) {
  for (let page = 1; ; page += 1) {
    /** @type {Comment[]} */
    const comments = await request('GET', `${path}?per_page=${PAGE_SIZE}&page=${page}`, pullRequest);
    const own = comments.find(({ user, body }) => user?.login === BOT && body?.startsWith(MARKER));
    if (own !== undefined || comments.length < PAGE_SIZE) return own;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {PullRequest} pullRequest
 * @param {object} [body]
 */
async function request(method, path, { api, token }, body) {
  const response = await fetch(api + path, {
    method,
    headers: {
      Accept: 'application/vnd.github+json',
      Authorization: `Bearer ${token}`,
      'X-GitHub-Api-Version': '2022-11-28',
    },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  const { status } = response;
  throw Object.assign(new Error(`${method} ${path}: ${status} ${messageIn(text)}`), { status });
}

/**
 * What GitHub says, on one line.
 *
 * @param {string} text
 */
function messageIn(text) {
  try {
    return String(JSON.parse(text).message).replace(/\s+/g, ' ');
  } catch {
    return text.slice(0, 200).replace(/\s+/g, ' ');
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file = ''] = process.argv.slice(2);
  const { GITHUB_API_URL = '', GITHUB_REPOSITORY = '', GITHUB_TOKEN = '', PULL_REQUEST } = process.env;
  try {
    const done = await comment(readFileSync(file, 'utf8'), {
      api: GITHUB_API_URL,
      repository: GITHUB_REPOSITORY,
      number: Number(PULL_REQUEST),
      token: GITHUB_TOKEN,
    });
    console.log(`The comment on pull request ${PULL_REQUEST}: ${done}.`);
  } catch (error) {
    const { message, status, cause } = /** @type {Error & { status?: number }} */ (error);
    if (status === 403) {
      // As for Dependabot, whose token may only read.
      console.log(`::warning::The token may not comment. The summary of the job has the page. ${message}`);
    } else {
      console.log(`::error::The comment could not be written. ${message}${cause ? `: ${cause}` : ''}`);
      process.exitCode = 1;
    }
  }
}
