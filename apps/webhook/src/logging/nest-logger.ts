import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Hands Nest's own messages to the process's logger; what Nest tells of its start is of no use to an operator. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown): void {
    this.logger.trace(String(message));
  }

  warn(message: unknown): void {
    this.logger.warn(String(message));
  }

  error(message: unknown): void {
    if (message instanceof Error) this.logger.error({ err: message }, message.message);
    else this.logger.error(String(message));
  }

  fatal(message: unknown): void {
    this.error(message);
  }
}
