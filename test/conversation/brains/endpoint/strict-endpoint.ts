/**
 * The server is as strict as those of vendors: it takes a schema only in the subset that they document, never more
 * tokens than its model writes, and stops inside a word where an answer has reached its limit.
 */
import type { ServerResponse } from 'node:http';
import { chatChunk, type ReceivedRequest, ScriptedEndpoint } from './scripted-endpoint.ts';

export interface StrictModel {
  readonly answers: (system: string, user: string) => string;
  readonly mostTokens?: number;
  /** It rejects these formats; with `mute` the error does not name the field. */
  readonly refuses?: readonly string[];
  readonly mute?: boolean;
  readonly goesOn?: 'exactly' | 'anew' | 'with an overlap' | 'never';
  readonly breaks?: boolean;
}

const CHARACTERS_PER_TOKEN = 4;
const OVERLAP = 30;

const KNOWN = [
  'model',
  'stream',
  'max_tokens',
  'temperature',
  'stream_options',
  'messages',
  'response_format',
];
const KEYWORDS = ['type', 'properties', 'required', 'additionalProperties', 'items', 'anyOf', 'enum'];

type Schema = Record<string, unknown>;
interface Message {
  readonly role: string;
  readonly content: string;
}

/** Returns why the vendor rejects a strict schema, or null when it accepts it. */
export function problemOf(schema: unknown, at = '()'): string | null {
  const part = schema as Schema;
  const unknown = Object.keys(part).find((name) => !KEYWORDS.includes(name));
  if (unknown !== undefined) return `In context=${at}, '${unknown}' is not permitted.`;
  if (part.anyOf !== undefined)
    return (part.anyOf as unknown[]).map((one) => problemOf(one, at)).find((one) => one !== null) ?? null;
  if (part.type === undefined) return `In context=${at}, schema must have a 'type' key.`;
  if (part.type === 'array')
    return part.items === undefined
      ? `In context=${at}, array schema missing items.`
      : problemOf(part.items, at);
  if (part.type !== 'object') return null;
  if (part.additionalProperties !== false)
    return `In context=${at}, 'additionalProperties' is required to be supplied and to be false.`;
  const properties = part.properties as Record<string, unknown>;
  const names = Object.keys(properties);
  if (JSON.stringify([...(part.required as string[])].sort()) !== JSON.stringify([...names].sort()))
    return `In context=${at}, 'required' is required to be an array including every key in properties.`;
  return (
    names.map((name) => problemOf(properties[name], `${at}.${name}`)).find((one) => one !== null) ?? null
  );
}

export const startStrictEndpoint = (model: StrictModel): Promise<ScriptedEndpoint> =>
  ScriptedEndpoint.start(({ body }, response) => {
    const problem = refusalOf(model, body);
    if (problem !== null) {
      const error = model.mute
        ? { message: 'Bad request.' }
        : { message: problem.message, type: 'invalid_request_error', param: problem.param, code: null };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      return;
    }
    write(model, body, response);
  });

function refusalOf(model: StrictModel, body: ReceivedRequest['body']) {
  const unknown = Object.keys(body).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined)
    return { param: unknown, message: `Unrecognized request argument supplied: ${unknown}` };
  const most = model.mostTokens ?? 4096;
  if ((body.max_tokens as number) > most)
    return {
      param: 'max_tokens',
      message: `max_tokens is too large: ${body.max_tokens}. This model supports at most ${most} completion tokens.`,
    };
  const format = body.response_format as
    | { type: string; json_schema?: { name: string; schema: unknown; strict: boolean } }
    | undefined;
  if (format === undefined) return null;
  if (model.refuses?.includes(format.type))
    return {
      param: 'response_format',
      message: `This model does not support response_format ${format.type}.`,
    };
  const { json_schema: given } = format;
  if (given === undefined) return null;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(given.name))
    return { param: 'response_format.json_schema.name', message: 'Invalid name.' };
  const problem = given.strict ? problemOf(given.schema) : null;
  return problem === null
    ? null
    : { param: 'response_format', message: `Invalid schema for response_format '${given.name}': ${problem}` };
}

function write(model: StrictModel, body: ReceivedRequest['body'], response: ServerResponse): void {
  const messages = body.messages as Message[];
  const [system, user] = messages;
  const whole = model.answers(system?.content ?? '', user?.content ?? '');
  const begun = messages.find(({ role }) => role === 'assistant')?.content;
  const text = begun === undefined ? whole : restOf(whole, begun, model.goesOn ?? 'exactly');
  const characters = (body.max_tokens as number) * CHARACTERS_PER_TOKEN;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const first = chatChunk({ content: text.slice(0, characters) });
  if (model.breaks && text.length > characters) return void response.write(first, () => response.destroy());
  response.write(first);
  if (text.length <= characters) response.end(`${chatChunk({}, 'stop')}data: [DONE]\n\n`);
  else response.end(`${chatChunk({}, 'length')}data: [DONE]\n\n`);
}

function restOf(whole: string, begun: string, how: NonNullable<StrictModel['goesOn']>): string {
  if (how === 'never') return '';
  if (how === 'anew') return whole;
  return whole.slice(Math.max(0, begun.length - (how === 'exactly' ? 0 : OVERLAP)));
}
