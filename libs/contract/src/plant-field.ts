/** Where the plant is in the content, by the answer to `payload`: in a field, or `undefined` if it is alone. */
export function plantFieldOf(payload: string | object | undefined): string | undefined {
  return (payload as { readonly plantField?: string } | undefined)?.plantField;
}
