/** What a receiver answers to a delivery that it has taken (question `receiver-response`; RFC 9110 §15.3). */
export type ReceiverResponse =
  | { readonly status: 204 | 205; readonly description: string }
  | {
      readonly status: 200 | 201 | 202 | 203;
      readonly description: string;
      /** Sent as it is, in UTF-8. */
      readonly content?: { readonly mediaType: string; readonly text: string };
    };
