#!/usr/bin/env node
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const { node } = process.versions;
// An older Node.js can't load the rest.
if (node.localeCompare(needed, 'en', { numeric: true }) < 0)
  fail(
    `Node.js ${needed} or newer is needed (this is ${node}). Install it, for example with "nvm install ${needed}".`,
  );

try {
  const { runPlantInbox } = await import('../dist/inbox-command/plant-inbox.js');
  await runPlantInbox(process.argv.slice(2));
} catch (error) {
  const isNotBuilt =
    error.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find module .*[\\/]dist[\\/]/.test(error.message);
  if (!isNotBuilt) throw error;
  fail('not built yet. Build it in the repository with: npx nx build webhook');
}

function fail(fault) {
  console.error(`plant-inbox: ${fault}`);
  process.exit(5);
}
