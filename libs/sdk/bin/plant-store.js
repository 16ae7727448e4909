#!/usr/bin/env node
try {
  const { plantStore } = await import('../dist/cli/plant-store.js');
  await plantStore();
} catch (error) {
  const isNotBuilt =
    error.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find module .*[\\/]dist[\\/]/.test(error.message);
  if (!isNotBuilt) throw error;
  console.error('plant-store: not built yet. Build it in the repository with: npx nx build sdk');
  process.exitCode = 5;
}
