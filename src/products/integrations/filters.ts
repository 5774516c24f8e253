import { EVENTS, type EventType, type ProductEvent } from '../../foundation/events/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Filter, Filters } from './contract.ts';
import { canHold, valueAt } from './paths.ts';

/**
 * Refuses a filter on an event that is not subscribed, or on a field that the event never has: it would pass nothing.
 */
export function checkFilters(filters: Filters, events: readonly EventType[]): void {
  for (const [type, filter] of Object.entries(filters) as [EventType, Filter][]) {
    if (!events.includes(type)) throw wrong(`${type} has a filter but is not one of the events.`);
    const odd = Object.keys(filter).find((path) => !canHold(EVENTS[type].data, path));
    if (odd !== undefined) throw wrong(`The data of ${type} has no field ${odd}.`);
  }
}

const wrong = (message: string): ApiError => new ApiError('invalid_request', message, { param: 'filters' });

export const passes = ({ type, data }: ProductEvent, filters: Filters): boolean =>
  Object.entries(filters[type] ?? {}).every(([path, wanted]) => {
    const value = valueAt(data, path) ?? null;
    return [wanted].flat().some((one) => one === value);
  });
