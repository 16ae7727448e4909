#!/usr/bin/env node
try {
  const { answers } = await import('@plant-store/contract');
  const { plantStore } = await import('../dist/cli/plant-store.js');
  await plantStore(answers);
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error('plant-store: not built yet. Build it in the repository with: npx nx build sdk');
  process.exitCode = 5;
}
