import type { Json, Media } from './html.ts';

export interface SampledOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

const FORM = 'multipart/form-data';
const JSON_TYPE = 'application/json';

export const bodyOf = ({ operation }: SampledOperation): Record<string, Media> =>
  (operation.requestBody as { content?: Record<string, Media> } | undefined)?.content ?? {};

const parametersOf = ({ operation }: SampledOperation): Parameter[] =>
  (operation.parameters ?? []) as Parameter[];
type SampleCredential = 'key' | 'session' | 'operator' | 'none';

function sampleCredentialOf({ operation }: SampledOperation): SampleCredential {
  const schemes = new Set((operation.security as Json[]).flatMap(Object.keys));
  if (schemes.size === 0) return 'none';
  if (schemes.has('bearer')) return 'key';
  return schemes.has('session') ? 'session' : 'operator';
}

const VARIABLES: Readonly<Record<SampleCredential, string>> = {
  key: 'KEY',
  session: 'SESSION',
  operator: 'OPERATOR_TOKEN',
  none: '',
};
const IN_PLACE_OF_A_KEY: Readonly<Record<SampleCredential, string>> = {
  key: '',
  none: '',
  session: 'The client is made with the token of a signed-in person in place of a key.',
  operator: 'The client is made with the operator’s token in place of a key.',
};
const headersOf = (described: SampledOperation): Parameter[] =>
  parametersOf(described).filter((one) => one.in === 'header' && one.required);
const exampleOf = ({ example, name }: Parameter): string => String(example ?? name);

export function filledPath(described: SampledOperation): string {
  const parameters = parametersOf(described);
  const path = parameters
    .filter((one) => one.in === 'path')
    .reduce((url, one) => url.replace(`{${one.name}}`, encodeURIComponent(exampleOf(one))), described.path);
  const query = parameters.filter((one) => one.in === 'query' && one.required);
  const said = new URLSearchParams(
    Object.fromEntries(query.map((one) => [one.name, exampleOf(one)])),
  ).toString();
  return said === '' ? path : `${path}?${said}`;
}

const formFields = (media: Media | undefined): [string, unknown][] =>
  Object.entries((media?.example ?? {}) as Record<string, unknown>);
const isFile = (value: unknown): boolean => value === '(bytes)';
const areFiles = (value: unknown): boolean => Array.isArray(value) && value.every(isFile);

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curlOf(base: string, described: SampledOperation): string {
  const body = bodyOf(described);
  const lines = [`curl -X ${described.method.toUpperCase()} '${base}${filledPath(described)}'`];
  const opener = sampleCredentialOf(described);
  if (opener !== 'none') lines.push(`-H "Authorization: Bearer $${VARIABLES[opener]}"`);
  for (const one of headersOf(described)) lines.push(`-H "${one.name}: ${exampleOf(one)}"`);
  const json = body[JSON_TYPE]?.example;
  if (json !== undefined)
    lines.push('-H "content-type: application/json"', `-d ${inShell(JSON.stringify(json))}`);
  else if (body[FORM])
    for (const [name, value] of formFields(body[FORM]))
      lines.push(
        `-F ${inShell(`${name}=${isFile(value) || areFiles(value) ? '@recording.wav' : String(value)}`)}`,
      );
  else if (Object.keys(body).length > 0)
    lines.push(`-H "content-type: ${typeOf(body)}"`, '--data-binary @body');
  return lines.join(' \\\n  ');
}

const typeOf = (body: Record<string, Media>): string => {
  const types = Object.keys(body);
  return types.find((type) => !type.includes('*')) ?? 'application/octet-stream';
};

const camel = (name: string): string => name.replace(/_([a-z0-9])/gi, (_all, letter) => letter.toUpperCase());
const snake = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');

