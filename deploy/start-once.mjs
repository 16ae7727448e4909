// Starts a receiver that was built once, with its handler and an empty inbox, and stops it when it listens. If it doesn't
// start, exits with 1 and prints what it says: node start-once.mjs FOLDER. The settings are those of this environment.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { answerValues } from '@plant-store/contract';

import { developmentEnvironment } from '../apps/webhook/serve/environment.mjs';

/** How long a start may take, in milliseconds. */
const TIMEOUT = 60_000;

const [, , built] = process.argv;
const state = mkdtempSync(join(tmpdir(), 'plant-store-webhook-'));

// A file of tokens is where the receiver is deployed.
const given = { ...process.env, ACCESS_TOKENS_FILE: '', LOG_LEVEL: 'info', HOST: '', OPERATIONS_HOST: '' };
const child = spawn(
  process.execPath,
  ['--max-semi-space-size=64', resolve(built, 'apps/webhook/dist/main.js')],
  {
    env: {
      ...developmentEnvironment(given, answerValues),
      PORT: '0',
      OPERATIONS_PORT: '0',
      INBOX_URL: pathToFileURL(join(state, 'inbox')).href,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT,
  },
);
let output = '';
let hasListened = false;
for (const stream of [child.stdout, child.stderr])
  stream.setEncoding('utf8').on('data', (text) => {
    output += text;
    if (hasListened || !output.includes('"msg":"listening"')) return;
    hasListened = true;
    child.kill();
  });
child.on('close', (code, signal) => {
  rmSync(state, { recursive: true });
  if (hasListened && code === 0) return;
  const ended = signal === null ? `ended with ${code}` : `was stopped after ${TIMEOUT / 1_000} s`;
  console.error(`${output}The receiver that was built didn't start, and ${ended}. What it said is above.`);
  process.exitCode = 1;
});
