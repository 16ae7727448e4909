/** Raw Fastify with the same bearer check and no store: the least that a receiver on this stack can do. */
import { serve } from './fastify-server.js';

await serve(process.argv[2]!);
