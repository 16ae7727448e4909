#!/usr/bin/env node
try {
  const { runPlantInbox } = await import('../dist/inbox-command/plant-inbox.js');
  await runPlantInbox(process.argv.slice(2));
} catch (error) {
  const isNotBuilt =
    error.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find module .*[\\/]dist[\\/]/.test(error.message);
  if (!isNotBuilt) throw error;
  console.error('plant-inbox: not built yet. Build it in the repository with: npx nx build webhook');
  process.exitCode = 1;
}