const indented = (value: unknown, by: string): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${by}`);

const NAMED = { path: 'path', query: 'query', header: 'headers' } as const;

export function typescriptOf(described: SampledOperation): string {
  const body = bodyOf(described);
  const parts = (['path', 'query', 'header'] as const).flatMap((place) => {
    const named = parametersOf(described).filter((one) => one.in === place && one.required);
    const values = Object.fromEntries(named.map((one) => [one.name, one.example ?? one.name]));
    return named.length > 0 ? [`${NAMED[place]}: ${JSON.stringify(values)}`] : [];
  });
  const json = body[JSON_TYPE]?.example;
  if (json !== undefined) parts.push(`body: ${indented(json, '  ')}`);
  else if (body[FORM]) {
    const pairs = formFields(body[FORM]).map(([name, value]) => {
      if (isFile(value)) return name;
      return `${name}: ${areFiles(value) ? '[file]' : JSON.stringify(value)}`;
    });
    parts.push(`body: { ${pairs.join(', ')} }`);
  } else if (Object.keys(body).length > 0) parts.push('body');
  const options = parts.length > 0 ? `{\n  ${parts.join(',\n  ')},\n}` : '';
  const note = IN_PLACE_OF_A_KEY[sampleCredentialOf(described)];
  const before = note === '' ? '' : `// ${note}\n`;
  return `${before}const answer = await trunkline.rest.${camel(String(described.operation.operationId))}(${options});`;
}

const PYTHON_BYTES = 'File(payload=open("body", "rb"))';
const PYTHON_RECORDING =
  'File(payload=open("recording.wav", "rb"), file_name="recording.wav", mime_type="audio/wav")';

const componentOf = ({ schema }: Media): string | undefined =>
  /^#\/components\/schemas\/(.+)$/.exec(String((schema as Json | undefined)?.$ref ?? ''))?.[1];

function pythonBody(described: SampledOperation): { name?: string; value: string } | null {
  const body = bodyOf(described);
  const types = [JSON_TYPE, FORM].filter((type) => type in body);
  if (types.length === 0) return Object.keys(body).length > 0 ? { value: PYTHON_BYTES } : null;
  const id = camel(`_${described.operation.operationId}`);
  const both = types.length > 1;
  if (body[JSON_TYPE]) {
    // The generator names a shape that operations share by its component.
    const name = componentOf(body[JSON_TYPE]) ?? `${id}${both ? 'JsonBody' : 'Body'}`;
    return { name, value: `${name}.from_dict(${pythonic(body[JSON_TYPE].example ?? {})})` };
  }
  const fields = formFields(body[FORM]).map(([name, value]) => {
    if (areFiles(value)) return `${name}=[${PYTHON_RECORDING}]`;
    return `${name}=${isFile(value) ? PYTHON_RECORDING : pythonic(value)}`;
  });
  return { name: `${id}Body`, value: `${id}Body(${fields.join(', ')})` };
}

export function pythonOf(described: SampledOperation): string {
  const id = snake(String(described.operation.operationId)).replace(/_$/, '');
  const tag = snake((described.operation.tags as string[])[0]!);
  const named = parametersOf(described).filter((one) => one.required);
  const values = named.map((one) => `${snake(one.name)}=${pythonic(one.example ?? one.name)}`);
  const body = pythonBody(described);
  const note = IN_PLACE_OF_A_KEY[sampleCredentialOf(described)];
  const lines = [...(note === '' ? [] : [`# ${note}`]), `from trunkline_client.rest.api.${tag} import ${id}`];
  if (body?.name !== undefined) lines.push(`from trunkline_client.rest.models import ${body.name}`);
  if (body?.value.includes('File(')) lines.push('from trunkline_client.rest.types import File');
  const inner = [...values, ...(body ? [`body=${body.value}`] : []), 'client=trunkline.rest'];
  lines.push('', `answer = ${id}.sync(${inner.join(', ')})`);
  return lines.join('\n');
}

function pythonic(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonic).join(', ')}]`;
  if (typeof value === 'object') {
    const pairs = Object.entries(value as object).map(
      ([name, one]) => `${JSON.stringify(name)}: ${pythonic(one)}`,
    );
    return `{${pairs.join(', ')}}`;
  }
  return JSON.stringify(value);
}
