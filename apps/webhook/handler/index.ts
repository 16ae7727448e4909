/** What the receiver loads: the handler, and the module that has what it injects. */
export { HandlerModule } from './handler.module.js';
export { NewPlantHandler as default } from './new-plant.handler.js';
