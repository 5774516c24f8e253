/** This module makes examples from the schemas themselves, so that no example contradicts its schema. */

type Json = Record<string, unknown>;

const BODY = '4fT9bQw2LmXc7RzK1hVd';
const AT = 1_795_348_800_000;

const EXAMPLES_BY_NAME: Readonly<Record<string, unknown>> = {
  email: 'ada@example.com',
  password: 'a long pass phrase',
  name: 'Front desk',
  org_name: 'Example Ltd',
  text: 'Thank you for calling. How can I help you?',
  input: 'Thank you for calling. How can I help you?',
  transcript: 'Thank you for calling.',
  title: 'Opening hours',
  description: 'A calm, low voice of a woman',
  language: 'en',
  voice: 'heart_en_us',
  voice_id: 'heart_en_us',
  voice_under_load: 'joe_en_us',
  default_voice: 'heart_en_us',
  model: 'svc-hear',
  word: 'Thank',
  phone_number: '+14155550100',
  to: '+15005550001',
  from: '+14155550100',
  country: 'US',
  next_cursor: null,
  request_id: `req_${BODY}`,
  date: '2026-11-22',
  error: null,
  digits: '1234#',
  kb_endpoint: 'https://example.com/passages',
  persona: 'You are the front desk of a dental practice.',
  greeting: 'Hello, how can I help you?',
  consent_line: 'This call is recorded.',
  filler: 'One moment, please.',
  voice_instruct: 'speak softly',
  vocabulary: 'Trunkline',
  api_key: `svc_test_${BODY}`,
  external_id: 'customer-17',
  hash: 'a1b2c3'.repeat(10),
  sha256: 'a1b2c3'.repeat(10),
};

const PREFIXES: Readonly<Record<string, string>> = {
  api_key: 'key',
  'transcription.job': 'job',
  'omni.call': 'ocl',
  'amd.call': 'amd',
  'telephony.number': 'num',
  'telephony.call': 'tcl',
  'telephony.campaign': 'camp',
  'webhook.delivery': 'dlv',
  'voice.design': 'vdr',
  voice: 'vc',
  erasure: 'era',
  'audit.entry': 'aud',
  agent: 'agt',
  call: 'ocl',
  project: 'proj',
  organization: 'org',
  org: 'org',
  user: 'usr',
  member: 'usr',
  event: 'evt',
  candidate: 'cand',
  knowledge_base: 'kb',
  document: 'doc',
  knowledgebase: 'kb',
  'msgapp.number': 'wan',
  'msgapp.call': 'wcall',
  number: 'wan',
  clone: 'vc',
  design: 'vdr',
  campaign: 'camp',
  omni_call: 'ocl',
  extraction: 'ext',
  upload: 'up',
  correction: 'ccor',
  compliance_case: 'ncc',
  'compliance-case': 'ncc',
  'rule-pack': 'tpack',
  'legal-hold': 'hold',
  'telephony.compliance_case': 'ncc',
  scorecard: 'sc',
  interaction: 'trace',
  rerun: 'trace',
  violation: 'tres',
  finding: 'tres',
  'trace.interaction': 'trace',
  'trace.violation': 'tres',
  'trace.finding': 'tres',
  'trace.rule_pack': 'tpack',
  'trace.consent': 'tcon',
  rule_pack: 'tpack',
  consent: 'tcon',
  destination: 'dst',
  invitation: 'invt',
  invoice: 'inv',
  credit: 'led',
  legal_hold: 'hold',
  render: 'rend',
  utterance: 'utt',
  session: 'sess',
};

function prefixOf(kind: string): string {
  const last = kind.split('.').at(-1) ?? 'id';
  return PREFIXES[kind] ?? PREFIXES[last] ?? last;
}

export function resourceKindOfParameter(path: string, name: string): string {
  const [family = '', kind = ''] = path
    .slice(0, path.indexOf(`/{${name}}`))
    .split('/')
    .slice(-2);
  return `${singular(family)}.${singular(kind)}`;
}

/**
 * With `whole` the example has every optional field, as a response does; the example of a request has the required
 * fields and those with an example of their own.
 */
