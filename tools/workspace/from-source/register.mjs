/**
 * Runs TypeScript from its sources, without a build: `node --conditions @plant-store/source --import
 * ./tools/workspace/from-source/register.mjs FILE.ts`. Types are not checked.
 */
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
