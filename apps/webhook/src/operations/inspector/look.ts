import type { Act, ErrorGroup, InboxStats } from '../../inbox/inbox-operations.js';
import type { Operations } from '../../inbox/operations.js';
import type { Activity } from '../activity.js';
import type { ReceiverFacts } from '../deliveries.js';
import { atMostEvery } from '../look-up.js';
import type { Place } from './place.js';
import type { Times } from './words.js';

/** Shortest time between two looks at the inbox for the same, in milliseconds, however many look. */
export const LOOK_INTERVAL = 1_000;

/** What every page says. */
export interface Overview {
  readonly stats: InboxStats;
  readonly groups: readonly ErrorGroup[];
  /** Whether the groups have all that fails. */
  readonly isComplete: boolean;
  /** When the oldest parked delivery was received, in milliseconds since 1970; null if none is. */
  readonly oldestParkedAt: number | null;
  /** The act that paused the handler; undefined if it isn't paused, or if that is no longer kept. */
  readonly pause: Act | undefined;
}

/** Reads what every page says: at most once a second. */
export function overviewOf(inbox: Operations, activity: Activity): () => Promise<Overview> {
  return atMostEvery(LOOK_INTERVAL, async () => {
    const [stats, { groups, isComplete }, [oldest]] = await Promise.all([
      inbox.stats(),
      inbox.errorGroups(),
      inbox.list({ state: 'parked' }, { order: 'oldest first', limit: 1 }),
      activity.look(),
    ]);
    const pause = stats.isPaused ? await inbox.acts.lastPause() : undefined;
    return { stats, groups, isComplete, oldestParkedAt: oldest?.receivedAt ?? null, pause };
  });
}

/** What a page is made from. */
export interface Look extends Overview {
  readonly inbox: Operations;
  readonly place: Place;
  readonly times: Times;
  readonly facts: Readonly<ReceiverFacts>;
  readonly activity: Activity;
  /** Where this listener is for the one who looks. */
  readonly origin: string;
  /** Who acts: who has signed in at a proxy, or the name that was given last. */
  readonly operator: string;
  readonly isSignedIn: boolean;
}