export function exampleOf(schema: unknown, whole: boolean, name = '', within: Json = {}): unknown {
  if (typeof schema !== 'object' || schema === null) return {};
  const one = schema as Json;
  if (Array.isArray(one.examples) && one.examples.length > 0) return one.examples[0];
  for (const word of ['const', 'default'] as const) if (one[word] !== undefined) return one[word];
  if (Array.isArray(one.enum)) return one.enum[0];
  const branches = (one.anyOf ?? one.oneOf) as Json[] | undefined;
  if (branches) return exampleOf(chosen(branches, name), whole, name, within);
  const allOf = one.allOf as Json[] | undefined;
  if (allOf) return Object.assign({}, ...allOf.map((part) => exampleOf(part, whole, name, within)));
  return ofType(one, whole, name, within);
}

const isNull = (schema: Json): boolean => schema.type === 'null';

/** Selects null for fields that usually are null, such as an error or a next page; otherwise the first other branch. */
function chosen(branches: readonly Json[], name: string): Json {
  const nullish =
    branches.some(isNull) &&
    (EXAMPLES_BY_NAME[name] === null || /_(removed|revoked|rotated)_at$|^(revoked|rotated)_at$/.test(name));
  return (nullish ? branches.find(isNull) : branches.find((branch) => !isNull(branch))) ?? {};
}

function ofType(schema: Json, whole: boolean, name: string, within: Json): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object':
      return objectOf(schema, whole, name);
    case 'array':
      return schema.items ? [exampleOf(schema.items, whole, singular(name), within)] : [];
    case 'integer':
    case 'number':
      return numberOf(schema, name);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return textOf(schema, name, within);
    default:
      return whole ? {} : (EXAMPLES_BY_NAME[name] ?? {});
  }
}

const singular = (name: string): string => name.replace(/(?<=ch|ss|x)es$|s$/, '');

function objectOf(schema: Json, whole: boolean, outer: string): Json {
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  const required = new Set((schema.required ?? []) as string[]);
  const kind = (properties.object?.const as string | undefined) ?? outer;
  const made: Json = {};
  for (const [name, inner] of Object.entries(properties)) {
    const shown = whole ? inner.examples !== null : required.has(name) || Array.isArray(inner.examples);
    if (shown) made[name] = exampleOf(inner, whole, name, { kind });
  }
  return made;
}

function numberOf(schema: Json, name: string): number {
  const least = Number(schema.minimum ?? schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const most = Number(schema.maximum ?? Number.POSITIVE_INFINITY);
  const wanted = /_at$|^at$/.test(name) ? AT : schema.type === 'integer' ? 12 : 0.5;
  return Math.min(most, Math.max(least, wanted));
}

const EXAMPLES_BY_FORMAT: Readonly<Record<string, string>> = {
  uri: 'https://example.com/hook',
  email: 'ada@example.com',
  'date-time': '2026-11-22T09:00:00.000Z',
  date: '2026-11-22',
  binary: '(bytes)',
};

function textOf(schema: Json, name: string, within: Json): string {
  const given = exampleForPattern(schema, guess(schema, name, within));
  const least = Number(schema.minLength ?? 0);
  const most = Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
  return given.padEnd(least, 'x').slice(0, most);
}

const FORMS = [
  'look_up_order',
  '+15005550001',
  '2026-11-22',
  '2027-01',
  '09:00',
  'en',
  '12',
  'https://example.com/',
  'a',
];

function exampleForPattern(schema: Json, guessed: string): string {
  if (typeof schema.pattern !== 'string') return guessed;
  const pattern = new RegExp(schema.pattern, 'u');
  const prefix = /^\^([a-z]+_)/.exec(schema.pattern)?.[1] ?? '';
  return [guessed, `${prefix}${BODY}`, ...FORMS].find((form) => pattern.test(form)) ?? guessed;
}

const kindNamed = (name: string, { kind }: Json): string =>
  typeof kind === 'string' && kind.endsWith(`.${name}`) ? kind : name;

function guess(schema: Json, name: string, within: Json): string {
  const format = EXAMPLES_BY_FORMAT[String(schema.format ?? '')];
  if (format !== undefined) return format;
  if (/(^|_)url$|_uri$/.test(name)) return 'https://example.com/hook';
  const known = EXAMPLES_BY_NAME[name];
  if (typeof known === 'string') return known;
  if (name === 'id') return `${prefixOf(String(within.kind ?? 'id'))}_${BODY}`;
  if (name.endsWith('_id')) return `${prefixOf(kindNamed(name.slice(0, -3), within))}_${BODY}`;
  return name === '' ? 'text' : name.replaceAll('_', ' ');
}
