/** When a delivery that was not acknowledged is sent again (question `retry`). */
export interface RetryPolicy {
  /** The wait before each further attempt, in milliseconds: there are as many further attempts as entries. */
  readonly delays: readonly number[];
  /** The statuses after which there is another attempt; `all`: every one that is no acknowledgement. */
  readonly statuses: readonly number[] | 'all';
  /** Whether there is another attempt where no answer came: no connection, a broken one, or a time-out. */
  readonly withoutAnswer: boolean;
}
