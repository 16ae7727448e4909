/**
 * What `@plant-store/cli` needs beside the public API: a sender whose options are of any type and are all checked at
 * once, and connections to a proxy. It may change in any version.
 */
import './refuse-bun.js';
export { Sender } from './sender.js';
export { resolveSettings, type Settings } from './options/resolve-settings.js';
export { escapeHidden } from './errors/escape-hidden.js';
export { systemReason } from './errors/system-reason.js';
export { essenceOf, isMediaType } from './encoders/media-type.js';
export { isLoopback } from './options/target.js';
export { isCausedByContent } from './outbox/pace.js';
export { type Connect, connectTcp, securely } from './transport/connect.js';
export { OwnPool } from './transport/pool.js';
