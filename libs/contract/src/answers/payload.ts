/** The shape of the payload (question `payload`): the plant alone, or an object with the plant under a field. */
export type PayloadShape = 'plant' | { readonly plantField: string };
