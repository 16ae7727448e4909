import { Module } from '@nestjs/common';

/** What the handler needs. **Add the providers and the modules that it injects.** */
@Module({})
export class HandlerModule {}
