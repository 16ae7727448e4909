// Types only: at run time this entry point needs nothing of Nest.
import type { DynamicModule, FactoryProvider, ModuleMetadata, OnApplicationShutdown } from '@nestjs/common';
import type { AnyPlant } from '../answers/answered-types.js';
import { createNewPlantSender, type NewPlantSender } from '../new-plant-sender.js';
import type { NewPlantSenderOptions } from '../options/sender-options.js';

/** The token of the sender: `@Inject(NEW_PLANT_SENDER) sender: NewPlantSender<Plant>`. */
export const NEW_PLANT_SENDER = Symbol.for('@plant-store/sdk/nest:sender');

/** How the options of the sender are made from other providers. */
export interface NewPlantSenderModuleAsyncOptions<Plant> extends Pick<ModuleMetadata, 'imports'> {
  /** The tokens of what `useFactory` gets. */
  readonly inject?: FactoryProvider['inject'] | undefined;
  /** Makes the options of `createNewPlantSender`. The types of its parameters are those of `inject`. */
  readonly useFactory: FactoryProvider<NewPlantSenderOptions<Plant>>['useFactory'];
}

/**
 * Provides one sender to the whole application, under the token `NEW_PLANT_SENDER`. Import it once, in the root
 * module.
 *
 * The sender is created when the application starts, and closed in `onApplicationShutdown`: after the HTTP server has
 * stopped, so that every request that is being handled can still send. The application waits for the deliveries in
 * flight.
 */
// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- Nest's modules are classes.
export class NewPlantSenderModule {
  /**
   * With options that are known when the module is imported. If they are missing or invalid, the application doesn't
   * start: `InvalidOptionsError`.
   */
  static forRoot<Plant extends AnyPlant>(options: NewPlantSenderOptions<Plant>): DynamicModule {
    return NewPlantSenderModule.forRootAsync({ useFactory: () => options });
  }

  /** With options that other providers make, such as a configuration service. */
  static forRootAsync<Plant extends AnyPlant>({
    imports = [],
    inject = [],
    useFactory,
  }: NewPlantSenderModuleAsyncOptions<Plant>): DynamicModule {
    const sender: FactoryProvider = {
      provide: NEW_PLANT_SENDER,
      inject,
      useFactory: async (...injected: unknown[]) => createNewPlantSender(await useFactory(...injected)),
    };
    return {
      module: NewPlantSenderModule,
      global: true,
      imports,
      providers: [sender, closer],
      exports: [sender],
    };
  }
}

/** Nest calls the hooks of every provider. The sender itself has none. */
const closer: FactoryProvider = {
  provide: Symbol('closes the sender'),
  inject: [NEW_PLANT_SENDER],
  useFactory: (sender: Pick<NewPlantSender<unknown>, 'close'>): OnApplicationShutdown => ({
    onApplicationShutdown: () => sender.close(),
  }),
};
