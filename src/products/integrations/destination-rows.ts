import type { Sealer } from '../../foundation/access/index.ts';
import { creatorOf } from '../../foundation/audit/index.ts';
import type { DestinationRow } from '../../foundation/storage/tables/integrations.ts';
import type { Destination } from './contract.ts';

/** Settings hold passwords of other systems, so they are sealed, each for its own row. */
export const sealSettings = (sealer: Sealer, id: string, settings: object): string | null =>
  Object.keys(settings).length === 0 ? null : sealer.seal(JSON.stringify(settings), id);

/** The sealed address is bound to its own row, and cannot be opened as settings. */
export const addressPlace = (id: string): string => `url ${id}`;

/** Rows of earlier versions hold the address in plain text; a sealed one has no scheme. */
export const isPlainAddress = (url: string): boolean => url.includes(':');

/** Addresses of messengers and automation tools hold a secret in the path, so they are sealed too. */
export const sealAddress = (sealer: Sealer, id: string, url: string): string =>
  sealer.seal(url, addressPlace(id));

export const addressOf = (sealer: Sealer, { id, url }: Pick<DestinationRow, 'id' | 'url'>): string =>
  isPlainAddress(url) ? url : sealer.open(url, addressPlace(id));

export const destinationOf = (sealer: Sealer, row: DestinationRow): Destination => ({
  id: row.id,
  kind: row.kind as Destination['kind'],
  name: row.name,
  url: addressOf(sealer, row),
  events: JSON.parse(row.events) as Destination['events'],
  filters: JSON.parse(row.filters) as Destination['filters'],
  eventVersion: row.event_version as Destination['eventVersion'],
  settings: (row.settings === null
    ? {}
    : JSON.parse(sealer.open(row.settings, row.id))) as Destination['settings'],
  status: row.status,
  unconfirmed: [],
  createdBy: creatorOf(row.created_by),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
