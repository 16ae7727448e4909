import type { Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';
import { textResponse } from './response.js';
import type { Route } from './router.js';

/** What supervisors and Prometheus ask. */
export function healthRoutes(readiness: Readiness, metrics: Metrics): readonly Route[] {
  return [
    { method: 'GET', path: '/livez', audience: 'everybody', respond: () => textResponse(200, 'ok') },
    {
      method: 'GET',
      path: '/readyz',
      audience: 'everybody',
      respond: async () => {
        const reasons = await readiness.reasons();
        return reasons.length === 0 ? textResponse(200, 'ok') : textResponse(503, reasons.join('\n'));
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      audience: 'everybody',
      respond: async () => textResponse(200, await metrics.text(), metrics.mediaType),
    },
  ];
}
