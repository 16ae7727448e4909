import { Module } from '@nestjs/common';

import { NewPlantHandler } from './new-plant.handler.js';

/** What the handler needs. **Add the providers and the modules that your team's handler injects.** */
@Module({ providers: [NewPlantHandler] })
export class HandlerModule {}
