import type { Creator } from '../../foundation/audit/index.ts';
import type { EventType } from '../../foundation/events/index.ts';
import type { Stored } from './adapters/index.ts';

/** The keys are paths of fields in an event's data; the values are those that match. */
export type Filter = Readonly<Record<string, Scalar | readonly Scalar[]>>;
export type Scalar = string | number | boolean | null;
export type Filters = Readonly<Partial<Record<EventType, Filter>>>;

/** The versions of event shapes; a destination keeps the version of its creation. */
export const EVENT_VERSIONS = ['2026-11-22'] as const;
export type EventVersion = (typeof EVENT_VERSIONS)[number];
export const NEWEST: EventVersion = '2026-11-22';

/** `unconfirmed`: no recipient of the mail destination has confirmed yet. */
export type Status = 'active' | 'paused' | 'gone' | 'unconfirmed';

export interface Destination {
  readonly id: string;
  readonly kind: Stored;
  readonly name: string | null;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly filters: Filters;
  readonly eventVersion: EventVersion;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly status: Status;
  /** Nothing is sent to these recipients until they confirm. */
  readonly unconfirmed: readonly string[];
  readonly createdBy: Creator | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewDestination {
  readonly kind: Stored;
  readonly name: string | null;
  /** The URL as the customer gave it; the adapter derives the address. */
  readonly url: string | null;
  readonly events: readonly EventType[];
  readonly filters: Filters;
  readonly eventVersion: EventVersion;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Change {
  /** The URL as the customer gave it; the adapter derives the address. */
  readonly url?: string | null;
  /** The settings replace all previous ones. */
  readonly settings?: Readonly<Record<string, unknown>> | null;
  readonly name?: string | null;
  readonly events?: readonly EventType[];
  readonly filters?: Filters | null;
  readonly status?: 'active' | 'paused';
}
