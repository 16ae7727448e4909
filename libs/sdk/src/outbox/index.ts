export type { OutboxConnection, OutboxDatabase } from './database.js';
export { createOutbox, type EnqueueOptions, type Outbox, type OutboxOptions } from './outbox.js';
export { OutboxError, type OutboxErrorCode, outboxErrorCodes } from './outbox-error.js';
export type { ListOptions, OutboxStatus, ParkedEntry, Selection } from './parked.js';
export { createRelay, type Relay } from './relay.js';
export { relayDefaults, type RelayOptions, type RelayRetry } from './relay-options.js';
export type { Transaction } from './transaction.js';
