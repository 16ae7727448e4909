import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';

import type { FastifyInstance, onRequestHookHandler, preParsingHookHandler } from 'fastify';

import type { AcceptedToken, BearerStrategy } from '../authentication/bearer.strategy.js';
import { connectionOf } from '../http/connection.js';
import { expectsContinue, type RequestHead } from '../http/message.js';
import { Refusal } from '../http/refusal.js';
import type { DeliveryPipeline } from './pipeline.js';

/** What is known of a delivery before its content is read. */
export interface Admitted {
  /** When it was let in, by the monotonic clock. */
  readonly at: number;
  /** `Content-Type` as it was sent. */
  readonly mediaType: string | null;
  readonly memory: MemoryShare;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The access token of a request that is let in, where passport puts whoever was authenticated. */
    user: AcceptedToken | undefined;
    /** Undefined unless it is let in. */
    admitted: Admitted | undefined;
  }
}

/**
 * Lets a delivery in before one byte of its content is read: its token is accepted, its head is as it must be, and there
 * is memory for it. Then Fastify reads the content.
 */
export class Admission {
  readonly #memory: ContentMemory;

  constructor(
    private readonly strategy: Pick<BearerStrategy, 'tokenOf'>,
    private readonly pipeline: DeliveryPipeline,
  ) {
    this.#memory = new ContentMemory(pipeline.maxContentBytesInFlight);
  }

  /** Guards a whole application (§5), and has it read content as it is. */
  guard(
    fastify: Pick<FastifyInstance, 'addContentTypeParser' | 'addHook' | 'removeAllContentTypeParsers'>,
  ): void {
    fastify.addHook('onRequest', this.#onRequest);
    fastify.addHook('preParsing', this.#preParsing);
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, content, done) =>
      done(null, content),
    );
  }

  /** Decides at once (docs/decisions/009). */
  readonly #onRequest: onRequestHookHandler = (request, reply, done) => {
    const { raw, is404 } = request;
    if (is404) throw new Refusal('path-unknown');
    const at = performance.now();
    const user = this.strategy.tokenOf(raw);
    request.user = user;
    connectionOf(raw.socket).accept();
    for (const step of this.pipeline.headSteps) step(raw, user);
    const { 'content-length': length = '0', 'content-type': mediaType = null } = raw.headers;
    if (Number(length) > this.pipeline.maxContentBytes) throw new Refusal('content-too-large');
    const memory = new MemoryShare(this.#memory, raw, reply.raw);
    memory.take(sizeOf(raw) + Number(length));
    request.admitted = { at, mediaType, memory };
    // Fastify would refuse what it can't parse as a media type. No type is refused while `media-type` is open.
    raw.headers['content-type'] = undefined;
    if (expectsContinue(raw)) reply.raw.writeContinue();
    done();
  };

  /** Chunked content announces no length: memory for it is taken as it arrives. */
  readonly #preParsing: preParsingHookHandler = ({ raw, admitted }, _reply, content, done) => {
    if (raw.headers['transfer-encoding'] === undefined || admitted === undefined) return done(null, content);
    done(null, content.pipe(new PartsJoiner(admitted.memory, this.pipeline.maxContentBytes)));
  };
}

/** What each name and each value of a header field takes beside its characters, in bytes. */
const STRING_OVERHEAD = 64;

/** The memory that the header fields of a request take, in bytes. */
function sizeOf({ rawHeaders }: RequestHead): number {
  let bytes = rawHeaders.length * STRING_OVERHEAD;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** The memory of all deliveries that are let in, and not stored yet. */
class ContentMemory {
  used = 0;

  /** @param limit in bytes. One delivery alone may take more, by its header fields. */
  constructor(readonly limit: number) {}
}

/** The memory of one delivery: until it is stored, has a response, or can't be complete any more. */
class MemoryShare {
  #held = 0;
  #isFreed = false;

  constructor(
    private readonly memory: ContentMemory,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    response.once('close', () => this.free());
    // A response behind another one never closes if their connection does.
    request.once('close', () => {
      if (!request.complete || response.headersSent) this.free();
    });
  }

  /**
   * @throws Refusal `unavailable` if the deliveries together would take more than the limit, `content-missing` if it was
   * given back
   */
  take(bytes: number): void {
    const { memory } = this;
    if (this.#isFreed) throw new Refusal('content-missing');
    const hasOthers = memory.used > this.#held;
    if (hasOthers && memory.used + bytes > memory.limit) throw new Refusal('unavailable');
    memory.used += bytes;
    this.#held += bytes;
  }

  /** Gives everything back. May be called again. */
  free(): void {
    this.#isFreed = true;
    this.memory.used -= this.#held;
    this.#held = 0;
  }
}

/** How many parts of chunked content are joined at a time. */
const MAX_PARTS = 64;

/**
 * Joins parts of chunked content: those of one byte would take hundreds of times as much memory, each by itself. It alone
 * refuses such content. If Fastify did, it would stop listening, and a refusal of what still arrives would end the process.
 */
class PartsJoiner extends Transform {
  #parts: Buffer[] = [];
  #size = 0;

  constructor(
    private readonly memory: MemoryShare,
    private readonly limit: number,
  ) {
    super();
  }

  override _transform(part: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#size += part.length;
      if (this.#size > this.limit) throw new Refusal('content-too-large');
      this.memory.take(part.length);
    } catch (refusal) {
      return done(refusal as Refusal);
    }
    this.#parts.push(part);
    if (this.#parts.length === MAX_PARTS) this.#join();
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#join();
    done();
  }

  #join(): void {
    this.push(Buffer.concat(this.#parts));
    this.#parts = [];
  }
}
