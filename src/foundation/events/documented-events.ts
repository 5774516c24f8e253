import type { TSchema } from 'typebox';
import { EVENT_TYPES, EVENTS, type EventType } from './catalogue.ts';
import { envelopeOf } from './define-event.ts';

export interface DocumentedEvent {
  readonly type: EventType;
  readonly version: number;
  readonly description: string;
  readonly schema: TSchema;
  readonly sample: EventEnvelope;
}

export interface EventEnvelope {
  readonly id: string;
  readonly type: EventType;
  readonly created_at: number;
  readonly data: unknown;
}

const SAMPLE_ID = 'evt_4fT9bQw2LmXc7RzK1hVd';
const SAMPLE_AT = 1_795_348_800_000;

export const documentedEvent = (type: EventType): DocumentedEvent => {
  const { description, version, data, sample } = EVENTS[type];
  return {
    type,
    version,
    description,
    schema: envelopeOf(type, data),
    sample: { id: SAMPLE_ID, type, created_at: SAMPLE_AT, data: sample },
  };
};

export const documentedEvents = (): DocumentedEvent[] => EVENT_TYPES.map(documentedEvent);
