/** How deliveries are received: what the answers decide, and the guards. */
export interface Reception {
  /** Methods that are accepted (question `http-method`). */
  readonly methods: readonly string[];
  /** Largest content of one delivery, in bytes. */
  readonly maxContentBytes: number;
  /** Largest content of all deliveries that are being received, in bytes. */
  readonly maxContentBytesInFlight: number;
}

/** Injection token of the {@link Reception}. */
export const RECEPTION = Symbol('Reception');
