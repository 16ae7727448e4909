import { z } from 'zod';

/** Fields of a plant that nobody has named. */
export const examplePlant = z.object({
  name: z.string().min(1),
  heightInCentimetres: z.number().positive().optional(),
});

/** Fields of an event, beside those of its plant, that nobody has named. */
export const exampleEvent = z.object({ addedOn: z.string().regex(/^\d{4}-\d{2}-\d{2}$/) });
