// @requirement Integrations: One typed catalogue has a schema and a sample of each event.
/** Every sample matches its schema, some module sends every event, and the reference lists it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { describeWebhooks } from '../../../src/edge/server/contract/webhooks.ts';
import { documentedEvents, EVENT_TYPES } from '../../../src/foundation/events/index.ts';
import { problemOf } from '../webhooks/checked.ts';

const source = join(import.meta.dirname, '../../../src');
const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('foundation/events/'))
  .map((name) => readFileSync(join(source, name), 'utf8'));

describe.each(documentedEvents().map((event) => [event.type, event] as const))('%s', (type, event) => {
  it('has a strict schema that its sample passes, and that other things do not', () => {
    expect(problemOf(event.sample)).toBeNull();
    expect(new Ajv2020().validateSchema(event.schema)).toBe(true);
    for (const wrong of [
      { ...event.sample, id: 'evt_short' },
      { ...event.sample, created_at: 'now' },
      { ...event.sample, data: {} },
      { ...event.sample, data: null },
    ])
      expect(problemOf(wrong), JSON.stringify(wrong)).not.toBeNull();
  });

  it('is sent by some room', () => {
    expect(texts.some((text) => text.includes(`'${type}'`))).toBe(true);
  });

  it('is in the webhooks section of the reference', () => {
    const described = describeWebhooks(documentedEvents()) as Record<
      string,
      { post: { requestBody: unknown } }
    >;
    expect(described[type]?.post.requestBody).toMatchObject({
      content: { 'application/json': { schema: event.schema, example: event.sample } },
    });
  });
});

it('knows every event once, and none that it does not', () => {
  expect(new Set(EVENT_TYPES).size).toBe(EVENT_TYPES.length);
  expect(problemOf({ type: 'thing.done' })).toBe('thing.done is not in the catalogue');
});
