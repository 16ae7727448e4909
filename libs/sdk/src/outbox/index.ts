import '../refuse-bun.js';
export type { OutboxConnection, OutboxDatabase, OutboxStatement } from './database.js';
export {
  createOutbox,
  type EnqueueOptions,
  type Outbox,
  type OutboxOptions,
  type Transaction,
} from './outbox.js';
export { isOutboxError, OutboxError, type OutboxErrorCode, outboxErrorCodes } from './outbox-error.js';
export type { ListOptions, OutboxEntry, OutboxEntryWithContent, OutboxStatus, Selection } from './entries.js';
export { createRelay, type Relay } from './relay.js';
export {
  type FailedEntry,
  type OutageNotice,
  type OutboxDiagnosticsMessages,
  type ParkedNotice,
  relayDefaults,
  type RelayOptions,
  type RelayRetry,
} from './relay-options.js';
