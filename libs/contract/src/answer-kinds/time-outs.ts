/** How long a delivery may take (question `time-outs`), in milliseconds. */
export interface TimeOuts {
  /** Until a receiver has the whole request. */
  readonly delivery: number;
  /** Until a sender has the whole response. */
  readonly response: number;
}
