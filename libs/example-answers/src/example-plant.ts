import { z } from 'zod';

/** Example fields of a plant. Nobody has named them. */
export const examplePlant = z.object({
  name: z.string().min(1),
  heightInCentimetres: z.number().positive().optional(),
});

/** Example fields of an event beside those of its plant. Nobody has named them. */
export const exampleEvent = z.object({ addedOn: z.string().regex(/^\d{4}-\d{2}-\d{2}$/) });
