/** What `@plant-store/cli` needs before it sends. It loads no undici. It may change in any version. */
import './refuse-bun.js';
export { limitDefaults } from './options/limits.js';
