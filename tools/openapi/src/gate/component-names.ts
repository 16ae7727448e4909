/** Placeholder until the contract exports it. */
export function componentNamesIn(plain: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const {
    payload,
    'error-payloads': errors,
    ...schemas
  } = plain as Record<string, Record<string, unknown> | undefined>;
  for (const name of Object.values((payload?.['names'] as Record<string, string> | undefined) ?? {}))
    names.set(name, 'payload');
  if (errors !== undefined)
    names.set((errors['name'] as string | undefined) ?? 'ErrorPayload', 'error-payloads');
  for (const [question, own] of [
    ['plant-fields', 'Plant'],
    ['event-payload-fields', 'NewPlantEvent'],
  ] as const) {
    const schema = schemas[question];
    if (schema === undefined) continue;
    for (const name of [own, ...Object.keys((schema['$defs'] as object | undefined) ?? {})])
      names.set(name, question);
  }
  return names;
}
