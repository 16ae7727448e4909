/**
 * What `@plant-store/cli` and the tests of the workspace need beside the public API: a sender whose options are of any
 * type and are all checked at once, one under other answers, and connections to a proxy. It may change in any version.
 */
import './refuse-bun.js';
export { buildConnector, errors } from 'undici';
export { startClock } from './delivery/clocks.js';
export { Sender } from './sender.js';
export { createSenderUnder, type SenderUnder } from './sender-under.js';
export { resolveSettings, type Settings } from './options/resolve-settings.js';
export { essenceOf, isMediaType } from './encoders/encoder.js';
export { isLoopback } from './options/target.js';
export { createOutboxUnder, type OutboxUnder } from './outbox/outbox-under.js';
export { isCausedByContent } from './outbox/pace.js';
export { type Connector, OwnPool } from './transport/pool.js';
