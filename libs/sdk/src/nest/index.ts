import '../refuse-bun.js';
export {
  NEW_PLANT_SENDER,
  NewPlantSenderModule,
  type NewPlantSenderModuleAsyncOptions,
} from './new-plant-sender.module.js';
