import { type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { type DocumentReader, jsonOf } from './document-reader.js';
import { type Block, join, type Section, type Text, textOf } from './page.js';

/** How requests are authenticated: each scheme, and which of them is required by default. */
export function describeAuthentication(reader: DocumentReader, root: SourceNode): Section {
  const schemes = reader.entries(reader.at(reader.at(root, 'components'), 'securitySchemes'));
  const required = describeRequirement(reader, valueAt(root, 'security'));
  return {
    id: 'authentication',
    title: 'Authentication',
    blocks: [
      {
        kind: 'facts',
        facts: [{ name: 'Required by default, for the whole interface', value: required ?? ['not stated'] }],
      },
    ],
    sections: schemes.map(([name, scheme]) => ({
      id: `scheme-${name}`,
      title: name,
      blocks: describeScheme(reader, scheme),
      sections: [],
    })),
  };
}

/** Which schemes a requirement asks for: alternatives, each of one or several. Nothing where there is none. */
export function describeRequirement(
  reader: DocumentReader,
  requirement: SourceNode | undefined,
): Text | undefined {
  if (requirement?.kind !== 'list') return undefined;
  const alternatives = reader.items(requirement).map((alternative): Text => {
    const schemes = reader.entries(alternative).map(([name, scopes]): Text => {
      const asked = scopes.kind === 'list' && scopes.items.length > 0;
      return [{ to: `scheme-${name}`, text: name }, ...(asked ? [' with ', { code: jsonOf(scopes) }] : [])];
    });
    return schemes.length === 0 ? ['no authentication'] : join(schemes, ' and ');
  });
  return alternatives.length === 0 ? ['no authentication'] : join(alternatives, ', or ');
}

function describeScheme(reader: DocumentReader, scheme: SourceNode): Block[] {
  const description = stringAt(scheme, 'description');
  const facts = reader
    .entries(scheme)
    .filter(([key]) => key !== 'description')
    .map(([key, value]) => ({
      name: key,
      value: [{ code: stringAt(scheme, key) ?? jsonOf(value) }],
    }));
  const form = headerOf(stringAt(scheme, 'type'), stringAt(scheme, 'scheme'));
  return [
    ...(description === undefined ? [] : [{ kind: 'paragraph', text: textOf(description) } as const]),
    { kind: 'facts', facts },
    ...(form === undefined ? [] : [form]),
  ];
}

/** RFC 6750 §2.1. */
function headerOf(type?: string, scheme?: string): Block | undefined {
  if (type !== 'http' || scheme?.toLowerCase() !== 'bearer') return undefined;
  return {
    kind: 'code',
    caption: ['A request is authenticated by a header of this form:'],
    language: 'http',
    code: 'Authorization: Bearer <ACCESS_TOKEN>',
  };
}
