/**
 * Defaults of the guards. They protect the process that sends; the specification shows no limits and no
 * time-outs (questions time-outs, size-limits, rate-limits), and nothing here is promised to a receiver.
 */
export const guardDefaults = Object.freeze({
  connectTimeout: 5_000,
  attemptTimeout: 15_000,
  totalTimeout: 30_000,
  maxAnswerBytes: 65_536,
  maxConnections: 64,
  allowInsecureTransport: false,
});
