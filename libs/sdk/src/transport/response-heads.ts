const CR = 13;
const LF = 10;
const ZERO = 48;
const ONE = 49;
const TWO = 50;

/** Where the status begins in `HTTP/1.1 100`. */
const firstDigit = 9;
const thirdDigit = 11;

/** The head has been read, or is that of a final response. */
const done = -1;

/**
 * Follows the bytes that a connection receives, and changes `100 Continue` to 102. A client must be able to parse any
 * 1xx response, also one that it didn't ask for (RFC 9110 §15.2). undici skips all of them but 100, for which it closes
 * the connection.
 *
 * It looks at status lines and at the ends of interim heads, and at nothing else. undici still parses every byte, so a
 * head with a fault is a fault as before.
 */
export class ResponseHeads {
  /** How much of a status line was read; beyond `thirdDigit` in the rest of an interim head. */
  #position = done;
  #isContinue = false;
  /** How much of the empty line was read that ends an interim head. */
  #ending = 0;

  /** A request is about to be written: the bytes after it begin with the head of a response. */
  expect(): void {
    this.#position = 0;
  }

  /** Reads received bytes, and changes them in place. */
  read(bytes: Uint8Array): void {
    for (let index = 0; this.#position !== done && index < bytes.byteLength; index += 1) {
      const byte = bytes[index]!;
      if (this.#position > thirdDigit) this.#readRest(byte);
      else if (this.#readStatusLine(byte)) bytes[index] = TWO;
    }
  }

  /** Whether the byte is the last one of `HTTP/1.1 100`. */
  #readStatusLine(byte: number): boolean {
    if (this.#position === 0 && (byte === CR || byte === LF)) return false;
    const position = this.#position;
    if (position === firstDigit) {
      if (byte !== ONE) {
        this.#position = done;
        return false;
      }
      this.#isContinue = true;
      this.#ending = 0;
    }
    this.#position += 1;
    if (position > firstDigit && byte !== ZERO) this.#isContinue = false;
    return position === thirdDigit && this.#isContinue;
  }

  #readRest(byte: number): void {
    if (byte === (this.#ending % 2 === 0 ? CR : LF)) this.#ending += 1;
    else this.#ending = byte === CR ? 1 : 0;
    if (this.#ending === 4) this.#position = 0;
  }
}
