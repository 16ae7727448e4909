import { type Answers, facts } from '@plant-store/contract';

/** The path to which deliveries come: the one of §4, after the prefix that `request-versioning` gives it, if any. */
export function deliveryPath(answers: Answers): string {
  const scheme = answers['request-versioning'];
  return scheme !== undefined && 'pathPrefix' in scheme
    ? scheme.pathPrefix + facts.DELIVERY_PATH
    : facts.DELIVERY_PATH;
}
